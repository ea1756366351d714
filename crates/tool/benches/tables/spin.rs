//! The producer–consumer in SPIN's hands, and in ours: all states of `benches/spin/scc-prodcon.pml`, where the
//! environment is written out, beside all positions of the open program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::concurrency::{PRODCON, SCC_TABLE_1, options};
use super::{check, memory};

/// What a verifier did.
#[derive(Default)]
struct Run {
    states: f64,
    transitions: f64,
    /// Of the processor, outside the system: of the shortest of some runs.
    seconds: f64,
    /// Of the whole process, by the clock.
    process: f64,
    mib: f64,
}

impl Run {
    /// States a second, where there is enough to be measured.
    fn rate(&self) -> Option<f64> {
        self.time().map(|seconds| self.states / seconds)
    }

    fn time(&self) -> Option<f64> {
        (self.seconds >= MEASURABLE).then_some(self.seconds)
    }
}

/// The time of processors is told in hundredths of seconds.
const MEASURABLE: f64 = 0.05;

/// Each verifier runs so often.
const RUNS: usize = 3;
/// SPIN looks for states that get stuck unless it is told not to (-E), says if its search gets too deep (-b) and how
/// deep it may get (-m), and has a table of 2^22 places (-w).
const PAN: [&str; 4] = ["-E", "-b", "-m1000000", "-w22"];

/// How the verifier is made.
struct Way {
    /// Questions carry the numbers of their threads.
    numbered: bool,
    reduces: bool,
}

const WAYS: [Way; 4] = [
    Way { numbered: true, reduces: false },
    Way { numbered: false, reduces: false },
    Way { numbered: true, reduces: true },
    Way { numbered: false, reduces: true },
];

pub fn comparison() -> String {
    let missing: Vec<&str> = ["spin", "gcc"].into_iter().filter(|tool| !is_there(tool)).collect();
    let mut text = String::from(
        "The same program for SPIN: `crates/tool/benches/spin/scc-prodcon.pml` has the threads as processes, the most \
         general environment written out, and a step for every step of the language. *Numbered*, questions carry the \
         numbers of their threads, as our moves do, and the steps are ours one by one; *plain*, they do not. Without \
         reduction SPIN runs as `spin -a -o3` and `gcc -O2 -DSAFETY -DNOREDUCE`, with reduction as `spin -a` and `gcc -O2 \
         -DSAFETY`; its verifier as `pan -E -b -m1000000 -w22`. We run as `agon check`, with \
         `--no-reduction` and without. There is nothing to be found, so \
         everything is visited. Seconds are those of the processor, \
         outside the system, without making SPIN's verifier; in brackets those of the whole process, by the clock; of the \
         shortest of three runs. The last columns compare states a second, ours / SPIN's, and seconds, ours / SPIN's, \
         where both are at least 0.05.\n",
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
        let pan = WAYS.map(|way| missing.is_empty().then(|| spin(*row, &way)));
        let ours = [&["--no-reduction"][..], &[]].map(|more| agon(*row, more));
        if let Some(numbered) = &pan[0] {
            // SPIN has one state more, after the program's own answer.
            assert_eq!(numbered.states - 1.0, ours[0].states, "{row:?}");
        }
        for (text, theirs, ours) in [(&mut whole, &pan[..2], &ours[0]), (&mut reduced, &pan[2..], &ours[1])] {
            line(text, *row, theirs, ours);
        }
        println!("spin: {row:?}");
    }
    text + &whole + &reduced
}

fn table(title: &str) -> String {
    let parts = ["SPIN, numbered", "SPIN, plain", "agon"];
    let columns =
        parts.map(|part| format!(" {part}: states | transitions | seconds | states a second | MiB |"));
    format!(
        "\n{title}\n\n| n, p, c, i |{} rate / numbered | rate / plain | time / numbered | time / plain |\n| --- |{}\n",
        columns.concat(),
        " ---: |".repeat(5 * parts.len() + 4)
    )
}

fn line(text: &mut String, row: [u32; 4], theirs: &[Option<Run>], ours: &Run) {
    let _ = write!(text, "| {} |", row.map(|n| n.to_string()).join(", "));
    let cell = |number: Option<f64>, digits: usize| number.map_or("–".into(), |n| format!("{n:.digits$}"));
    for run in theirs.iter().map(Option::as_ref).chain([Some(ours)]) {
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
        for run in theirs {
            let theirs = run.as_ref().and_then(measure);
            let ratio = measure(ours).zip(theirs).map(|(ours, theirs)| ours / theirs);
            let _ = write!(text, " {} |", cell(ratio, 2));
        }
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

/// The seconds of the processor that processes of ours have taken that are over, if the system says so.
fn spent() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks: u32 = stat.rsplit(')').next()?.split_whitespace().nth(13)?.parse().ok()?;
    Some(f64::from(ticks) / 100.0)
}

fn agon(row: [u32; 4], more: &[&str]) -> Run {
    let options = options(row, more);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    shortest(|| {
        let answer = check(PRODCON, &options);
        assert_eq!(answer["verdict"], "safe");
        let number = |field: &str| answer[field].as_f64().unwrap_or(f64::NAN);
        let (states, transitions) = (number("states"), number("transitions"));
        Run { states, transitions, mib: memory(&answer), ..Run::default() }
    })
}

/// Makes SPIN's verifier for a row, and runs it.
fn spin(row: [u32; 4], way: &Way) -> Run {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("spin");
    std::fs::create_dir_all(&folder).expect("there is room for SPIN's files");
    let mut generate = Command::new("spin");
    generate.arg("-a").args(["N", "P", "C", "I"].iter().zip(row).map(|(name, n)| format!("-D{name}={n}")));
    if way.numbered {
        generate.arg("-DNUMBERS");
    }
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-w", "-DSAFETY", "-DMEMLIM=8192", "-o", "pan", "pan.c"]);
    if !way.reduces {
        // Nor are steps put together that are a process's own.
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
        // The first number of the line that has a word.
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
