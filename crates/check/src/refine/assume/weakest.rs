//! The weakest assumption with which the rest is safe [AG, §5.1: the weakest safe strategy].
//!
//! A play is in it unless the rest, with a part that plays this play, may come to the target. So where the rest may be
//! after a play says all, and sets of such positions are walked side by side with a guess.

use agon_base::explore::Exploration;
use agon_learn::automaton::Automaton;

use super::composition::{Composition, LetterId, PositionId};
use super::possible::{PossibleId, Words};
use crate::verdict::Reason;

/// A play that is in the weakest assumption or in a guess, but not in both; none if they are the same.
pub(super) fn differs(
    composition: &mut Composition<'_>,
    words: &mut Words,
    guess: &Automaton<LetterId>,
) -> Result<Option<Vec<LetterId>>, Reason> {
    let (start, _) = words.start(composition)?;
    let Some(first) = guess.start() else { return Ok((!words.reaches(start)).then(Vec::new)) };
    if words.reaches(start) {
        return Ok(Some(Vec::new()));
    }
    let at = composition.start();
    let mut exploration: Exploration<(PossibleId, u32, PositionId), LetterId> =
        Exploration::breadth_first((start, first, at));
    let word = exploration.run(|exploration, (possible, q, at)| {
        composition.budget.check()?;
        for letter in composition.following(at).letters.clone() {
            let (after, _) = words.next(composition, possible, letter)?;
            let to = guess.step(q, &letter);
            if to.is_some() == words.reaches(after) {
                exploration.reach(letter);
                return Ok(());
            }
            if let Some(to) = to {
                let position = composition.after(at, letter);
                exploration.add(exploration.node(), 0, letter, Some((after, to, position)));
            }
        }
        Ok::<(), Reason>(())
    })?;
    if word.is_none() {
        composition.explored(exploration.visited());
    }
    Ok(word)
}
