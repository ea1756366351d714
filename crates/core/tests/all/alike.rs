//! Programs that are the same but for names and layout, and others.

use agon_core::alike::alike;
use agon_core::module::{self, Module};
use agon_core::term::Judgement;
use agon_ia::read::{read, read_module};
use agon_ia::sample::{concurrent, plain_module, sequential};

fn judgement(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

#[test]
fn bound_names_and_layout_do_not_matter() {
    for (left, right) in [
        ("e : int |- e", "e : int |- /* the same */ e"),
        ("new int x := 1 in x + x", "new int y := 1 in\n(y) + y"),
        ("let f(c : com) = { c; c } in f(skip)", "let g(d : com) = { d; d } in g(skip)"),
        ("break l . { goto l; abort }", "break m . { goto m; abort }"),
        ("fun x : int . fun y : int . x - y", "fun y : int . fun x : int . y - x"),
        ("e : int, unused : com |- e", "e : int |- e"),
    ] {
        assert!(alike(&judgement(left), &judgement(right)), "{left}   {right}");
    }
}

#[test]
fn everything_else_does() {
    for (left, right) in [
        ("e : int, d : int |- e", "e : int, d : int |- d"),
        ("new int x := 1 in x + x", "new int x := 2 in x + x"),
        ("new int x in new int y in x := 1; y", "new int x in new int y in y := 1; y"),
        ("fun x : int . fun y : int . x - y", "fun x : int . fun y : int . y - x"),
        ("new int x in x := 1", "new i8 x in x := 1"),
        ("break l . break m . goto l", "break l . break m . goto m"),
        ("break l . goto l", "cont l . goto l"),
        ("1 + 2", "1 - 2"),
        ("new int x := 0 in x", "new int x in x + 0"),
        ("sem s = 0; grab(s)", "sem s = 1; grab(s)"),
    ] {
        assert!(!alike(&judgement(left), &judgement(right)), "{left}   {right}");
    }
}

#[test]
fn random_programs_are_like_themselves_in_another_layout() {
    for seed in 0..200 {
        for text in [sequential(seed, 30), concurrent(seed, 20)] {
            let Ok(reading) = read(&text, &[]) else { continue };
            let spread = text.replace(' ', " /* a comment */\n");
            assert!(alike(&reading.judgement, &judgement(&spread)), "{text}");
        }
    }
}

/// A definition that uses the one before it twice, forty times over, is compared in a moment.
#[test]
fn parts_that_are_used_often_are_compared_once() {
    let mut text = String::from("e : com |- let f0 = e in ");
    for n in 1..40 {
        text += &format!("let f{n} = {{ f{m}; f{m} }} in ", m = n - 1);
    }
    text += "f39";
    assert!(alike(&judgement(&text), &judgement(&text.replace('f', "g"))));
    assert!(!alike(&judgement(&text), &judgement(&text.replace("= e in", "= skip in"))));
}

fn module(text: &str) -> Module {
    let reading = read_module(text, &[]).and_then(Result::ok);
    reading.unwrap_or_else(|| panic!("it is a module: {text}")).module
}

#[test]
fn private_names_of_modules_do_not_matter() {
    for (left, right) in [
        ("i32 x; export f() : i32 = x;", "/* the same */ i32 other;\nexport f() : i32 =\n  other;"),
        ("let g() = skip; export f() = g();", "let helper() = skip; export f() = helper();"),
        // The order of what is private, and what nobody calls.
        ("i32 x, y := 1; export f() : i32 = y;", "i32 a := 1; bool unused; export f() : i32 = a;"),
        ("let r(n : i32) : i32 = if n = 0 then 0 else r(n - 1); export f() = skip;", "export f() = skip;"),
        (
            "let g() = skip; let h() = abort; export f() = { g(); h() };",
            "let h() = abort; let g() = skip; export f() = { g(); h() };",
        ),
        (
            "let r(n : i32) : i32 = if n = 0 then 0 else r(n - 1); export f(k : i32) : i32 = r(k);",
            "let s(m : i32) : i32 = if m = 0 then 0 else s(m - 1); export f(j : i32) : i32 = s(j);",
        ),
        ("export f() = skip; export g() = abort;", "export g() = abort; export f() = skip;"),
        (
            "import on(fn() : com) : com; let a() = skip; let b() = abort; export f() = { on(a); on(b) };",
            "import on(fn() : com) : com; let b() = abort; let a() = skip; export f() = { on(a); on(b) };",
        ),
        (
            "fn() : com k; let a() = skip; export f() = { k := a; k() };",
            "fn() : com h; let b() = skip; export f() = { h := b; h() };",
        ),
        ("mutex m; export f() = { lock(m); unlock(m) };", "mutex n; export f() = { lock(n); unlock(n) };"),
    ] {
        let [left, right] = [left, right].map(|text| module(&format!("module {text}")));
        assert!(
            module::alike::alike(&left, &right) && module::alike::alike(&right, &left),
            "{left}\n{right}"
        );
    }
}

#[test]
fn everything_else_of_modules_does() {
    for (left, right) in [
        ("i32 x; export f() : i32 = x;", "i32 x := 1; export f() : i32 = x;"),
        ("i32 x; export f() : i32 = x;", "i64 x; export f() : i32 = x;"),
        ("i32 x; export f() : i32 = x;", "i32 x; export g() : i32 = x;"),
        ("i32 x, y; export f() : i32 = { x := 1; x };", "i32 x, y; export f() : i32 = { x := 1; y };"),
        ("i32 x, y; export f() : i32 = { x := 1; y };", "i32 x; export f() : i32 = { x := 1; x };"),
        ("let g() = skip; export f() = g();", "let g() = abort; export f() = g();"),
        ("export f() = skip;", "export f() = skip; export g() = skip;"),
        ("let g() = skip; export f() = g();", "export g() = skip; export f() = g();"),
        ("import a() : com; export f() = a();", "import b() : com; export f() = b();"),
        ("import a() : i32; export f() : i32 = a();", "import a() : i64; export f() : i32 = a();"),
        (
            "import on(fn() : com) : com; let a() = skip; let b() = skip; export f() = { on(a); on(b) };",
            "import on(fn() : com) : com; let a() = skip; let b() = skip; export f() = { on(a); on(a) };",
        ),
        (
            "fn() : com k := f; export f() = skip; export g() = abort; export h() = k();",
            "fn() : com k := g; export f() = skip; export g() = abort; export h() = k();",
        ),
        ("bool t[3]; export f() : bool = t[1];", "bool t[4]; export f() : bool = t[1];"),
        ("mutex m, n; export f() = { lock(m); lock(n) };", "mutex m, n; export f() = { lock(m); lock(m) };"),
    ] {
        let [left, right] = [left, right].map(|text| module(&format!("module {text}")));
        // A cell or a function that nobody uses need not be there.
        let used = |text: &Module| module::alike::alike(text, text);
        assert!(used(&left) && used(&right));
        assert!(!module::alike::alike(&left, &right), "{left}\n{right}");
        assert!(!module::alike::alike(&right, &left), "{left}\n{right}");
    }
}

#[test]
fn random_modules_are_like_themselves_with_other_names() {
    for seed in 0..300 {
        let text = plain_module(seed, 3 + (seed % 9) as usize);
        let renamed = text.replace("hidden", "secret").replace(' ', " /* a comment */\n");
        assert!(module::alike::alike(&module(&text), &module(&renamed)), "{text}");
    }
}
