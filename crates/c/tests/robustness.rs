//! Texts that are no C, or nearly C: the reader does not panic, and says at one place what is wrong.
//!
//! ```text
//! cargo test --release -p agon-c --test robustness -- --ignored
//! ```
//!
//! Preprocessing needs gcc; without it the tests of the corpus are ignored.

mod gcc;
mod sources;

use std::path::Path;
use std::process::ExitCode;

use agon_base::random::Random;
use agon_c::options::Options;
use agon_c::read::{Unit, read};
use libtest_mimic::{Arguments, Failed, Trial};
use sources::{prepared, sources};

/// The suite tries one prefix, and one deleted token, of so many.
const STRIDE: usize = 37;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let missing = !gcc::installed() && std::env::var_os("AGON_INSIST").is_none();
    let mut trials = Vec::new();
    for (n, (name, path, _)) in sources().into_iter().enumerate() {
        let same = path.clone();
        let trial = Trial::test(format!("some::{name}"), move || mutilated(&same, STRIDE, n));
        trials.push(trial.with_ignored_flag(missing));
        let trial = Trial::test(format!("all::{name}"), move || mutilated(&path, 1, 0));
        trials.push(trial.with_ignored_flag(true));
    }
    trials.push(Trial::test("noise", || noise(200_000)));
    trials.push(Trial::test("long-noise", || noise(10_000_000)).with_ignored_flag(true));
    trials.push(Trial::test("tokens", || tokens(2_000, 300)));
    trials.push(Trial::test("deep", || deep(20_000)));
    trials.push(Trial::test("deeper", || deep(1_000_000)).with_ignored_flag(true));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Reads a text. If it is refused, an error says why.
fn try_read(what: &str, text: String) -> Result<bool, Failed> {
    let unit = Unit { name: "text.c".into(), text };
    let given = unit.text.clone();
    match read(&[unit], &|_| None, &Options::default()) {
        Ok(reading) => {
            reading.module.validate().map_err(|why| format!("{what}: {why:?}"))?;
            Ok(true)
        }
        Err((source, diagnostics)) => {
            let first =
                diagnostics.first().ok_or_else(|| format!("{what}: refused without a message\n{given}"))?;
            if first.message.trim().is_empty() {
                return Err(format!("{what}: an empty message").into());
            }
            let end = source.text.len();
            match &first.primary {
                Some((span, _)) if span.end as usize > end || span.start > span.end => {
                    Err(format!("{what}: a place behind the end: {span:?}").into())
                }
                _ => Ok(false),
            }
        }
    }
}

/// Prefixes of a file, and the file without one of its tokens.
fn mutilated(path: &Path, stride: usize, first: usize) -> Result<(), Failed> {
    let text = prepared(path, &[]).text;
    let ends = text.char_indices().map(|(at, _)| at).skip(first % stride).step_by(stride);
    for end in ends {
        try_read(&format!("the first {end} bytes"), text[..end].into())?;
    }
    let tokens = tokens_of(&text);
    for (start, end) in tokens.into_iter().skip(first % stride).step_by(stride) {
        let less = format!("{} {}", &text[..start], &text[end..]);
        try_read(&format!("without `{}` at {start}", &text[start..end]), less)?;
    }
    Ok(())
}

/// The places of words and other characters.
fn tokens_of(text: &str) -> Vec<(usize, usize)> {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens: Vec<(usize, usize)> = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match tokens.last_mut() {
            Some((_, end)) if word(before) && word(c) => *end = at + c.len_utf8(),
            _ if c.is_whitespace() => {}
            _ => tokens.push((at, at + c.len_utf8())),
        }
        before = c;
    }
    tokens
}

/// Random bytes, as text.
fn noise(length: usize) -> Result<(), Failed> {
    let mut random = Random::new(7);
    let bytes: Vec<u8> = (0..length).map(|_| random.draw() as u8).collect();
    let printable: String = bytes.iter().map(|byte| char::from(32 + byte % 95)).collect();
    let letters: String = bytes.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
    let any = String::from_utf8_lossy(&bytes).into_owned();
    for (what, text) in [("printable", printable), ("letters", letters), ("any", any)] {
        if try_read(what, text)? {
            return Err(format!("{what}: noise is read").into());
        }
    }
    Ok(())
}

