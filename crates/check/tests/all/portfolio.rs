//! One verdict: whichever engine answers, it is the same, it says why, and nobody is left behind who still looks.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agon_base::budget::Threads;
use agon_base::budget::{Budget, Stop};
use agon_base::random::Random;
use agon_check::portfolio::Engine;
use agon_check::question::Question;
use agon_check::refine::RefinementOptions;
use agon_check::solvers::Solvers;
use agon_check::verdict::{Reason, Report, Verdict};
use agon_solve::embedded::Embedded;
use agon_solve::{Answer, Claim, Solver, Terms};

use crate::common::{Sample, any, reckoned};

/// Safe; no partition sees it, and there is no end of numbers to try.
const RELATED: &str = "a : int, b : int |-
    int x := a; int y := b; if x > y then if y > x then abort else skip else skip";
/// Aborts in the second branch; the condition is true of no number.
const NEVER_ITS_SUCCESSOR: &str = "e : int |- new int x := e in if !x = !x + 1 then skip else abort";
/// Number magic [PRED, Example 3].
const MAGIC: &str = "stooge : int, distract : com |-
    new int m in new int n in
    n := stooge; distract;
    m := !n + !n; distract; assert(m = 2 * n);
    m := !m + 50; distract; assert(m = 50 + 2 * n);
    m := !m / 2; distract; assert(m = 25 + n);
    m := !m - !n; distract; assert(m = 25);
    m := !m + 100; distract; assert(m = 125)";
/// Bubble sort of four numbers.
const BUBBLE: &str = "e : int |-
    new int a[4] in new int i in new int j in new int t in
    while !i < 4 do { a[i] := e; i := !i + 1 };
    i := 0;
    while !i < 3 do {
      j := 0;
      while !j < 3 - !i do {
        if !a[j] > !a[j + 1] then { t := !a[j]; a[j] := !a[j + 1]; a[j + 1] := !t };
        j := !j + 1
      };
      i := !i + 1
    };
    assert(!a[0] <= !a[1]); assert(!a[1] <= !a[2]); assert(!a[2] <= !a[3])";
/// No engine ends: primes and their sums are beyond all of them.
const ENDLESS: &str = "e : int, f : com -> com |-
    new int x := e in new int y := 1 in
    f({ y := y * x + 1; x := x + y * y });
    if x * x * x + y * y * y = 114 then abort";

fn ask(text: &str, solvers: &Solvers, budget: &Budget) -> Report {
    let sample = Sample::new(text);
    let question = Question::aborts();
    let effort = RefinementOptions { solvers: solvers.clone(), ..RefinementOptions::default() };
    sample.ask(Engine::Auto, &question, &effort, budget)
}

fn threads(most: usize) -> Budget {
    Budget { threads: Threads::new(most), ..Budget::default() }
}

#[test]
fn it_answers_what_needs_relations() {
    for most in [1, 2] {
        for (text, safe) in [(RELATED, true), (NEVER_ITS_SUCCESSOR, false), (MAGIC, true), (BUBBLE, true)] {
            let report = ask(text, &Solvers::default(), &threads(most));
            let as_expected = match report.verdict {
                Verdict::Safe => safe,
                Verdict::Unsafe(..) => !safe,
                Verdict::Unknown(_) => false,
            };
            assert!(as_expected, "{text}\n{:?}", report.verdict);
            assert_eq!(report.engine, "predicate", "{text}");
            let because = report.because.expect("it says why");
            assert!(because.contains("no partition decides `"), "{because}");
        }
    }
}

#[test]
fn random_programs_get_one_verdict() {
    let (mut safe, mut unsafe_, mut engines) = (0, 0, BTreeMap::<_, usize>::new());
    for seed in 0..60 {
        let large = reckoned(seed).replace("int%23", "int").replace("int%7", "int").replace("i8", "i32");
        for text in [any(seed), reckoned(seed), large] {
            let sample = Sample::new(text);
            for target in sample.targets(&mut Random::new(seed)) {
                let question = Question::new(target);
                let mut known = None;
                for (engine, most) in [(Engine::Explicit, 1), (Engine::Auto, 1), (Engine::Auto, 2)] {
                    let budget = Budget { transitions: Some(20_000), ..threads(most) };
                    let effort = RefinementOptions { iterations: 50, ..RefinementOptions::default() };
                    let report = sample.ask(engine, &question, &effort, &budget);
                    assert_eq!(report.because.is_some(), engine == Engine::Auto);
                    let found = match &report.verdict {
                        Verdict::Safe => true,
                        Verdict::Unsafe(..) => false,
                        Verdict::Unknown(Reason::Unverified(why)) => {
                            panic!("seed {seed}: {why}\n{}", sample.text)
                        }
                        Verdict::Unknown(_) => continue,
                    };
                    assert_eq!(found, *known.get_or_insert(found), "seed {seed}, {most}\n{}", sample.text);
                    *(if found { &mut safe } else { &mut unsafe_ }) += 1;
                    *engines.entry(report.engine).or_default() += 1;
                }
            }
        }
    }
    println!("{safe} safe, {unsafe_} unsafe, {engines:?}");
    assert!(safe > 200 && unsafe_ > 200, "{safe} {unsafe_} {engines:?}");
    assert!(engines.len() > 2, "{engines:?}");
}

