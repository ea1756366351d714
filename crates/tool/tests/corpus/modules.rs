//! Modules: the engine gives the expected verdict, the play has the expected length, and the closed module fails as well.

use agon::session::Opened;
use agon::session::module::{ModuleSession, ModulesCompared, compare};
use agon_base::budget::Budget;
use agon_base::source::Source;
use agon_check::equiv::{Options, Relation};
use agon_check::library::threads::{Checked, Threaded};
use agon_check::library::{Comparison, Question, Report, Verdict};
use agon_check::modules::threads::Bounds;
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::refine::RefinementOptions;
use agon_check::verdict::Reason;
use libtest_mimic::Trial;

use crate::claims::{Claim, Claims, Program};
use crate::{seen, trial};

const ENGINES: [(&str, Engine); 4] = [
    ("explicit", Engine::Explicit),
    ("interval", Engine::Interval),
    ("predicate", Engine::Predicate(Scheme::Minimal)),
    ("auto", Engine::Auto),
];

/// The tests of a module by every engine that takes modules. Returns whether the program is a module.
pub fn trials(program: &Program, claims: &Claims, trials: &mut Vec<Trial>) -> bool {
    let Ok(Opened::Module(_)) = Opened::open(source(program, &program.text), claims.defines.clone()) else {
        return false;
    };
    for (name, engine) in ENGINES {
        let skips = claims.skips(name);
        let group = format!("module-{name}");
        trials.push(trial(&group, program, claims, skips, move |program, claims| {
            as_claimed(program, claims, engine, skips);
        }));
    }
    for (claim, other) in &claims.relations {
        let (word, file) = (claim.clone(), other.clone());
        let name = format!("{}::{}", program.name, other.trim_end_matches(".ia"));
        let named = Program { name, ..program.clone() };
        trials.push(trial(claim, &named, claims, false, move |program, claims| {
            related(program, claims, &word, &file);
        }));
    }
    true
}

/// A comparison with another module of the folder has the expected verdict.
fn related(program: &Program, claims: &Claims, claim: &str, file: &str) {
    let path = program.path.with_file_name(file);
    let text = std::fs::read_to_string(&path).expect("the other module can be read");
    let other_claims = Claims::read(&text).unwrap_or_else(|why| panic!("{file}: {why}"));
    let other = Program { name: file.into(), path, text };
    let [session, other] = [(program, claims), (&other, &other_claims)]
        .map(|(program, claims)| open(program, &program.text, claims));
    let options = Options::new(Relation::Equivalence);
    let ModulesCompared { found, .. } = compare(&session, &other, &options, &Budget::default(), &mut |_| {})
        .unwrap_or_else(|why| panic!("{why}"));
    let comparison = &found.comparison;
    match (comparison, claim) {
        (Comparison::Holds, "equivalent") | (Comparison::Differs(_), "inequivalent") => seen("comparisons"),
        _ => panic!("{claim}: {comparison:?}"),
    }
}

fn source(program: &Program, text: &str) -> Source {
    Source::new(program.path.display().to_string(), text)
}

#[track_caller]
fn open(program: &Program, text: &str, claims: &Claims) -> ModuleSession {
    match Opened::open(source(program, text), claims.defines.clone()) {
        Ok(Opened::Module(session)) => *session,
        Ok(Opened::Term(_)) => panic!("this is a term:\n{text}"),
        Err((_, diagnostics)) => panic!("{diagnostics:?}\n{text}"),
    }
}

fn check(session: &ModuleSession, question: &Question, engine: Engine) -> Report {
    session.check(question, engine, &RefinementOptions::default(), &Budget::default(), &mut |_| {})
}

fn check_threads(session: &ModuleSession, question: &Question, engine: Engine, bounds: Bounds) -> Checked {
    let (effort, budget) = (RefinementOptions::default(), Budget::default());
    let questions = std::slice::from_ref(question);
    session.check_all(questions, engine, Some(bounds), &effort, &budget, &mut |_| {}).remove(0)
}

