//! Every abort has a cause, at the place of the play's last move, and it is the same for every engine.

use agon::play_session::PlaySession;
use agon::render::cause;
use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_base::source::{Source, Span};
use agon_check::portfolio::Engine;
use agon_check::question::{Order, Question};
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{Report, Verdict};
use agon_core::term::Mode;
use agon_games::moves::Label;
use agon_games::play::Play;
use agon_ia::sample::{concurrent, sequential};
use agon_witness::threads::played;

use claimed::corpus;
use threaded::threaded;

mod claimed;
mod threaded;
mod tree;

fn open(text: &str) -> Session {
    Session::open(Source::new("causes", text), vec![]).unwrap_or_else(|(_, why)| panic!("{text}: {why:?}"))
}

fn check(session: &Session, engine: Engine, order: Order) -> Report {
    let question = Question { order, shorten: true, ..Question::aborts() };
    let budget = Budget { memory: Some(1 << 28), transitions: Some(1 << 16), ..Budget::default() };
    session.check(&question, engine, &RefinementOptions::default(), &budget, &mut |_| {})
}

/// The place that the machine gives for the last move of a sequential play: that of the term that failed, or of the term
/// around it.
fn last_place(session: &Session, play: &Play) -> Span {
    let Ok(mut game) = PlaySession::start(session, &Budget::default()) else {
        panic!("{}", session.source.text)
    };
    for m in play.moves.iter().step_by(2) {
        assert!(game.make(&session.arena.show(m), &Budget::default()).is_ok(), "{}", session.source.text);
    }
    game.play().spans.last().copied().flatten().expect("an abort has a place")
}

/// The cause in words; nothing, if no abort is found.
fn why(session: &Session, report: &Report) -> Option<String> {
    let Verdict::Unsafe(play, evidence) = &report.verdict else { return None };
    assert_eq!(play.moves.last().map(|m| &m.label), Some(&Label::Abort));
    let failure = evidence.failure.as_ref();
    let failure = failure.unwrap_or_else(|| panic!("there is no cause: {}", session.source.text));
    let place = cause::span(session, failure);
    assert_eq!(play.spans.last(), Some(&Some(place)), "{}", session.source.text);
    if session.judgement.mode == Mode::Sequential {
        let machine = last_place(session, play);
        assert!(machine.start <= place.start && place.end <= machine.end, "{}", session.source.text);
    }
    Some(cause::words(session, failure))
}

/// Checks a program with several engines, also as a concurrent program, and compares the causes.
#[track_caller]
fn aborts(text: &str, wanted: &str) {
    for text in [text.to_string(), format!("concurrent {text}")] {
        let session = open(&text);
        for engine in Engine::ALL {
            let report = check(&session, *engine, Order::Shortest);
            let said = why(&session, &report);
            if let (None, Verdict::Unknown(_), true) = (&said, &report.verdict, *engine != Engine::Auto) {
                continue;
            }
            assert_eq!(said.as_deref(), Some(wanted), "{} of {text}", engine.name());
        }
    }
}

#[test]
fn every_kind_of_failure_has_its_words() {
    aborts(
        "e : int%4 |- new int%4 buffer[3] in buffer[e] := 1",
        "index 3 is out of bounds of `buffer` (0…2): e = 3 from the environment",
    );
    aborts("new int%4 x := 2 in new int%4 a[2] in a[x + 1]", "index 3 is out of bounds of `a` (0…1): x = 2");
    aborts("new int%4 a[2] in a[0 - 1] := 0", "index -1 is out of bounds of `a` (0…1)");
    aborts("new int%4 x in 3 / x", "division by zero in `3 / x`: x = 0");
    aborts("e : int%2 |- new int%4 x := e in 3 mod (x * 2)", "division by zero in `3 mod (x * 2)`: x = 0");
    aborts("new bool locked in assert(locked)", "`assert(locked)` fails: locked = false");
    aborts("assert(1 = 2)", "`assert(1 = 2)` fails");
    aborts("c : com |- c; abort", "`abort` is reached");
    aborts("new int%4 x := 3 in if x > 2 then abort", "`abort` is reached, as `x > 2` is true: x = 3");
    aborts(
        "new int%4 x := 3 in if x < 2 then skip else { abort; x := 1 }",
        "`abort` is reached, as `x < 2` is false: x = 3",
    );
}

