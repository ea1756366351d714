//! Every engine gives the expected verdict for every program.

use std::time::{Duration, Instant};

use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::source::Source;
use agon_check::component;
use agon_check::concurrent::deadlock;
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::question::{Order, Question};
use agon_check::refine::assume::Method;
use agon_check::refine::{Certify, RefinementOptions};
use agon_check::task::Task;
use agon_check::verdict::{Reason, Report, Verdict};
use agon_core::checks::Check;
use agon_core::term::Mode;
use libtest_mimic::Trial;

use crate::claims::{Claim, Claims, Judge, Program};
use crate::{seen, trial};

/// Engines that approximate data, and `auto`.
const APPROXIMATING: [(&str, Engine); 4] = [
    ("auto", Engine::Auto),
    ("interval", Engine::Interval),
    ("partition", Engine::Partition { semi_terminating: false }),
    ("semi-terminating", Engine::Partition { semi_terminating: true }),
];

const SCHEMES: [(&str, &str, Scheme); 4] = [
    ("predicate-none", "none", Scheme::None),
    ("predicate-annotated", "annotated", Scheme::Annotated),
    ("predicate-maximal", "maximal", Scheme::Maximal),
    ("predicate-minimal", "minimal", Scheme::Minimal),
];

const HALVES: Engine = Engine::AssumeGuarantee(Method::Tree);

/// The tests of a program by every engine.
pub fn trials(program: &Program, claims: &Claims, trials: &mut Vec<Trial>) {
    let skipped = |trials: &mut Vec<Trial>, group: &str, engine: Engine| {
        trials.push(trial(group, program, claims, true, move |program, claims| {
            not_wrong(program, claims, engine);
        }));
    };
    if claims.skips("explicit") {
        skipped(trials, "explicit", Engine::Explicit);
    } else {
        trials.push(trial("explicit", program, claims, false, explicit));
    }
    for (name, engine) in APPROXIMATING {
        if claims.skips(name) {
            skipped(trials, name, engine);
        } else {
            trials.push(trial(name, program, claims, false, move |program, claims| {
                approximated(program, claims, name, engine);
            }));
        }
    }
    for (group, name, scheme) in SCHEMES {
        if claims.skips("predicate") || claims.skips(name) {
            skipped(trials, group, Engine::Predicate(scheme));
        } else {
            trials.push(trial(group, program, claims, false, move |program, claims| {
                predicates(program, claims, scheme);
            }));
        }
    }
    if claims.skips(HALVES.name()) {
        skipped(trials, HALVES.name(), HALVES);
    } else {
        trials.push(trial(HALVES.name(), program, claims, false, halves));
    }
    if !claims.skips("auto") {
        trials.push(trial("each", program, claims, false, each));
    }
    if claims.stuck.is_some() {
        trials.push(trial("deadlock", program, claims, false, stuck));
    }
}

fn check(session: &Session, target: &str, order: Order, engine: Engine, certify: Certify) -> Report {
    let question = session.question(target, order).unwrap_or_else(|why| panic!("{target}: {why:?}"));
    let effort = RefinementOptions { certify, ..RefinementOptions::default() };
    session.check(&question, engine, &effort, &Budget::default(), &mut |_| {})
}

fn played(session: &Session, verdict: &Verdict) -> String {
    let Verdict::Unsafe(play, _) = verdict else { panic!("{verdict:?}") };
    let shown: Vec<_> = play.moves.iter().map(|m| session.arena.show(m)).collect();
    shown.join(" · ")
}

