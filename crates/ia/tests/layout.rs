//! The standard layout of every program of the corpus: the same program, laid out once and for all, with its comments where they were.

use std::path::{Path, PathBuf};

use agon_base::random::Random;
use agon_base::source::Span;
use agon_ia::layout::layout;
use agon_ia::parse::parse;
use agon_ia::print::{canonical, print};
use agon_ia::token::{Token, tokenize};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ia") {
            found.push(path);
        }
    }
}

/// The programs of the corpus, the examples and the book that have no syntax errors.
fn programs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["corpus", "examples", "book"] {
        files(&root.join(folder), &mut found);
    }
    found.sort_unstable();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        (path, text)
    };
    let programs: Vec<_> = found.into_iter().map(read).collect();
    assert!(programs.len() > 250, "{}", programs.len());
    programs
}

/// The words of a text, and its comments, in order.
fn pieces(text: &str) -> Vec<(String, Span)> {
    let mut pieces: Vec<(String, Span)> = Vec::new();
    let mut at = 0;
    for (token, span) in tokenize(text, &mut Vec::new()) {
        let mut gap = at;
        while let Some(slash) = text[gap..span.start as usize].find('/') {
            let from = gap + slash;
            let rest = &text[from..];
            let length = match rest.starts_with("//") {
                true => rest.find('\n').unwrap_or(rest.len()),
                false => rest.find("*/").map_or(rest.len(), |end| end + 2),
            };
            pieces.push((text[from..from + length].trim_end().to_string(), Span::new(from, from + length)));
            gap = from + length;
        }
        let word = &text[span.range()];
        let counts = word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && !matches!(token, Token::Not | Token::Mod | Token::Exp | Token::Goto);
        if counts {
            pieces.push((if token == Token::Nat { "int".into() } else { word.to_string() }, span));
        }
        at = span.end as usize;
    }
    pieces
}

#[test]
fn programs_are_laid_out_once_and_for_all() {
    let (mut laid_out, mut as_written) = (0, 0);
    for (path, text) in programs() {
        let name = path.display();
        let once = layout(&text).unwrap_or_else(|| panic!("{name} is not laid out"));
        assert_eq!(layout(&once).as_deref(), Some(once.as_str()), "{name}: a second time");
        let ((first, _), (second, wrong)) = (parse(&text), parse(&once));
        assert!(wrong.is_empty(), "{name}: {wrong:?}");
        assert_eq!(canonical(&first), canonical(&second), "{name}");
        for line in once.lines() {
            let code = line.split("//").next().unwrap_or_default().trim_end();
            assert!(code.len() <= 105 || code.contains("*/"), "{name}: a line of {}: {line}", code.len());
            assert!(!line.ends_with(' '), "{name}: {line:?}");
        }
        laid_out += 1;
        as_written += usize::from(once == text);
    }
    println!("{laid_out} programs, {as_written} of them in the standard layout");
    assert!(laid_out > 250 && as_written * 3 > laid_out, "{as_written} of {laid_out}");
}

/// Every comment stands between the same two words as before.
#[test]
fn comments_and_blank_lines_stay_where_they_are() {
    let mut comments = 0;
    for (path, text) in programs() {
        let once = layout(&text).expect("it is laid out");
        let words = |text: &str| pieces(text).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
        assert_eq!(words(&text), words(&once), "{}", path.display());
        comments += words(&text).iter().filter(|word| word.starts_with('/')).count();
        // A blank line between two words is there, unless the second one does not begin a line.
        let apart = |text: &str| -> Vec<bool> {
            let pieces = pieces(text);
            let gap = |pair: &[(String, Span)]| &text[pair[0].1.end as usize..pair[1].1.start as usize];
            pieces.windows(2).map(|pair| gap(pair).contains("\n\n")).collect()
        };
        for (n, (old, new)) in apart(&text).into_iter().zip(apart(&once)).enumerate() {
            assert!(old || !new, "{}: a blank line behind piece {n}", path.display());
        }
        assert_eq!(text.contains("\n\n"), once.contains("\n\n"), "{}\n{once}", path.display());
    }
    assert!(comments > 500, "{comments}");
}

/// A program without comments, with other spaces and line breaks, is laid out in the same way but for blank lines.
#[test]
fn spaces_and_line_breaks_do_not_count() {
    for (n, (path, text)) in programs().into_iter().enumerate() {
        let plain = print(&parse(&text).0);
        let wanted = layout(&plain).expect("it is laid out");
        let wanted: Vec<&str> = wanted.lines().filter(|line| !line.is_empty()).collect();
        let mut random = Random::new(n as u64);
        for _ in 0..4 {
            let mut changed = String::new();
            for (_, span) in tokenize(&plain, &mut Vec::new()) {
                changed += &plain[span.range()];
                changed += match random.below(6) {
                    0 => "\n",
                    1 => "\n\n\n",
                    2 => "\t",
                    3 => "  \n  ",
                    _ => " ",
                };
            }
            let found = layout(&changed).unwrap_or_else(|| panic!("{}:\n{changed}", path.display()));
            let found: Vec<&str> = found.lines().filter(|line| !line.is_empty()).collect();
            assert_eq!(found, wanted, "{}", path.display());
        }
    }
}
