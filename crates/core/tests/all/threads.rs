//! Tests of the semantics of threads.

use std::collections::BTreeSet;

use agon_base::int::Int;
use agon_base::random::Random;
use agon_base::refused::Refused;
use agon_core::eval::{self, Caller, Exit, Patience, Request, World};
use agon_core::term::{Judgement, Mode, VarId};
use agon_core::threads::*;
use agon_core::types::{Data, Type};
use agon_ia::read::read;
use agon_ia::sample;

fn judgement(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

/// Reads a play as it is written, with spaces between the moves.
fn events(judgement: &Judgement, play: &str) -> Vec<Event> {
    play.split_whitespace().map(|text| read_move(judgement, text)).collect()
}

fn read_move(judgement: &Judgement, text: &str) -> Event {
    let (text, numbers) = text.split_once('@').unwrap_or((text, ""));
    let mut numbers = numbers.split('.').map(|n| n.parse().expect("a thread"));
    let (component, label) = text.rsplit_once('.').unwrap_or(("", text));
    let (component, element) = match component.split_once('[') {
        Some((component, index)) => (component, Int::parse(index.trim_end_matches(']'))),
        None => (component, None),
    };
    let mut place = Place::default();
    for name in component.split('.').filter(|name| !name.is_empty()) {
        let step = if place.0.is_empty() {
            let mut free = judgement.context.iter().chain(&judgement.arguments);
            Step::Free(*free.find(|var| *judgement.terms.variable(**var).name == *name).expect("a name"))
        } else {
            Step::Argument(name.parse::<usize>().expect("an argument") - 1)
        };
        place.0.push((step, numbers.next().expect("as many threads as steps")));
    }
    let kind = match label {
        "run" => EventKind::Run,
        "done" => EventKind::Done,
        "q" => EventKind::Ask,
        "read" => EventKind::Read,
        "ok" => EventKind::Ok,
        "grab" => EventKind::Grab,
        "grabbed" => EventKind::Grabbed,
        "release" => EventKind::Release,
        "released" => EventKind::Released,
        "abort" => EventKind::Abort,
        "true" => EventKind::Value(Int::ONE),
        "false" => EventKind::Value(Int::ZERO),
        label => match label.strip_prefix("write(").and_then(|rest| rest.strip_suffix(')')) {
            Some(n) => EventKind::Write(Int::parse(n).expect("a number")),
            None => EventKind::Value(Int::parse(label).expect("a number")),
        },
    };
    Event { place, element, kind }
}

/// Nothing, if some run plays this; otherwise how many moves of it some run plays.
fn replay(program: &str, play: &str) -> Option<usize> {
    let judgement = judgement(program);
    let threads = Threads::new(&judgement).unwrap_or_else(|refused| panic!("{program}: {refused:?}"));
    let events = events(&judgement, play);
    // What is written is what is read.
    let shown: Vec<String> = events.iter().map(|event| threads.show(event)).collect();
    if judgement.mode == Mode::Concurrent {
        assert_eq!(shown.join(" "), play.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    stops(&threads, &events, 200_000)
}

fn stops(threads: &Threads<'_>, events: &[Event], steps: u64) -> Option<usize> {
    fails(threads, events, Patience::steps(steps)).expect("few configurations").err()
}

#[track_caller]
fn can(program: &str, play: &str) {
    assert_eq!(replay(program, play), None, "{program}: {play}");
}

/// The last move of the play, and no move before it, cannot be played.
#[track_caller]
fn cannot(program: &str, play: &str) {
    let after = play.split_whitespace().count() - 1;
    assert_eq!(replay(program, play), Some(after), "{program}: {play}");
}

fn small(data: &Data) -> Vec<Int> {
    match data.range() {
        Some((low, high)) if high.sub(&low) < Int::from(8u64) => {
            let mut all = vec![low.clone()];
            while *all.last().unwrap_or(&low) < high {
                all.push(all[all.len() - 1].add(&Int::ONE));
            }
            all
        }
        _ => vec![Int::ZERO, Int::ONE],
    }
}

#[track_caller]
fn all(program: &str, longest: usize) -> BTreeSet<String> {
    let judgement = judgement(program);
    let threads = Threads::new(&judgement).unwrap_or_else(|refused| panic!("{program}: {refused:?}"));
    let complete = complete_plays(&threads, &small, longest, 1_000_000).expect("few configurations");
    for play in &complete {
        assert_eq!(stops(&threads, play, 1_000_000), None);
    }
    let shown =
        |play: &Vec<Event>| play.iter().map(|event| threads.show(event)).collect::<Vec<_>>().join(" ");
    complete.iter().map(shown).collect()
}

#[track_caller]
fn are(program: &str, longest: usize, plays: &[&str]) {
    assert_eq!(all(program, longest), plays.iter().map(|play| (*play).into()).collect(), "{program}");
}

#[test]
fn threads_take_the_lowest_number_that_is_free() {
    are(
        "c : com |- c || c",
        6,
        &[
            "run c.run@1 c.run@2 c.done@1 c.done@2 done",
            "run c.run@1 c.run@2 c.done@2 c.done@1 done",
            "run c.run@1 c.done@1 c.run@1 c.done@1 done",
        ],
    );
    are("concurrent c : com |- c; c", 9, &["run c.run@1 c.done@1 c.run@1 c.done@1 done"]);
    let three = "c : com |- c || c || c";
    can(three, "run c.run@1 c.run@2 c.done@1 c.run@1 c.done@2 c.done@1 done");
    cannot(three, "run c.run@1 c.run@2 c.done@1 c.run@3");
    cannot(three, "run c.run@1 c.run@2 c.run@3 c.run@4");
    cannot("c : com |- c || c", "run c.run@1 c.done@1 c.run@1 done");
}

#[test]
fn arguments_race() {
    let race = "p : com{1} -> int%4{1} -> com |- new int%4 x := 0 in p(x := x + 1; x := x - 1, x)";
    can(race, "run p.run@1 p.2.q@1.1 p.1.run@1.1 p.2.1@1.1");
    can(race, "run p.run@1 p.2.q@1.1 p.1.run@1.1 p.2.1@1.1 p.1.done@1.1 p.done@1 done");
    // Alone, it gives 0.
    cannot(race, "run p.run@1 p.2.q@1.1 p.2.1@1.1");
    cannot(race, "run p.run@1 p.1.run@1.1 p.1.done@1.1 p.2.q@1.1 p.2.1@1.1");
    cannot("concurrent p : com -> int%4 -> com |- p(skip, 0)", "run p.run@1 p.2.q@1.1 p.1.run@1.1 p.2.1@1.1");
    // The same without threads: the environment does one thing at a time.
    let sequential = "sequential p : com -> int%4 -> com |- new int%4 x := 0 in p(x := x + 1; x := x - 1, x)";
    cannot(sequential, "run p.run@1 p.2.q@1.1 p.1.run@1.1");
    can(
        sequential,
        "run p.run@1 p.2.q@1.1 p.2.0@1.1 p.1.run@1.1 p.1.done@1.1 p.2.q@1.1 p.2.0@1.1 p.done@1 done",
    );
    cannot(sequential, "run p.run@1 p.2.q@1.1 p.2.0@1.1 p.1.run@1.1 p.1.done@1.1 p.2.q@1.1 p.2.1@1.1");
}

#[test]
fn every_access_is_a_step_of_its_own() {
    // Both may read before one writes.
    let program = "v : int%4 -> com |- new int%4 x in { x := x + 1 || x := x + 1 }; v(x)";
    can(program, "run v.run@1 v.1.q@1.1 v.1.1@1.1");
    can(program, "run v.run@1 v.1.q@1.1 v.1.2@1.1");
    cannot(program, "run v.run@1 v.1.q@1.1 v.1.0@1.1");
    let guarded = "v : int%4 -> com |- new int%4 x in sem s;
                   let up = { grab(s); x := x + 1; release(s) } in { up || up }; v(x)";
    cannot(guarded, "run v.run@1 v.1.q@1.1 v.1.1@1.1");
    can(guarded, "run v.run@1 v.1.q@1.1 v.1.2@1.1 v.1.q@1.1");
    are("concurrent new int%8 x in { x := x + 1; x := x + 2 } || x := 0; !x", 2, &["q 0", "q 2", "q 3"]);
}

#[test]
fn a_lock_keeps_threads_apart() {
    let lock = "a : com, b : com |- sem s; { grab(s); a; release(s) } || { grab(s); b; release(s) }";
    are(
        lock,
        8,
        &["run a.run@1 a.done@1 b.run@1 b.done@1 done", "run b.run@1 b.done@1 a.run@1 a.done@1 done"],
    );
    let two = "a : com |- sem$2 s; let m = { grab(s); a; release(s) } in m || m || m";
    can(two, "run a.run@1 a.run@2 a.done@1 a.run@1");
    cannot(two, "run a.run@1 a.run@2 a.run@3");
    // Places that are taken at the start, and that others give back.
    let taken = "a : com, b : com |- sem$2 s = 1; { grab(s); grab(s); a } || { b; release(s) }";
    can(taken, "run b.run@1 b.done@1 a.run@1 a.done@1 done");
    cannot(taken, "run a.run@1");
    // Nothing is there to be given back.
    are("sem s; release(s)", 4, &[]);
    are("sem s; release(s) || grab(s)", 4, &["run done"]);
    are("sem s = 1; grab(s)", 4, &[]);
}

#[test]
fn the_environment_has_semaphores_and_is_given_some() {
    are("s : sem |- grab(s); release(s)", 9, &["run s.grab@1 s.grabbed@1 s.release@1 s.released@1 done"]);
    let given = "p : sem{2} -> com |- sem s; p(s)";
    can(given, "run p.run@1 p.1.grab@1.1 p.1.grab@1.2 p.1.grabbed@1.2");
    cannot(given, "run p.run@1 p.1.grab@1.1 p.1.grab@1.2 p.1.grabbed@1.2 p.1.grabbed@1.1");
    can(given, "run p.run@1 p.1.grab@1.1 p.1.grab@1.2 p.1.grabbed@1.2 p.1.release@1.2 p.1.grabbed@1.1");
}

#[test]
fn bounds_are_kept() {
    for (bound, allowed) in [("", 1), ("{1}", 1), ("{2}", 2), ("{3}", 3)] {
        let program = format!("concurrent p : com{bound} -> com, c : com |- p(c)");
        let mut play = String::from("run p.run@1");
        for n in 1..=allowed {
            play += &format!(" p.1.run@1.{n}");
            can(&program, &play);
            assert!(replay(&program, &format!("{play} p.1.run@1.{n}")).is_some());
        }
        cannot(&program, &format!("{play} p.1.run@1.{}", allowed + 1));
        // Each call has a bound of its own.
        let twice = format!("p : com{bound} -> com, c : com |- p(c) || p(c)");
        can(&twice, &format!("{} p.run@2 p.1.run@2.1", play.clone()));
    }
    let program = "p : com{2} -> com{1} -> com |- p(skip, skip)";
    can(program, "run p.run@1 p.1.run@1.1 p.2.run@1.1 p.1.run@1.2 p.1.done@1.1 p.1.run@1.1");
    cannot(program, "run p.run@1 p.1.run@1.1 p.2.run@1.1 p.2.run@1.2");
    cannot(program, "run p.run@1 p.1.run@1.2");
    // No answer while a question in an argument is open, and none twice.
    cannot(program, "run p.run@1 p.1.run@1.1 p.done@1");
    can(program, "run p.run@1 p.1.run@1.1 p.1.done@1.1 p.done@1 done");
    cannot(program, "run p.run@1 p.1.run@1.1 p.1.done@1.1 p.done@1 p.done@1");
    cannot("concurrent p : com{0} -> com |- p(skip)", "run p.run@1 p.1.run@1.1");
}

#[test]
fn procedures_are_given_to_the_environment() {
    let program = "V : (int%2 -> com){1} -> com |- V(fun x : int%2 . new int%2 y in y := x)";
    are(
        program,
        8,
        &[
            "run V.run@1 V.done@1 done",
            "run V.run@1 V.1.run@1.1 V.1.1.q@1.1.1 V.1.1.0@1.1.1 V.1.done@1.1 V.done@1 done",
            "run V.run@1 V.1.run@1.1 V.1.1.q@1.1.1 V.1.1.1@1.1.1 V.1.done@1.1 V.done@1 done",
        ],
    );
    cannot(program, "run V.run@1 V.1.run@1.1 V.done@1");
    cannot(program, "run V.run@1 V.1.run@1.1 V.1.1.q@1.1.1 V.1.1.2@1.1.1");
    // Arguments of arguments are asked as often at once as the program likes.
    let program = "V : (com -> com){2} -> com |- V(fun c : com . { c || c })";
    can(
        program,
        "run V.run@1 V.1.run@1.1 V.1.1.run@1.1.1 V.1.run@1.2 V.1.1.run@1.2.1 V.1.1.run@1.1.2 V.1.1.done@1.1.1
         V.1.1.done@1.1.2 V.1.done@1.1",
    );
    // A free identifier is passed on as it is.
    can(
        "V : (com -> com){2} -> com, f : com -> com |- V(f)",
        "run V.run@1 V.1.run@1.1 f.run@1 f.1.run@1.1 V.1.1.run@1.1.1 V.1.1.done@1.1.1 f.1.done@1.1 f.done@1
         V.1.done@1.1 V.done@1 done",
    );
    // The program is itself a procedure.
    can(
        "concurrent fun f : com{2} -> com, e : int%2 . f(if e then skip)",
        "run 1.run@1 1.1.run@1.1 2.q@1 1.1.run@1.2 2.q@2 2.1@1 1.1.done@1.1 2.0@2 1.1.done@1.2 1.done@1 done",
    );
}

#[test]
fn arguments_of_arguments_of_arguments() {
    let program = "G : ((com{2} -> com){1} -> com){1} -> com, d : com |- G(fun h : com{2} -> com . h(d))";
    can(
        program,
        "run G.run@1 G.1.run@1.1 G.1.1.run@1.1.1 G.1.1.1.run@1.1.1.1 d.run@1 G.1.1.1.run@1.1.1.2 d.run@2
         d.done@1 G.1.1.1.done@1.1.1.1 d.done@2 G.1.1.1.done@1.1.1.2 G.1.1.done@1.1.1 G.1.done@1.1 G.done@1 done",
    );
    cannot(
        program,
        "run G.run@1 G.1.run@1.1 G.1.1.run@1.1.1 G.1.1.1.run@1.1.1.1 G.1.1.1.run@1.1.1.2 G.1.1.1.run@1.1.1.3",
    );
    // Each call of the argument has its own cell.
    let program = "G : ((com -> com) -> int%4){2} -> com
                   |- G(fun h : com -> com . new int%4 x in h(x := x + 1); x)";
    can(
        program,
        "run G.run@1 G.1.q@1.1 G.1.q@1.2 G.1.1.run@1.1.1 G.1.1.run@1.2.1 G.1.1.1.run@1.1.1.1 G.1.1.1.done@1.1.1.1
         G.1.1.done@1.1.1 G.1.1.done@1.2.1 G.1.1@1.1 G.1.0@1.2",
    );
}

#[test]
fn variables_and_arrays_are_shared() {
    are(
        "concurrent new int%3 a[2] in { a[0] := 1; a[1] := a[0] + a[1] } || a[0] := 2; !a[1]",
        2,
        &["q 1", "q 2"],
    );
    can(
        "p : (var int%3[2]){2} -> com |- new int%3 a[2] := 1 in p(a)",
        "run p.run@1 p.1[0].read@1.1 p.1[0].write(2)@1.2 p.1[0].ok@1.2 p.1[0].2@1.1 p.1[1].read@1.1 p.1[1].1@1.1",
    );
    cannot("p : (var int%3[2]){2} -> com |- new int%3 a[2] in p(a)", "run p.run@1 p.1[2].read@1.1");
    can(
        "a : var int%3[2] |- a[1] := 5 || a[0] := a[1]",
        "run a[1].write(2)@1 a[1].read@2 a[1].ok@1 a[1].1@2 a[0].write(1)@1 a[0].ok@1 done",
    );
    // The numbers of threads are those of the array, not of its elements.
    cannot("a : var int%3[2] |- a[1] := 5 || a[0] := 1", "run a[1].write(2)@1 a[0].write(1)@1");
    can("concurrent i : int%3, a : var int%3[2] |- a[i] := 1", "run i.q@1 i.2@1 abort");
    can("concurrent x : var int%4 |- !x", "q x.read@1 x.3@1 3");
    are("concurrent p : (var int%2) -> com |- new int x := 5 in p(x)", 4, &["run p.run@1 p.done@1 done"]);
    can("concurrent p : (var int%2) -> com |- new int x := 5 in p(x)", "run p.run@1 p.1.read@1.1 p.1.1@1.1");
}

#[test]
fn an_abort_ends_all_threads() {
    let program = "c : com, d : com |- c || { d; abort }";
    can(program, "run c.run@1 d.run@1 d.done@1 abort");
    can(program, "run d.run@1 d.done@1 abort");
    can(program, "run d.run@1 d.done@1 c.run@1 c.done@1 abort");
    cannot(program, "run d.run@1 d.done@1 abort c.run@1");
    cannot(program, "run c.run@1 d.run@1 d.done@1 c.done@1 done");
    let program = "f : com{2} -> com |- new bool b in f(if b then abort else b := true)";
    cannot(program, "run f.run@1 f.1.run@1.1 abort");
    can(program, "run f.run@1 f.1.run@1.1 f.1.done@1.1 f.1.run@1.1 abort");
    can(program, "run f.run@1 f.1.run@1.1 f.1.run@1.2 f.1.done@1.1 abort");
    can("c : com, e : int%2 |- c || { new int y := 1 / e in skip }", "run c.run@1 e.q@1 e.0@1 abort");
}

#[test]
fn waiting_threads_may_loop() {
    let program = "c : com, d : com |- new bool go in { while not go do skip; c } || { d; go := true }";
    are(program, 6, &["run d.run@1 d.done@1 c.run@1 c.done@1 done"]);
    are("concurrent while true do skip", 4, &[]);
    are("c : com |- diverge || c", 9, &[]);
}

#[test]
fn jumps_stay_in_their_threads() {
    are("c : com |- break l . { c; goto l; c } || skip", 9, &["run c.run@1 c.done@1 done"]);
    are("concurrent new int x := 0 in cont l . { x := x + 1; if x < 5 then goto l }; !x", 2, &["q 5"]);
    are(
        "concurrent new int n := 0 in let f(h : com -> com) = { break l . h(goto l); n := n + 1 } in
         f(fun c : com . f(fun d : com . c)); !n",
        2,
        &["q 1"],
    );
    let jump = |text: &str| match Threads::new(&judgement(text)).err() {
        Some(Refused::Construct { span, .. }) => text[span.start as usize..span.end as usize].to_string(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(jump("break l . { goto l || skip }"), "goto l");
    assert_eq!(jump("concurrent f : com -> com |- break l . f(goto l)"), "goto l");
    assert_eq!(jump("break l . let j = goto l in j || skip"), "goto l");
}

#[test]
fn equal_configurations_are_the_same() {
    let judgement = judgement("c : com |- while true do { new int%2 x in x := 1; c; x := 0 }");
    let threads = Threads::new(&judgement).expect("no jumps");
    let mut runs = BTreeSet::new();
    let mut run = threads.start();
    for _ in 0..40 {
        runs.insert(format!("{run:?}"));
        let event = threads.offers(&run, &small).pop();
        let moved = threads.moves(&run).pop().map(|(_, next)| next);
        let silent = threads.silent(&run).pop();
        run = silent.or(moved).or_else(|| threads.answer(&run, &event?)).expect("it goes on");
    }
    assert!(runs.len() < 12, "{}", runs.len());
}

#[test]
fn sequential_programs_do_what_they_do_in_big_steps() {
    for text in [
        "new int x := 0 in let twice(c : com) = { c; c } in twice(twice(x := x + 1)); x",
        "new int x := 0 in let e = { x := x + 1; x } in e + 10 * e",
        "new int%8 x := 7 in x + 1",
        "new i8 x := 127 in x := x + 1; x",
        "let f(v : var int%4) = { v := 7; v } in new int%8 x in f(x) * 10 + x",
        "let g(n : int) = n in let f(h : int%4 -> int%4) = h(7) in f(g)",
        "new int x := 1 in new int y := 2 in (if x = 1 then y else x) := 7; y * 10 + x",
        "new int n := 0 in new int a[12] := 5 in a[{n := n + 1; n}] := { n := 10; 8 } - 1; a[11] * 100 + n",
        "(new int x := 4 in x) + 1",
        "new int x := 0 in break l . { x := 1; goto l; x := 2 }; x",
        "new int n in let e = { n := n + 1; 1 } in if 0 & e then skip; n",
        "new int i := 10 in new int s in while i > 0 do { s := s + i; i := i - 1 }; s",
        "1 / 0",
        "new int a[3] in a[-1] := 0; 3",
    ] {
        let judgement = judgement(text);
        let patience = eval::Patience::steps(100_000);
        let label = match eval::run(&judgement, &mut eval::Nobody, &eval::Request::Run, patience) {
            Ok(n) => n.to_string(),
            Err(_) => "abort".into(),
        };
        let opening = if matches!(judgement.ty, Type::Var(_)) { "read" } else { "q" };
        let plays = all(text, 2).into_iter().filter(|play| play.starts_with(opening));
        assert_eq!(plays.collect::<Vec<_>>(), [format!("{opening} {label}")], "{text}");
    }
}

/// The stack of the paper: only its changes are guarded.
const STACK: &str = "
    empty : com, overflow : com, segf : com, VERIFY : (int%2 -> com){1} -> com{1} -> int%2{1} -> com |-
    int%2 buf[2]; int%3 crt; sem s;
    let isempty = crt = 0 in
    let isfull = crt = 2 in
    let push(x : int%2) = if isfull then overflow else { grab(s); buf[crt] := x; crt := crt + 1; release(s) } in
    let top = {
        int%2 tmp;
        if isempty then { empty; 0 }
        else { grab(s); if crt = 0 then segf else tmp := buf[crt - 1]; release(s); !tmp }
    } in
    let pop = if isempty then empty else { grab(s); crt := crt - 1; release(s) } in
    VERIFY(push, pop, top)";

#[test]
fn the_stack_of_the_paper_is_not_safe() {
    let play = "run VERIFY.run@1 VERIFY.1.run@1.1 VERIFY.1.1.q@1.1.1 VERIFY.3.q@1.1 VERIFY.1.1.0@1.1.1
                VERIFY.2.run@1.1 segf.run@1";
    can(STACK, play);
    // Not while it is empty.
    cannot(STACK, "run VERIFY.run@1 VERIFY.3.q@1.1 VERIFY.2.run@1.1 segf.run@1");
}

/// The producers and consumers of the paper.
const BUFFER: &str = "const N = 2; const P = 2; const C = 2;
    produce : int%2, consume : int%2{1} -> com, b1 : int%2, b2 : int%2 |-
    int%2 buf[N]; int%2 front, rear; sem$N full = N, empty; sem s, t;
    { par j := 1 .. P do while b1 do {
        int%2 tmp := produce;
        grab(empty); grab(s); buf[rear] := tmp; rear := (rear + 1) mod N; release(s); release(full) } }
    || { par j := 1 .. C do while b2 do {
        grab(full); grab(t); int%2 tmp := buf[front]; front := (front + 1) mod N; release(t); release(empty);
        consume(tmp) } }";

#[test]
fn what_is_produced_is_consumed_once() {
    let produced = "run b2.q@1 b2.q@2 b1.q@1 b1.q@2 b1.1@1 b1.1@2 produce.q@1 produce.q@2 produce.1@1 produce.0@2
                    b2.1@1 b2.1@2 consume.run@1 consume.run@2 consume.1.q@1.1 consume.1.q@2.1 consume.1.1@1.1";
    can(
        BUFFER,
        &format!(
            "{produced} consume.1.0@2.1 consume.done@1 b2.q@1 b2.0@1 consume.done@2 b2.q@1 b2.0@1
             b1.q@1 b1.0@1 b1.q@1 b1.0@1 done"
        ),
    );
    cannot(BUFFER, &format!("{produced} consume.1.1@2.1"));
    cannot(BUFFER, "run b2.q@1 b2.1@1 consume.run@1");
}

#[test]
fn the_tie_breaker_is_a_lock() {
    let (mutex, lock) = (
        "a : com, b : com |- int%3 in1, in2, last;
         { in1 := 1; last := 1; while in2 & last = 1 do skip; a; in1 := 0; a }
         || { in2 := 1; last := 2; while in1 & last = 2 do skip; b; in2 := 0; b }",
        "a : com, b : com |- sem s; { grab(s); a; release(s); a } || { grab(s); b; release(s); b }",
    );
    assert_eq!(all(mutex, 10), all(lock, 10));
    // Without the tie-breaker both may wait for ever, but not both go on.
    let polite = "a : com, b : com |- int%2 in1, in2;
         { in1 := 1; while in2 do skip; a; in1 := 0 } || { in2 := 1; while in1 do skip; b; in2 := 0 }";
    cannot(polite, "run a.run@1 b.run@1");
    let rude = "a : com, b : com |- int%2 in1, in2;
         { while in2 do skip; in1 := 1; a; in1 := 0 } || { while in1 do skip; in2 := 1; b; in2 := 0 }";
    can(rude, "run a.run@1 b.run@1");
}

/// An environment that does what comes to its mind, and a record of the play.
struct Scribe<'a> {
    judgement: &'a Judgement,
    random: Random,
    open: Vec<VarId>,
    events: Vec<Event>,
}

impl Scribe<'_> {
    fn record(&mut self, place: &Place, element: Option<u64>, kind: EventKind) {
        self.events.push(Event { place: place.clone(), element: element.map(Int::from), kind });
    }

    fn value(&mut self, data: &Data) -> Int {
        data.wrap(&Int::from(self.random.below(5) as u64))
    }
}

/// The move that asks a phrase of base type, and the element that it asks for.
fn question(base: &Type, request: &Request) -> (EventKind, Option<u64>) {
    match request {
        Request::Run if *base == Type::Com => (EventKind::Run, None),
        Request::Run => (EventKind::Ask, None),
        Request::Read(element) => (EventKind::Read, *element),
        Request::Write(element, n) => (EventKind::Write(n.clone()), *element),
    }
}

/// The move that answers it.
fn answer(question: &EventKind, n: &Int) -> EventKind {
    match question {
        EventKind::Run => EventKind::Done,
        EventKind::Write(_) => EventKind::Ok,
        _ => EventKind::Value(n.clone()),
    }
}

impl World for Scribe<'_> {
    fn ask(&mut self, var: VarId, request: Request, caller: &mut dyn Caller) -> Result<Int, Exit> {
        let ty = &self.judgement.terms.variable(var).ty;
        let (arguments, base) = ty.uncurry();
        let number = 1 + self.open.iter().filter(|other| **other == var).count() as u32;
        let place = Place(vec![(Step::Free(var), number)]);
        let (asked, element) = question(base, &request);
        self.record(&place, element, asked.clone());
        if self.events.len() > 60 {
            return Err(Exit::World("enough".into()));
        }
        self.open.push(var);
        while !arguments.is_empty() && !self.random.one_in(3) {
            let n = self.random.below(arguments.len());
            let base = &arguments[n].ty;
            let request = match base {
                Type::Var(data) if self.random.one_in(2) => Request::Write(None, self.value(data)),
                Type::Array(data, _) if self.random.one_in(2) => Request::Write(Some(0), self.value(data)),
                Type::Var(_) => Request::Read(None),
                Type::Array(_, length) => Request::Read(Some(length - 1)),
                _ => Request::Run,
            };
            let place = Place(place.0.iter().copied().chain([(Step::Argument(n), 1)]).collect());
            let (asked, element) = question(base, &request);
            self.record(&place, element, asked.clone());
            let value = caller.argument(self, n, request)?;
            self.record(&place, element, answer(&asked, &value));
        }
        self.open.pop();
        let value = match (&asked, base.data()) {
            (EventKind::Ask | EventKind::Read, Some(data)) => self.value(data),
            _ => Int::ZERO,
        };
        self.record(&place, element, answer(&asked, &value));
        Ok(value)
    }
}

#[test]
fn random_sequential_programs_do_what_they_do_in_big_steps() {
    let (mut supported, mut complete) = (0, 0);
    for seed in 0..600 {
        let text = sample::sequential(seed, 3 + (seed % 20) as usize);
        let judgement = judgement(&text);
        let Ok(threads) = Threads::new(&judgement) else { continue };
        supported += 1;
        let mut scribe =
            Scribe { judgement: &judgement, random: Random::new(seed), open: vec![], events: vec![] };
        let place = Place::default();
        let own = judgement.ty.uncurry().1.settled();
        let request = if matches!(own, Type::Var(_)) { Request::Read(None) } else { Request::Run };
        let (asked, _) = question(&own, &request);
        scribe.record(&place, None, asked.clone());
        match eval::run(&judgement, &mut scribe, &request, eval::Patience::steps(20_000)) {
            Ok(n) => scribe.record(&place, None, answer(&asked, &n)),
            Err(Exit::Abort(_)) => scribe.record(&place, None, EventKind::Abort),
            Err(_) => {}
        }
        let mut events = scribe.events;
        assert_eq!(stops(&threads, &events, 100_000), None, "{text}");
        // There is no choice: the program does nothing else.
        if let Some(Event { kind, .. }) = events.last_mut().filter(|event| event.place.0.is_empty()) {
            let after = match kind {
                EventKind::Value(n) => EventKind::Value(n.add(&Int::ONE)),
                EventKind::Done => EventKind::Abort,
                EventKind::Abort => EventKind::Done,
                _ => continue,
            };
            complete += 1;
            *kind = after;
            let last = events.len() - 1;
            assert_eq!(stops(&threads, &events, 100_000), Some(last), "{text}");
        }
    }
    assert!(supported > 400 && complete > 200, "{supported} {complete}");
}
