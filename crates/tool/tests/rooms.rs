//! The rules of the rooms: which part of the house may know of which.
//!
//! Cargo holds the order of the crates: none can use what its manifest does not list. What may be used inside a crate, and
//! of the standard library, is read off `use` declarations and paths.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use regex::Regex;

use tree::files;

mod tree;

/// The crates, and those of them that each may use; tests may use more.
const CRATES: [(&str, &[&str]); 10] = [
    ("base", &[]),
    ("solve", &["base"]),
    ("learn", &["base"]),
    ("core", &["base"]),
    ("ia", &["base", "core"]),
    ("c", &["base", "core"]),
    ("games", &["base", "core", "solve", "learn"]),
    ("witness", &["base", "core", "learn", "games"]),
    ("check", &["base", "core", "solve", "learn", "games", "witness"]),
    ("tool", &["base", "core", "ia", "c", "solve", "learn", "games", "witness", "check"]),
];

/// Modules, and paths that nothing in them may use.
const RULES: [(&str, &[&str]); 5] = [
    ("games::denote", &["games::machine"]),
    ("games::machine", &["games::denote", "games::automaton"]),
    ("check::interval", &["check::partition"]),
    ("check::partition", &["check::interval"]),
    ("check::refine", &["check::interval", "check::partition"]),
];

/// What only the tool may use.
const WORLD: [&str; 6] = ["std::fs", "std::env", "std::process", "std::net", "std::io", "serde_json"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The source files of a crate, with the modules that they are.
fn sources(crate_: &str) -> Vec<(String, String)> {
    let folder = root().join("crates").join(crate_).join("src");
    let source = |path: PathBuf| {
        let inside = path.strip_prefix(&folder).expect("it is inside").with_extension("");
        let steps = inside.iter().map(|step| step.to_str().expect("a name"));
        let module = [crate_].into_iter().chain(steps.filter(|step| *step != "lib"));
        let text = std::fs::read_to_string(&path).expect("sources can be read");
        (module.collect::<Vec<_>>().join("::"), text)
    };
    let found: Vec<_> = files(&folder, "rs").into_iter().map(source).collect();
    assert!(!found.is_empty(), "{crate_} has no sources");
    found
}

/// The names that a tree of `use` stands for.
fn leaves(prefix: &str, tree: &str, found: &mut BTreeSet<String>) {
    let Some((head, list)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree).trim();
        found.insert(format!("{prefix}{path}"));
        return;
    };
    let prefix = format!("{prefix}{}", head.trim());
    let list = list.trim_end().strip_suffix('}').unwrap_or(list);
    let mut depth = 0;
    let parts = list.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).for_each(|part| leaves(&prefix, part.trim(), found));
}

/// All paths that the code of a module uses, without its tests, from the crate on.
fn paths(module: &str, text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or("");
    let code: String =
        code.lines().map(|line| line.split("//").next().unwrap_or("").to_string() + "\n").collect();
    let mut found = BTreeSet::new();
    let uses = Regex::new(r"\buse\s+([^;]+);").expect("a pattern");
    uses.captures_iter(&code).for_each(|tree| leaves("", &tree[1], &mut found));
    let qualified = Regex::new(r"\b(?:[a-z_]\w*::)+\w+").expect("a pattern");
    found.extend(qualified.find_iter(&code).map(|path| path.as_str().to_string()));
    let crate_ = module.split("::").next().unwrap_or("");
    let absolute = |path: &String| {
        let inside =
            path.trim_start_matches("crate::").trim_start_matches("self::").trim_start_matches("super::");
        match inside == path {
            true => path.trim_start_matches("agon_").to_string(),
            false => format!("{crate_}::{inside}"),
        }
    };
    found.iter().map(absolute).collect()
}

fn is_within(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The rules that the code of a module breaks.
fn broken(module: &str, text: &str) -> Vec<String> {
    let own = RULES.iter().filter(|(room, _)| is_within(module, room)).flat_map(|(_, forbidden)| *forbidden);
    let world = WORLD.iter().filter(|_| !is_within(module, "tool"));
    let forbidden: Vec<&str> = own.chain(world).copied().collect();
    let paths = paths(module, text);
    let uses = paths.iter().filter(|path| forbidden.iter().any(|room| is_within(path, room)));
    let mut broken: Vec<String> = uses.map(|path| format!("{module} uses {path}")).collect();
    let prints = Regex::new(r"(?m)^\s*(e?print(ln)?|dbg)!").expect("a pattern");
    if !is_within(module, "tool") && prints.is_match(text.split("#[cfg(test)]").next().unwrap_or("")) {
        broken.push(format!("{module} prints"));
    }
    broken
}

#[test]
fn crates_depend_on_those_to_their_left() {
    let line = Regex::new(r"(?m)^agon-(\w+)\.workspace").expect("a pattern");
    for (crate_, allowed) in CRATES {
        let manifest = std::fs::read_to_string(root().join("crates").join(crate_).join("Cargo.toml"))
            .expect("manifests can be read");
        let (_, dependencies) = manifest.split_once("[dependencies]").expect("it has dependencies");
        let dependencies = dependencies.split("\n[").next().unwrap_or("");
        let found: Vec<_> = line.captures_iter(dependencies).map(|found| found[1].to_string()).collect();
        assert_eq!(found, allowed, "what {crate_} depends on");
    }
}

#[test]
fn no_room_uses_what_it_may_not() {
    for (crate_, _) in CRATES {
        for (module, text) in sources(crate_) {
            assert_eq!(broken(&module, &text), Vec::<String>::new());
            assert!(text.starts_with("//! "), "{module} does not say what it is");
        }
    }
}

#[test]
fn every_crate_has_an_example_that_is_run_and_no_dead_code() {
    let silenced = Regex::new(r"(allow|expect)\([^)]*\b(dead_code|unused)\b").expect("a pattern");
    for (crate_, _) in CRATES {
        for (module, text) in sources(crate_) {
            assert!(!silenced.is_match(&text), "{module} keeps what is not used");
            if module == crate_ {
                // The first line of what is run looks like its last; that of what is only shown does not.
                let fences = text.lines().filter(|line| *line == "//! ```").count();
                assert!(fences >= 2, "{module} has no example that is run");
            }
        }
    }
}

#[test]
fn a_forbidden_use_is_noticed() {
    for (module, text) in [
        ("games::denote::compose", "use crate::machine::Machine;"),
        ("games::denote", "use super::{arena::Arena, machine::{self, run}};"),
        ("games::machine::run", "fn f() { crate::denote::denote() }"),
        ("check::refine::loop", "use super::super::partition::Partitions as P;"),
        ("core::eval", "let text = std::fs::read_to_string(path);"),
        ("witness::verify", "use std::{collections::HashMap, process};"),
        ("ia::print", "    println!(\"{text}\");"),
    ] {
        assert!(!broken(module, text).is_empty(), "{module}: {text}");
    }
    let allowed =
        "//! use crate::machine;\nuse crate::automaton::Automaton;\n#[cfg(test)]\nuse crate::machine::Code;";
    assert_eq!(broken("games::denote", allowed), Vec::<String>::new());
    assert_eq!(broken("tool::cli", "use std::fs;"), Vec::<String>::new());
}
