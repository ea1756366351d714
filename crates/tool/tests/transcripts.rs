//! Runs the transcripts in the README, in the book and in `tests/cmd`, so that they stay true.

#[test]
fn transcripts() {
    // From the root of the repository, like a reader of the README.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("the root is there");
    trycmd::TestCases::new()
        .default_bin_name("agon")
        .env("NO_COLOR", "1")
        .case("README.md")
        .case("book/src/*.md")
        .case("crates/tool/tests/cmd/*.md")
        .case("crates/tool/tests/cmd/*.toml");
}
