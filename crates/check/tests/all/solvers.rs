//! Solvers that lie to engines, or break: no verdict comes of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::portfolio::Engine;
use agon_check::question::Question;
use agon_check::refine::{Certify, RefinementOptions};
use agon_check::solvers::{MOST_FAILURES, Solvers};
use agon_check::verdict::{Reason, Report, Verdict};
use agon_solve::checked::Checked;
use agon_solve::embedded::Embedded;
use agon_solve::{Answer, Claim, Limit, Model, Op, Solver, Terms, Value};

use crate::common::Sample;

/// Never aborts, but no partition shows it.
const RELATED: &str = "a : int, b : int |-
    int x := a; int y := b; if x > y then if y > x then abort else skip else skip";
/// Aborts with numbers that only a solver finds.
const NEEDY: &str = "a : int, b : int |-
    int x := a; int y := b;
    if x * 3 + y * 5 = 1000003 then if x - y * 7 = 12347 then abort else skip else skip";
/// Asks nothing of a solver.
const EASY: &str = "f : com |- f; abort";

/// What an engine says about aborting.
fn check(text: &str, engine: Engine, iterations: usize, solvers: &Solvers) -> Report {
    let effort = RefinementOptions {
        certify: Certify::Solver,
        iterations,
        solvers: solvers.clone(),
        ..RefinementOptions::default()
    };
    Sample::new(text).ask(engine, &Question::aborts(), &effort, &Budget::default())
}

const PARTITION: Engine = Engine::Partition { semi_terminating: false };

/// Says anything, and nobody evaluates its models.
struct Careless {
    random: Random,
    asked: Arc<AtomicU64>,
}

impl Solver for Careless {
    fn check(&mut self, terms: &Terms, claims: &[Claim], _: &Limit) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.random.one_in(4) {
            return Answer::Unsat(claims.iter().map(|claim| claim.name).collect());
        }
        let mut model = Model::default();
        for term in terms.parts_first(claims.iter().map(|claim| claim.term)) {
            if matches!(terms.op(term), Op::Constant(_)) {
                model.set(term, Value::Number(Int::from(self.random.below(300_000) as i64)));
            }
        }
        Answer::Sat(model)
    }
}

#[test]
fn a_wrong_sat_is_caught_by_the_replay() {
    let asked = Arc::new(AtomicU64::new(0));
    for seed in 0..20 {
        let count = asked.clone();
        let solvers = Solvers::new(move || {
            let random = Random::new(1000 * seed + count.load(Ordering::Relaxed));
            Box::new(Careless { random, asked: count.clone() })
        });
        for text in [RELATED, NEEDY] {
            let report = check(text, PARTITION, 8, &solvers);
            assert!(matches!(report.verdict, Verdict::Unknown(_)), "seed {seed}: {:?}", report.verdict);
        }
    }
    assert!(asked.load(Ordering::Relaxed) > 500);
}

/// The embedded solver, whose every hundredth answer is the contrary, over all that are made.
struct Liar {
    solver: Embedded,
    asked: Arc<AtomicU64>,
}

impl Solver for Liar {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        let answer = self.solver.check(terms, claims, limit);
        match (answer, self.asked.fetch_add(1, Ordering::Relaxed) % 100) {
            (Answer::Sat(_), 99) => Answer::Unsat(claims.iter().map(|claim| claim.name).collect()),
            (Answer::Unsat(_), 99) => Answer::Sat(Model::default()),
            (answer, _) => answer,
        }
    }
}

#[test]
fn a_difference_ends_all() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    let liar = move || Liar { solver: Embedded::new(), asked: count.clone() };
    let solvers = Solvers::new(move || Box::new(Checked::new(liar(), Embedded::new())));
    let differs = |report: &Report| {
        matches!(report.verdict, Verdict::Unknown(Reason::Solver(agon_solve::Reason::Difference(_))))
    };
    let report = check(RELATED, PARTITION, 40, &solvers);
    assert!(differs(&report), "{:?}", report.verdict);
    assert_eq!(asked.load(Ordering::Relaxed), 100);
    // From then on there are no verdicts, not even without a solver; and nobody is asked.
    for engine in [Engine::Auto, Engine::Explicit, PARTITION] {
        let report = check(EASY, engine, 40, &solvers);
        assert!(differs(&report), "{engine:?}: {:?}", report.verdict);
    }
    assert_eq!(asked.load(Ordering::Relaxed), 100);
}

/// Breaks all the time.
struct Breaking(Arc<AtomicU64>);

impl Solver for Breaking {
    fn check(&mut self, _: &Terms, _: &[Claim], _: &Limit) -> Answer {
        self.0.fetch_add(1, Ordering::Relaxed);
        Answer::Unknown(agon_solve::Reason::Broken("it broke".into()))
    }
}

#[test]
fn what_breaks_again_and_again_is_given_up() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    let solvers = Solvers::new(move || Box::new(Breaking(count.clone())));
    let report = check(NEEDY, PARTITION, 40, &solvers);
    let broken = agon_solve::Reason::Broken("it broke".into());
    assert!(matches!(&report.verdict, Verdict::Unknown(Reason::Solver(why)) if *why == broken));
    assert_eq!(asked.load(Ordering::Relaxed), u64::from(MOST_FAILURES));
    // What needs no solver is answered still, and the failure is reported beside the answer.
    let report = check(EASY, PARTITION, 40, &solvers);
    assert!(matches!(report.verdict, Verdict::Unsafe(..)), "{:?}", report.verdict);
    assert_eq!(report.solver_failure, Some(broken));
}
