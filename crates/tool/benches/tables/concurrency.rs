//! The table of the producer–consumer [SCC, Table 1].

use std::fmt::Write;

use super::{check, model, seconds};

/// n, p, c, i; then the paper's naive model, game model, workspace and seconds.
type Row = ([u32; 4], [u64; 4]);

const SCC_TABLE_1: &[Row] = &[
    ([3, 1, 1, 1], [40_000, 114, 2_554, 112]),
    ([4, 1, 1, 1], [62_500, 143, 5_168, 142]),
    ([3, 2, 1, 1], [1_000_000, 1_684, 39_758, 247]),
    ([3, 1, 2, 1], [1_000_000, 1_735, 43_206, 351]),
    ([3, 1, 1, 2], [5_120_000, 464, 4_632, 223]),
    ([2, 2, 2, 1], [14_062_500, 6_478, 495_621, 1_733]),
    ([3, 2, 2, 1], [25_000_000, 13_813, 760_389, 4_889]),
    ([2, 2, 2, 2], [3_600_000_000, 24_489, 1_763_637, 54_617]),
];

pub fn scc_table_1() -> String {
    let mut text = String::from(
        "\n## [SCC, Table 1]: producers and consumers\n\nThe paper's naive model, game model, largest intermediate model \
         and seconds; then the states and transitions of our minimal automaton, the positions that were visited for it, \
         those that were left to be put together when silent steps that take nothing away had been taken, and the seconds \
         of `agon model`; then positions visited and seconds of `agon check`, as it is and with `--no-reduction`. The \
         paper's automata are not the minimal deterministic ones, and its listing types `front` and `rear` as elements, \
         so the counts differ.\n\n\
         | n, p, c, i | naive | game model | workspace | seconds | states | transitions | visited | left | seconds | check: \
         visited | seconds | no reduction: visited | seconds |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let file = "corpus/concurrency/scc-prodcon.ia";
    for ([n, p, c, i], paper) in SCC_TABLE_1 {
        let defines = [format!("n={n}"), format!("p={p}"), format!("c={c}"), format!("i={i}")];
        let options: Vec<&str> = defines.iter().flat_map(|define| ["-D", define.as_str()]).collect();
        let built = model(file, &[&options[..], &["--format", "aut"]].concat());
        let field = |n: usize| -> String {
            let part = built.as_deref().and_then(|figures| figures.split(", ").nth(n)).unwrap_or("–");
            part.trim_start_matches("from ").split(' ').next().unwrap_or("–").to_string()
        };
        let reduced = check(file, &options);
        let whole = check(file, &[&options[..], &["--no-reduction"]].concat());
        assert_eq!((&reduced["verdict"], &whole["verdict"]), (&"safe".into(), &"safe".into()));
        let _ = writeln!(
            text,
            "| {n}, {p}, {c}, {i} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.3} | {} | {:.3} |",
            paper[0],
            paper[1],
            paper[2],
            paper[3],
            field(0),
            field(1),
            field(2),
            field(3),
            field(4),
            reduced["states"],
            seconds(&reduced),
            whole["states"],
            seconds(&whole),
        );
        println!("[SCC] table 1: {n}, {p}, {c}, {i}: {built:?}");
    }
    text
}
