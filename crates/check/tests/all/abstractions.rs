//! Engines that approximate data agree with the precise one wherever they answer, and would be caught if they did not.

use agon_base::budget::Budget;
use agon_base::budget::Threads;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::interval::Intervals;
use agon_check::partition::Partitions;
use agon_check::portfolio::Engine;
use agon_check::question::{Order, Question};
use agon_check::refine::{self, Abstraction, Certify, RefinementOptions};
use agon_check::search::Notice;
use agon_check::verdict::{Report, Verdict};
use agon_core::term::{Mode, Operator};
use agon_games::abstracted::IntervalArithmetic;
use agon_games::interval::Interval;
use agon_games::sites::Site;
use agon_games::values::Outcome;
use agon_ia::sample::{concurrent, reckoning_threads};

use crate::common::{Sample, answer, any, reckoned};

#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    unsafe_: usize,
    unknown: usize,
    refined: usize,
}

/// What the precise engine says.
fn precise(sample: &Sample, question: &Question, budget: &Budget) -> Report {
    sample.ask(Engine::Explicit, question, &RefinementOptions::default(), budget)
}

fn agreement(seeds: std::ops::Range<u64>, text: fn(u64) -> String) -> Tally {
    let mut tally = Tally::default();
    let budget = Budget { transitions: Some(20_000), ..Budget::default() };
    let quiet = &mut |_: Notice<'_>| {};
    for seed in seeds {
        let sample = Sample::new(text(seed));
        for target in sample.targets(&mut Random::new(seed)) {
            let question = Question::new(target.clone());
            let exact = precise(&sample, &question, &budget);
            let place = || format!("seed {seed}, {}\n{}", sample.arena.show(&target), sample.text);
            let Some(expected) = answer(&exact.verdict, &place) else { continue };
            if sample.judgement.mode == Mode::Concurrent {
                let two = Threads { most: 2, alone: (seed % 16) as usize };
                let order = [Order::Fixed, Order::Shortest, Order::Random(seed)][seed as usize % 3];
                let question = Question { order, ..question.clone() };
                // Shortest plays are looked for with fewer reductions.
                let alone = precise(&sample, &question, &budget);
                let budget = Budget { threads: two, ..budget.clone() };
                let found = precise(&sample, &question, &budget);
                let answered = answer(&found.verdict, &place);
                assert!(answered.is_none_or(|found| found == expected), "two threads: {}", place());
                tally.unknown += usize::from(answered.is_none());
                if answered == Some(true) {
                    assert_eq!(
                        (found.states, found.transitions),
                        (alone.states, alone.transitions),
                        "{}",
                        place()
                    );
                }
            }
            let engines: [&dyn Abstraction; 4] = [
                &Intervals::of_terms(Order::Fixed),
                &Intervals::of_terms(Order::Shortest),
                &Partitions { semi_terminating: false },
                &Partitions { semi_terminating: true },
            ];
            for (n, engine) in engines.into_iter().enumerate() {
                let certify =
                    [Certify::Values, Certify::Forced, Certify::Solver][(seed + n as u64) as usize % 3];
                let effort = RefinementOptions { certify, iterations: 300, ..RefinementOptions::default() };
                let report = refine::check(engine, sample.task(&question, &effort, &budget), quiet);
                match answer(&report.verdict, &place) {
                    None => tally.unknown += 1,
                    Some(found) => {
                        assert_eq!(found, expected, "{} ({n}, {certify:?}) {}", engine.name(), place());
                        if found { tally.safe += 1 } else { tally.unsafe_ += 1 }
                    }
                }
                tally.refined += usize::from(report.iterations > 1);
            }
        }
    }
    tally
}

fn threaded(seed: u64) -> String {
    concurrent(seed, 3 + (seed % 14) as usize)
}

fn they_agree_with_the_precise_engine_on_concurrent_programs_among(count: u64) {
    let threads = agreement(0..count, threaded);
    let reckoning = agreement(0..count, |seed| reckoning_threads(seed, (seed % 4) as usize));
    println!("{threads:?}\n{reckoning:?}");
    for tally in [&threads, &reckoning] {
        let count = count as usize;
        assert!(tally.safe + tally.unsafe_ > count && tally.unsafe_ > count / 2, "{tally:?}");
        assert!(tally.unknown < count / 4, "{tally:?}");
    }
    assert!(reckoning.refined > count as usize / 4, "{reckoning:?}");
}

