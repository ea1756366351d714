//! Z3 as an external solver: compared with the embedded solver, and with wrong answers injected. Without Z3, these tests are
//! ignored.

mod folder;
mod requires;
mod solving;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use agon::process;
use agon_solve::embedded::Embedded;
use agon_solve::sample::parity;
use agon_solve::sample::{Shape, Size, question};
use agon_solve::stack::Stack;
use agon_solve::{Answer, Claim, Limit, Name, Solver, Terms};
use folder::Folder;
use libtest_mimic::{Arguments, Trial};
use requires::installed;
use solving::{NEEDY, RELATED};

/// The time limit of an answer, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn limit() -> Limit {
    Limit::within(PATIENCE)
}

/// Z3 with every n-th answer inverted. A file counts the answers of all its processes.
const LIAR: &str = r#"
import re, subprocess, sys
counter, every = sys.argv[1], int(sys.argv[2])
z3 = subprocess.Popen(["z3", "-in"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
lied = False
def say(text):
    print(text, flush=True)
def hear():
    text = z3.stdout.readline()
    while text.count("(") > text.count(")"):
        text += z3.stdout.readline()
    return text.strip()
for line in sys.stdin:
    if lied and "get-value" in line:
        say("(" + " ".join("(%s 0)" % name for name in re.findall(r"\bc\d+", line)) + ")")
        continue
    if lied and "get-unsat-core" in line:
        say("none")
        continue
    z3.stdin.write(line)
    z3.stdin.flush()
    if "(get-" in line:
        say(hear())
    if "(check-sat)" in line:
        answer = hear()
        try:
            asked = int(open(counter).read())
        except FileNotFoundError:
            asked = 0
        asked += 1
        open(counter, "w").write(str(asked))
        lied = asked % every == 0
        say({"sat": "unsat", "unsat": "sat"}[answer] if lied else answer)
"#;

fn a_program_is_asked_over_a_pipe() {
    let mut terms = Terms::new();
    let claims = parity(&mut terms);
    let mut z3 = process::solver("z3", PATIENCE);
    assert!(matches!(z3.check(&terms, &claims[..3], &limit()), Answer::Sat(_)));
    assert_eq!(z3.check(&terms, &claims, &limit()), Answer::Unsat((0..4).map(Name).collect()));
    assert!(matches!(z3.check(&terms, &claims[1..], &limit()), Answer::Sat(_)));
}

fn it_gives_the_same_verdict_as_the_embedded_solver() {
    let folder = Folder::new("same");
    let choices = [
        &["--solver", "z3"][..],
        &["--solver", "z3 -in -smt2", "--solver-check", "embedded"],
        &["--solver-check", "z3"],
    ];
    for options in choices {
        let (said, status) = folder.check(NEEDY, options);
        assert!(status == 1 && said.contains("a.271606") && said.contains("b.37037"), "{options:?}: {said}");
        let (said, status) = folder.check(RELATED, &[options, &["--iterations", "5"]].concat());
        assert!(status == 3 && said.contains("5 iterations"), "{options:?}: {said}");
    }
}

fn one_lie_in_a_hundred_answers_is_caught() {
    let folder = Folder::new("liar");
    let counter = folder.0.join("counter");
    let asked = || std::fs::read_to_string(&counter).ok().and_then(|text| text.parse::<u32>().ok());
    let liar = |every: u32| format!("{} '{}' {every}", folder.script("python3", LIAR), counter.display());
    let iterations = ["--iterations", "40"];
    for (every, caught) in [(100, true), (1_000_000, false)] {
        let liar = liar(every);
        for options in [
            ["--solver", &liar, "--solver-check", "embedded"],
            ["--solver-check", &liar, "--solver", "embedded"],
        ] {
            let _ = std::fs::remove_file(&counter);
            let (said, status) = folder.check(RELATED, &[&options[..], &iterations].concat());
            assert_eq!(status, 3, "{said}");
            assert_eq!(said.contains("two solvers contradict each other"), caught, "{options:?}: {said}");
            // The run ends with the first difference.
            match caught {
                true => assert_eq!(asked(), Some(100)),
                false => assert!(asked() > Some(100), "{:?}", asked()),
            }
        }
    }
}

/// What is accepted of a certificate that the embedded solver has found, Z3 accepts as well; and it refuses a wrong one.
fn certificates_are_accepted() {
    let folder = Folder::new("certificates");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let equiv =
        |files: &[std::path::PathBuf; 2], option: &str, certificate: &std::path::Path, more: &[&str]| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_agon"));
            command.args(["equiv", "-q", option]).arg(certificate).args(files).args(more);
            let output = command.output().expect("it runs");
            (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
        };
    let terms =
        ["account", "diff", "half", "maxmin", "queue", "strength", "toggle-parity", "unrolled", "updown-k"];
    let mut pairs: Vec<[std::path::PathBuf; 2]> = terms
        .iter()
        .map(|name| ["left.ia", "right.ia"].map(|file| root.join("corpus/equivalence").join(name).join(file)))
        .collect();
    for names in [["cached", "cached-anew"], ["guarded", "guarded-otherwise"], ["busy", "busy-local"]] {
        pairs.push(names.map(|name| root.join("corpus/c/versions").join(format!("{name}.c"))));
    }
    for files in &pairs {
        let certificate = folder.0.join("certificate");
        let (said, status) = equiv(files, "--certificate", &certificate, &[]);
        assert_eq!(status, Some(0), "{files:?}: {said}");
        let (said, status) = equiv(files, "--recheck", &certificate, &["--solver", "z3"]);
        assert_eq!(status, Some(0), "{files:?}: {said}");
        // With a conjunct less it is refused.
        let text = std::fs::read_to_string(&certificate).expect("it was written");
        let mut json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let positions = json["positions"].as_array_mut().expect("there are positions");
        let claimed = |position: &&mut serde_json::Value| {
            position["holds"].as_array().is_some_and(|all| !all.is_empty())
        };
        let Some(position) = positions.iter_mut().find(claimed) else { continue };
        position["holds"].as_array_mut().expect("there are claims").pop();
        let less = folder.file("less", &json.to_string());
        let (said, status) = equiv(files, "--recheck", &less, &["--solver", "z3"]);
        assert!(status == Some(3) && said.contains("the certificate is refused"), "{files:?}: {said}");
    }
}

/// The name of an answer.
fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Sat(_) => "sat",
        Answer::Unsat(_) => "unsat",
        Answer::Unknown(_) => "unknown",
    }
}

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Asks two solvers the same random questions of a shape. `AGON_QUESTIONS` is how many, `AGON_SEED` the first seed,
/// `AGON_SOLVER` a program to compare instead of the embedded solver, and `AGON_SECONDS` the time limit of each
/// answer; the figures go to standard error. A timeout of one of them is no difference.
fn agree(shape: Shape, count: u64) {
    let count = number("AGON_QUESTIONS").unwrap_or(count);
    let first = number("AGON_SEED").unwrap_or(0);
    let patience = Duration::from_secs(number("AGON_SECONDS").unwrap_or(10));
    let limit = || Limit::within(Duration::from_secs(10));
    let (mut wrong, mut decided) = (Vec::new(), 0);
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
        // Every question has its own terms: Z3 forgets those of the last one.
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
            match (&ours, &theirs) {
                (Answer::Unknown(_), _) | (_, Answer::Unknown(_)) => {}
                (Answer::Sat(_), Answer::Unsat(_)) | (Answer::Unsat(_), Answer::Sat(_)) => wrong.push(seed),
                _ => decided += 1,
            }
            if let Answer::Unsat(core) = &ours {
                let core: Vec<Claim> = claims.iter().filter(|c| core.contains(&c.name)).copied().collect();
                if let Answer::Sat(_) = z3.check(&asked.terms, &core, &limit()) {
                    wrong.push(seed);
                }
            }
        });
    }
    eprintln!(
        "{shape:?}: {table:?}, it took {:.2?} (at most {:.2?}), z3 {:.2?} (at most {:.2?})",
        times[0], slowest[0], times[1], slowest[1]
    );
    assert!(wrong.is_empty(), "the solvers differ: seeds {wrong:?}");
    assert!(decided > 0, "no question was decided by both");
}

fn main() -> ExitCode {
    let (z3, python) = (installed("z3"), installed("python3"));
    let mut trials = vec![
        requires::trial("a_program_is_asked_over_a_pipe", z3, a_program_is_asked_over_a_pipe),
        requires::trial("certificates_are_accepted", z3, certificates_are_accepted),
        requires::trial(
            "it_gives_the_same_verdict_as_the_embedded_solver",
            z3,
            it_gives_the_same_verdict_as_the_embedded_solver,
        ),
        requires::trial(
            "one_lie_in_a_hundred_answers_is_caught",
            z3 && python,
            one_lie_in_a_hundred_answers_is_caught,
        ),
    ];
    for shape in Shape::ALL {
        trials.push(requires::trial(&format!("agree::{shape:?}"), z3, move || agree(shape, 25)));
        let long = move || {
            agree(shape, 3_400);
            Ok(())
        };
        trials.push(Trial::test(format!("agree_at_length::{shape:?}"), long).with_ignored_flag(true));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
