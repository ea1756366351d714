//! Modules of the corpus by tables, intervals, predicates and Horn clauses: who decides what, in which time.

use std::fmt::Write;
use std::path::PathBuf;

use super::root;

/// The engines, with their options.
const ENGINES: [(&str, &[&str]); 4] =
    [("explicit", &[]), ("interval", &[]), ("predicate", &[]), ("horn", &["--solver", "z3"])];

/// The time that each engine gets for each module.
const SECONDS: &str = "10";

/// A row for each module, a column for each engine: seconds, or nothing if there is no verdict.
pub fn comparison() -> String {
    let mut files: Vec<PathBuf> = std::fs::read_dir(root().join("corpus/modules"))
        .expect("the corpus can be read")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ia"))
        .collect();
    files.sort_unstable();
    let mut text = format!(
        "Seconds until a verdict, at most {SECONDS} for each; – is no verdict. Where two engines answer, they say the same. The last column \
         is Z3, asked about Horn clauses.\n\n| module | verdict | explicit | interval | predicate | horn |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
    );
    let mut decided = [0; ENGINES.len()];
    for path in &files {
        let name = path.strip_prefix(root().join("corpus/modules")).unwrap_or(path).with_extension("");
        let mut verdict: Option<String> = None;
        let mut cells = String::new();
        for ((engine, options), decided) in ENGINES.iter().zip(&mut decided) {
            let file = path.to_string_lossy();
            let limits =
                [options, &["--engine", engine, "--time-limit", SECONDS, "--order", "shortest"][..]].concat();
            let answer = super::check(&file, &limits);
            let (word, seconds) = (answer["verdict"].as_str().unwrap_or("unknown"), &answer["seconds"]);
            if word == "unknown" {
                cells += " – |";
                continue;
            }
            *decided += 1;
            let same = verdict.as_deref().is_none_or(|verdict| verdict == word);
            assert!(same, "{}: {engine} says {word}, others {verdict:?}", name.display());
            verdict = Some(word.into());
            let _ = write!(cells, " {:.2} |", seconds.as_f64().unwrap_or(0.0));
        }
        let _ = writeln!(text, "| {} | {} |{cells}", name.display(), verdict.unwrap_or("–".into()));
    }
    let _ = writeln!(
        text,
        "| decided, of {} | | {} | {} | {} | {} |",
        files.len(),
        decided[0],
        decided[1],
        decided[2],
        decided[3]
    );
    text
}
