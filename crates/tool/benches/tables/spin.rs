//! The producer–consumer in SPIN and in agon: all states of `benches/spin/scc-prodcon.pml`, which contains an explicit
//! environment, and all positions of the open program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::concurrency::{PRODCON, SCC_TABLE_1, options};
use super::{check, memory};

/// The figures of a run of a verifier.
#[derive(Default)]
struct Run {
    states: f64,
    transitions: f64,
    /// User time of the shortest of several runs.
    seconds: f64,
    /// Wall-clock time of the whole process.
    process: f64,
    mib: f64,
}

impl Run {
    /// States a second, if the time is long enough to be measured.
    fn rate(&self) -> Option<f64> {
        self.time().map(|seconds| self.states / seconds)
    }

    fn time(&self) -> Option<f64> {
        (self.seconds >= MEASURABLE).then_some(self.seconds)
    }
}

/// Processor time has a resolution of a hundredth of a second.
const MEASURABLE: f64 = 0.05;

/// The number of runs of each verifier.
const RUNS: usize = 3;
/// SPIN's options: no search for deadlocks (-E), an error if the search gets too deep (-b), the greatest depth (-m), and a
/// table of 2^22 entries (-w).
const PAN: [&str; 4] = ["-E", "-b", "-m1000000", "-w22"];

pub fn comparison() -> String {
    let missing: Vec<&str> = ["spin", "gcc"].into_iter().filter(|tool| !is_there(tool)).collect();
    let mut text = String::from(
        "The same program for SPIN: `crates/tool/benches/spin/scc-prodcon.pml` has the threads as processes, the most \
         general environment written out, and a step for every step of the language; its states are our positions, one by \
         one, but for the last. Without reduction SPIN runs as `spin -a -o3` and `gcc -O2 -DSAFETY -DNOREDUCE`, with \
         reduction as `spin -a` and `gcc -O2 -DSAFETY`; its verifier as `pan -E -b -m1000000 -w22`. We run as `agon check --engine explicit`, \
         with `--no-reduction` and without, in one thread and in as many as there are cores. There is nothing to be found, \
         so everything is visited. Seconds are those of the processor, outside the system, without making SPIN's verifier; \
         in brackets those of the whole process, by the clock; of the shortest of three runs. The last columns compare \
         states a second, ours in one thread / SPIN's, and seconds, where both are at least 0.05.\n",
    );
    if !missing.is_empty() {
        let _ = writeln!(
            text,
            "\nHere, {} is not installed, and SPIN's columns are empty.",
            missing.join(" and ")
        );
    }
    let mut whole = table("Without reduction:");
    let mut reduced = table("With reduction:");
    for (row, _) in SCC_TABLE_1 {
        for (text, reduces) in [(&mut whole, false), (&mut reduced, true)] {
            let pan = missing.is_empty().then(|| spin(*row, reduces));
            let reduction = if reduces { &[][..] } else { &["--no-reduction"] };
            let ours =
                [&["--threads", "1"][..], &[]].map(|threads| agon(*row, &[reduction, threads].concat()));
            if let Some(pan) = &pan
                && !reduces
            {
                // SPIN has one more state, after the program's own answer.
                assert_eq!(pan.states - 1.0, ours[0].states, "{row:?}");
            }
            line(text, *row, pan, ours);
        }
        println!("spin: {row:?}");
    }
    text + &whole + &reduced
}

fn table(title: &str) -> String {
    let parts = ["SPIN", "agon, one thread", "agon, all threads"];
    let columns =
        parts.map(|part| format!(" {part}: states | transitions | seconds | states a second | MiB |"));
    format!(
        "\n{title}\n\n| n, p, c, i |{} rate | time |\n| --- |{}\n",
        columns.concat(),
        " ---: |".repeat(5 * parts.len() + 2)
    )
}

fn line(text: &mut String, row: [u32; 4], theirs: Option<Run>, [ours, threads]: [Run; 2]) {
    let _ = write!(text, "| {} |", row.map(|n| n.to_string()).join(", "));
    let cell = |number: Option<f64>, digits: usize| number.map_or("–".into(), |n| format!("{n:.digits$}"));
    for run in [theirs.as_ref(), Some(&ours), Some(&threads)] {
        let Some(run) = run else {
            *text += " – | – | – | – | – |";
            continue;
        };
        let Run { states, transitions, seconds, process, mib } = run;
        let rate = cell(run.rate(), 0);
        let _ = write!(text, " {states} | {transitions} | {seconds:.2} ({process:.2}) | {rate} | {mib:.0} |");
    }
    let measures: [fn(&Run) -> Option<f64>; 2] = [Run::rate, Run::time];
    for measure in measures {
        let ratio = measure(&ours).zip(theirs.as_ref().and_then(measure)).map(|(ours, theirs)| ours / theirs);
        let _ = write!(text, " {} |", cell(ratio, 2));
    }
    text.push('\n');
}

fn is_there(tool: &str) -> bool {
    Command::new(tool).arg("--version").output().is_ok()
}

/// The shortest of several runs of a process.
fn shortest(mut run: impl FnMut() -> Run) -> Run {
    let runs = (0..RUNS).map(|_| {
        let (before, started) = (spent(), Instant::now());
        let run = run();
        let process = started.elapsed().as_secs_f64();
        let seconds = spent().zip(before).map_or(process, |(after, before)| after - before);
        Run { seconds, process, ..run }
    });
    runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).expect("there are some runs")
}

/// The processor time of child processes that have ended, in seconds, if the system tells.
fn spent() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks: u32 = stat.rsplit(')').next()?.split_whitespace().nth(13)?.parse().ok()?;
    Some(f64::from(ticks) / 100.0)
}

fn agon(row: [u32; 4], more: &[&str]) -> Run {
    let options = options(row, &[&["--engine", "explicit"], more].concat());
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    shortest(|| {
        let answer = check(PRODCON, &options);
        assert_eq!(answer["verdict"], "safe");
        let number = |field: &str| answer[field].as_f64().unwrap_or(f64::NAN);
        let (states, transitions) = (number("states"), number("transitions"));
        Run { states, transitions, mib: memory(&answer), ..Run::default() }
    })
}

/// Compiles SPIN's verifier for a row, and runs it.
fn spin(row: [u32; 4], reduces: bool) -> Run {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("spin");
    std::fs::create_dir_all(&folder).expect("there is room for SPIN's files");
    let mut generate = Command::new("spin");
    generate.arg("-a").args(["N", "P", "C", "I"].iter().zip(row).map(|(name, n)| format!("-D{name}={n}")));
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-w", "-DSAFETY", "-DMEMLIM=8192", "-o", "pan", "pan.c"]);
    if !reduces {
        // Local steps of a process are not merged, either.
        generate.arg("-o3");
        compile.arg("-DNOREDUCE");
    }
    generate.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/spin/scc-prodcon.pml"));
    for command in [&mut generate, &mut compile] {
        let output = command.current_dir(&folder).output().expect("it runs");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stdout));
    }
    shortest(|| {
        let mut verify = Command::new(folder.join("pan"));
        let output = verify.current_dir(&folder).args(PAN).output().expect("pan runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("errors: 0") && !said.contains("not completed"), "{said}");
        // The first number of the line with a word.
        let number = |word: &str| -> f64 {
            let line = said.lines().find(|line| line.contains(word)).unwrap_or_default();
            line.split_whitespace().find_map(|word| word.parse().ok()).expect("SPIN gives its figures")
        };
        Run {
            states: number("states, stored"),
            transitions: number("transitions (="),
            mib: number("total actual memory usage"),
            ..Run::default()
        }
    })
}
