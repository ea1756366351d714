//! The tables of the papers, with our figures: `cargo bench --bench tables` rewrites `docs/benchmarks.md`. Names after `--`
//! select tables, as in `cargo bench --bench tables -- prodcon spin`; the others are not changed.

#[path = "tables/assume.rs"]
mod assume;
#[path = "tables/concurrency.rs"]
mod concurrency;
#[path = "tables/horn.rs"]
mod horn;
#[path = "tables/predicates.rs"]
mod predicates;
#[path = "tables/refinement.rs"]
mod refinement;
#[path = "tables/registry.rs"]
mod registry;
#[path = "tables/spin.rs"]
mod spin;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A table: its name, its heading, and the function that writes the text below.
type Table = (&'static str, &'static str, fn() -> String);

const TABLES: &[Table] = &[
    ("stack", "[OTF, Table 1]: lazy precise stack searches", otf_table_1),
    ("space", "The whole space of the stack", whole_space),
    ("ages", "The ages puzzle ([OTF, §5.3]), precisely", puzzle),
    ("interval", "[OTF, Table 2]: the stack of 32-bit numbers, by intervals", refinement::otf_table_2),
    ("ages-interval", "The ages puzzle ([OTF, §5.3]), by intervals", refinement::ages),
    ("partition", "[GC, Table 1]: a stack of unbounded integers, by partitions", refinement::gc_table_1),
    ("predicates", "[PRED]: scopes of predicates", predicates::scopes),
    ("assume", "[AG, Table 1]: a stack in two halves", assume::ag_table_1),
    ("learners", "What assumptions cost to learn", assume::learners),
    ("prodcon", "[SCC, Table 1]: producers and consumers", concurrency::scc_table_1),
    ("spin", "Producers and consumers, by SPIN", spin::comparison),
    ("horn", "Modules, by tables, intervals, predicates and Horn clauses", horn::comparison),
    ("registry", "Modules: a registry of callbacks", registry::registries),
    ("sorting", "Models of bubble sort", sorting),
    ("plays", "Plays that cover the model of the stack ([OTF, §5.1])", covering_plays),
];

fn main() {
    // `cargo test --benches` only builds this.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let chosen: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    for name in &chosen {
        let names: Vec<&str> = TABLES.iter().map(|table| table.0).collect();
        assert!(names.contains(&name.as_str()), "there is no table `{name}`; there are {}", names.join(", "));
    }
    let path = root().join("docs/benchmarks.md");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let mut text = String::from(
        "# Benchmarks\n\nWritten by `cargo bench --bench tables`; do not edit by hand. Times are seconds by the clock \
         of one run, from reading the file to the verified answer, so they vary between machines and runs: compare \
         within a table.\n",
    );
    for (name, heading, table) in TABLES {
        if chosen.is_empty() || chosen.iter().any(|other| other == name) {
            let _ = write!(text, "\n## {heading}\n\n{}", table());
        } else {
            text += section(&before, heading);
        }
    }
    std::fs::write(&path, text).expect("the table can be written");
    println!("wrote {}", path.display());
}

/// The section of a text under a heading, with the heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let Some(start) = text.find(&format!("\n## {heading}\n")) else { return "" };
    let end = text[start + 1..].find("\n## ").map_or(text.len(), |end| start + 1 + end);
    &text[start..end]
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `agon check` and returns its answer. Tables measure the search: with an order, a play is not shortened.
fn check(file: &str, options: &[&str]) -> Value {
    let order: &[&str] = if options.contains(&"--order") { &[] } else { &["--order", "fixed"] };
    let output = Command::new(env!("CARGO_BIN_EXE_agon"))
        .current_dir(root())
        .args(["check", file, "--format", "json"])
        .args(options)
        .args(order)
        .output()
        .expect("agon runs");
    serde_json::from_slice(&output.stdout).expect("agon answers in JSON")
}

fn seconds(answer: &Value) -> f64 {
    answer["seconds"].as_f64().unwrap_or(f64::NAN)
}

/// The peak memory of the process, in MiB.
fn memory(answer: &Value) -> f64 {
    answer["peak_memory_mib"].as_f64().unwrap_or(f64::NAN)
}

/// [OTF, Table 1]: size, then MAGE's seconds: push first (oflo, uflo), pop first (oflo, uflo), random (oflo, uflo).
const OTF_TABLE_1: &[(u32, Option<[f64; 6]>)] = &[
    (2, Some([0.04, 0.04, 0.04, 0.03, 0.04, 0.03])),
    (4, Some([0.05, 0.05, 0.06, 0.03, 0.06, 0.03])),
    (8, Some([0.08, 0.09, 0.10, 0.03, 0.09, 0.04])),
    (16, Some([0.17, 0.21, 0.21, 0.04, 0.20, 0.06])),
    (32, Some([0.49, 0.61, 0.77, 0.04, 0.64, 0.22])),
    (64, Some([1.57, 2.05, 1.96, 0.05, 1.78, 0.82])),
    (128, Some([5.96, 7.62, 7.13, 0.06, 6.38, 1.43])),
    (256, Some([23.20, 30.44, 28.09, 0.08, 25.57, 7.35])),
    (512, Some([96.42, 127.14, 115.73, 0.14, 106.37, 22.91])),
    (1024, Some([433.43, 575.56, 525.27, 0.30, 501.02, 189.26])),
    (2048, None),
    (4096, None),
    (8192, None),
    (16384, None),
];

const SEEDS: u32 = 8;

