//! Walks over possible states: small steps can play every one, and nothing that they can play next is missing.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::random::Random;
use agon_core::term::Judgement;
use agon_games::arena::Arena;
use agon_games::machine::{Strands, compile_any};
use agon_games::moves::ThreadMove;
use agon_games::possible::PossibleStates;
use agon_ia::read::read;
use agon_ia::sample;
use agon_witness::threads::can_play;

fn judge(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

fn small_steps_can_play_every_walk_and_nothing_else_among(count: u64) {
    let (mut walked, mut complete, mut refused) = (0, 0, 0);
    for seed in 0..count {
        let text = sample::concurrent(seed, 3 + (seed % 14) as usize);
        let judgement = judge(&text);
        let arena = Arc::new(Arena::new(&judgement));
        let Ok(code) = compile_any(&judgement, &arena) else { continue };
        let mut strands = Strands::new(Arc::new(code), arena.clone(), true);
        let mut random = Random::new(seed);
        let budget = Budget { memory: Some(8 << 20), ..Budget::default() };
        let mut here = PossibleStates::start(&mut strands, &budget).expect("nothing has happened yet");
        let mut moves: Vec<ThreadMove> = Vec::new();
        // What could be played a move ago; most of it cannot be now.
        let mut before: Vec<ThreadMove> = Vec::new();
        while moves.len() < 12 && !here.moves.is_empty() {
            for m in before.drain(..).filter(|m| !here.moves.contains_key(m)) {
                let wrong: Vec<_> = moves.iter().cloned().chain([m]).collect();
                if let Ok(can) = can_play(&judgement, &arena, &wrong, &Budget::default()) {
                    let shown: Vec<_> = wrong.iter().map(|m| arena.show_threaded(m)).collect();
                    assert!(!can, "seed {seed}: {} is missing\n{text}", shown.join(" · "));
                    refused += 1;
                }
            }
            before.extend(here.moves.keys().cloned());
            let n = random.below(here.moves.len());
            let (m, successor) = here.moves.iter().nth(n).expect("there are more than n");
            moves.push(m.clone());
            if successor.is_complete() {
                complete += 1;
                break;
            }
            match PossibleStates::after(&successor.clone(), &mut strands, &budget) {
                Ok(next) => here = next,
                Err(Stop::Memory) => break,
                Err(why) => panic!("seed {seed}: {why:?}\n{text}"),
            }
        }
        if let Ok(can) = can_play(&judgement, &arena, &moves, &Budget::default()) {
            let shown: Vec<_> = moves.iter().map(|m| arena.show_threaded(m)).collect();
            assert!(can, "seed {seed}: {} cannot be played\n{text}", shown.join(" · "));
            walked += 1;
        }
    }
    assert!(walked > count as usize / 2, "{walked} walks");
    assert!(
        complete > count as usize / 10 && refused > count as usize,
        "{complete} complete, {refused} refused"
    );
}

#[test]
fn small_steps_can_play_every_walk_and_nothing_else() {
    small_steps_can_play_every_walk_and_nothing_else_among(400);
}

#[test]
#[ignore = "a long run"]
fn small_steps_can_play_every_walk_and_nothing_else_at_length() {
    small_steps_can_play_every_walk_and_nothing_else_among(4_000);
}
