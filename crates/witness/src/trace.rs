//! The store trace of a play: what the program's own cells hold at each of its moves. No environment can see it.

use agon_base::budget::Stop;
use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_core::held::Held;
use agon_core::term::{Judgement, Mode};
use agon_games::arena::Arena;
use agon_games::play::Play;

use crate::replay::watched;
use crate::threads::traced;

/// No more values than this are remembered of one play: a large array at each of thousands of moves would fill the memory.
const MOST: usize = 1 << 18;

/// For each move, what the cells held when it was made. A concurrent program may come to the same play in several ways;
/// this is one of them. Where that is too much to remember, it is refused.
pub fn trace(
    judgement: &Judgement,
    arena: &Arena,
    play: &Play,
    patience: Patience<'_>,
) -> Result<Vec<Vec<Held>>, Refused> {
    if judgement.mode == Mode::Concurrent {
        let moves: Vec<_> = play.threaded().collect();
        let held = traced(judgement, arena, &moves, patience)?;
        let all: usize = held.iter().map(|held| size(held)).sum();
        return if all > MOST { Err(Stop::Table.into()) } else { Ok(held) };
    }
    let mut held: Vec<Option<Vec<Held>>> = vec![None; play.moves.len()];
    // O's moves change nothing, so each of P's counts twice.
    let mut all = 0;
    watched(judgement, arena, &play.moves, patience, &mut |n, cells| {
        if all > MOST {
            return;
        }
        let now = cells();
        all += 2 * size(&now);
        if let Some(held) = held.get_mut(n) {
            *held = Some(now);
        }
    })?;
    if all > MOST {
        return Err(Stop::Table.into());
    }
    // O's moves change nothing, and when the program is done its cells are gone.
    let mut before = Vec::new();
    let last = play.moves.len().saturating_sub(1);
    Ok(held
        .into_iter()
        .enumerate()
        .map(|(n, held)| {
            match held {
                Some(held) => before = held,
                None if n == last && n % 2 == 1 => before.clear(),
                None => {}
            }
            before.clone()
        })
        .collect())
}

/// How many values are remembered.
fn size(held: &[Held]) -> usize {
    held.iter().map(|held| held.others.len() + 1).sum()
}
