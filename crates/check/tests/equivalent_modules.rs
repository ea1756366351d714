//! Equivalence of modules: pairs agree with comparing all short plays, and every difference is replayed.

use std::collections::BTreeSet;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::modules::Compiled;
use agon_check::modules::pairs::{Compared, comparable, compare};
use agon_core::module::eval::{Outcome, play};
use agon_core::module::inputs::Inputs;
use agon_core::module::sample::Variation;
use agon_core::module::stacks::{Bounds, plays};
use agon_core::module::{Calls, ImportId, Module};
use agon_ia::read::read_module;
use agon_ia::sample;

fn read(text: &str) -> Option<Module> {
    match read_module(text, &[]) {
        Some(Ok(reading)) => Some(reading.module),
        _ => None,
    }
}

fn compared(left: &Module, right: &Module) -> Compared {
    assert_eq!(comparable(left, right), Ok(()));
    let budget = Budget { transitions: Some(50_000), ..Budget::default() };
    compare(&Compiled::new(left.clone()), &Compiled::new(right.clone()), &budget, &mut |_| {}).0
}

fn all(module: &Module, length: usize) -> BTreeSet<String> {
    let inputs = Inputs::range(0, 2, 1);
    let bounds = Bounds { inputs, nesting: 9, activations: usize::MAX, steps: 400, forget_dead: false };
    plays(module, &bounds, length).iter().map(|play| play.show(module)).collect()
}

/// A module with a number changed somewhere.
fn mutant(text: &str, random: &mut Random) -> Option<String> {
    let (head, bodies) = text.split_once("let hidden")?;
    let places: Vec<usize> = bodies.match_indices(['0', '1', '2']).map(|(at, _)| at).collect();
    let place = *places.get(random.below(places.len().max(1)))?;
    let mut changed = bodies.to_string();
    let digit = ["0", "1", "2"][random.below(3)];
    changed.replace_range(place..=place, digit);
    Some(format!("{head}let hidden{changed}"))
}

/// The same module with operators on bits and imports that do less, the same for the same seed.
fn varied(module: &Module, seed: u64) -> Module {
    let mut module = module.clone();
    let mut variation = Variation::new(seed);
    variation.imports(&mut module);
    variation.operators(&mut module);
    module
}

/// How often two modules are found to be what.
#[derive(Default, Debug)]
struct Counts {
    same: usize,
    different: usize,
    /// Only in plays that are too long to be compared.
    long: usize,
    unknown: usize,
}

fn agrees(module: &Module, other: &Module, counts: &mut Counts) {
    let itself = compared(module, module);
    assert!(matches!(itself, Compared::Equivalent | Compared::Unknown(_)), "{module}");
    let shorts = all(module, 5) == all(other, 5);
    match compared(module, other) {
        Compared::Equivalent => {
            counts.same += 1;
            assert!(shorts, "{module}\n{other}");
        }
        Compared::Different(moves) => {
            counts.different += 1;
            let [ours, theirs] = [(module, &moves[0]), (other, &moves[1])].map(|(module, moves)| {
                let played = play(module, moves.iter().cloned(), 100_000);
                assert!(!matches!(played.outcome, Outcome::Illegal(_)), "{:?}\n{module}", played.outcome);
                (played.play.show(module), std::mem::discriminant(&played.outcome))
            });
            assert_ne!(ours, theirs, "{module}\n{other}");
            assert!(moves[0].len() > 2 || !shorts, "{moves:?}\n{module}\n{other}");
            counts.long += usize::from(shorts);
        }
        Compared::Unknown(_) => counts.unknown += 1,
    }
}

#[test]
fn pairs_agree_with_comparing_short_plays() {
    let (mut plain, mut restricted) = (Counts::default(), Counts::default());
    for seed in 0..300 {
        let text = sample::plain_module(seed, 3 + (seed % 9) as usize);
        let module = read(&text).unwrap_or_else(|| panic!("it is a module: {text}"));
        let mut random = Random::new(seed);
        let Some(other) = mutant(&text, &mut random).and_then(|text| read(&text)) else { continue };
        agrees(&module, &other, &mut plain);
        agrees(&varied(&module, seed), &varied(&other, seed), &mut restricted);
    }
    println!("{plain:?}\n{restricted:?}");
    assert!(plain.same > 100 && plain.different > 25 && plain.unknown < 30);
    assert!(restricted.same > 100 && restricted.different > 15 && restricted.unknown < 30);
}

/// Modules are compared only if their imports do the same, and if no order is left open.
#[test]
fn what_is_not_compared_is_said() {
    let text = "module import f() : i32; export g() = skip;";
    let (plain, mut leaf) = (read(text).expect("a module"), read(text).expect("a module"));
    leaf.restrict(ImportId(0), Some((Int::ZERO, Int::ONE)), Calls::Nothing, false);
    let why = comparable(&plain, &leaf).expect_err("their imports differ");
    assert!(why.contains("`() : i32, returns 0 to 1, calls nothing` in the second"), "{why}");
    assert_eq!(comparable(&leaf, &leaf), Ok(()));
    let mut open = plain.clone();
    open.choice("order", 2);
    assert!(comparable(&open, &open).is_err_and(|why| why.contains("order of evaluation")));
}
