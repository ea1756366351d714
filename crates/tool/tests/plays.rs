//! Plays are short: a play that is found in any order is shortened before it is shown.

use std::path::PathBuf;

use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::budget::Threads;
use agon_base::source::Source;
use agon_check::portfolio::Engine;
use agon_check::question::{Order, Question};
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{Report, Verdict};
use agon_core::term::Mode;
use agon_games::play::{Play, legal};
use agon_ia::sample::sequential;

use claimed::corpus;

mod claimed;
mod tree;

fn open(text: &str) -> Session {
    Session::open(Source::new("plays", text), vec![]).unwrap_or_else(|(_, why)| panic!("{text}: {why:?}"))
}

fn ask(session: &Session, question: &Question, engine: Engine, budget: &Budget) -> Report {
    session.check(question, engine, &RefinementOptions::default(), budget, &mut |_| {})
}

fn budget() -> Budget {
    Budget {
        memory: Some(1 << 28),
        transitions: Some(1 << 18),
        threads: Threads::new(1),
        ..Budget::default()
    }
}

fn play(report: &Report) -> Option<&Play> {
    match &report.verdict {
        Verdict::Unsafe(play, _) => Some(play),
        _ => None,
    }
}

fn length(report: &Report) -> Option<usize> {
    play(report).map(|play| play.moves.len())
}

/// The length of the play as found, and as shown.
fn lengths(text: &str, engine: Engine) -> (usize, usize) {
    let session = open(text);
    let found = ask(&session, &Question::aborts(), engine, &budget());
    let shown = ask(&session, &Question { shorten: true, ..Question::aborts() }, engine, &budget());
    match (length(&found), length(&shown)) {
        (Some(found), Some(shown)) => (found, shown),
        _ => panic!("{text}: {:?}, {:?}", found.verdict, shown.verdict),
    }
}

#[test]
fn a_short_bug_is_not_told_in_thousands_of_moves() {
    let text = "client : com -> com -> com |- new int%4096 count := 0 in
        let add = count := count + 1 in let take = { assert(count > 0); count := count - 1 } in
        client(add, take); assert(count < 4000)";
    let (found, shown) = lengths(text, Engine::Explicit);
    assert!(found > 8_000, "{found}");
    assert_eq!(shown, 4);
    assert_eq!(lengths(text, Engine::Auto).1, 4);
    let fewer = text.replace("4096", "64").replace("4000", "60");
    // A concurrent search explores positions near the start first.
    assert_eq!(lengths(&format!("concurrent {fewer}"), Engine::Explicit), (4, 4));
}

#[test]
fn large_data_is_kept_to_what_the_play_has() {
    // A search would have to try every value of `e` twice.
    let text = "f : com -> com -> com, e : int%60000 |- new int%4096 x in new int%60000 y := e in
        f(x := x + 1, if (y = 50000) & (x > 1) then assert(e <> 40000))";
    let session = open(text);
    for engine in [Engine::Interval, Engine::Auto] {
        let (_, shown) = lengths(text, engine);
        assert_eq!(shown, 12, "{}", engine.name());
    }
    let all = Question { order: Order::Shortest, ..Question::aborts() };
    assert_eq!(
        length(&ask(&session, &all, Engine::Explicit, &budget())),
        None,
        "it is too much for a search"
    );
}

#[test]
fn positions_of_the_play_are_searched_where_the_game_is_too_large() {
    // Each counter must be 2. There are 8^5 combinations, and the first play tries many of them.
    let counters = ["a", "b", "c", "d", "g"];
    let declared: String = counters.iter().map(|name| format!("new int%8 {name} in ")).collect();
    let arguments: String = counters.iter().map(|name| format!("{name} := {name} + 1, ")).collect();
    let all: Vec<String> = counters.iter().map(|name| format!("({name} = 2)")).collect();
    let types = "com -> ".repeat(6);
    let text = format!("f : {types}com |- {declared} f({arguments}assert(not ({})))", all.join(" & "));
    let (found, shown) = lengths(&text, Engine::Explicit);
    // It opens, calls, counts ten times, and asks.
    assert!(found > 5_000 && (24..100).contains(&shown), "{found}, {shown}");
}