fn otf_table_1() -> String {
    let mut text = String::from(
        "Seconds until `oflo` or `uflo` is called, MAGE's (on a \
         1.86 GHz laptop, as the paper reports) / ours. The random columns are averages, ours over eight seeds and \
         both programs.\n\n\
         | size | push first, oflo | uflo | pop first, oflo | uflo | random, oflo | uflo |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let files = ["corpus/papers/otf-stack-push-pop.ia", "corpus/papers/otf-stack-pop-push.ia"];
    for (size, theirs) in OTF_TABLE_1 {
        let define = format!("size={size}");
        let run = |file: &str, target: &str, more: &[&str]| -> f64 {
            let answer =
                check(file, &[&["-D", &define, "--target", target, "--engine", "explicit"], more].concat());
            assert_eq!(answer["verdict"], "unsafe", "{file}, size {size}, {target}");
            seconds(&answer)
        };
        let mut ours = Vec::new();
        for file in files {
            for target in ["oflo.run", "uflo.run"] {
                ours.push(run(file, target, &[]));
            }
        }
        for target in ["oflo.run", "uflo.run"] {
            let mut sum = 0.0;
            for file in files {
                for seed in 1..=SEEDS {
                    sum += run(file, target, &["--order", "random", "--seed", &seed.to_string()]);
                }
            }
            ours.push(sum / f64::from(2 * SEEDS));
        }
        let _ = write!(text, "| {size} |");
        for (n, own) in ours.iter().enumerate() {
            let _ = match theirs {
                Some(theirs) => write!(text, " {:.2} / {own:.4} |", theirs[n]),
                None => write!(text, " – / {own:.4} |"),
            };
        }
        text.push('\n');
        println!("size {size}: {ours:.4?}");
    }
    text
}

fn whole_space() -> String {
    let mut text = String::from(
        "A target that is never reached, so that everything is visited: states, \
         states a second, and peak memory of the process per state, in bytes.\n\n\
         | size | order | states | seconds | states a second | bytes a state |\n\
         | ---: | --- | ---: | ---: | ---: | ---: |\n",
    );
    for size in [12, 14, 16] {
        for order in ["fixed", "shortest"] {
            let define = format!("size={size}");
            let answer = check(
                "corpus/papers/otf-stack-push-pop.ia",
                &["-D", &define, "--order", order, "--engine", "explicit"],
            );
            assert_eq!(answer["verdict"], "safe");
            let states = answer["states"].as_f64().unwrap_or(f64::NAN);
            let memory = memory(&answer) * 1024.0 * 1024.0;
            let _ = writeln!(
                text,
                "| {size} | {order} | {states} | {:.2} | {:.0} | {:.1} |",
                seconds(&answer),
                states / seconds(&answer),
                memory / states
            );
        }
    }
    text
}

/// Runs `agon model` and returns its figures as text; nothing, if there is no model.
fn model(file: &str, options: &[&str]) -> Option<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_agon"))
        .current_dir(root())
        .args(["model", file, "--time-limit", "60", "--memory-limit", "4096"])
        .args(options)
        .output()
        .expect("agon runs");
    let text = String::from_utf8_lossy(&output.stderr).to_string();
    output.status.success().then(|| text.lines().last().unwrap_or("").to_string())
}

/// One of the figures of `agon model`.
fn figure(figures: &str, n: usize) -> String {
    let figures = figures.replace(" by way of ", ", ");
    let part = figures.split(", ").nth(n).unwrap_or("–");
    let part = part.trim_start_matches("from ").trim_start_matches("at most ");
    part.split(' ').next().unwrap_or("–").to_string()
}

fn sorting() -> String {
    let mut text = String::from(
        "The array is filled from a free expression over three values and given out after \
         sorting (corpus/equivalence/sorting/left.ia). States of the model, positions visited to build it on the fly, \
         and states of the largest model on the way when it is built bottom-up; at most 60 s and 4 GiB.\n\n\
         | elements | model | on the fly: positions | seconds | bottom-up: largest | seconds |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let file = "corpus/equivalence/sorting/left.ia";
    for elements in 2..=12 {
        let define = format!("n={elements}");
        let fly = model(file, &["-D", &define, "--format", "aut"]);
        let parts = model(file, &["-D", &define, "--format", "aut", "--bottom-up"]);
        let cells = |figures: &Option<String>| match figures {
            Some(figures) => (figure(figures, 0), figure(figures, 2), figure(figures, 3)),
            None => ("–".into(), "–".into(), "gives up".into()),
        };
        let ((states, positions, seconds), (_, largest, more)) = (cells(&fly), cells(&parts));
        println!("sorting {elements}: {fly:?} {parts:?}");
        let _ = writeln!(text, "| {elements} | {states} | {positions} | {seconds} | {largest} | {more} |");
        if fly.is_none() && parts.is_none() {
            break;
        }
    }
    text
}

fn covering_plays() -> String {
    let mut text = String::from(
        "The paper counts 10·2^(size−1) − 2 of them; \
         `agon model --plays` lists as many.\n\n| size | the paper's formula | ours |\n| ---: | ---: | ---: |\n",
    );
    for size in 2..=8 {
        let output = Command::new(env!("CARGO_BIN_EXE_agon"))
            .current_dir(root())
            .args(["model", "corpus/papers/otf-stack-push-pop.ia", "--plays", "-q", "-D"])
            .arg(format!("size={size}"))
            .output()
            .expect("agon runs");
        let plays = String::from_utf8_lossy(&output.stdout).lines().count() - 1;
        let _ = writeln!(text, "| {size} | {} | {plays} |", 10 * (1 << (size - 1)) - 2);
    }
    text
}

fn puzzle() -> String {
    let answer = check("corpus/papers/otf-ages.ia", &["--target", "true", "--engine", "explicit"]);
    assert_eq!(answer["verdict"], "unsafe");
    format!("MAGE: 256.53 s. Ours: {:.4} s, {} states.\n", seconds(&answer), answer["states"])
}
