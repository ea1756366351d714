//! Modules: the engines agree with the references, and every failure is replayed.

use agon_base::budget::Budget;
use agon_check::interval::Nearest;
use agon_check::modules::{Compiled, Found, explicit};
use agon_check::refine::RefinementOptions;
use agon_check::refine::modules;
use agon_check::verdict::Verdict;
use agon_core::module::Module;
use agon_core::module::eval::{Exit, Outcome, play};
use agon_core::module::inputs::Inputs;
use agon_core::module::tables;
use agon_ia::read::read_module;
use agon_ia::sample;

const STEPS: u64 = 400;

fn read(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("it is a module: {text}\n{other:#?}"),
    }
}

/// The length of the play, if the module fails.
fn fails(module: &Module, found: &Found, text: &str) -> Option<usize> {
    match &found.verdict {
        Verdict::Unsafe(moves, ()) => {
            let played = play(module, moves.iter().cloned(), 1_000_000);
            let failed = matches!(played.outcome, Outcome::Ended(Exit::Fails(_)));
            assert!(failed, "{} does not fail: {:?}\n{text}", played.play.show(module), played.outcome);
            Some(played.play.0.len())
        }
        Verdict::Safe | Verdict::Unknown(_) => None,
    }
}

fn agree_among(
    seeds: std::ops::Range<u64>,
    engine: impl Fn(&Compiled) -> Found,
    shortest: bool,
) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        println!("{seed}\n{text}");
        let module = read(&text);
        let found = engine(&Compiled::new(module.clone()));
        let length = fails(&module, &found, &text);
        // The environment of the reference has one function of each type. It may need more to make the module fail.
        let reference = tables::tabulate(&module, &Inputs::range(0, 2, 1), 250, STEPS);
        let functions = text.contains("fn(");
        match (&found.verdict, reference) {
            (Verdict::Unknown(_), _) | (_, tables::Answer::Unknown) => counts[2] += 1,
            (Verdict::Safe, tables::Answer::Safe) => counts[0] += 1,
            (Verdict::Unsafe(..), tables::Answer::Fails(expected)) => {
                counts[1] += 1;
                let length = length.expect("it fails");
                let right = length == expected
                    || (functions && length < expected)
                    || (!shortest && length > expected);
                assert!(right, "{length} moves, not {expected}\n{text}");
            }
            (Verdict::Unsafe(..), tables::Answer::Safe) if functions => counts[1] += 1,
            (said, reference) => panic!("{said:?}, but the tables say {reference:?}\n{text}"),
        }
    }
    counts
}

fn budget() -> Budget {
    Budget { transitions: Some(200_000), ..Budget::default() }
}

#[test]
fn the_explicit_engine_agrees_with_the_tables() {
    let [safe, fail, unknown] =
        agree_among(0..300, |compiled| explicit(compiled, &budget(), &mut |_| {}), true);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 20 && fail > 80);
}

#[test]
fn intervals_agree_with_the_tables() {
    let effort = RefinementOptions { iterations: 60, ..RefinementOptions::default() };
    let engine = |compiled: &Compiled| modules::check(&Nearest, compiled, &effort, &budget(), &mut |_| {});
    let [safe, fail, unknown] = agree_among(0..300, engine, false);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 20 && fail > 80);
}

#[test]
fn miniatures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tests/modules");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let text = std::fs::read_to_string(&path).unwrap();
        let module = read(&text);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let compiled = Compiled::new(module.clone());
        for (engine, found) in [
            (
                "explicit",
                &(|| {
                    explicit(
                        &compiled,
                        &Budget {
                            deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(10)),
                            ..Budget::default()
                        },
                        &mut |_| {},
                    )
                }) as &dyn Fn() -> Found,
            ),
            ("interval", &|| {
                modules::check(
                    &Nearest,
                    &compiled,
                    &RefinementOptions::default(),
                    &Budget {
                        deadline: Some(std::time::Instant::now() + std::time::Duration::from_secs(10)),
                        ..Budget::default()
                    },
                    &mut |_| {},
                )
            }),
        ] {
            let start = std::time::Instant::now();
            let found = found();
            let moves = fails(&module, &found, &text);
            let shown = match &found.verdict {
                Verdict::Unsafe(moves, ()) => {
                    play(&module, moves.iter().cloned(), 100_000).play.show(&module)
                }
                Verdict::Unknown(r) => format!("{r:?}"),
                _ => String::new(),
            };
            println!(
                "{name:30} {engine} {} {:?} it {} states {} {:?} {shown}",
                found.verdict.word(),
                moves.map(|m| m.div_ceil(2)),
                found.iterations,
                found.states,
                start.elapsed()
            );
        }
    }
}

#[test]
#[ignore = "figures"]
fn registries() {
    for n in 2..=14 {
        for buggy in [true, false] {
            let text = sample::registry(n, buggy);
            let module = read(&text);
            let compiled = Compiled::new(module.clone());
            let start = std::time::Instant::now();
            let found = explicit(
                &compiled,
                &Budget { deadline: Some(start + std::time::Duration::from_secs(30)), ..Budget::default() },
                &mut |_| {},
            );
            println!(
                "{n} {buggy} {} {:?} {} {} {:?}",
                found.verdict.word(),
                fails(&module, &found, &text),
                found.states,
                found.transitions,
                start.elapsed()
            );
        }
    }
}
