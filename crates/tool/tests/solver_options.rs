//! `--solver` and `--solver-check`, through the command itself: programs that are honest, that break, and that lie.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Numbers that abort are found by a solver only.
const NEEDY: &str = "a : int, b : int |-
int x := a;
int y := b;
if x * 3 + y * 5 = 1000003 then if x - y * 7 = 12347 then abort else skip else skip
";
/// Never aborts, but no partition shows it.
const RELATED: &str = "a : int, b : int |-
int x := a;
int y := b;
if x > y then if y > x then abort else skip else skip
";
/// Asks nothing of a solver.
const EASY: &str = "f : com |- f; int%4 x := 1; assert(x = 1)\n";

/// What a solver says who takes nothing for true.
const UNSAT: &str = "while read line; do
  case $line in *get-unsat-core*) echo none;; *check-sat*) echo unsat;; esac
done
";
/// What a solver says for whom everything is true, and all numbers are 0.
const ZEROS: &str = "while read line; do
  case $line in
    *get-value*)
      names=$(echo \"$line\" | sed 's/(get-value (//; s/))//')
      said=''; for name in $names; do said=\"$said($name 0)\"; done; echo \"($said)\";;
    *check-sat*) echo sat;;
  esac
done
";
/// Z3, except that every so manieth answer is the contrary. The answers are counted in a file, over all who are started.
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

/// A folder of its own, which is gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("agon solvers {} {name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path
    }

    /// A solver that is a script.
    fn script(&self, shell: &str, text: &str) -> String {
        format!("{shell} '{}'", self.file("solver", text).display())
    }

    /// What `agon check` says of a program over partitions, its status, and how long it took.
    fn check(&self, program: &str, options: &[&str]) -> (String, i32, Duration) {
        self.check_by("partition", program, options)
    }

    /// The same by any engine.
    fn check_by(&self, engine: &str, program: &str, options: &[&str]) -> (String, i32, Duration) {
        let file = self.file("program.ia", program);
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(["check", "-q", "--engine", engine, "--certify", "solver"])
            .args(options)
            .arg(file)
            .output()
            .expect("agon can be run");
        let status = output.status.code().expect("it ends by itself");
        (String::from_utf8_lossy(&output.stdout).into_owned(), status, start.elapsed())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether programs are installed; if not, says that a test is skipped.
fn has(programs: &[&str], test: &str) -> bool {
    programs.iter().all(|program| {
        let quiet =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if quiet.is_err() {
            eprintln!("{test}: skipped, since `{program}` is not installed");
        }
        quiet.is_ok()
    })
}

#[test]
fn solvers_that_work_give_the_same_verdict() {
    let folder = Folder::new("same");
    let mut choices = vec![vec!["--solver", "embedded"], vec!["--solver-check", "embedded"]];
    if has(&["z3"], "solvers_that_work_give_the_same_verdict") {
        choices.push(vec!["--solver", "z3"]);
        choices.push(vec!["--solver", "z3 -in -smt2", "--solver-check", "embedded"]);
        choices.push(vec!["--solver-check", "z3"]);
    }
    for options in choices {
        let (said, status, _) = folder.check(NEEDY, &options);
        assert!(status == 1 && said.contains("a.271606") && said.contains("b.37037"), "{options:?}: {said}");
        let (said, status, _) = folder.check(RELATED, &[&options[..], &["--iterations", "5"]].concat());
        assert!(status == 3 && said.contains("5 iterations"), "{options:?}: {said}");
    }
}

/// What comes of a solver that is a script for the shell.
#[track_caller]
fn broken(name: &str, script: &str, words: &str) {
    let folder = Folder::new(name);
    let solver = folder.script("sh", script);
    for option in ["--solver", "--solver-check"] {
        let options = [option, &solver, "--solver-patience", "1"];
        let (said, status, time) = folder.check(NEEDY, &options);
        assert!(status == 3 && said.starts_with("UNKNOWN") && said.contains(words), "{options:?}: {said}");
        assert!(time < Duration::from_secs(15), "{options:?}: took {time:?}");
    }
}

#[test]
fn solvers_that_die_are_a_reason() {
    broken("exit", "exit 3\n", "exit status: 3");
    broken("killed", "read line; kill -9 $$\n", "signal: 9");
    // The first answers are good.
    broken("middle", "read line; echo sat; kill -9 $$\n", "signal: 9");
}

#[test]
fn solvers_that_are_silent_are_a_reason() {
    broken("sleep", "sleep 1000\n", "gave no answer in time");
    broken("listening", "while read line; do true; done\n", "gave no answer in time");
    broken("closed", "exec cat > /dev/null\n", "says no more");
}

#[test]
fn solvers_that_talk_nonsense_are_a_reason() {
    broken("maybe", "while read line; do echo maybe; done\n", "no answer: `maybe`");
    broken("error", "while read line; do echo '(error \"what?\")'; done\n", "no answer: `(error \"what?\")`");
    broken("success", "exec yes success\n", "gave no answer in time");
    broken("endless", &format!("exec yes '{}'\n", "(".repeat(30_000)), "no end of");
    broken("zeros", "exec cat /dev/zero\n", "no end of");
    broken("bytes", "exec head -c 1000 /dev/urandom\n", "");
}

#[test]
fn missing_solvers_are_a_reason_at_once() {
    let folder = Folder::new("missing");
    for option in ["--solver", "--solver-check"] {
        // Whether or not they would have been needed.
        for program in [NEEDY, EASY] {
            let (said, status, _) = folder.check(program, &[option, "no-such-solver"]);
            assert!(status == 3 && said.contains("`no-such-solver` cannot be started"), "{said}");
        }
        let (said, status, _) = folder.check(EASY, &[option, "z3 'and"]);
        assert!(status == 3 && said.contains("open quote"), "{said}");
    }
    let (said, status, _) = folder.check(EASY, &["--solver", "no-such-solver", "--format", "json"]);
    assert!(status == 3 && said.contains("\"reason\": \"the solver `no-such-solver`"), "{said}");
}

#[test]
fn a_broken_solver_that_is_not_asked_does_no_harm() {
    let folder = Folder::new("easy");
    let solver = folder.script("sh", "exit 3\n");
    let (said, status, _) = folder.check(EASY, &["--solver", &solver]);
    assert!(status == 0 && said.starts_with("SAFE"), "{said}");
}

#[test]
fn a_time_limit_holds_for_solvers_too() {
    let folder = Folder::new("limit");
    let solver = folder.script("sh", "exec sleep 1000\n");
    let (said, status, time) = folder.check(NEEDY, &["--solver", &solver, "--time-limit", "1"]);
    assert!(status == 3 && said.contains("the time ran out"), "{said}");
    assert!(said.contains("gave no answer in time"), "{said}");
    assert!(time < Duration::from_secs(8), "took {time:?}");
}

#[test]
fn an_honest_unknown_is_no_contradiction_and_no_failure() {
    let folder = Folder::new("unknown");
    let solver =
        folder.script("sh", "while read line; do case $line in *check-sat*) echo unknown;; esac; done\n");
    let (said, status, _) = folder.check(NEEDY, &["--solver", &solver, "--iterations", "6"]);
    assert!(status == 3 && said.contains("6 iterations"), "{said}");
    let (said, status, _) = folder.check(NEEDY, &["--solver-check", &solver]);
    assert!(status == 1 && said.contains("a.271606"), "{said}");
}

#[test]
fn a_failure_is_told_when_something_else_ran_out() {
    let folder = Folder::new("also");
    // It is tried, then breaks once, and knows nothing after that.
    let script = format!(
        "echo >> '{0}'; if [ $(wc -l < '{0}') = 2 ]; then exit 3; fi
while read line; do case $line in *check-sat*) echo unknown;; esac; done\n",
        folder.0.join("started").display()
    );
    let solver = folder.script("sh", &script);
    let (said, status, _) = folder.check(NEEDY, &["--solver", &solver, "--iterations", "4"]);
    assert!(status == 3 && said.contains("4 iterations were not enough"), "{said}");
    assert!(said.contains("exit status: 3"), "{said}");
}

