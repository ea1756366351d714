//! What is said about texts that are no programs: one mistake, one message.

use agon_base::diagnostic::{Code, Diagnostic};

use super::parse;
use crate::elaborate::elaborate;

/// Everything that is said about a text, as the command says it.
fn told(text: &str) -> Vec<Diagnostic> {
    let (program, diagnostics) = parse(text);
    if diagnostics.is_empty() { elaborate(&program, &[]).1 } else { diagnostics }
}

#[track_caller]
fn one(text: &str) -> Diagnostic {
    let mut diagnostics = told(text);
    assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:#?}");
    diagnostics.remove(0)
}

/// The text has one mistake, with this advice.
#[track_caller]
fn advised(text: &str, advice: &str) {
    let diagnostic = one(text);
    let help = diagnostic.help.unwrap_or_default();
    assert!(help.contains(advice), "{text}: {}; {help}", diagnostic.message);
}

#[test]
fn words_of_other_languages_are_one_mistake_each() {
    advised("x : var int |- x := 0x10", "write `16`");
    advised("x : var int |- x := 0b101; x := 1", "write `5`");
    advised("x : var int |- x := 12ab", "decimal digits");
    advised("const n = 0xff; new int a[n] in a[3] := 1", "write `255`");
    advised("x : var int |- x += 1; x := 2", "`x := x + 1`");
    advised("x : var int |- for i := 1..3 do x := i; x := 1", "`while condition do statement`");
    advised("x : var int |- for (i = 1; i < 3; i++) { x := 1 }; x := 3", "`while condition do statement`");
    advised("x : var int |- x := 1; return x", "its last term");
    advised("f : void |- f", "`com`");
    advised("let f(x : int) : void = skip in f(1)", "`com`");
    advised("x : var unsigned int |- x := 1", "`u32`");
    advised("unsigned int x := 1; x := 2", "`u32`");
    advised("Int x := 1; x := 2", "`int`");
    advised("new Int x in x := 2", "`int`");
    advised("x : var Int |- x := 1", "`int`");
    advised("Skip", "`skip`");
}

#[test]
fn a_program_may_use_such_words_as_names() {
    for text in [
        "for : com -> com, return : com |- for (return)",
        "let Int = 1 in new int x := Int in x := Int",
        "new int unsigned in unsigned := 1",
        "const void = 3; new int a[void] in a[void - 1] := void",
        "for(com) : com |- for(skip)",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}

#[test]
fn a_missing_type_in_the_context_is_one_mistake() {
    advised("c |- c", "`c : com`");
    advised("c, d : com |- c; d", "`c : com`");
    advised("d : com, c |- c; d", "`c : com`");
    advised("f(com) |- f(skip)", "`f(…) : com`");
    // Where the name is a constant it is a term, as in `c | -c`.
    assert_eq!(told("const c = 1; c |- c"), []);
}

#[test]
fn what_is_not_closed_says_where_it_was_opened() {
    for (text, open) in [
        ("f : com -> com |- f(skip", 19),
        ("f : com |- (f; f", 11),
        ("a : var int[2] |- a[1 := 2", 19),
        ("let f(x : int = 2 in f", 5),
        ("assert(1 = 2", 6),
        ("const c = (1 + 2; skip", 10),
        ("f(com, com : com |- f", 1),
        ("concurrent x : com{2 -> com |- x(skip)", 18),
        ("x : var int[2 |- skip", 11),
    ] {
        let diagnostic = one(text);
        let opened: Vec<_> = diagnostic.secondary.iter().map(|(span, _)| span.start).collect();
        assert_eq!(opened, [open], "{text}: {diagnostic:?}");
    }
}

#[test]
fn strings_and_quotes_are_shown_as_they_are() {
    assert_eq!(one("x : var int |- x := \"a b\"; x := 1").message, "`\"a b\"` is not part of the language");
    assert_eq!(one("'").message, "`'` is not part of the language");
    assert_eq!(one("skip \u{1}").message, "`\\u{1}` is not part of the language");
}

#[test]
fn definitions_do_not_nest_however_many_they_are() {
    let mut text = String::from("c : com |- ");
    for n in 0..50_000 {
        text += &format!("let a{n} = c in new int x{n} in ");
    }
    assert_eq!(told(&(text + "a7")), []);
}

#[test]
fn an_argument_that_is_probably_forgotten_is_told() {
    let forgotten = |text: &str| one(text).code == Code::MissingArgument;
    assert!(forgotten("f(int, com) : com |- f(1)"));
    assert!(forgotten("f(int, com) : com |- new int x in { x := 1; f(x) }"));
    assert!(forgotten("let f(x : int, c : com) = c in f(1)"));
    assert!(forgotten("b : bool, f(int, com) : com |- if b then f(1) else f(2)"));
    for text in [
        "f(int, com) : com |- f",
        "f(int, com) : com |- fun c : com . f(1, c)",
        "f(int, com) : com |- let g = f(1) in g",
        "f(int, com) : com |- f(1, skip)",
    ] {
        assert_eq!(told(text), [], "{text}");
    }
}
