//! Closed programs give the values that they should.

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_core::eval::{Exit, Nobody, Patience, Request, run};
use agon_ia::read::read;

fn closed(text: &str) -> Result<Int, Exit> {
    let judgement = read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement;
    run(&judgement, &mut Nobody, &Request::Run, Patience::steps(10_000_000))
}

#[track_caller]
fn gives(text: &str, n: i64) {
    assert_eq!(closed(text), Ok(Int::from(n)), "{text}");
}

#[test]
fn arguments_are_evaluated_each_time_they_are_used() {
    gives("new int x := 0 in let twice(c : com) = { c; c } in twice(twice(x := x + 1)); x", 4);
    gives("new int x := 0 in let e = { x := x + 1; x } in e + 10 * e", 21);
}

#[test]
fn values_are_brought_into_range_where_they_cross() {
    gives("new int%8 x := 9 in x", 1);
    gives("new int%8 x := 7 in x + 1", 8);
    gives("let f(n : int%4) = n in f(7)", 3);
    gives("new i8 x := 127 in x := x + 1; x", -128);
    gives("let f(v : var int%4) = { v := 7; v } in new int%8 x in f(x) * 10 + x", 33);
    gives("let f(v : var int%4) = v in new int%8 x := 7 in f(x)", 3);
    gives("let g(n : int) = n in let f(h : int%4 -> int%4) = h(7) in f(g)", 3);
}

#[test]
fn variables_may_be_computed() {
    gives("new int x := 1 in new int y := 2 in (if x = 1 then y else x) := 7; y * 10 + x", 71);
    gives(
        "new int n := 0 in new int a[12] := 5 in a[{n := n + 1; n}] := { n := 10; 8 } - 1; a[11] * 100 + n",
        711,
    );
    gives("(new int x := 4 in x) + 1", 5);
    gives("new int n in (n := n + 1; n) := 5; n", 5);
}

#[test]
fn jumps_leave_and_restart() {
    gives("new int x := 0 in break l . { x := 1; goto l; x := 2 }; x", 1);
    gives("new int x := 0 in cont l . { x := x + 1; if x < 5 then goto l }; x", 5);
    // The label that a procedure's argument jumps to is the one of its own call.
    gives(
        "new int n := 0 in let f(h : com -> com) = { break l . h(goto l); n := n + 1 } in
         f(fun c : com . f(fun d : com . c)); n",
        1,
    );
}

#[test]
fn definitions_that_use_each_other_twice_do_not_take_for_ever() {
    let mut text = String::from("new int%8 x := 0 in let a0 = { x := x + 3; x } in ");
    for n in 1..=40 {
        text += &format!("let a{n} = a{} + a{} in ", n - 1, n - 1);
    }
    // Each round of eight uses goes through all values of x, whose sum is 28.
    gives(&(text + "a40"), 28 * (1 << 37));
}

#[test]
fn what_has_no_value_aborts() {
    assert!(matches!(closed("1 / 0"), Err(Exit::Abort(_))));
    assert!(matches!(closed("1 mod 0"), Err(Exit::Abort(_))));
    assert!(matches!(closed("new int a[3] in a[3]"), Err(Exit::Abort(_))));
    assert!(matches!(closed("new int a[3] in a[-1] := 0"), Err(Exit::Abort(_))));
    assert!(matches!(closed("assert(1 = 2)"), Err(Exit::Abort(_))));
    assert_eq!(closed("diverge"), Err(Exit::Diverge));
    assert_eq!(closed("while true do skip"), Err(Exit::Stop(Stop::Transitions)));
}

#[test]
fn logic_is_strict_or_stops_early_as_it_says() {
    gives("new int n in let e = { n := n + 1; 1 } in if 0 and e then skip; n", 0);
    gives("new int n in let e = { n := n + 1; 1 } in if 0 & e then skip; n", 1);
    gives("3 and 5", 1);
    gives("2 | 0", 1);
    gives("(not 0) + (not 7)", 1);
}