/// An engine that cannot handle a program answers UNKNOWN, or correctly.
fn not_wrong(program: &Program, claims: &Claims, engine: Engine) {
    let session = program.open(claims);
    for (target, claim) in &claims.verdicts {
        let question =
            session.question(target, Order::Fixed).unwrap_or_else(|why| panic!("{target}: {why:?}"));
        let effort = RefinementOptions { iterations: 10, ..RefinementOptions::default() };
        let deadline = Some(Instant::now() + Duration::from_secs(10));
        let budget =
            Budget { deadline, transitions: Some(20_000), memory: Some(1 << 29), ..Budget::default() };
        let verdict = session.check(&question, engine, &effort, &budget, &mut |_| {}).verdict;
        match &verdict {
            Verdict::Unknown(Reason::Unverified(why)) => panic!("{target}: {why}"),
            Verdict::Unknown(_) => {}
            _ => assert!(claim.is(&session, target, &verdict, target), "{target}: {verdict:?}"),
        }
    }
}

/// The precise engine, in every order.
fn explicit(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    for (target, claim) in &claims.verdicts {
        let orders = [Order::Fixed, Order::Shortest, Order::Random(1), Order::Random(2), Order::Random(3)];
        for order in orders {
            let report = check(&session, target, order, Engine::Explicit, Certify::Values);
            let place = format!("{target}, {order:?}");
            let verdict = &report.verdict;
            assert!(claim.is(&session, target, verdict, &place), "{place}: {verdict:?}");
            if let (Claim::Safe, Some(states), "abort") = (claim, claims.states, target.as_str()) {
                // Only a search for a shortest play of threads does without partial-order reduction.
                let whole = session.judgement.mode == Mode::Sequential || order == Order::Shortest;
                assert!(
                    report.states == states || !whole && report.states < states,
                    "{place}: {} states",
                    report.states
                );
            }
            if let (Claim::Unsafe(Some(wanted)), Order::Shortest) = (claim, order) {
                assert_eq!(played(&session, verdict), *wanted, "{place}");
            }
        }
    }
}

fn approximated(program: &Program, claims: &Claims, name: &str, engine: Engine) {
    let session = program.open(claims);
    for (n, (target, claim)) in claims.verdicts.iter().enumerate() {
        for certify in [Certify::Values, Certify::Forced] {
            let report = check(&session, target, Order::Fixed, engine, certify);
            let place = format!("{target}, {certify:?}");
            let verdict = &report.verdict;
            assert!(claim.is(&session, target, verdict, &place), "{place}: {verdict:?}");
            if report.iterations > 1 {
                seen("checks that refined their data");
            }
            let most = claims.iterations.iter().find(|(engine, _)| engine == name);
            if let (0, Some((_, most))) = (n, most) {
                assert!(report.iterations <= *most, "{place}: {} iterations", report.iterations);
            }
            let data = claims.data.iter().filter(|(engine, _)| engine == name);
            for part in data.flat_map(|(_, data)| data.split("; ")) {
                let (variable, parts) = part.split_once(' ').expect("a variable and its partition");
                let refinement = report.refinement().expect("data was approximated");
                let now = refinement.abstraction.iter().find(|(name, _)| name == variable);
                assert_eq!(now.map(|(_, parts)| parts.as_str()), Some(parts), "{place}");
            }
        }
    }
}

/// With predicates that are found on demand, the verdict is the expected one. Without predicates, or with those of the program
/// only, there may be no verdict, unless the program claims the number of its own. A proof by scopes alone is repeated from the
/// annotated program.
fn predicates(program: &Program, claims: &Claims, scheme: Scheme) {
    let session = program.open(claims);
    let may_be_unknown = match scheme {
        Scheme::None => true,
        Scheme::Annotated => claims.alive.is_none(),
        Scheme::Maximal | Scheme::Minimal => false,
    };
    for (target, claim) in &claims.verdicts {
        let report = check(&session, target, Order::Fixed, Engine::Predicate(scheme), Certify::Values);
        let verdict = &report.verdict;
        match verdict {
            Verdict::Unknown(Reason::Predicates) if may_be_unknown => {}
            _ => assert!(claim.is(&session, target, verdict, target), "{target}: {verdict:?}"),
        }
        if let (Claim::Unsafe(Some(wanted)), Scheme::Minimal, true) =
            (claim, scheme, claims.skips("explicit"))
        {
            assert_eq!(played(&session, verdict), *wanted, "{target}");
        }
        let (Verdict::Safe, Some(predicated)) = (verdict, report.predicated()) else { continue };
        if !predicated.kept.is_empty() {
            seen("proofs by predicates");
        }
        if let (Scheme::Annotated, Some(alive)) = (scheme, claims.alive) {
            assert_eq!(predicated.alive, alive, "{target}");
        }
        if let (Some(text), true) = (&predicated.annotated, predicated.scopes_suffice) {
            let source = Source::new(program.name.as_str(), text.as_str());
            let annotated = Session::open(source, claims.defines.clone()).expect("it is a program");
            let engine = Engine::Predicate(Scheme::Annotated);
            let again = check(&annotated, target, Order::Fixed, engine, Certify::Values).verdict;
            assert!(matches!(again, Verdict::Safe), "{target}: {again:?}\n{text}");
            seen("proofs from the scopes that were found");
        }
    }
}

