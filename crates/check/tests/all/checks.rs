//! Every check of a random program: all in one search, and one by one with each engine, have the same verdicts.

use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use agon_check::portfolio::{self, Engine};
use agon_check::predicate::Scheme;
use agon_check::question::{Order, Question};
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{Reason, Report, Verdict};
use agon_core::checks::{Check, Kind};
use agon_ia::sample::{concurrent, reckoning_threads};

use crate::common::{Sample, any, reckoned};

#[derive(Default, Debug)]
struct Tally {
    fail: usize,
    hold: usize,
    unreached: usize,
    /// Programs in which some checks fail and others do not.
    mixed: usize,
    other_engines: usize,
}

/// What a check may cost. A run that reaches its limit is not compared.
fn budget() -> Budget {
    let deadline = Instant::now().checked_add(Duration::from_secs(10));
    Budget { transitions: Some(20_000), deadline, ..Budget::default() }
}

fn alone(sample: &Sample, engine: Engine, question: &Question) -> Report {
    let effort = RefinementOptions { iterations: 50, ..RefinementOptions::default() };
    sample.ask(engine, question, &effort, &budget())
}

/// Whether a program fails; nothing, if that is not known.
fn fails(report: &Report, place: &str) -> Option<bool> {
    match &report.verdict {
        Verdict::Safe => Some(false),
        Verdict::Unsafe(..) => Some(true),
        Verdict::Unknown(Reason::Unverified(why)) => panic!("{place}: {why}"),
        Verdict::Unknown(_) => None,
    }
}

/// Whether a play comes to an assertion: whether one that is never true fails in its place.
fn is_reached(sample: &Sample, check: Check) -> Option<bool> {
    let (start, end) = (check.span.start as usize, check.span.end as usize);
    let condition = sample.text[start..end].strip_prefix("assert(")?.strip_suffix(')')?;
    let never = format!("{}assert(({condition}) & 0){}", &sample.text[..start], &sample.text[end..]);
    let never = Sample::new(never);
    let twin = never
        .judgement
        .checks()
        .into_iter()
        .find(|twin| twin.span.start == check.span.start && twin.kind == check.kind)?;
    fails(&alone(&never, Engine::Explicit, &Question::fails(twin)), &never.text)
}

fn agreement(seeds: std::ops::Range<u64>, text: fn(u64) -> String) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let sample = Sample::new(text(seed));
        let checks = sample.judgement.checks();
        let order = [Order::Fixed, Order::Shortest, Order::Random(seed)][seed as usize % 3];
        let questions: Vec<Question> =
            checks.iter().map(|check| Question { order, ..Question::fails(*check) }).collect();
        let effort = RefinementOptions::default();
        let together = portfolio::answer_each(
            Engine::Explicit,
            &effort,
            sample.subject(),
            &questions,
            &budget(),
            &mut |_| {},
        );
        assert_eq!(together.len(), checks.len());
        let mut some = [false; 2];
        for ((check, question), report) in checks.iter().zip(&questions).zip(&together) {
            let place = format!("seed {seed}, {order:?}, {check:?}\n{}", sample.text);
            let Some(found) = fails(report, &place) else { continue };
            let other = [Engine::Interval, Engine::Predicate(Scheme::Minimal)][seed as usize % 2];
            for engine in [Engine::Explicit, other] {
                if let Some(own) = fails(&alone(&sample, engine, question), &place) {
                    assert_eq!(found, own, "{engine:?}: {place}");
                    tally.other_engines += usize::from(engine == other);
                }
            }
            if let Verdict::Unsafe(play, _) = &report.verdict {
                assert_eq!(play.spans.last(), Some(&Some(check.span)), "{place}");
            }
            let unreached = report.unreached().contains(check);
            assert!(!(found && unreached), "{place}");
            if check.kind == Kind::Assertion
                && let Some(reached) = is_reached(&sample, *check)
            {
                assert_eq!(unreached, !reached, "{place}");
                tally.unreached += usize::from(unreached);
            }
            *(if found { &mut tally.fail } else { &mut tally.hold }) += 1;
            some[usize::from(found)] = true;
        }
        tally.mixed += usize::from(some == [true; 2]);
        // The program aborts if and only if one of them fails.
        let aborts = fails(&alone(&sample, Engine::Explicit, &Question::aborts()), &sample.text);
        let known: Option<Vec<bool>> = together.iter().map(|report| fails(report, &sample.text)).collect();
        if let (Some(aborts), Some(known)) = (aborts, known) {
            assert_eq!(aborts, known.contains(&true), "seed {seed}\n{}", sample.text);
        }
    }
    tally
}

fn checks_agree_among(count: u64) {
    let ((small, reckoning), (threads, reckoning_threads)) = rayon::join(
        || rayon::join(|| agreement(0..count, any), || agreement(0..count, reckoned)),
        || {
            rayon::join(
                || agreement(0..count, |seed| concurrent(seed, 3 + (seed % 14) as usize)),
                || agreement(0..count, |seed| reckoning_threads(seed, (seed % 4) as usize)),
            )
        },
    );
    println!("{small:?}\n{reckoning:?}\n{threads:?}\n{reckoning_threads:?}");
    for tally in [&small, &reckoning, &threads, &reckoning_threads] {
        let enough = count as usize / 20;
        assert!(tally.fail > enough && tally.hold > enough && tally.other_engines > enough, "{tally:?}");
    }
    assert!(
        small.unreached + reckoning.unreached + threads.unreached > 0,
        "{small:?} {reckoning:?} {threads:?}"
    );
    assert!(small.mixed + reckoning.mixed + threads.mixed > count as usize / 20);
}

#[test]
fn checks_together_and_alone_have_the_same_verdicts() {
    checks_agree_among(150);
}

#[test]
#[ignore = "a long run"]
fn checks_together_and_alone_have_the_same_verdicts_at_length() {
    checks_agree_among(5_000);
}

/// A check that cannot be decided does not use up the time of the others.
#[test]
fn what_cannot_be_decided_leaves_time_for_the_others() {
    let sample = Sample::new(
        "e : int, f : com -> com |-
         new int x := e in new int y := 1 in
         f({ y := y * x + 1; x := x + y * y });
         assert(x * x * x + y * y * y <> 114);
         new int z := e in assert(z <> 123456);
         assert(z * 2 <> 7)",
    );
    let questions: Vec<Question> = sample.judgement.checks().into_iter().map(Question::fails).collect();
    // However long the first takes: it is called off when the others are answered.
    let deadline = Some(std::time::Instant::now() + std::time::Duration::from_secs(8));
    let budget = Budget { deadline, ..Budget::default() };
    let effort = RefinementOptions::default();
    let reports =
        portfolio::answer_each(Engine::Auto, &effort, sample.subject(), &questions, &budget, &mut |_| {});
    let words: Vec<_> = reports.iter().map(|report| report.verdict.word()).collect();
    assert_eq!(words, ["UNKNOWN", "UNSAFE", "SAFE"]);
}