fn they_agree_with_the_precise_engine_among(count: u64) {
    let small = agreement(0..count, any);
    let reckoning = agreement(0..count, reckoned);
    println!("{small:?}\n{reckoning:?}");
    for tally in [small, reckoning] {
        let count = count as usize;
        assert!(tally.safe > count && tally.unsafe_ > count && tally.refined > count / 3, "{tally:?}");
        assert!(tally.unknown < count / 20, "{tally:?}");
    }
}

/// Intervals with an arithmetic that is wrong in one place.
struct Broken(IntervalArithmetic);

impl Abstraction for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn begins(&self, site: &Site) -> Vec<Interval> {
        vec![site.range.clone()]
    }
    fn selection(&self) -> refine::Selection {
        Intervals::of_terms(Order::Fixed).selection()
    }
    fn refines_all(&self) -> bool {
        true
    }
    fn split(&self, part: &Interval, cuts: &[Int]) -> Vec<Interval> {
        Intervals::of_terms(Order::Fixed).split(part, cuts)
    }
    fn arithmetic(&self) -> IntervalArithmetic {
        self.0
    }
    fn show(&self, site: &Site) -> String {
        Intervals::of_terms(Order::Fixed).show(site)
    }
}

/// The first of this many programs for which an arithmetic gives another answer than exact numbers do.
fn noticed(programs: u64, arithmetic: IntervalArithmetic) -> Option<u64> {
    let quiet = &mut |_: Notice<'_>| {};
    (0..programs).find(|seed| {
        let sample = Sample::new(if seed % 2 == 0 { any(*seed) } else { reckoned(*seed) });
        let budget = Budget { transitions: Some(5_000), ..Budget::default() };
        let effort = RefinementOptions { iterations: 30, ..RefinementOptions::default() };
        sample.targets(&mut Random::new(*seed)).into_iter().any(|target| {
            let question = Question::new(target);
            let exact = precise(&sample, &question, &budget);
            let broken = refine::check(&Broken(arithmetic), sample.task(&question, &effort, &budget), quiet);
            matches!(
                (exact.verdict, broken.verdict),
                (Verdict::Safe, Verdict::Unsafe(..)) | (Verdict::Unsafe(..), Verdict::Safe)
            )
        })
    })
}

#[test]
fn a_broken_operator_is_noticed() {
    assert_eq!(noticed(500, Interval::binary), None);
    // A sum that forgets its greatest number.
    let plus = noticed(5_000, |a, operator, b| match (operator, a.binary(operator, b)) {
        (Operator::Add, Outcome::One(sum)) => {
            let less = sum.high().map(|high| high.sub(&Int::ONE));
            Outcome::One(Interval::new(sum.low().cloned(), less).unwrap_or(sum))
        }
        (_, other) => other,
    });
    // A comparison that is decided too early.
    let less = noticed(5_000, |a, operator, b| match (operator, a.binary(operator, b)) {
        (Operator::Less, Outcome::One(truth)) if truth.as_point().is_none() => {
            Outcome::One(Interval::point(Int::ONE))
        }
        (_, other) => other,
    });
    println!("noticed by program {plus:?} and {less:?}");
    assert!(plus.is_some() && less.is_some(), "{plus:?} {less:?}");
}

#[test]
fn they_agree_with_the_precise_engine_on_concurrent_programs() {
    they_agree_with_the_precise_engine_on_concurrent_programs_among(200);
}

#[test]
#[ignore = "a long run"]
fn they_agree_with_the_precise_engine_on_concurrent_programs_at_length() {
    they_agree_with_the_precise_engine_on_concurrent_programs_among(10_000);
}

#[test]
fn they_agree_with_the_precise_engine() {
    they_agree_with_the_precise_engine_among(1_000);
}

#[test]
#[ignore = "a long run"]
fn they_agree_with_the_precise_engine_at_length() {
    they_agree_with_the_precise_engine_among(10_000);
}