/// A sequential program in two parts, for the chosen part and for every other; a concurrent one is refused.
fn halves(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    // Without a claim, the verdict is that of the direct engines.
    let mut wanted: Vec<(&str, Option<bool>)> = Vec::new();
    for (target, claim) in &claims.verdicts {
        wanted.push((target, Some(matches!(claim, Claim::Safe))));
    }
    if wanted.is_empty() {
        let direct = check(&session, "abort", Order::Fixed, Engine::Auto, Certify::Values);
        let safe = match direct.verdict {
            Verdict::Unknown(_) => None,
            verdict => Some(matches!(verdict, Verdict::Safe)),
        };
        wanted.push(("abort", safe));
    }
    for (target, safe) in wanted {
        let same = |report: &Report| match &report.verdict {
            Verdict::Safe => safe == Some(true),
            Verdict::Unsafe(..) => safe == Some(false),
            Verdict::Unknown(_) => safe.is_none(),
        };
        let report = check(&session, target, Order::Fixed, HALVES, Certify::Values);
        if session.judgement.mode == Mode::Concurrent {
            assert!(matches!(report.verdict, Verdict::Unknown(_)), "{target}: {:?}", report.verdict);
            continue;
        }
        assert!(same(&report), "{target}: {:?}", report.verdict);
        if report.assumed().is_some() {
            seen("programs in two parts");
        }
        if let (Some(halves), Some(assumed)) = (&claims.halves, report.assumed()) {
            let assumption = assumed.assumption.as_ref().expect("it is safe");
            let states = assumption.automaton.states.len();
            let own = format!("{}, {states} states, {} positions", assumed.component, report.states);
            assert_eq!(own, *halves, "{target}");
            // The assumption is worthwhile: ten states instead of ten thousand, and twenty times fewer positions at once.
            let positions = claims.states.expect("the whole search is claimed too");
            assert!(states <= 10 && report.states * 20 < positions, "{target}: {own} of {positions}");
            seen("assumptions that pay");
        }
        for component in component::ranked(&session.judgement) {
            let mut question = session.question(target, Order::Fixed).expect("the target is a move");
            question.component = Some(component.name.clone());
            let budget = Budget { transitions: Some(50_000), ..Budget::default() };
            let effort = RefinementOptions { iterations: 100, ..RefinementOptions::default() };
            let report = session.check(&question, HALVES, &effort, &budget, &mut |_| {});
            match report.verdict {
                Verdict::Unknown(Reason::Reenters) => continue,
                Verdict::Unknown(Reason::Stop(_) | Reason::Iterations(_)) => seen("parts that took too long"),
                _ => assert!(same(&report), "{target}, {}: {:?}", component.name, report.verdict),
            }
            seen("parts that were tried");
        }
    }
}

