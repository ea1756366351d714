//! Equivalence of modules: pairs agree with comparing all short plays, and every difference is replayed.

use std::collections::BTreeSet;

use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::modules::Compiled;
use agon_check::modules::pairs::{Compared, comparable, compare};
use agon_core::module::Module;
use agon_core::module::eval::play;
use agon_core::module::inputs::Inputs;
use agon_core::module::stacks::{Bounds, plays};
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

#[test]
fn pairs_agree_with_comparing_short_plays() {
    let (mut same, mut different, mut unknown, mut long) = (0, 0, 0, 0);
    for seed in 0..300 {
        let text = sample::plain_module(seed, 3 + (seed % 9) as usize);
        let module = read(&text).unwrap_or_else(|| panic!("it is a module: {text}"));
        assert!(matches!(compared(&module, &module), Compared::Equivalent | Compared::Unknown(_)), "{text}");
        let mut random = Random::new(seed);
        let Some(other) = mutant(&text, &mut random).and_then(|text| read(&text)) else { continue };
        let shorts = all(&module, 5) == all(&other, 5);
        match compared(&module, &other) {
            Compared::Equivalent => {
                same += 1;
                assert!(shorts, "{text}");
            }
            Compared::Different(moves) => {
                different += 1;
                let [ours, theirs] = [(&module, &moves[0]), (&other, &moves[1])].map(|(module, moves)| {
                    let played = play(module, moves.iter().cloned(), 100_000);
                    (played.play.show(module), std::mem::discriminant(&played.outcome))
                });
                assert_ne!(ours, theirs, "{text}");
                assert!(moves[0].len() > 2 || !shorts, "{moves:?}\n{text}");
                long += usize::from(shorts);
            }
            Compared::Unknown(_) => unknown += 1,
        }
    }
    println!(
        "{same} equivalent, {different} different, {long} of them only in longer plays, {unknown} unknown"
    );
    assert!(same > 100 && different > 25 && unknown < 30);
}