#[test]
fn lies_are_never_a_verdict() {
    let folder = Folder::new("lies");
    // Who says that nothing can be is believed, but what was approximated is not safe for that.
    let unsat = folder.script("sh", UNSAT);
    let (said, status, _) = folder.check(NEEDY, &["--solver", &unsat, "--iterations", "6"]);
    assert!(status == 3 && said.starts_with("UNKNOWN"), "{said}");
    for options in [
        ["--solver", &unsat, "--solver-check", "embedded"],
        ["--solver-check", &unsat, "--solver", "embedded"],
    ] {
        let (said, status, _) = folder.check(NEEDY, &options);
        assert!(status == 3 && said.contains("two solvers contradict each other"), "{said}");
        let (theirs, ours) = (format!("`{unsat}` says unsat"), "`embedded` says sat");
        assert!(said.contains(&theirs) && said.contains(ours), "{said}");
        // Predicates rest on what is unsat: they would be safe.
        let (said, status, _) = folder.check_by("predicate", NEEDY, &options);
        assert!(status == 3 && said.contains("two solvers contradict each other"), "{said}");
    }
    // Who says that anything can be has wrong numbers.
    let zeros = folder.script("sh", ZEROS);
    for program in [NEEDY, RELATED] {
        let (said, status, _) = folder.check(program, &["--solver", &zeros]);
        assert!(status == 3 && said.contains("a model in which not all claims are true"), "{said}");
    }
    let (said, status, _) = folder.check(RELATED, &["--solver", &zeros, "--solver-check", "embedded"]);
    assert!(status == 3 && said.contains("says sat with a wrong model, `embedded` says unsat"), "{said}");
}

#[test]
fn one_lie_in_a_hundred_answers_is_caught() {
    if !has(&["z3", "python3"], "one_lie_in_a_hundred_answers_is_caught") {
        return;
    }
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
            let (said, status, _) = folder.check(RELATED, &[&options[..], &iterations].concat());
            assert_eq!(status, 3, "{said}");
            assert_eq!(said.contains("two solvers contradict each other"), caught, "{options:?}: {said}");
            // All ends with the first difference.
            match caught {
                true => assert_eq!(asked(), Some(100)),
                false => assert!(asked() > Some(100), "{:?}", asked()),
            }
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_solver_started_ends_with_it() {
    let folder = Folder::new("children");
    let file = folder.0.join("pid");
    let script = format!("sleep 1000 & echo $! >> '{}'; wait\n", file.display());
    let solver = folder.script("sh", &script);
    let (_, status, _) = folder.check(NEEDY, &["--solver", &solver, "--solver-patience", "1"]);
    assert_eq!(status, 3);
    let started = std::fs::read_to_string(&file).expect("it was started");
    assert!(!started.is_empty());
    for process in started.lines() {
        let stat = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
        // What nobody waits for any more may be left as a zombie.
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
}
