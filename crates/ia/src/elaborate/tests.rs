//! The types that programs have, and where values are brought into range on their way.

use agon_base::int::Int;
use agon_core::eval::{Exit, Nobody, Patience, Request, run};
use agon_core::term::Judgement;

use crate::read::read;

#[track_caller]
fn judged(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}")).judgement
}

#[track_caller]
fn gives(text: &str, n: i64) {
    let outcome = run(&judged(text), &mut Nobody, &Request::Run, Patience::steps(100_000));
    assert_eq!(outcome, Ok(Int::from(n)), "{text}");
}

#[track_caller]
fn has_type(text: &str, ty: &str) {
    assert_eq!(judged(text).ty.to_string(), ty, "{text}");
}

#[test]
fn a_definition_has_the_type_that_it_is_declared_with() {
    has_type("b : bool |- let out : int%3 = b in out", "int%3");
    has_type("e : int%2 |- let out : bool = e in out", "bool");
    has_type("x : var int%2 |- let y : var bool = x in y", "var bool");
    has_type("let m : int%3 -> com = fun y : int%9 . skip in m", "int%3 -> com");
    has_type("let m(c : com) : int%3 -> int%5 = fun y : int%9 . 1 in m", "com -> int%3 -> int%5");
    has_type("f : com -> bool |- let m : com -> int%3 = f in m", "com -> int%3");
    has_type("let m : com -> int%3 = abort in m", "com -> int%3");
}

#[test]
fn arguments_cross_into_the_declared_type_of_a_definition() {
    gives("let g : u8 -> int = fun y : int . y in g(300)", 44);
    gives("let f(y : int%9) = y in let g : int%3 -> int = f in g(5)", 2);
    gives("let g(c : com) : int%3 -> int = fun y : int%9 . y in g(skip)(5)", 2);
    gives(
        "let g(c : com) : int%3 -> int%9 -> int = fun y : int%9, z : int . y * 10 + z in g(skip, 5, 10)",
        21,
    );
    // A wider type changes nothing that the body's own does not.
    gives("let f(y : int%3) = y in let g : int%9 -> int = f in g(14)", 2);
    gives("let f(y : int%3) = y in let g : int%4 -> int = f in g(7)", 0);
}

#[test]
fn definitions_are_passed_on_under_their_declared_type() {
    gives("let f(y : int) = y in let g : int%3 -> int = f in let h(k : int -> int) = k(5) in h(g)", 2);
    gives("let f(y : int) = y in let g : int%3 -> int = f in let h : int%9 -> int = g in h(14)", 2);
    gives("let f(y : int) = y in let g : int%3 -> int = f in (if 1 then g else f)(5)", 2);
    gives("let f(y : int) = y in (let g : int%3 -> int = f in g)(5)", 2);
}

#[test]
fn procedures_of_procedures_convert_in_both_directions() {
    gives(
        "let h(k : int%4 -> int%4) = k(3) in let n : (int%2 -> int%2) -> int = h in n(fun y : int . y + 2)",
        1,
    );
    gives(
        "let h(k : int%2 -> int) = k(3) in let n : (int%9 -> int%4) -> int = h in n(fun y : int . y + 6)",
        3,
    );
}

#[test]
fn variables_go_through_the_declared_type() {
    gives(
        "let set(v : var int%8) = { v := v + 7 } in let low : var int%4 -> com = set in
         new int x := 6 in low(x); x",
        1,
    );
}

#[test]
fn what_never_returns_has_its_declared_type() {
    let outcome = run(
        &judged("let g : int%3 -> int = abort in g(5)"),
        &mut Nobody,
        &Request::Run,
        Patience::steps(1_000),
    );
    assert!(matches!(outcome, Err(Exit::Abort(_))), "{outcome:?}");
}
