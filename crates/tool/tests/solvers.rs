//! Solvers that are programs: honest, lying, dead, silent; and the embedded one against Z3.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use agon::process;
use agon_lang::sample::Random;
use agon_solve::checked::Checked;
use agon_solve::embedded::Embedded;
use agon_solve::sample::{Shape, Size, question};
use agon_solve::stack::Stack;
use agon_solve::{Answer, Claim, Limit, Name, Reason, Solver, Sort, Term, Terms};

const PATIENCE: Duration = Duration::from_secs(10);

fn limit() -> Limit {
    Limit::within(PATIENCE)
}

/// Whether Z3 is installed; if not, says that a test is skipped.
fn has_z3(test: &str) -> bool {
    let found =
        Command::new("z3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("{test}: skipped, since `z3` is not installed");
    }
    found
}

/// `x < y`, `y < x + 2`, `x` even, `y` even: not together.
fn parity(terms: &mut Terms) -> Vec<Claim> {
    let (x, y) = (terms.constant("x", Sort::Int), terms.constant("y", Sort::Int));
    let (zero, two) = (terms.int(0i64), terms.int(2i64));
    let above = terms.add(x, two);
    let mut claims = vec![terms.less(x, y), terms.less(y, above)];
    for constant in [x, y] {
        let rest = terms.rem(constant, two);
        claims.push(terms.equal(rest, zero));
    }
    named(&claims)
}

fn named(claims: &[Term]) -> Vec<Claim> {
    claims.iter().enumerate().map(|(i, term)| Claim { name: Name(i as u32), term: *term }).collect()
}

#[test]
fn a_program_is_asked_over_a_pipe() {
    if !has_z3("a_program_is_asked_over_a_pipe") {
        return;
    }
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    let mut z3 = process::solver("z3", PATIENCE);
    assert!(matches!(z3.check(&terms, &claims[..3], &limit()), Answer::Sat(_)));
    assert_eq!(z3.check(&terms, &claims, &limit()), Answer::Unsat((0..4).map(Name).collect()));
    assert!(matches!(z3.check(&terms, &claims[1..], &limit()), Answer::Sat(_)));
}

/// What a program that is run by the shell is worth as a solver.
#[track_caller]
fn reason(script: &str, words: &str) {
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    let file =
        std::env::temp_dir().join(format!("agon-solver-{}-{}", std::process::id(), words.replace(' ', "-")));
    std::fs::write(&file, script).expect("a script can be written");
    let mut solver = process::solver(&format!("sh '{}'", file.display()), Duration::from_secs(3));
    let start = Instant::now();
    // The second time it is started again, and is no better.
    for _ in 0..2 {
        match solver.check(&terms, &claims, &limit()) {
            Answer::Unknown(reason) => assert!(reason.to_string().contains(words), "{script}: {reason}"),
            other => panic!("{script}: {other:?}"),
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{script}: took {:?}", start.elapsed());
    let _ = std::fs::remove_file(&file);
}

#[test]
fn broken_programs_are_unknown_and_in_time() {
    reason("exit 3\n", "exit status: 3");
    reason("read line; kill -9 $$\n", "signal: 9");
    reason("exec sleep 1000\n", "no answer in time");
    reason("exec yes success\n", "no answer in time");
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

/// A solver that says the contrary, one time in so many.
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

/// Which answer it is.
fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat(_) => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

/// Asks two solvers the same random questions. `AGON_QUESTIONS` is how many of each shape, `AGON_SEED` the first
/// seed, `AGON_SHAPES` names the shapes, if not all, `AGON_SOLVER` a program to compare instead of the embedded
/// solver, and `AGON_SECONDS` how long it may take for each answer; the figures go to standard error.
#[test]
fn embedded_and_z3_agree() {
    let long = std::env::var_os("AGON_LONG").is_some();
    if !has_z3("embedded_and_z3_agree") {
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = number("AGON_QUESTIONS").unwrap_or(if long { 3400 } else { 25 });
    let first = number("AGON_SEED").unwrap_or(0);
    let patience = number("AGON_SECONDS").map_or(PATIENCE, Duration::from_secs);
    let mut wrong = Vec::new();
    let shapes = std::env::var("AGON_SHAPES").ok();
    let chosen = |shape: &Shape| {
        shapes.as_ref().is_none_or(|names| names.split(',').any(|name| name == format!("{shape:?}")))
    };
    for shape in Shape::ALL.into_iter().filter(chosen) {
        let mut table = std::collections::BTreeMap::new();
        let (mut times, mut slowest) = ([Duration::ZERO; 2], [Duration::ZERO; 2]);
        let mut z3 = process::solver("z3", PATIENCE);
        for seed in first..first + count {
            let asked = question(seed, shape, Size::USUAL, seed % 2 == 1);
            let compared: Box<dyn Solver> = match std::env::var("AGON_SOLVER") {
                Ok(program) => Box::new(process::solver(&program, patience)),
                Err(_) => Box::new(Embedded::new()),
            };
            let mut stack = Stack::new(compared);
            // Every question has terms of its own: Z3 is told to forget those of the last.
            z3.check(&asked.terms, &[], &limit());
            asked.walk(&mut stack, |stack| {
                let claims = stack.claims().to_vec();
                let mut timed = |i: usize, answer: &mut dyn FnMut() -> Answer| {
                    let start = Instant::now();
                    let answer = answer();
                    times[i] += start.elapsed();
                    slowest[i] = slowest[i].max(start.elapsed());
                    answer
                };
                let ours = timed(0, &mut || stack.check(&asked.terms, &Limit::within(patience)));
                let theirs = timed(1, &mut || z3.check(&asked.terms, &claims, &limit()));
                *table.entry((kind(&ours), kind(&theirs))).or_insert(0) += 1;
                for (who, answer) in [("it", &ours), ("z3", &theirs)] {
                    if let Answer::Unknown(reason) = answer {
                        eprintln!("{shape:?} {seed}: {who} {reason}");
                    }
                }
                if matches!(
                    (&ours, &theirs),
                    (Answer::Sat(_), Answer::Unsat(_)) | (Answer::Unsat(_), Answer::Sat(_))
                ) {
                    wrong.push((shape, seed));
                }
                if let Answer::Unsat(core) = &ours {
                    let core: Vec<Claim> =
                        claims.iter().filter(|c| core.contains(&c.name)).copied().collect();
                    let again = z3.check(&asked.terms, &core, &limit());
                    if let Answer::Sat(_) = again {
                        wrong.push((shape, seed));
                    }
                }
            });
        }
        eprintln!(
            "{shape:?}: {table:?}, it took {:.2?} (at most {:.2?}), z3 {:.2?} (at most {:.2?})",
            times[0], slowest[0], times[1], slowest[1]
        );
    }
    assert!(wrong.is_empty(), "the solvers differ: {wrong:?}");
}
