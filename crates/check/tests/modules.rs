//! Modules: the engines agree with the references, and every failure is replayed.

use agon_base::budget::Budget;
use agon_check::modules::{Answer, Compiled, explicit};
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
fn fails(module: &Module, answer: &Answer, text: &str) -> Option<usize> {
    match answer {
        Answer::Fails(moves) => {
            let played = play(module, moves.iter().cloned(), 100_000);
            let failed = matches!(played.outcome, Outcome::Ended(Exit::Fails(_)));
            assert!(failed, "{} does not fail: {:?}\n{text}", played.play.show(module), played.outcome);
            Some(played.play.0.len())
        }
        Answer::Safe | Answer::Unknown(_) => None,
    }
}

fn agree_among(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        println!("{seed}\n{text}");
        let module = read(&text);
        let budget = Budget { transitions: Some(200_000), ..Budget::default() };
        let decision = explicit(&Compiled::new(module.clone()), &budget, &mut |_| {});
        let length = fails(&module, &decision.answer, &text);
        // The environment of the reference has one function of each type. It may need more to make the module fail.
        let reference = tables::tabulate(&module, &Inputs::range(0, 2, 1), 250, STEPS);
        let functions = text.contains("fn(");
        match (&decision.answer, reference) {
            (Answer::Unknown(_), _) | (_, tables::Answer::Unknown) => counts[2] += 1,
            (Answer::Safe, tables::Answer::Safe) => counts[0] += 1,
            (Answer::Fails(_), tables::Answer::Fails(expected)) => {
                counts[1] += 1;
                let length = length.expect("it fails");
                assert!(
                    length == expected || (functions && length < expected),
                    "{length} moves, not {expected}\n{text}"
                );
            }
            (Answer::Fails(_), tables::Answer::Safe) if functions => counts[1] += 1,
            (said, reference) => panic!("{said:?}, but the tables say {reference:?}\n{text}"),
        }
    }
    counts
}

#[test]
fn the_explicit_engine_agrees_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 20 && fail > 80);
}
