//! Modules: the engines agree with the references, and every failure is replayed.

use agon_base::budget::Budget;
use agon_check::interval::Intervals;
use agon_check::modules::{Compiled, Found, explicit};
use agon_check::predicate;
use agon_check::refine::RefinementOptions;
use agon_check::refine::modules;
use agon_check::verdict::Verdict;
use agon_core::checks::Watch;
use agon_core::module::Module;
use agon_core::module::eval::{Exit, Outcome, play};
use agon_core::module::inputs::Inputs;
use agon_core::module::tables;
use agon_ia::read::read_module;
use agon_ia::sample;

const STEPS: u64 = 400;

fn read(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("it is a module: {text}\n{other:#?}"),
    }
}

/// The length of the play, if the module fails.
fn fails(module: &Module, found: &Found, text: &str) -> Option<usize> {
    match &found.verdict {
        Verdict::Unsafe(moves, ()) => {
            let played = play(module, moves.iter().cloned(), 1_000_000);
            let failed = matches!(played.outcome, Outcome::Ended(Exit::Fails(_)));
            assert!(failed, "{} does not fail: {:?}\n{text}", played.play.show(module), played.outcome);
            Some(played.play.0.len())
        }
        Verdict::Safe | Verdict::Unknown(_) => None,
    }
}

fn agree_among(
    seeds: std::ops::Range<u64>,
    engine: impl Fn(&Compiled) -> Found,
    shortest: bool,
) -> [usize; 3] {
    agree_on(seeds, sample::module, engine, shortest)
}

fn agree_on(
    seeds: std::ops::Range<u64>,
    sample: fn(u64, usize) -> String,
    engine: impl Fn(&Compiled) -> Found,
    shortest: bool,
) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let text = sample(seed, 3 + (seed % 9) as usize);
        let module = read(&text);
        let found = engine(&Compiled::new(module.clone()));
        let length = fails(&module, &found, &text);
        // The environment of the reference has one function of each type. It may need more to make the module fail.
        let reference = tables::tabulate(&module, &Inputs::range(0, 2, 1), 250, STEPS);
        let functions = text.contains("fn(");
        match (&found.verdict, reference) {
            (Verdict::Unknown(_), _) | (_, tables::Answer::Unknown) => counts[2] += 1,
            (Verdict::Safe, tables::Answer::Safe) => counts[0] += 1,
            (Verdict::Unsafe(..), tables::Answer::Fails(expected)) => {
                counts[1] += 1;
                let length = length.expect("it fails");
                let right = length == expected
                    || (functions && length < expected)
                    || (!shortest && length > expected);
                assert!(right, "{length} moves, not {expected}\n{text}");
            }
            (Verdict::Unsafe(..), tables::Answer::Safe) if functions => counts[1] += 1,
            (said, reference) => panic!("{said:?}, but the tables say {reference:?}\n{text}"),
        }
    }
    counts
}

/// Where only one check counts, the engines say the same as the tables.
#[test]
fn checks_are_told_apart() {
    let (mut safe, mut fail) = (0, 0);
    for seed in 0..120 {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let module = read(&text);
        for check in module.checks() {
            let watched = module.watching(Watch::Only(check));
            let reference = tables::tabulate(&watched, &Inputs::range(0, 2, 1), 250, STEPS);
            let functions = text.contains("fn(");
            for engine in [&exact(u64::MAX) as &dyn Fn(&Compiled) -> Found, &intervals] {
                let found = engine(&Compiled::new(watched.clone()));
                fails(&watched, &found, &text);
                match (&found.verdict, &reference) {
                    (Verdict::Unknown(_), _) | (_, tables::Answer::Unknown) => {}
                    (Verdict::Safe, tables::Answer::Safe) => safe += 1,
                    (Verdict::Unsafe(..), tables::Answer::Fails(_)) => fail += 1,
                    (Verdict::Unsafe(..), tables::Answer::Safe) if functions => fail += 1,
                    (said, reference) => panic!("{check:?}: {said:?}, but {reference:?}\n{text}"),
                }
            }
        }
    }
    println!("{safe} safe, {fail} fail");
    assert!(safe > 500 && fail > 50);
}

fn budget() -> Budget {
    Budget { transitions: Some(200_000), ..Budget::default() }
}

fn exact(few: u64) -> impl Fn(&Compiled) -> Found {
    move |compiled| explicit(compiled, few, &budget(), &mut |_| {})
}

fn intervals(compiled: &Compiled) -> Found {
    let effort = RefinementOptions { iterations: 60, ..RefinementOptions::default() };
    modules::check(&Intervals::of_modules(), compiled, &effort, &budget(), &mut |_| {})
}

fn by_predicates(compiled: &Compiled) -> Found {
    let effort = RefinementOptions { iterations: 6, ..RefinementOptions::default() };
    let budget = Budget { transitions: Some(2_000), ..Budget::default() };
    predicate::modules::check(compiled, &effort, &budget, &mut |_| {})
}

#[test]
fn the_search_for_a_shortest_play_agrees_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300, exact(u64::MAX), true);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 120 && fail > 80);
}

#[test]
fn proofs_agree_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300, exact(0), true);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 120 && fail > 80);
}

#[test]
fn intervals_agree_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300, intervals, false);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 120 && fail > 80);
}

#[test]
fn predicates_agree_with_the_tables() {
    let [safe, fail, unknown] = agree_on(0..150, sample::plain_module, by_predicates, false);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 10 && fail > 5);
}

#[test]
#[ignore = "long: 10,000 random modules with each engine"]
fn engines_agree_with_the_tables_on_many_modules() {
    for (name, found) in [
        ("search", agree_among(300..10_300, exact(u64::MAX), true)),
        ("proofs", agree_among(300..10_300, exact(0), true)),
        ("intervals", agree_among(300..10_300, intervals, false)),
    ] {
        let [safe, fail, unknown] = found;
        println!("{name}: {safe} safe, {fail} fail, {unknown} without an answer");
        assert!(safe > 4_000 && fail > 2_500);
    }
}