#[test]
fn moves_are_left_out_where_no_position_comes_again() {
    // `n` records all moves, so that no two plays reach the same position.
    let text = "f : com -> com -> com -> com |- new int n := 1 in new int%16 x in
        f(n := n * 2 + 1, { n := n * 2; x := x + 1 }, assert(x < 12))";
    let (found, shown) = lengths(text, Engine::Explicit);
    assert!(found > 100, "{found}");
    // It opens, calls, counts twelve times, and asks.
    assert_eq!(shown, 28);
}

#[test]
fn shortening_loses_no_verdict_on_random_programs() {
    let (mut unsafe_, mut shorter) = (0, 0);
    for seed in 0..1_000 {
        let session = open(&sequential(seed, 5 + seed as usize % 20));
        let ask = |order, shorten| {
            ask(&session, &Question { order, shorten, ..Question::aborts() }, Engine::Explicit, &budget())
        };
        let (found, shown) = (ask(Order::Random(seed), false), ask(Order::Random(seed), true));
        assert_eq!(found.verdict.word(), shown.verdict.word(), "seed {seed}: {}", session.source.text);
        let (Some(found), Some(play)) = (length(&found), play(&shown)) else { continue };
        assert_eq!(legal(&session.arena, &play.moves), Ok(()), "seed {seed}: {}", session.source.text);
        let shortest = length(&ask(Order::Shortest, false));
        assert_eq!(Some(play.moves.len()), shortest, "seed {seed}: {}", session.source.text);
        unsafe_ += 1;
        shorter += usize::from(play.moves.len() < found);
    }
    assert!(unsafe_ > 200 && shorter > 20, "{unsafe_} are unsafe, {shorter} plays became shorter");
}

/// The length of a play as found by `auto`, as shown, and of a shortest one, if a search of limited size finds it.
struct Row {
    name: String,
    mode: Mode,
    found: Option<usize>,
    shown: Option<usize>,
    shortest: Option<usize>,
}

fn table() -> Vec<Row> {
    let row = |(path, session, target): (PathBuf, Session, String)| {
        let question = |order| session.question(&target, order).expect("the target is a move");
        let found = ask(&session, &question(Order::Fixed), Engine::Auto, &budget());
        let shown = Question { shorten: true, ..question(Order::Fixed) };
        let shown = ask(&session, &shown, Engine::Auto, &budget());
        let shortest = ask(&session, &question(Order::Shortest), Engine::Explicit, &budget());
        let name = format!("{} {target}", path.display());
        let (found, shown, shortest) = (length(&found), length(&shown), length(&shortest));
        Row { name, mode: session.judgement.mode, found, shown, shortest }
    };
    corpus().into_iter().map(row).collect()
}

#[test]
fn plays_of_the_corpus_are_short() {
    for Row { name, mode, found, shown, shortest } in table() {
        assert!(shown.is_some() && shown <= found, "{name}: {found:?}, {shown:?}");
        // The search of a concurrent program counts steps, and a step need not be a move.
        if let (Mode::Sequential, Some(shortest)) = (mode, shortest) {
            assert_eq!(shown, Some(shortest), "{name}");
        }
    }
}

#[test]
#[ignore = "prints a table"]
fn table_of_the_lengths_of_plays() {
    println!("{:45} {:>8} {:>8} {:>8}", "", "found", "shown", "shortest");
    for Row { name, found, shown, shortest, .. } in table() {
        let number = |n: Option<usize>| n.map_or("-".into(), |n| n.to_string());
        println!("{name:45} {:>8} {:>8} {:>8}", number(found), number(shown), number(shortest));
    }
}
