//! External solvers: correct, wrong, crashing and silent ones.

use std::time::Duration;

use agon::process;
use agon_base::random::Random;
use agon_solve::checked::Checked;
use agon_solve::embedded::Embedded;
use agon_solve::sample::parity;
use agon_solve::{Answer, Claim, Limit, Reason, Solver, Terms};

/// The time limit of a solver that answers, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn limit() -> Limit {
    Limit::within(PATIENCE)
}

/// The answer of a shell script as a solver.
#[track_caller]
fn reason(script: &str, words: &str) {
    reason_within(PATIENCE, script, words);
}

/// The same for a solver that gives no answer, with a short time limit.
#[track_caller]
fn silent(script: &str) {
    reason_within(Duration::from_secs(1), script, "no answer in time");
}

#[track_caller]
fn reason_within(patience: Duration, script: &str, words: &str) {
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    let file =
        std::env::temp_dir().join(format!("agon-solver-{}-{}", std::process::id(), words.replace(' ', "-")));
    std::fs::write(&file, script).expect("a script can be written");
    let mut solver = process::solver(&format!("sh '{}'", file.display()), patience);
    // It is started again for the second question, and fails again.
    for _ in 0..2 {
        match solver.check(&terms, &claims, &limit()) {
            Answer::Unknown(reason) => assert!(reason.to_string().contains(words), "{script}: {reason}"),
            other => panic!("{script}: {other:?}"),
        }
    }
    let _ = std::fs::remove_file(&file);
}

#[test]
fn broken_programs_are_unknown() {
    reason("exit 3\n", "exit status: 3");
    reason("read line; kill -9 $$\n", "signal: 9");
    silent("exec sleep 1000\n");
    silent("exec yes success\n");
    reason("while read line; do echo maybe; done\n", "no answer: `maybe`");
    reason("while read line; do echo '(error \"what?\")'; done\n", "no answer: `(error \"what?\")`");
    reason(&format!("exec yes '{}'\n", "(".repeat(30_000)), "no end of");
    reason("while read line; do echo unknown; done\n", "does not decide this question");
    reason(
        "while read line; do case $line in *get-value*) echo '((c 1))';; *check*) echo sat;; esac; done\n",
        "(…)",
    );
}

#[test]
fn a_wrong_model_is_not_believed() {
    let script = "while read line; do case $line in *get-value*) echo '((c0 2) (c1 2))';; *check*) echo sat;; esac; done\n";
    reason(script, "a model in which not all claims are true");
}

#[test]
fn a_missing_program_is_unknown() {
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    let mut solver = process::solver("no-such-solver", PATIENCE);
    match solver.check(&terms, &claims, &limit()) {
        Answer::Unknown(reason) => assert!(reason.to_string().contains("`no-such-solver` cannot be started")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_program_outlives_its_solver() {
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    let file = std::env::temp_dir().join(format!("agon-solver-{}-pid", std::process::id()));
    let script = format!("sh -c 'echo $$ > {}; exec cat' ", file.display());
    let path = file.with_extension("sh");
    std::fs::write(&path, format!("exec {script}\n")).expect("a script can be written");
    let mut solver = process::solver(&format!("sh {}", path.display()), Duration::from_secs(3));
    assert!(matches!(solver.check(&terms, &claims, &limit()), Answer::Unknown(_)));
    let process = std::fs::read_to_string(&file).expect("the program ran");
    let alive = std::path::Path::new("/proc").join(process.trim());
    assert!(!alive.exists(), "process {process} is still there");
    let _ = (std::fs::remove_file(&file), std::fs::remove_file(&path));
}

/// A solver that gives the opposite answer once in a number of times.
struct Liar<S> {
    solver: S,
    random: Random,
    one_in: usize,
    lies: usize,
}

impl<S: Solver> Solver for Liar<S> {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        let answer = self.solver.check(terms, claims, limit);
        if !self.random.one_in(self.one_in) {
            return answer;
        }
        self.lies += 1;
        match answer {
            Answer::Sat(_) => Answer::Unsat(claims.iter().map(|claim| claim.name).collect()),
            Answer::Unsat(_) => Answer::Sat(Default::default()),
            unknown => unknown,
        }
    }
}

#[test]
fn a_liar_is_caught() {
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    for seed in 0..20 {
        let liar = Liar { solver: Embedded::new(), random: Random::new(seed), one_in: 100, lies: 0 };
        let mut watched = Checked::new(liar, Embedded::new());
        let mut asked = 0;
        let caught = loop {
            let answer = watched.check(&terms, &claims[..3 + asked % 2], &limit());
            asked += 1;
            match answer {
                Answer::Unknown(Reason::Difference(_)) => break true,
                Answer::Unknown(reason) => panic!("{reason}"),
                _ if asked > 5000 => break false,
                answer => assert_eq!(matches!(answer, Answer::Sat(_)), asked % 2 == 1, "a lie was believed"),
            }
        };
        assert!(caught, "seed {seed}: not caught in {asked} questions");
        let after = watched.check(&terms, &claims, &limit());
        assert!(
            matches!(after, Answer::Unknown(Reason::Difference(_))),
            "all ends with the first difference"
        );
    }
}
