//! The predicate engine agrees with the precise one wherever it answers, with predicates of every scheme.

use std::time::{Duration, Instant};

use agon_base::budget::{Budget, Stop};
use agon_base::random::Random;
use agon_base::refused::Refused;
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::question::Question;
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{Reason, Verdict};
use agon_core::normal::Predicates;
use agon_core::term::{Construct, TermId};
use agon_games::denote::predicates::{Abstract, Abstraction, After, denote};
use agon_ia::sample::{concurrent, reckoning_threads};
use agon_solve::cached::Cached;
use agon_solve::embedded::Embedded;

use crate::common::{Sample, any, reckoned};

#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    unsafe_: usize,
    unknown: usize,
    /// The predicates of a few programs have millions of valuations: they are not compared.
    out_of_time: usize,
    /// Without any predicates, or with the program's own only, many are not decided.
    not_enough: usize,
    refined: usize,
}

fn agreement(seeds: std::ops::Range<u64>, text: fn(u64) -> String) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let sample = Sample::new(text(seed));
        for target in sample.targets(&mut Random::new(seed)) {
            let question = Question::new(target.clone());
            let effort = RefinementOptions { iterations: 100, ..RefinementOptions::default() };
            let ask = |engine: Engine| {
                let deadline = Instant::now().checked_add(Duration::from_secs(10));
                let budget = Budget { transitions: Some(20_000), deadline, ..Budget::default() };
                sample.ask(engine, &question, &effort, &budget)
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
                    Verdict::Unknown(Reason::Stop(Stop::Time)) => tally.out_of_time += 1,
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

/// The conditions of a program that are predicates to the reference semantics.
fn conditions(sample: &Sample) -> Vec<TermId> {
    let terms = &sample.judgement.terms;
    let guards = (0..terms.len()).filter_map(|n| match terms.construct(TermId(n as u32)) {
        Construct::If(guard, ..) | Construct::While(guard, _) => Some(*guard),
        _ => None,
    });
    guards.filter(|guard| denoted(sample, &[*guard]).is_ok()).collect()
}

fn denoted(sample: &Sample, maximal: &[TermId]) -> Result<Abstract, Refused> {
    let abstraction = Abstraction {
        predicates: Predicates { annotated: false, maximal },
        after: After::Preserved,
        most: 50_000,
    };
    let mut solver = Cached::new(Embedded::default());
    denote(&sample.judgement, &sample.arena, abstraction, &mut solver)
}

/// What the reference semantics proves with maximal scopes, the engine proves with them.
fn it_is_as_precise_as_the_reference_semantics_among(count: u64) {
    let (mut proved, mut with_predicates, mut at_once, mut more) = (0, 0, 0, 0);
    for (seed, text) in (0..count).flat_map(|seed| [(seed, any(seed)), (seed, reckoned(seed))]) {
        let sample = Sample::new(text);
        let conditions = conditions(&sample);
        let Ok(abstracted) = denoted(&sample, &conditions) else { continue };
        let question = Question::aborts();
        let effort = RefinementOptions { iterations: 100, ..RefinementOptions::default() };
        let report = sample.ask(Engine::Predicate(Scheme::Maximal), &question, &effort, &Budget::default());
        let safe = matches!(report.verdict, Verdict::Safe);
        if abstracted.aborts() {
            more += usize::from(safe);
            continue;
        }
        assert!(safe, "seed {seed}: {:?}\n{}", report.verdict, sample.text);
        proved += 1;
        with_predicates += usize::from(!conditions.is_empty());
        at_once += usize::from(report.iterations == 1);
    }
    println!(
        "{proved} proved by both, {with_predicates} of them with predicates, {at_once} at once; {more} by the engine \
         alone"
    );
    assert!(with_predicates > count as usize / 10 && at_once > proved * 9 / 10);
}

fn it_agrees_with_the_precise_engine_on_concurrent_programs_among(count: u64) {
    let threads = agreement(0..count, |seed| concurrent(seed, 3 + (seed % 14) as usize));
    let reckoning = agreement(0..count, |seed| reckoning_threads(seed, (seed % 4) as usize));
    println!("{threads:?}\n{reckoning:?}");
    for tally in [&threads, &reckoning] {
        assert!(tally.safe + tally.unsafe_ > count as usize, "{tally:?}");
    }
}

fn it_agrees_with_the_precise_engine_among(count: u64) {
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

#[test]
fn it_is_as_precise_as_the_reference_semantics() {
    it_is_as_precise_as_the_reference_semantics_among(300);
}

#[test]
#[ignore = "a long run"]
fn it_is_as_precise_as_the_reference_semantics_at_length() {
    it_is_as_precise_as_the_reference_semantics_among(5_000);
}

#[test]
fn it_agrees_with_the_precise_engine_on_concurrent_programs() {
    it_agrees_with_the_precise_engine_on_concurrent_programs_among(150);
}

#[test]
#[ignore = "a long run"]
fn it_agrees_with_the_precise_engine_on_concurrent_programs_at_length() {
    it_agrees_with_the_precise_engine_on_concurrent_programs_among(2_000);
}

#[test]
fn it_agrees_with_the_precise_engine() {
    it_agrees_with_the_precise_engine_among(300);
}

#[test]
#[ignore = "a long run"]
fn it_agrees_with_the_precise_engine_at_length() {
    it_agrees_with_the_precise_engine_among(5_000);
}
