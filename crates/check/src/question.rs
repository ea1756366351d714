//! Questions: what is asked about a program, and how the answer is to be looked for.

use agon_core::checks::{Check, Watch};
use agon_core::term::Judgement;
use agon_games::arena::OWN;
use agon_games::moves::{Label, Move};
pub use agon_games::strategy::Order;
use agon_witness::verify::Subject;

/// Whether any environment can bring a move about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The move.
    pub target: Move,
    /// Where the program is to abort, if that is the move; anywhere, if no check is given.
    pub check: Option<Check>,
    /// The threads that it is to be made in; any, if none are given.
    pub threads: Box<[u32]>,
    /// In which order to look.
    pub order: Order,
    /// Which part of the program is checked on its own, by an engine that checks it in two halves; the best that there
    /// is, if none is given.
    pub component: Option<String>,
    /// Whether a play that was found is made shorter, where that is possible with little effort.
    pub shorten: bool,
    /// Whether steps of concurrent programs that disturb nobody are done at once.
    pub reduce: bool,
}

impl Question {
    /// Whether a move can be brought about, in any thread, looked for in the fixed order.
    pub fn new(target: Move) -> Question {
        Question {
            target,
            check: None,
            threads: Box::default(),
            order: Order::Fixed,
            component: None,
            shorten: false,
            reduce: true,
        }
    }

    /// Whether the program can abort.
    pub fn aborts() -> Question {
        Question::new(Move { component: OWN, element: None, label: Label::Abort })
    }

    /// Whether the program can abort at a check.
    pub fn fails(check: Check) -> Question {
        Question { check: Some(check), ..Question::aborts() }
    }
}

/// The program as a question sees it: if it asks about one check, the others do not count.
pub(crate) fn watching(subject: Subject<'_>, question: &Question) -> Judgement {
    subject.judgement.watching(question.check.map_or(subject.judgement.watch, Watch::Only))
}

/// The program as several questions see it: with more than one, every check counts by itself.
pub(crate) fn watching_each(subject: Subject<'_>, questions: &[Question]) -> Judgement {
    match questions {
        [question] => watching(subject, question),
        _ => subject.judgement.watching(Watch::Each),
    }
}
