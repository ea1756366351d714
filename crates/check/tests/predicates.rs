//! The predicate engine agrees with the precise one wherever it answers, with predicates of every scheme.

mod common;

use agon_check::budget::Budget;
use agon_check::portfolio::{self, Engine};
use agon_check::predicate::Scheme;
use agon_check::question::{Order, Question};
use agon_check::refine::Effort;
use agon_check::search::Progress;
use agon_check::verdict::{Reason, Verdict};
use agon_lang::sample::{Random, concurrent, reckoning_threads};
use common::{Sample, any, reckoned};

#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    unsafe_: usize,
    unknown: usize,
    /// Without any predicates, or with the program's own only, many are not decided.
    not_enough: usize,
    refined: usize,
}

fn agreement(seeds: std::ops::Range<u64>, text: fn(u64) -> String) -> Tally {
    let mut tally = Tally::default();
    let budget = Budget { transitions: Some(20_000), ..Budget::default() };
    let quiet = &mut |_: Progress| {};
    for seed in seeds {
        let sample = Sample::new(text(seed));
        for target in sample.targets(&mut Random::new(seed)) {
            let question = Question {
                target: target.clone(),
                threads: Box::default(),
                order: Order::Fixed,
                reduce: true,
            };
            let mut ask = |engine: Engine| {
                let effort = Effort { iterations: 100, ..Effort::default() };
                let seconds = std::time::Duration::from_secs(5);
                let budget = Budget { deadline: Some(std::time::Instant::now() + seconds), ..budget.clone() };
                portfolio::answer(engine, &effort, sample.subject(), &question, &budget, quiet)
            };
            let place = || format!("seed {seed}, {}\n{}", sample.arena.show(&target), sample.text);
            let expected = match ask(Engine::Explicit).verdict {
                Verdict::Safe => true,
                Verdict::Unsafe(..) => false,
                Verdict::Unknown(_) => continue,
            };
            let other = [Scheme::None, Scheme::Annotated, Scheme::Maximal][seed as usize % 3];
            for scheme in [Scheme::Minimal, other] {
                let report = ask(Engine::Predicate(scheme));
                match &report.verdict {
                    Verdict::Safe => {
                        assert!(expected, "{scheme:?} says SAFE: {}", place());
                        tally.safe += 1;
                    }
                    Verdict::Unsafe(..) => {
                        assert!(!expected, "{scheme:?} says UNSAFE: {}", place());
                        tally.unsafe_ += 1;
                    }
                    Verdict::Unknown(Reason::Unverified(why)) => panic!("{scheme:?}: {why}: {}", place()),
                    Verdict::Unknown(Reason::Predicates)
                        if matches!(scheme, Scheme::None | Scheme::Annotated) =>
                    {
                        tally.not_enough += 1;
                    }
                    Verdict::Unknown(reason) => {
                        if std::env::var_os("AGON_SHOW").is_some() {
                            println!("{scheme:?} {reason:?} {}", place());
                        }
                        tally.unknown += 1;
                    }
                }
                tally.refined += usize::from(report.iterations > 1);
            }
        }
    }
    tally
}

#[test]
fn it_agrees_with_the_precise_engine_on_concurrent_programs() {
    let count = if std::env::var_os("AGON_LONG").is_some() { 2_000 } else { 150 };
    let threads = agreement(0..count, |seed| concurrent(seed, 3 + (seed % 14) as usize));
    let reckoning = agreement(0..count, |seed| reckoning_threads(seed, (seed % 4) as usize));
    println!("{threads:?}\n{reckoning:?}");
    for tally in [&threads, &reckoning] {
        assert!(tally.safe + tally.unsafe_ > count as usize, "{tally:?}");
    }
}

#[test]
fn it_agrees_with_the_precise_engine() {
    let count = if std::env::var_os("AGON_LONG").is_some() { 5_000 } else { 300 };
    let small = agreement(0..count, any);
    let reckoning = agreement(0..count, reckoned);
    println!("{small:?}\n{reckoning:?}");
    let count = count as usize;
    for tally in [&small, &reckoning] {
        assert!(tally.safe > count && tally.unsafe_ > count, "{tally:?}");
        assert!(tally.unknown < count / 20, "{tally:?}");
    }
    assert!(reckoning.refined > count / 10, "{reckoning:?}");
}
