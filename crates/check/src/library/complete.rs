//! Differences between modules where only complete plays count.

use agon_base::budget::Budget;
use agon_core::eval::Patience;
use agon_core::module::Module;
use agon_core::module::eval::play_within;
use agon_witness::library::apart::{Complete, SILENT};

use crate::equiv::Side;
use crate::modules::pairs::Different;

/// A difference in which a module completes its play: the moves of the other one end where they part. Both modules have nothing
/// but numbers.
pub(super) fn parted(modules: [&Module; 2], found: Different, side: Side, budget: &Budget) -> Different {
    let with = side as usize;
    let patience = Patience { steps: SILENT, ..Patience::within(budget) };
    let [ours, theirs] = [with, 1 - with].map(|n| {
        let played = play_within(modules[n], found.moves[n].clone(), patience);
        let shown = played.play.show(modules[n]);
        shown.split(" · ").map(String::from).collect::<Vec<String>>()
    });
    // The first move that differs is one of the modules'.
    let at = ours.iter().zip(&theirs).take_while(|(one, other)| one == other).count();
    let parted = at.div_ceil(2);
    let mut moves = found.moves;
    moves[1 - with].truncate(parted);
    Different { moves, complete: Some(Complete { with, parted }), ..found }
}
