//! A registry of callbacks with more and more places: exact data, nested to any depth.

use std::fmt::Write;

use super::{check, memory, seconds};

/// The places of the registries.
const SIZES: [u32; 7] = [2, 4, 6, 8, 10, 12, 14];

/// A row for each size: the registry that is right, and the one that is not.
pub fn registries() -> String {
    let mut text = String::from(
        "`corpus/modules/registry.ia` and `registry-wrong.ia` with N places: states and transitions of the tables, or of a proof by rows \
         where the tables are large. The wrong one comes with a shortest play.\n\n\
         | N | states | transitions | seconds | MiB | wrong: states | seconds | moves |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for size in SIZES {
        let define = format!("N={size}");
        let run = |file: &str, verdict: &str| {
            let file = format!("corpus/modules/{file}.ia");
            let answer = check(&file, &["-D", &define, "--engine", "explicit", "--order", "shortest"]);
            assert_eq!(answer["verdict"], verdict, "{file}, {define}");
            answer
        };
        let (right, wrong) = (run("registry", "safe"), run("registry-wrong", "unsafe"));
        let moves = wrong["play"].as_array().map_or(0, Vec::len);
        let _ = writeln!(
            text,
            "| {size} | {} | {} | {:.3} | {:.0} | {} | {:.3} | {moves} |",
            right["states"],
            right["transitions"],
            seconds(&right),
            memory(&right),
            wrong["states"],
            seconds(&wrong),
        );
    }
    text
}