/// Random tokens of C.
fn tokens(texts: u64, length: usize) -> Result<(), Failed> {
    const WORDS: [&str; 48] = [
        "int", "void", "static", "extern", "struct", "enum", "typedef", "if", "else", "for", "while", "do",
        "switch", "case", "default", "return", "goto", "break", "continue", "sizeof", "x", "y", "f", "g",
        "0", "1", "3u", "'a'", "\"s\"", "(", ")", "{", "}", "[", "]", ";", ",", "=", "+", "-", "*", "&", "?",
        ":", "<", "==", "++", ".",
    ];
    for seed in 0..texts {
        let mut random = Random::new(seed);
        let words: Vec<&str> = (0..length).map(|_| WORDS[random.below(WORDS.len())]).collect();
        let text = words.join(" ");
        try_read(&text, text.clone())?;
        try_read(&text, format!("int x, y; int f(int g) {{ {text}"))?;
    }
    Ok(())
}

/// Expressions, statements, declarators and initialisers that nest deeply, and long lists.
fn deep(n: usize) -> Result<(), Failed> {
    let nested =
        |open: &str, middle: &str, close: &str| format!("{}{middle}{}", open.repeat(n), close.repeat(n));
    let texts = [
        ("parentheses", format!("int f(int x) {{ return {}; }}", nested("(", "x", ")"))),
        ("minus", format!("int f(int x) {{ return {}x; }}", "- ".repeat(n))),
        ("not", format!("int f(int x) {{ return {}x; }}", "!".repeat(n))),
        ("plus", format!("int f(int x) {{ return x{}; }}", " + x".repeat(n))),
        ("and", format!("int f(int x) {{ return x{}; }}", " && x".repeat(n))),
        ("choice", format!("int f(int x) {{ return {}x; }}", "x ? x : ".repeat(n))),
        ("assignments", format!("static int x; void f(void) {{ {}1; }}", "x = ".repeat(n))),
        ("commas", format!("void f(int x) {{ x{}; }}", ", x".repeat(n))),
        ("casts", format!("int f(int x) {{ return {}x; }}", "(int)".repeat(n))),
        ("blocks", format!("void f(void) {}", nested("{", "", "}"))),
        ("conditions", format!("void f(int x) {{ {}; }}", "if (x) ".repeat(n))),
        ("others", format!("void f(int x) {{ {}; }}", "if (x) ; else ".repeat(n))),
        ("loops", format!("void f(int x) {{ {}; }}", "while (x) ".repeat(n))),
        ("labels", format!("void f(int x) {{ {}; }}", (0..n).map(|n| format!("l{n}: ")).collect::<String>())),
        ("pointers", format!("extern int {}x;", "*".repeat(n))),
        ("arrays", format!("static int x{};", "[1]".repeat(n))),
        ("initialisers", format!("static int x[1] = {};", nested("{", "1", "}"))),
        ("indices", format!("static int a[2]; int f(void) {{ return {}; }}", nested("a[", "0", "]"))),
        (
            "calls",
            format!(
                "static int g(int x) {{ return x; }} int f(void) {{ return {}; }}",
                nested("g(", "0", ")")
            ),
        ),
        ("structs", format!("{} int x; {};", "struct {".repeat(n), "} m;".repeat(n))),
        ("statements", format!("static int x; void f(void) {{ {} }}", "x++; ".repeat(n))),
        ("functions", (0..n).map(|n| format!("static int g{n}(void) {{ return {n}; }}\n")).collect()),
        ("cells", (0..n).map(|n| format!("static int g{n};\n")).collect()),
        ("open parentheses", "(".repeat(n)),
        ("open blocks", format!("void f(void) {}", "{".repeat(n))),
        ("comment", format!("/*{}", " ".repeat(n))),
        ("string", format!("char *s = \"{}", "a".repeat(n))),
    ];
    for (what, text) in texts {
        println!("{what}");
        try_read(what, text)?;
    }
    Ok(())
}
