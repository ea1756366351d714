//! The weakest assumption with which the rest is safe [AG, §5.1: the weakest safe strategy].
//!
//! A play is in it unless the rest, with a part that plays this play, may come to the target. So where the rest may be
//! after a play says all, and sets of such positions are walked side by side with a guess.

use agon_learn::automaton::Automaton;
use rustc_hash::FxHashSet;

use super::ahead::{AheadId, Words};
use super::sides::{LetterId, PositionId, Sides};
use super::teaching::Cut;

/// A play that is in the weakest assumption or in a guess, but not in both; none if they are the same.
pub(super) fn differs(
    sides: &mut Sides<'_>,
    words: &mut Words,
    guess: &Automaton<LetterId>,
) -> Result<Option<Vec<LetterId>>, Cut> {
    let (start, _) = words.start(sides)?;
    let Some(first) = guess.start() else { return Ok((!words.reaches(start)).then(Vec::new)) };
    if words.reaches(start) {
        return Ok(Some(Vec::new()));
    }
    let at = sides.start();
    let mut visited: FxHashSet<(AheadId, u32, PositionId)> = FxHashSet::default();
    visited.insert((start, first, at));
    // Each with where it comes from.
    let mut all = vec![(start, first, at, 0usize, 0 as LetterId)];
    let mut n = 0;
    while n < all.len() {
        if let Err(limit) = sides.budget.check() {
            return Err(limit.into());
        }
        let (ahead, q, at, ..) = all[n];
        for letter in sides.following(at).letters.clone() {
            let (after, _) = words.next(sides, ahead, letter)?;
            let to = guess.step(q, &letter);
            if to.is_some() == words.reaches(after) {
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
            if visited.insert((after, to, position)) {
                all.push((after, to, position, n, letter));
            }
        }
        n += 1;
    }
    sides.explored(all.len());
    Ok(None)
}
