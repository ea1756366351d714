//! The transcripts in the README, in the pages of `docs` and in `tests/cmd` are run, so they cannot go stale.

#[test]
fn transcripts() {
    // As a reader of the README would: from the root of the repository.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("the root is there");
    trycmd::TestCases::new()
        .default_bin_name("agon")
        .env("NO_COLOR", "1")
        .case("README.md")
        .case("docs/concurrency.md")
        .case("docs/predicates.md")
        .case("crates/tool/tests/cmd/*.md")
        .case("crates/tool/tests/cmd/*.toml");
}
