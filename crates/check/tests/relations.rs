//! Equivalence by relations: pairs over unbounded and wide data.

use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use agon_check::equiv::{Comparison, Engine, Options, Relation, compare_with};
use agon_witness::verify::Program;

#[test]
#[ignore]
fn trial() {
    let folder = std::env::var("PAIRS").unwrap();
    let only = std::env::var("ONLY").ok();
    let manifest = std::fs::read_to_string(format!("{folder}/manifest.tsv")).unwrap();
    for line in manifest.lines().skip(1) {
        let mut words = line.split('\t');
        let (name, verdict) = (words.next().unwrap(), words.next().unwrap());
        if only.as_deref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let read = |side: &str| {
            let text = std::fs::read_to_string(format!("{folder}/{name}-{side}.ia")).unwrap();
            let reading = agon_ia::read::read(&text, &[]).expect("it is a program");
            Program::new(reading.document, reading.judgement)
        };
        let (left, right) = (read("l"), read("r"));
        let limit: u64 = std::env::var("LIMIT").map_or(10, |n| n.parse().unwrap());
        let budget = Budget { deadline: Some(Instant::now() + Duration::from_secs(limit)), ..Budget::default() };
        let mut options = Options::new(Relation::Equivalence);
        if std::env::var("PRODUCT").is_ok() {
            options.engine = Engine::Product;
        }
        let started = Instant::now();
        let compared = compare_with(left.subject(), right.subject(), &options, &budget, &mut |_| {}).unwrap();
        let word = match &compared.comparison {
            Comparison::Holds => "EQUIVALENT".to_string(),
            Comparison::Differs(_) => "INEQUIVALENT".to_string(),
            Comparison::Unknown(_, reason) => format!("UNKNOWN {reason:?}"),
        };
        let ok = if word == verdict { "ok" } else { "--" };
        println!("{ok} {name:18} {:.2} {word} {:?} {:?}", started.elapsed().as_secs_f64(), compared.progress.states, compared.progress.transitions);
        if only.is_some() {
            println!("{:#?}", compared.proof);
        }
    }
}