/// Every check of the program, all at once and one by one; and all claimed targets at once.
fn each(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    // Without a claim about a check, an engine may time out. A timeout is no difference.
    let limited = |transitions| {
        let deadline = Some(Instant::now() + Duration::from_secs(2));
        Budget { deadline, transitions, memory: Some(1 << 29), ..Budget::default() }
    };
    let all = |questions: &[Question], engine| {
        let budget = limited((engine == Engine::Explicit).then_some(200_000));
        session.check_each(questions, engine, &RefinementOptions::default(), &budget, &mut |_| {})
    };
    let same = |a: &Verdict, b: &Verdict| {
        let undecided = |verdict: &Verdict| match verdict {
            Verdict::Unknown(Reason::Unverified(why)) => panic!("{why}"),
            verdict => matches!(verdict, Verdict::Unknown(_)),
        };
        undecided(a) || undecided(b) || a.word() == b.word()
    };
    let checks = session.judgement.checks();
    let questions: Vec<Question> = checks.iter().map(|check| Question::fails(*check)).collect();
    let together = all(&questions, Engine::Auto);
    assert_eq!(together.len(), checks.len());
    let explicit = (!claims.skips("explicit")).then(|| all(&questions, Engine::Explicit));
    for (n, (question, report)) in questions.iter().zip(&together).enumerate() {
        let place = session.source.excerpt(checks[n].span);
        let alone =
            session.check(question, Engine::Auto, &RefinementOptions::default(), &limited(None), &mut |_| {});
        for report in [Some(report), explicit.as_ref().map(|reports| &reports[n])].into_iter().flatten() {
            assert!(
                same(&report.verdict, &alone.verdict),
                "{place}: {:?} and {:?}",
                report.verdict,
                alone.verdict
            );
            if let Verdict::Unsafe(play, _) = &report.verdict {
                assert_eq!(play.spans.last(), Some(&Some(checks[n].span)), "{place}");
            }
        }
        seen(match (&report.verdict, report.unreached().is_empty()) {
            (Verdict::Unsafe(..), _) => "checks that fail",
            (Verdict::Safe, true) => "checks that hold",
            (Verdict::Safe, false) => "checks that are never reached",
            (Verdict::Unknown(_), _) => "checks that are not decided",
        });
    }
    if let Some(claimed) = &claims.unreached {
        for reports in [Some(&together), explicit.as_ref()].into_iter().flatten() {
            let place = |check: &Check| {
                let (line, column) = session.source.line_column(check.span.start);
                format!("{line}:{column}")
            };
            let mut unreached: Vec<Check> =
                reports.iter().flat_map(|report| report.unreached().to_vec()).collect();
            unreached.sort_by_key(|check| check.span.start);
            assert_eq!(unreached.iter().map(place).collect::<Vec<_>>().join(" "), *claimed);
        }
    }
    let fails = together.iter().any(|report| matches!(report.verdict, Verdict::Unsafe(..)));
    for (_, claim) in claims.verdicts.iter().filter(|(target, _)| target == "abort") {
        assert_eq!(fails, matches!(claim, Claim::Unsafe(_)), "it aborts if and only if a check fails");
    }
    let targets: Vec<_> = claims.verdicts.iter().map(|(target, _)| target.as_str()).collect();
    let question = |target: &&str| session.question(target, Order::Fixed).expect("the target is a move");
    let questions: Vec<Question> = targets.iter().map(question).collect();
    for ((target, claim), report) in claims.verdicts.iter().zip(all(&questions, Engine::Auto)) {
        assert!(claim.is(&session, target, &report.verdict, target), "{target}: {:?}", report.verdict);
    }
}

/// Deadlocks, in every order, with and without reduction.
fn stuck(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    for order in [Order::Fixed, Order::Shortest, Order::Random(1)] {
        for reduce in [true, false] {
            let mut question = session.question("abort", order).expect("every program may abort");
            question.reduce = reduce;
            let report = deadlock(Task::new(session.subject(), &question, &Budget::default()), &mut |_| {});
            let stuck = match report.verdict {
                Verdict::Safe => false,
                Verdict::Unsafe(..) => true,
                Verdict::Unknown(reason) => panic!("{reason:?}"),
            };
            assert_eq!(Some(stuck), claims.stuck, "{order:?}, reduced: {reduce}");
        }
    }
    seen("programs that claim whether they get stuck");
}
