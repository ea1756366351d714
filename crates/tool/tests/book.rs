//! The book: its links lead somewhere, its programs are files, and its exercises fail while their solutions pass. Its pictures
//! are current, its chapter on the command line has every option, and nothing in it stands in `docs` as well.
//!
//! The transcripts in the book are run by `transcripts.rs`.

mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the root is there")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// The chapters, without the table of contents.
fn chapters() -> Vec<PathBuf> {
    let all = tree::files(&root().join("book/src"), "md");
    all.into_iter().filter(|path| !path.ends_with("SUMMARY.md")).collect()
}

/// A page without its fenced blocks and pieces of code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.trim_start().starts_with("```") {
            true => fenced = !fenced,
            false if !fenced => lines.push(line),
            false => {}
        }
    }
    assert!(!fenced, "a block has no end");
    Regex::new("`[^`]*`").expect("a pattern").replace_all(&lines.join("\n"), "`").into_owned()
}

/// The links of a page: the text between the parentheses, and the sources of pictures.
fn links(text: &str) -> Vec<String> {
    let link = Regex::new(r#"\]\(([^)\s]+)\)|\bsrc="([^"]+)""#).expect("a pattern");
    let found = link.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
    found.map(|target| target.as_str().to_string()).collect()
}

/// The anchors of a page: those of its headings, as mdBook makes them, and those that are written out.
fn anchors(text: &str) -> BTreeSet<String> {
    let written = Regex::new(r#"\bid="([^"]+)""#).expect("a pattern");
    let mut found: BTreeSet<String> = written.captures_iter(text).map(|id| id[1].to_string()).collect();
    let heads = text.lines().filter(|line| line.starts_with('#'));
    found.extend(heads.map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>()
    }));
    found
}

/// What is wrong with a link on a page.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.starts_with("https://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = match file {
        "" => page.to_path_buf(),
        _ => page.with_file_name(file),
    };
    if !target.exists() {
        return Some(format!("{}: there is no {link}", page.display()));
    }
    // mdBook makes pages of its chapters only, and copies only pictures that lie beside them.
    let made = [".md", ".svg", ".png"].iter().any(|ending| file.ends_with(ending));
    if made && file.starts_with("..") {
        return Some(format!("{}: {link} is not in the book", page.display()));
    }
    let missing = anchor.is_some_and(|anchor| !anchors(&read(&target)).contains(anchor));
    missing.then(|| format!("{}: there is no anchor {link}", page.display()))
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let pages: Vec<PathBuf> = chapters().into_iter().chain([root().join("book/src/SUMMARY.md")]).collect();
    let mut count = 0;
    for page in pages {
        for link in links(&prose(&read(&page))) {
            assert_eq!(broken(&page, &link), None);
            count += 1;
        }
    }
    assert!(count > 60, "{count} links");
}

#[test]
fn a_broken_link_is_noticed() {
    let page = root().join("book/src/glossary.md");
    for (link, wrong) in [
        ("threads.md", false),
        ("no-such-page.md", true),
        ("references.md#otf", false),
        ("references.md#no-such-paper", true),
        ("unknown.md#a-bug-in-agon", false),
        ("#glossary", false),
        ("#no-such-word", true),
        ("../../docs/papers.md", true),
        ("../../docs/pictures/ag-figure-1.svg", true),
        ("../programs/seen.ia", false),
    ] {
        assert_eq!(broken(&page, link).is_some(), wrong, "{link}");
    }
    assert_eq!(links(r#"[a](b.md) and <img src="c.svg">"#), ["b.md", "c.svg"]);
}

#[test]
fn every_chapter_stands_in_the_table_of_contents() {
    let named: BTreeSet<String> = links(&read(&root().join("book/src/SUMMARY.md"))).into_iter().collect();
    let name = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).map(String::from);
    let there: BTreeSet<String> = chapters().iter().filter_map(name).collect();
    assert_eq!(named, there);
    assert!(there.len() >= 10, "{there:?}");
}

/// What stands in a page: its paragraphs, items and rows of tables with a dozen words or more.
fn statements(text: &str) -> Vec<String> {
    let mut statements = vec![String::new()];
    for line in prose(text).lines().map(str::trim) {
        if line.is_empty() || ["|", "- ", "#"].iter().any(|begin| line.starts_with(begin)) {
            statements.push(String::new());
        }
        let last = statements.last_mut().expect("there is one");
        last.extend([line, " "]);
    }
    statements.retain(|statement| statement.split_whitespace().count() >= 12);
    statements
}

/// The book is for users, `docs` for developers.
#[test]
fn nothing_stands_in_two_places() {
    let mut places: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for page in chapters().into_iter().chain(tree::files(&root().join("docs"), "md")) {
        for statement in statements(&read(&page)) {
            let rule = statement.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
            if !rule {
                places.entry(statement).or_default().insert(page.clone());
            }
        }
    }
    assert!(places.len() > 500, "{} statements", places.len());
    for (statement, pages) in places {
        assert!(pages.len() == 1, "{pages:?}: {statement}");
    }
}

/// Two hundred words a minute, outputs and programs included.
#[test]
fn ten_minutes_are_enough() {
    let words = read(&root().join("book/src/ten-minutes.md")).split_whitespace().count();
    assert!(words <= 2_000, "{words} words");
}

/// A whole program on a page is one of the files of the repository; what is shorter stands in one of them. The reference of the
/// language is left out, as `pages.rs` asks about its programs.
#[test]
fn the_programs_on_the_pages_are_files() {
    let mut files = Vec::new();
    for folder in ["book", "corpus", "examples"] {
        for ending in ["ia", "c"] {
            files.extend(tree::files(&root().join(folder), ending).iter().map(|path| read(path)));
        }
    }
    let mut shown = 0;
    for page in chapters().into_iter().filter(|page| !page.ends_with("language.md")) {
        let text = read(&page);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("```") {
                let body: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
                let body = body.join("\n");
                if matches!(line, "```agon" | "```c") {
                    let known = files.iter().any(|file| file.contains(&body));
                    assert!(known, "{}: no file has\n{body}", page.display());
                    shown += 1;
                }
            }
        }
    }
    assert!(shown > 25, "{shown} programs");
}

