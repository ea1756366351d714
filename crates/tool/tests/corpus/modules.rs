//! Modules: the engine gives the expected verdict, the play has the expected length, and the closed module fails as well.

use agon::session::Opened;
use agon::session::module::ModuleSession;
use agon_base::budget::Budget;
use agon_base::source::Source;
use agon_check::library::{Question, Report, Verdict};
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
    true
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

fn as_claimed(program: &Program, claims: &Claims, engine: Engine, may_be_unknown: bool) {
    let session = open(program, &program.text, claims);
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
                let again = check(&closed, &Question::Fails, engine);
                assert_eq!(again.verdict.word(), "UNSAFE", "{}", evidence.closed.text);
            }
            (Verdict::Unknown(Reason::Unverified(why) | Reason::Bug(why)), _) => panic!("{target}: {why}"),
            (Verdict::Unknown(Reason::NoEngine { .. } | Reason::Predicates), _)
                if matches!(engine, Engine::Predicate(_)) =>
            {
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
    let reports: Vec<Report> =
        session.checks().iter().map(|question| check(session, question, engine)).collect();
    let decided = reports.iter().all(|report| !matches!(report.verdict, Verdict::Unknown(_)));
    let fails = reports.iter().any(|report| matches!(report.verdict, Verdict::Unsafe(..)));
    for (_, claim) in claims.verdicts.iter().filter(|(target, _)| target == "abort") {
        let claimed = matches!(claim, Claim::Unsafe(_));
        assert!(!fails || claimed, "a check fails");
        assert!(!decided || fails == claimed, "no check fails");
    }
}