/// Is silent until nobody wants to know any more.
struct Silent {
    asked: Arc<AtomicU64>,
    stopped: Arc<AtomicU64>,
}

impl Solver for Silent {
    fn check(&mut self, _: &Terms, _: &[Claim], limit: &agon_solve::Limit) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        loop {
            if let Some(reason) = limit.over() {
                self.stopped.fetch_add(1, Ordering::Relaxed);
                return Answer::Unknown(reason);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Silent solvers, how many questions they were asked, and how many of these were taken back. The first count is held
/// by every caller that still has such a solver.
fn silent() -> (Solvers, Arc<AtomicU64>, Arc<AtomicU64>) {
    let (asked, stopped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let own = (asked.clone(), stopped.clone());
    let make =
        move || -> Box<dyn Solver> { Box::new(Silent { asked: own.0.clone(), stopped: own.1.clone() }) };
    (Solvers::new(make), asked, stopped)
}

#[test]
fn the_other_engine_is_stopped() {
    let (solvers, asked, stopped) = silent();
    let report = ask(NEVER_ITS_SUCCESSOR, &solvers, &threads(2));
    assert!(matches!(report.verdict, Verdict::Unsafe(..)), "{:?}", report.verdict);
    assert_eq!(report.engine, "partition");
    assert!(report.because.is_some());
    assert!(asked.load(Ordering::Relaxed) > 0, "predicates were asked first");
    assert_eq!(asked.load(Ordering::Relaxed), stopped.load(Ordering::Relaxed));
    // One is here, one is with the maker of solvers. No engine has one any more.
    assert_eq!(Arc::strong_count(&asked), 2);
}

#[test]
fn limits_reach_both() {
    let deadline = Some(Instant::now() + Duration::from_millis(400));
    let (solvers, asked, _) = silent();
    let report = ask(ENDLESS, &solvers, &Budget { deadline, ..threads(2) });
    assert!(matches!(report.verdict, Verdict::Unknown(Reason::Stop(Stop::Time))), "{:?}", report.verdict);
    assert!(asked.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_cancelled_run_ends() {
    for most in [1, 2] {
        let budget = threads(most);
        let (solvers, asked, _) = silent();
        let cancelled: Arc<AtomicBool> = budget.cancelled.clone();
        let report = std::thread::scope(|scope| {
            let asked = asked.clone();
            scope.spawn(move || {
                // The solver never answers by itself.
                while asked.load(Ordering::Relaxed) == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                cancelled.store(true, Ordering::Relaxed);
            });
            ask(ENDLESS, &solvers, &budget)
        });
        let reason = matches!(report.verdict, Verdict::Unknown(Reason::Stop(Stop::Cancelled)));
        assert!(reason, "{:?}", report.verdict);
    }
}

/// Breaks down when it is asked.
struct Panicking;

impl Solver for Panicking {
    fn check(&mut self, _: &Terms, _: &[Claim], _: &agon_solve::Limit) -> Answer {
        panic!("on purpose");
    }
}

#[test]
fn an_engine_that_breaks_down_leaves_the_answer_to_the_other() {
    let solvers = Solvers::new(|| Box::new(Panicking));
    for most in [1, 2] {
        let report = ask(NEVER_ITS_SUCCESSOR, &solvers, &threads(most));
        assert!(matches!(report.verdict, Verdict::Unsafe(..)), "{:?}", report.verdict);
        // Which of the others is first depends on their turns.
        assert_ne!(report.engine, "predicate");
    }
    // If nobody else knows, it is not hidden.
    let budget = Budget { transitions: Some(500), ..threads(2) };
    let broken = std::panic::catch_unwind(AssertUnwindSafe(|| ask(RELATED, &solvers, &budget).verdict));
    assert!(broken.is_err(), "{broken:?}");
}

/// Knows nothing that it is asked.
struct Breaking;

impl Solver for Breaking {
    fn check(&mut self, _: &Terms, _: &[Claim], _: &agon_solve::Limit) -> Answer {
        Answer::Unknown(agon_solve::Reason::Broken("it broke".into()))
    }
}

#[test]
fn a_solver_that_breaks_takes_nothing_from_engines_without_one() {
    let solvers = Solvers::new(|| Box::new(Breaking));
    for most in [1, 2] {
        let report = ask(NEVER_ITS_SUCCESSOR, &solvers, &threads(most));
        assert!(matches!(report.verdict, Verdict::Unsafe(..)), "{:?}", report.verdict);
    }
}

#[test]
fn small_programs_need_no_solver_and_no_second_engine() {
    let made = Arc::new(AtomicU64::new(0));
    let count = made.clone();
    let solvers = Solvers::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
        Box::new(Embedded::new())
    });
    let text = "f : com -> com |- new int%8 x in f(x := x + 1); if x = 5 then abort";
    let report = ask(text, &solvers, &threads(2));
    assert!(matches!(report.verdict, Verdict::Unsafe(..)));
    assert_eq!(
        (report.engine, report.because.as_deref()),
        ("explicit", Some("no type has more than 256 values"))
    );
    assert_eq!(made.load(Ordering::Relaxed), 0);
}