/// Each picture is the model of the program with its name, as it is drawn now.
#[test]
fn the_pictures_of_the_book_are_current() {
    let pictures = tree::files(&root().join("book/src/pictures"), "svg");
    assert!(pictures.len() >= 6, "{} pictures", pictures.len());
    for picture in pictures {
        let name = picture.file_stem().and_then(|name| name.to_str()).expect("a name");
        let program = format!("book/programs/{name}.ia");
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.current_dir(root()).args(["model", &program, "--format", "svg", "-q"]);
        let drawn = command.output().expect("agon can be run").stdout;
        assert!(drawn == read(&picture).into_bytes(), "draw {} again: {command:?}", picture.display());
        let used = chapters().iter().any(|page| read(page).contains(&format!("pictures/{name}.svg")));
        assert!(used, "no chapter shows {name}");
    }
}

/// The claims of a file that do not hold, as `agon test` lists them.
fn failed(path: &Path) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(root()).arg("test").arg(path).args(["-q", "--time-limit", "60"]);
    let output = command.output().expect("agon can be run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<String> = said.lines().map(String::from).collect();
    let summary = lines.pop().unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned());
    assert!(summary.contains(" claim"), "{summary}");
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{lines:?}");
    assert_eq!(lines.is_empty(), output.status.success(), "{lines:?}");
    lines
}

#[test]
fn every_exercise_fails_and_its_solution_passes() {
    let folder = root().join("book/exercises");
    let entries = std::fs::read_dir(&folder).expect("there are exercises");
    let mut exercises: Vec<PathBuf> = entries.map(|entry| entry.expect("they can be read").path()).collect();
    exercises.sort_unstable();
    assert_eq!(exercises.len(), 15);
    let course = read(&root().join("book/src/course.md"));
    let header = |path: &Path| -> Vec<String> {
        read(path).lines().take_while(|line| line.starts_with("//!")).map(String::from).collect()
    };
    for (number, exercise) in exercises.iter().enumerate() {
        let name = exercise.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(name.starts_with(&format!("{:02}-", number + 1)), "{name}");
        let ending = if exercise.join("start.c").exists() { "c" } else { "ia" };
        let (start, solution) =
            (exercise.join(format!("start.{ending}")), exercise.join(format!("solution.{ending}")));
        assert_eq!(header(&start), header(&solution), "{name}: the claims are the same");
        assert!(course.contains(&format!("../exercises/{name}/start.{ending}")), "{name} is in the course");
        assert!(!failed(&start).is_empty(), "{name}: the starting point has nothing to repair");
        assert_eq!(failed(&solution), Vec::<String>::new());
        let given = exercise.join(format!("given.{ending}"));
        if given.exists() {
            assert_eq!(failed(&given), Vec::<String>::new());
        }
    }
}

#[test]
fn the_chapter_on_the_command_line_has_every_option() {
    let page = read(&root().join("book/src/command-line.md"));
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_agon")).args(arguments).arg("--help").output();
        String::from_utf8(output.expect("agon can be run").stdout).expect("it is text")
    };
    let commands = Regex::new(r"(?m)^  ([a-z]+)  ").expect("a pattern");
    let options = Regex::new(r"(?m)^ +(?:-\w, )?(--[a-z-]+)").expect("a pattern");
    let main = help(&[]);
    let mut count = 0;
    for command in commands.captures_iter(&main).map(|found| found[1].to_string()) {
        assert!(page.contains(&format!("`{command}")), "the command {command} is missing");
        if command == "help" {
            continue;
        }
        for option in options.captures_iter(&help(&[&command])).map(|found| found[1].to_string()) {
            let word = Regex::new(&format!(r"{option}\b[^-]")).expect("a pattern");
            assert!(word.is_match(&page), "{option} of {command} is missing");
            count += 1;
        }
    }
    assert!(count > 100, "{count} options");
}
