//! The table of assume-guarantee checking, and further measurements.

use std::fmt::Write;

use serde_json::Value;

use super::{check, memory, seconds};

/// [AG, Table 1]: n, then the largest transition system for empty and for overflow, each direct and with assumptions.
const AG_TABLE_1: &[(u32, Option<[u64; 4]>)] = &[
    (3, Some([271, 107, 286, 147])),
    (10, Some([306, 135, 937, 441])),
    (15, Some([331, 155, 1462, 651])),
    (25, Some([381, 195, 2662, 1071])),
    (100, None),
    (1000, None),
];

fn states(answer: &Value) -> u64 {
    answer["states"].as_u64().unwrap_or(u64::MAX)
}

pub fn ag_table_1() -> String {
    let mut text = String::from(
        "The largest transition system for `empty` and `overflow`, direct and with assumptions about `push` and `pop`, as \
         the paper reports; then ours: positions visited in the largest iteration with `--engine partition`, and in the \
         largest exploration with `--engine assume-guarantee --learner table`, both with `--certify forced`, the paper's own \
         test; the states of the conclusive assumption, plays asked, and seconds with assumptions.\n\n\
         | n | empty: direct | AG | overflow: direct | AG | empty: direct | AG | assumption | asked | seconds \
         | overflow: direct | AG | assumption | asked | seconds |\n",
    );
    let _ = writeln!(text, "|{}", " ---: |".repeat(15));
    for (n, paper) in AG_TABLE_1 {
        let define = format!("n={n}");
        let _ = write!(text, "| {n} |");
        for column in 0..4 {
            let _ = match paper {
                Some(paper) => write!(text, " {} |", paper[column]),
                None => write!(text, " – |"),
            };
        }
        for (error, component, column) in [("empty", "push", 1), ("overflow", "pop", 3)] {
            let file = format!("corpus/assumptions/ag-table-1-{error}.ia");
            let common = ["-D", &define, "--certify", "forced", "--iterations", "5000"];
            let direct = check(&file, &[&common[..], &["--engine", "partition"]].concat());
            let decomposed = [&common[..], &["--component", component, "--learner", "table"]].concat();
            let decomposed = check(&file, &decomposed);
            assert_eq!((&direct["verdict"], &decomposed["verdict"]), (&"unsafe".into(), &"unsafe".into()));
            assert!(states(&decomposed) < states(&direct), "{error}, n = {n}");
            if let Some(paper) = paper {
                assert!(states(&decomposed) <= paper[column], "{error}, n = {n}");
            }
            let _ = write!(
                text,
                " {} | {} | {} | {} | {:.3} |",
                states(&direct),
                states(&decomposed),
                decomposed["assumption"]["last_states"],
                decomposed["assumption"]["membership_queries"],
                seconds(&decomposed)
            );
        }
        println!("[AG] table 1: n = {n}");
        text.push('\n');
    }
    text
}

/// Programs with definitions, by both learners.
const LEARNT: &[(&str, &str)] = &[
    ("corpus/assumptions/door.ia", "work"),
    ("corpus/refinement/gc-table-1-bounds.ia", "push"),
    ("corpus/refinement/gc-table-1-bounds.ia", "pop"),
    ("corpus/papers/ag-stack.ia", "push"),
    ("corpus/papers/ag-stack.ia", "pop"),
    ("corpus/equivalence/queue/left.ia", "enqueue"),
    ("corpus/equivalence/queue/left.ia", "dequeue"),
];

pub fn learners() -> String {
    let mut text = String::from(
        "Safe programs in two halves: positions visited by `--engine explicit` (– where data is unbounded); then, with an \
         observation table and with a discrimination tree, positions in the largest exploration, states of the assumption, \
         plays asked, assumptions tried, seconds and MiB.\n\n\
         | program | part | direct | table: positions | states | plays | assumptions | seconds | MiB | tree: positions \
         | states | plays | assumptions | seconds | MiB |\n",
    );
    let _ = writeln!(text, "| --- | --- |{}", " ---: |".repeat(13));
    for (file, component) in LEARNT {
        let bounded = !file.contains("gc-table-1");
        let direct = match bounded {
            true => states(&check(file, &["--engine", "explicit"])).to_string(),
            false => "–".into(),
        };
        let name = file.trim_start_matches("corpus/").trim_end_matches(".ia");
        let _ = write!(text, "| {name} | `{component}` | {direct} |");
        for learner in ["table", "tree"] {
            let answer = check(file, &["--component", component, "--learner", learner]);
            assert_eq!(answer["verdict"], "safe", "{file}, {component}");
            let assumption = &answer["assumption"];
            let _ = write!(
                text,
                " {} | {} | {} | {} | {:.3} | {:.0} |",
                states(&answer),
                assumption["states"],
                assumption["membership_queries"],
                assumption["equivalence_queries"],
                seconds(&answer),
                memory(&answer)
            );
        }
        println!("learners: {file}, {component}");
        text.push('\n');
    }
    text
}
