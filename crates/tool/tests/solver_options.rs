//! `--solver` and `--solver-check` on the command line, with correct, crashing and wrong solvers.

mod folder;
mod solving;

use std::path::Path;
use std::time::Duration;

use folder::Folder;
use solving::{NEEDY, RELATED};

/// A program that needs no solver.
const EASY: &str = "f : com |- f; int%4 x := 1; assert(x = 1)\n";

/// The answers of a solver that always says `unsat`.
const UNSAT: &str = "while read line; do
  case $line in *get-unsat-core*) echo none;; *check-sat*) echo unsat;; esac
done
";
/// The answers of a solver that always says `sat`, with the value 0.
const ZEROS: &str = "while read line; do
  case $line in
    *get-value*)
      names=$(echo \"$line\" | sed 's/(get-value (//; s/))//')
      said=''; for name in $names; do said=\"$said($name 0)\"; done; echo \"($said)\";;
    *check-sat*) echo sat;;
  esac
done
";
#[test]
fn the_embedded_solver_can_be_named() {
    let folder = Folder::new("same");
    let choices = [["--solver", "embedded"], ["--solver-check", "embedded"]];
    for options in choices {
        let (said, status) = folder.check(NEEDY, &options);
        assert!(status == 1 && said.contains("a.271606") && said.contains("b.37037"), "{options:?}: {said}");
        let (said, status) = folder.check(RELATED, &[&options[..], &["--iterations", "5"]].concat());
        assert!(status == 3 && said.contains("5 iterations"), "{options:?}: {said}");
    }
}

/// The result with a shell script as the solver.
#[track_caller]
fn broken(name: &str, script: &str, words: &str) {
    // Long enough for a solver that answers, also on a busy machine.
    broken_within("120", name, script, words);
}

/// The same for a silent solver, with a short time limit.
#[track_caller]
fn silent(name: &str, script: &str) {
    broken_within("1", name, script, "gave no answer in time");
}

#[track_caller]
fn broken_within(patience: &str, name: &str, script: &str, words: &str) {
    let folder = Folder::new(name);
    let solver = folder.script("sh", script);
    for option in ["--solver", "--solver-check"] {
        let options = [option, &solver, "--solver-patience", patience];
        let (said, status) = folder.check(NEEDY, &options);
        assert!(status == 3 && said.starts_with("UNKNOWN") && said.contains(words), "{options:?}: {said}");
    }
}

#[test]
fn solvers_that_die_are_a_reason() {
    broken("exit", "exit 3\n", "exit status: 3");
    broken("killed", "read line; kill -9 $$\n", "signal: 9");
    // The first answers are correct.
    broken("middle", "read line; echo sat; kill -9 $$\n", "signal: 9");
}

#[test]
fn solvers_that_sleep_are_a_reason() {
    silent("sleep", "sleep 1000\n");
}

#[test]
fn solvers_that_only_listen_are_a_reason() {
    silent("listening", "while read line; do true; done\n");
}

#[test]
fn solvers_that_say_no_more_are_a_reason() {
    broken("closed", "exec cat > /dev/null\n", "says no more");
}

#[test]
fn solvers_that_talk_nonsense_are_a_reason() {
    broken("maybe", "while read line; do echo maybe; done\n", "no answer: `maybe`");
    broken("error", "while read line; do echo '(error \"what?\")'; done\n", "no answer: `(error \"what?\")`");
    silent("success", "exec yes success\n");
    broken("endless", &format!("exec yes '{}'\n", "(".repeat(30_000)), "no end of");
    broken("zeros", "exec cat /dev/zero\n", "no end of");
    broken("bytes", "exec head -c 1000 /dev/urandom\n", "");
}

#[test]
fn missing_solvers_are_a_reason_at_once() {
    let folder = Folder::new("missing");
    for option in ["--solver", "--solver-check"] {
        // Also if they would not have been needed.
        for program in [NEEDY, EASY] {
            let (said, status) = folder.check(program, &[option, "no-such-solver"]);
            assert!(status == 3 && said.contains("`no-such-solver` cannot be started"), "{said}");
        }
        let (said, status) = folder.check(EASY, &[option, "z3 'and"]);
        assert!(status == 3 && said.contains("open quote"), "{said}");
    }
    let (said, status) = folder.check(EASY, &["--solver", "no-such-solver", "--format", "json"]);
    assert!(status == 3 && said.contains("\"reason\": \"the solver `no-such-solver`"), "{said}");
}

