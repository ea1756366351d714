//! Jumps: what a label does with the plays that end in a jump to it [PRED, Fig. 3].

use agon_base::id::number;
use agon_core::term::LabelId;

use super::letters::{Letter, Own, Plays};
use crate::automaton::Builder;
use crate::moves::Label;

/// ⟦break l . M⟧: a play of M that ends in `go l` is done.
pub(super) fn ended(plays: &Plays, label: LabelId) -> Plays {
    relink(plays, |builder, from, letter, to, _| match letter {
        Letter::Go(to_label) if *to_label == label => {
            builder.edge(from, Some(Letter::Own(Own::plain(Label::Done))), to);
        }
        letter => builder.edge(from, Some(letter.clone()), to),
    })
}

/// ⟦cont l . M⟧: where a play of M ends in `go l`, another follows, without its opening question.
pub(super) fn restarted(plays: &Plays, label: LabelId) -> Plays {
    relink(plays, |builder, from, letter, to, opened| match letter {
        Letter::Go(to_label) if *to_label == label => {
            if let Some(opened) = opened {
                builder.edge(from, None, opened);
            }
        }
        letter => builder.edge(from, Some(letter.clone()), to),
    })
}

fn relink(plays: &Plays, edge: impl Fn(&mut Builder<Letter>, u32, &Letter, u32, Option<u32>)) -> Plays {
    let mut builder = Builder::like(plays);
    let opened = plays.after(plays.initial, &Letter::Own(Own::plain(Label::Run)));
    for from in 0..number(plays.states()) {
        for (letter, to) in plays.edges(from) {
            edge(&mut builder, from, &plays.letters[*letter as usize], *to, opened);
        }
    }
    builder.determinize(plays.initial).minimal()
}
