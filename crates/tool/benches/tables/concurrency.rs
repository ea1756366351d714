//! The table of the producer–consumer [SCC, Table 1].

use std::fmt::Write;

use super::{check, figure, memory, model, seconds};

/// n, p, c, i; then the paper's naive model, game model, workspace and seconds.
pub type Row = ([u32; 4], [u64; 4]);

pub const SCC_TABLE_1: &[Row] = &[
    ([3, 1, 1, 1], [40_000, 114, 2_554, 112]),
    ([4, 1, 1, 1], [62_500, 143, 5_168, 142]),
    ([3, 2, 1, 1], [1_000_000, 1_684, 39_758, 247]),
    ([3, 1, 2, 1], [1_000_000, 1_735, 43_206, 351]),
    ([3, 1, 1, 2], [5_120_000, 464, 4_632, 223]),
    ([2, 2, 2, 1], [14_062_500, 6_478, 495_621, 1_733]),
    ([3, 2, 2, 1], [25_000_000, 13_813, 760_389, 4_889]),
    ([2, 2, 2, 2], [3_600_000_000, 24_489, 1_763_637, 54_617]),
];

pub const PRODCON: &str = "corpus/concurrency/scc-prodcon.ia";

/// The constants of a row as options of agon, and further options.
pub fn options(row: [u32; 4], more: &[&str]) -> Vec<String> {
    let defines = ["n", "p", "c", "i"].iter().zip(row).map(|(name, value)| format!("-D{name}={value}"));
    defines.chain(more.iter().map(|option| option.to_string())).collect()
}

pub fn scc_table_1() -> String {
    let mut text = String::from(
        "The paper's naive model, game model, largest intermediate model and seconds; then the states and transitions \
         of our minimal automaton, the positions that were visited for it, those that were left to be put together when \
         silent steps that take nothing away had been taken and bisimilar ones were one, seconds and peak memory of `agon model`; the largest model on \
         the way of `agon model --bottom-up` (– where it gives up); then positions visited, seconds and peak memory of \
         `agon check --engine explicit`, as it is and with `--no-reduction`. Each is a process of its own. The paper's automata are not the \
         minimal deterministic ones, and its listing types `front` and `rear` as elements, so the counts differ.\n\n\
         | n, p, c, i | naive | game model | workspace | seconds | states | transitions | visited | left | seconds | MiB \
         | bottom-up: largest | seconds | check: visited | seconds | MiB | no reduction: visited | seconds | MiB |\n",
    );
    let _ = writeln!(text, "| --- |{}", " ---: |".repeat(18));
    for (row, paper) in SCC_TABLE_1 {
        let run = |more: &[&str]| {
            let options = options(*row, more);
            model(PRODCON, &options.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let built = run(&["--format", "aut"]);
        let parts = run(&["--format", "aut", "--bottom-up"]);
        let _ = write!(text, "| {} |", row.map(|n| n.to_string()).join(", "));
        for number in paper {
            let _ = write!(text, " {number} |");
        }
        for (figures, columns) in [(&built, 0..6), (&parts, 2..4)] {
            for n in columns {
                let _ =
                    write!(text, " {} |", figures.as_ref().map_or("–".into(), |figures| figure(figures, n)));
            }
        }
        for more in [&["--engine", "explicit"][..], &["--engine", "explicit", "--no-reduction"]] {
            let options = options(*row, more);
            let answer = check(PRODCON, &options.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(answer["verdict"], "safe");
            let _ =
                write!(text, " {} | {:.3} | {:.0} |", answer["states"], seconds(&answer), memory(&answer));
        }
        text.push('\n');
        println!("[SCC] table 1: {row:?}: {built:?} {parts:?}");
    }
    text
}
