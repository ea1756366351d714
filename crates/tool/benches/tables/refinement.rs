//! The tables of the engines that approximate data.

use std::fmt::Write;

use serde_json::Value;

use super::{check, seconds};

/// [OTF, Table 2]: size, then seconds and iterations of MAGE for oflo and uflo, and of GameChecker.
type Otf = (u32, Option<[(&'static str, u32); 2]>, Option<[&'static str; 2]>);

const OTF_TABLE_2: &[Otf] = &[
    (2, Some([("0.05", 2), ("0.03", 2)]), Some(["10.14 (4)", "5.31 (2)"])),
    (4, Some([("0.09", 3), ("0.03", 2)]), Some(["27.53 (6)", "8.21 (2)"])),
    (8, Some([("0.17", 4), ("0.03", 2)]), Some(["112.56 (10)", "20.29 (2)"])),
    (16, Some([("0.40", 5), ("0.03", 2)]), Some(["780.67 (18)", "78.26 (2)"])),
    (32, Some([("1.15", 6), ("0.03", 2)]), Some(["12268.12 (35)", "494.20 (2)"])),
    (64, Some([("3.86", 7), ("0.03", 2)]), Some(["> 7 h", "8982.13 (2)"])),
    (128, Some([("13.94", 8), ("0.03", 2)]), Some(["–", "> 7 h"])),
    (256, Some([("54.78", 9), ("0.03", 2)]), None),
    (512, Some([("215.32", 10), ("0.03", 2)]), None),
    (1024, Some([("864.75", 11), ("0.03", 2)]), None),
    (2048, None, None),
    (4096, None, None),
    (8192, None, None),
    (16384, None, None),
    (32768, None, None),
    (65536, None, None),
];

fn iterations(answer: &Value) -> u64 {
    answer["iterations"].as_u64().unwrap_or(0)
}

/// Seconds and iterations.
fn cell(answer: &Value) -> String {
    format!("{:.4} ({})", seconds(answer), iterations(answer))
}

pub fn otf_table_2() -> String {
    let mut text = String::from(
        "Seconds (iterations) until `oflo` or `uflo` \
         is found, of MAGE and GameChecker as the paper reports, then ours with `--engine interval`; *forced* is \
         `--certify forced`, with the paper's own test for counterexamples. *Growth* is the time of `oflo` compared with \
         that of half the size, *moves* what was played in all iterations together.\n\n\
         | size | MAGE oflo | uflo | GameChecker oflo | uflo | oflo | uflo | oflo, forced | uflo, forced | growth | moves |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut before = None;
    for (size, mage, game_checker) in OTF_TABLE_2 {
        let define = format!("size={size}");
        let run = |target: &str, certify: &str| {
            let options = ["-D", &define, "--target", target, "--engine", "interval", "--certify", certify];
            let answer = check("corpus/refinement/otf-table-2.ia", &options);
            assert_eq!(answer["verdict"], "unsafe", "size {size}, {target}");
            answer
        };
        let answers =
            [("oflo.run", "values"), ("uflo.run", "values"), ("oflo.run", "forced"), ("uflo.run", "forced")]
                .map(|(target, certify)| run(target, certify));
        let theirs = |n: usize| mage.map_or("–".into(), |mage| format!("{} ({})", mage[n].0, mage[n].1));
        let checkers = |n: usize| game_checker.map_or("–", |checker| checker[n]);
        if let Some(mage) = mage {
            for (n, answer) in answers.iter().enumerate() {
                assert!(
                    iterations(answer) <= u64::from(mage[n % 2].1),
                    "size {size}: {}",
                    iterations(answer)
                );
            }
        }
        let growth =
            before.map_or("–".into(), |before: f64| format!("{:.2}", seconds(&answers[0]) / before));
        before = Some(seconds(&answers[0]));
        let played = |answer: &Value| -> u64 {
            let rounds = answer["refinements"].as_array().map_or(&[][..], |rounds| rounds);
            rounds.iter().filter_map(|round| round["played_anew"].as_u64()).sum()
        };
        let _ = writeln!(
            text,
            "| {size} | {} | {} | {} | {} | {} | {} | {} | {} | {growth} | {} |",
            theirs(0),
            theirs(1),
            checkers(0),
            checkers(1),
            cell(&answers[0]),
            cell(&answers[1]),
            cell(&answers[2]),
            cell(&answers[3]),
            played(&answers[0]),
        );
        println!("table 2, size {size}: {}", cell(&answers[0]));
    }
    text
}

/// [GC, Table 1]: n, then minutes for empty, overflow, out of bounds.
const GC_TABLE_1: &[(u32, Option<[&str; 3]>)] = &[
    (5, Some(["0.3", "1.2", "1.5"])),
    (10, Some(["0.9", "5.6", "8"])),
    (15, Some(["2", "18", "23"])),
    (20, Some(["4", "47", "59"])),
    (30, Some(["11", "190", "230"])),
    (50, Some(["60", "1570", "1831"])),
    (100, Some(["630", "failed", "failed"])),
    (200, None),
    (500, None),
    (1000, None),
];

pub fn gc_table_1() -> String {
    let mut text = String::from(
        "GameChecker's minutes (on an Athlon 64 \
         3500+, as the paper reports; 2, n + 2 and n + 2 iterations), then our seconds (iterations) with `--engine \
         partition`, and with `--semi-terminating`.\n\n\
         | n | empty | overflow | out of bounds | empty | overflow | out of bounds | semi-terminating: empty | overflow | out of bounds |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for (n, theirs) in GC_TABLE_1 {
        let define = format!("n={n}");
        let _ = write!(text, "| {n} |");
        for column in 0..3 {
            let _ = match theirs {
                Some(theirs) => write!(text, " {} |", theirs[column]),
                None => write!(text, " – |"),
            };
        }
        for more in [&[][..], &["--semi-terminating"]] {
            for (property, most) in [("empty", 2), ("overflow", n + 2), ("bounds", n + 2)] {
                let file = format!("corpus/refinement/gc-table-1-{property}.ia");
                let answer = check(&file, &[&["-D", &define, "--engine", "partition"], more].concat());
                assert_ne!(answer["verdict"], "unknown", "{property}, n = {n}");
                assert!(
                    iterations(&answer) <= u64::from(most),
                    "{property}, n = {n}: {}",
                    iterations(&answer)
                );
                let _ = write!(text, " {} |", cell(&answer));
            }
        }
        println!("table 1 of [GC], n = {n}");
        text.push('\n');
    }
    text
}

pub fn ages() -> String {
    let run = |certify: &str| {
        let options = ["--target", "true", "--engine", "interval", "--certify", certify];
        let answer = check("corpus/papers/otf-ages.ia", &options);
        assert_eq!(answer["verdict"], "unsafe");
        answer
    };
    format!(
        "MAGE: 6.5 s, 10 iterations. Ours: {} with numbers tried, {} \
         with the paper's test alone.\n",
        cell(&run("values")),
        cell(&run("forced"))
    )
}