#[test]
fn a_broken_solver_that_is_not_asked_does_no_harm() {
    let folder = Folder::new("easy");
    let solver = folder.script("sh", "exit 3\n");
    let (said, status) = folder.check(EASY, &["--solver", &solver]);
    assert!(status == 0 && said.starts_with("SAFE"), "{said}");
}

#[test]
fn a_time_limit_holds_for_solvers_too() {
    let folder = Folder::new("limit");
    let solver = folder.script("sh", "exec sleep 1000\n");
    let (said, status) = folder.check(NEEDY, &["--solver", &solver, "--time-limit", "1"]);
    assert!(status == 3 && said.contains("the time ran out"), "{said}");
    assert!(said.contains("gave no answer in time"), "{said}");
}

#[test]
fn an_honest_unknown_is_no_contradiction_and_no_failure() {
    let folder = Folder::new("unknown");
    let solver =
        folder.script("sh", "while read line; do case $line in *check-sat*) echo unknown;; esac; done\n");
    let (said, status) = folder.check(NEEDY, &["--solver", &solver, "--iterations", "6"]);
    assert!(status == 3 && said.contains("6 iterations"), "{said}");
    let (said, status) = folder.check(NEEDY, &["--solver-check", &solver]);
    assert!(status == 1 && said.contains("a.271606"), "{said}");
}

#[test]
fn a_failure_is_told_when_something_else_ran_out() {
    let folder = Folder::new("also");
    // It is started to see whether it can be, then fails once, and answers `unknown` after that.
    let script = format!(
        "echo >> '{0}'; if [ $(wc -l < '{0}') = 2 ]; then exit 3; fi
while read line; do case $line in *check-sat*) echo unknown;; esac; done\n",
        folder.0.join("started").display()
    );
    let solver = folder.script("sh", &script);
    let (said, status) = folder.check(NEEDY, &["--solver", &solver, "--iterations", "4"]);
    assert!(status == 3 && said.contains("4 iterations were not enough"), "{said}");
    assert!(said.contains("exit status: 3"), "{said}");
}

#[test]
fn lies_are_never_a_verdict() {
    let folder = Folder::new("lies");
    // `unsat` means that no values were found; partitions prove nothing by that.
    let unsat = folder.script("sh", UNSAT);
    let (said, status) = folder.check(NEEDY, &["--solver", &unsat, "--iterations", "6"]);
    assert!(status == 3 && said.starts_with("UNKNOWN"), "{said}");
    for options in [
        ["--solver", &unsat, "--solver-check", "embedded"],
        ["--solver-check", &unsat, "--solver", "embedded"],
    ] {
        let (said, status) = folder.check(NEEDY, &options);
        assert!(status == 3 && said.contains("two solvers contradict each other"), "{said}");
        let (theirs, ours) = (format!("`{unsat}` says unsat"), "`embedded` says sat");
        assert!(said.contains(&theirs) && said.contains(ours), "{said}");
        // Proofs by predicates depend on `unsat`: the verdict would be SAFE.
        let (said, status) = folder.check_by("predicate", NEEDY, &options);
        assert!(status == 3 && said.contains("two solvers contradict each other"), "{said}");
    }
    // A solver that always says `sat` gives wrong values.
    let zeros = folder.script("sh", ZEROS);
    for program in [NEEDY, RELATED] {
        let (said, status) = folder.check(program, &["--solver", &zeros]);
        assert!(status == 3 && said.contains("a model in which not all claims are true"), "{said}");
    }
    let (said, status) = folder.check(RELATED, &["--solver", &zeros, "--solver-check", "embedded"]);
    assert!(status == 3 && said.contains("says sat with a wrong model, `embedded` says unsat"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_solver_started_ends_with_it() {
    let folder = Folder::new("children");
    let file = folder.0.join("pid");
    let script = format!("sleep 1000 & echo $! >> '{}'; wait\n", file.display());
    let solver = folder.script("sh", &script);
    let (_, status) = folder.check(NEEDY, &["--solver", &solver, "--solver-patience", "1"]);
    assert_eq!(status, 3);
    let started = std::fs::read_to_string(&file).expect("it was started");
    assert!(!started.is_empty());
    for process in started.lines() {
        // A process that nobody waits for may remain as a zombie. A signal may take long on a busy machine.
        let stat =
            || std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
        let has_ended = || stat().is_empty() || stat().contains(") Z ");
        for _ in 0..600 {
            if has_ended() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        assert!(has_ended(), "{}", stat());
    }
}