#[test]
fn the_values_are_those_that_were_read() {
    // A cell has its last value; the environment may answer differently each time.
    aborts("new int%4 x in assert({ x := x + 1; x } = 3)", "`assert({ x := x + 1; x } = 3)` fails: x = 1");
    let session = open("e : bool |- assert(e = e)");
    let said = why(&session, &check(&session, Engine::Explicit, Order::Shortest));
    assert_eq!(said.as_deref(), Some("`assert(e = e)` fails: e = false, then true from the environment"));
    aborts(
        "new int%4 a[3] in a[2] := 1; assert(a[0] = a[2])",
        "`assert(a[0] = a[2])` fails: a[0] = 0, a[2] = 1",
    );
    aborts(
        "new int%4 x := 1 in let below(v : var int%4) = assert(v < 1) in below(x)",
        "`assert(v < 1)` fails: x = 1",
    );
    aborts(
        "f : com -> bool |- new int%4 x in assert(f(x := 1) & x = 0)",
        "`assert(f(x := 1) & x = 0)` fails: f(…) = false from the environment, x = 0",
    );
    aborts("v : var int%3 |- assert(v < 2)", "`assert(v < 2)` fails: v = 2 from the environment");
    // The index inside of the assertion fails first.
    aborts(
        "new int%4 x := 3 in new int%4 a[2] in assert(a[x] = 0)",
        "index 3 is out of bounds of `a` (0…1): x = 3",
    );
    // The values of an index are not part of the cause if it is in bounds.
    aborts(
        "new int%4 x := 1 in new int%4 a[2] in a[x] := 2; assert(a[1] < 1)",
        "`assert(a[1] < 1)` fails: a[1] = 2",
    );
    // A jump leaves a condition.
    aborts(
        "new int%4 x := 1 in break l . { if { if x = 1 then goto l; x } then abort }; assert(x = 2)",
        "`assert(x = 2)` fails: x = 1",
    );
}

#[test]
fn threads_have_causes_of_their_own() {
    let session = open("concurrent new int%4 x in { x := 1; assert(x = 1) || x := 2 }");
    let report = check(&session, Engine::Explicit, Order::Fixed);
    assert_eq!(why(&session, &report).as_deref(), Some("`assert(x = 1)` fails: x = 2"));
    let session = open("concurrent f : com -> com -> com |- new int%4 x in f(x := x + 1, assert(x < 2))");
    let report = check(&session, Engine::Auto, Order::Shortest);
    assert_eq!(why(&session, &report).as_deref(), Some("`assert(x < 2)` fails: x = 2"));
}

#[test]
fn the_two_interpreters_agree_on_random_programs() {
    let (mut compared, mut with_values) = (0, 0);
    for seed in 0..1_500 {
        let session = open(&sequential(seed, 5 + seed as usize % 20));
        let Verdict::Unsafe(play, evidence) = check(&session, Engine::Explicit, Order::Fixed).verdict else {
            continue;
        };
        let moves = threaded(&session.arena, &play.moves);
        // The interpreter of threads does not support jumps out of threads.
        let Ok(found) = played(&session.judgement, &session.arena, &moves, &Budget::default()) else {
            continue;
        };
        assert_eq!(found, Some(evidence.failure.clone()), "seed {seed}: {}", session.source.text);
        compared += 1;
        with_values += usize::from(evidence.failure.is_some_and(|failure| !failure.seen.is_empty()));
    }
    assert!(compared > 200 && with_values > 50, "{compared} programs, {with_values} causes with values");
}

#[test]
fn random_concurrent_programs_have_causes() {
    let mut random = Random::new(15);
    let mut found = 0;
    for seed in 0..400 {
        let session = open(&concurrent(seed, 4 + random.below(8)));
        found += usize::from(why(&session, &check(&session, Engine::Explicit, Order::Fixed)).is_some());
    }
    assert!(found > 20, "{found} causes");
}

#[test]
fn every_abort_of_the_corpus_has_a_cause() {
    let aborting: Vec<_> = corpus().into_iter().filter(|(_, _, target)| target == "abort").collect();
    assert!(aborting.len() > 50, "{} programs of the corpus abort", aborting.len());
    for (path, session, _) in aborting {
        let budget = Budget { memory: Some(1 << 30), ..Budget::default() };
        let question = Question { shorten: true, ..Question::aborts() };
        let report =
            session.check(&question, Engine::Auto, &RefinementOptions::default(), &budget, &mut |_| {});
        assert!(why(&session, &report).is_some(), "{}: {:?}", path.display(), report.verdict);
    }
}
