//! The weakest assumption with which the rest is safe [AG, §5.1: the weakest safe strategy].
//!
//! A play is in it unless the rest, with a part that plays this play, may come to the target. So where the rest may be
//! after a play says all, and sets of such positions are walked side by side with a guess.

use std::rc::Rc;

use agon_games::contract::Said;
use agon_games::machine::State;
use agon_learn::automaton::Automaton;
use rustc_hash::FxHashSet;

use super::Stop;
use super::ahead::{Ahead, Words, step};
use super::sides::{LetterId, Sides};

/// What is the same of two words after which the same may follow.
type Key = (Vec<(Said, Rc<[State]>)>, Option<Rc<[State]>>);

fn key(ahead: &Ahead) -> Key {
    (ahead.said.iter().map(|(said, states)| (said.clone(), states.clone())).collect(), ahead.waits.clone())
}

/// A play that is in the weakest assumption or in a guess, but not in both; none if they are the same.
pub(super) fn differs(
    sides: &mut Sides<'_>,
    words: &mut Words,
    guess: &Automaton<LetterId>,
) -> Result<Option<Vec<LetterId>>, Stop> {
    let start = words.start(sides)?;
    let Some(first) = guess.start() else { return Ok((!start.reaches).then(Vec::new)) };
    if start.reaches {
        return Ok(Some(Vec::new()));
    }
    let at = sides.start();
    let mut visited: FxHashSet<(Key, u32, u32)> = FxHashSet::default();
    visited.insert((key(&start), first, at));
    // Each with where it comes from.
    let mut all = vec![(start, first, at, 0usize, 0 as LetterId)];
    let mut n = 0;
    while n < all.len() {
        if let Some(limit) = sides.budget.exceeded(0) {
            return Err(limit.into());
        }
        let (ahead, q, at, ..) = all[n].clone();
        for letter in sides.following(at).letters.clone() {
            let after = step(sides, &ahead, letter)?;
            let to = guess.step(q, &letter);
            if to.is_some() == after.reaches {
                let mut word = vec![letter];
                let mut from = n;
                while from > 0 {
                    word.push(all[from].4);
                    from = all[from].3;
                }
                word.reverse();
                return Ok(Some(word));
            }
            let Some(to) = to else { continue };
            let position = sides.after(at, letter);
            if visited.insert((key(&after), to, position)) {
                all.push((Rc::new(after), to, position, n, letter));
            }
        }
        n += 1;
    }
    sides.explored(all.len());
    Ok(None)
}