/// A module with several threads: the verdict for all of them and for one, the moves of a shortest play, and the closed module.
fn threaded(
    program: &Program,
    session: &ModuleSession,
    bounds: Bounds,
    claims: &Claims,
    (engine, may_be_unknown): (Engine, bool),
) {
    let check = |question: &Question| check_threads(session, question, engine, bounds);
    for (target, claim) in &claims.verdicts {
        let question = session.question(target).unwrap_or_else(|why| panic!("{target}: {why:?}"));
        let checked = check(&question);
        let word = if matches!(claim, Claim::Safe) { "SAFE" } else { "UNSAFE" };
        let alone = &checked.sequential.verdict;
        match alone {
            Verdict::Unknown(_) if may_be_unknown => {}
            alone => assert_eq!(Some(matches!(alone, Verdict::Safe)), claims.alone, "{target}"),
        }
        let found = checked.overall().verdict.word();
        if may_be_unknown && found == "UNKNOWN" {
            seen("modules with threads that an engine leaves open");
            continue;
        }
        assert_eq!(found, word, "{target}");
        seen(match claim {
            Claim::Safe => "modules with threads that are safe",
            Claim::Unsafe(_) => "modules with threads that are unsafe",
        });
        if let (Some(Threaded { report, .. }), "abort") = (&checked.threaded, target.as_str())
            && let agon_check::verdict::Verdict::Unsafe(replayed, closed) = &report.verdict
        {
            let text = &closed.as_ref().expect("an environment was run").text;
            let again = open(program, text, claims);
            let once = again.bounds(1).expect("the environment has several threads");
            let again = check_threads(&again, &Question::Fails, engine, once);
            let found = again.overall().verdict;
            assert_eq!(found.word(), "UNSAFE", "{found:?}\n{text}");
            let moves = replayed.moves();
            let of_environment = moves.iter().filter(|(_, _, nested)| nested.by_environment);
            assert_eq!(Some(of_environment.count()), claims.moves, "{moves:?}");
        }
    }
    let fails = session.checks().iter().any(|question| check(question).overall().verdict.word() == "UNSAFE");
    let claimed = claims.verdicts.iter().find(|(target, _)| target == "abort");
    let claimed = claimed.is_some_and(|(_, claim)| matches!(claim, Claim::Unsafe(_)));
    assert!(fails == claimed || (may_be_unknown && !fails), "some check fails: {fails}");
}

fn as_claimed(program: &Program, claims: &Claims, engine: Engine, may_be_unknown: bool) {
    let session = open(program, &program.text, claims);
    if let Some(bounds) = session.bounds(3) {
        return threaded(program, &session, bounds, claims, (engine, may_be_unknown));
    }
    for (target, claim) in &claims.verdicts {
        let question = session.question(target).unwrap_or_else(|why| panic!("{target}: {why:?}"));
        let report = check(&session, &question, engine);
        match (&report.verdict, claim) {
            (Verdict::Safe, Claim::Safe) => seen("modules that are safe"),
            (Verdict::Unsafe(play, evidence), Claim::Unsafe(_)) => {
                seen("modules that are unsafe");
                if target == "abort" {
                    assert_eq!(
                        Some(play.of_environment().count()),
                        claims.moves,
                        "{}",
                        play.show(session.module())
                    );
                }
                let closed = open(program, &evidence.closed.text, claims);
                // The client calls itself by way of the module, which takes predicates long.
                let engine = if matches!(engine, Engine::Predicate(_)) { Engine::Auto } else { engine };
                let again = check(&closed, &Question::Fails, engine);
                assert_eq!(again.verdict.word(), "UNSAFE", "{}", evidence.closed.text);
            }
            (Verdict::Unknown(Reason::Unverified(why) | Reason::Bug(why)), _) => panic!("{target}: {why}"),
            (Verdict::Unknown(Reason::Predicates), _) if matches!(engine, Engine::Predicate(_)) => {
                seen("modules that predicates leave open");
            }
            (Verdict::Unknown(_), _) if may_be_unknown => {}
            (verdict, _) => panic!("{target}: {verdict:?}"),
        }
    }
    each_check(&session, engine, claims);
}

/// The checks one by one say the same as all together.
fn each_check(session: &ModuleSession, engine: Engine, claims: &Claims) {
    // One check alone may have many more states than the module has up to its first failure.
    let budget = Budget { transitions: Some(200_000), ..Budget::default() };
    let effort = RefinementOptions::default();
    let check = |question| session.check(question, engine, &effort, &budget, &mut |_| {});
    let reports: Vec<Report> = session.checks().iter().map(check).collect();
    let decided = reports.iter().all(|report| !matches!(report.verdict, Verdict::Unknown(_)));
    let fails = reports.iter().any(|report| matches!(report.verdict, Verdict::Unsafe(..)));
    for (_, claim) in claims.verdicts.iter().filter(|(target, _)| target == "abort") {
        let claimed = matches!(claim, Claim::Unsafe(_));
        assert!(!fails || claimed, "a check fails");
        assert!(!decided || fails == claimed, "no check fails");
    }
}
