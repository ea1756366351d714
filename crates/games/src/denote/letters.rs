//! The letters of a subterm's plays: moves of its own type, and moves at the variables that it mentions.

use std::collections::BTreeSet;

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::term::{LabelId, VarId};
use agon_core::types::{Data, Type};

use super::revealed::{Coordinates, Local};
use crate::automaton::Automaton;
use crate::moves::Label;

/// A letter of a subterm's plays.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Letter {
    /// A move of the term's own type.
    Own(Own),
    /// A move at a variable, free or bound outside.
    At(Place, Own),
    /// An access to a local variable or semaphore of a concurrent program: nothing comes between question and answer.
    Cell(Access),
    Abort,
    Go(LabelId),
    /// A move between a construct and its part, where these are revealed.
    Inner(Coordinates, Own),
    /// One at a local variable or semaphore, outside of its block, where these are revealed.
    Local(Local),
}

impl Letter {
    /// Whether the play ends with it.
    pub(super) fn is_last(&self) -> bool {
        match self {
            Letter::Own(own) => !own.is_question(),
            Letter::Abort | Letter::Go(_) => true,
            Letter::At(..) | Letter::Cell(_) | Letter::Inner(..) | Letter::Local(_) => false,
        }
    }
}

/// Question and answer at a local variable or semaphore.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Access {
    pub var: VarId,
    pub question: Own,
    pub answer: Own,
    /// The coordinates of what asks, where they are revealed.
    pub by: Coordinates,
}

/// Where a move at a variable is made: at the variable itself, or at an argument of it, of that argument, and so on.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub var: VarId,
    /// The arguments, counted from 0.
    pub path: Vec<usize>,
    /// The threads, of the variable and of each argument on the path. None in a sequential program.
    pub threads: Vec<u32>,
}

/// A move of a base type: at an element, if the type is an array's.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Own {
    pub element: Option<u64>,
    pub label: Label,
}

impl Own {
    pub(super) fn plain(label: Label) -> Own {
        Own { element: None, label }
    }

    pub(super) fn is_question(&self) -> bool {
        self.label.is_question()
    }
}

/// The plays of a term: the complete ones of a sequential term, all of a concurrent one, since a thread that goes on for
/// ever does not keep others from ending everything by an abort.
pub(super) type Plays = Automaton<Letter>;

/// The questions that may be asked of a base type.
pub(super) fn questions(ty: &Type) -> Result<Vec<Own>, Refused> {
    let writes = |data: &Data, element: Option<u64>| -> Result<Vec<Own>, Refused> {
        let mut all = vec![Own { element, label: Label::Read }];
        all.extend(all_values(data)?.into_iter().map(|n| Own { element, label: Label::Write(n) }));
        Ok(all)
    };
    match ty {
        Type::Com => Ok(vec![Own::plain(Label::Run)]),
        Type::Exp(_) => Ok(vec![Own::plain(Label::Ask)]),
        Type::Var(data) => writes(data, None),
        Type::Array(data, length) => {
            let mut all = Vec::new();
            for element in 0..*length {
                all.extend(writes(data, Some(element))?);
            }
            Ok(all)
        }
        // A program that never answers is a command.
        Type::Never => Ok(vec![Own::plain(Label::Run)]),
        Type::Sem(_) => Ok(vec![Own::plain(Label::Grab), Own::plain(Label::Release)]),
        Type::Fun(..) => unreachable!("normal forms have base types"),
    }
}

/// The answers that O may give to a question at a free identifier.
pub(super) fn answers(ty: &Type, question: &Own) -> Result<Vec<Own>, Refused> {
    let element = question.element;
    match &question.label {
        Label::Run => Ok(vec![Own { element, label: Label::Done }]),
        Label::Write(_) | Label::Grab | Label::Release => Ok(vec![Own { element, label: Label::Ok }]),
        _ => {
            let data = ty.data().expect("what is asked for a value has data");
            Ok(all_values(data)?.into_iter().map(|n| Own { element, label: Label::Value(n) }).collect())
        }
    }
}

/// More values than this are as good as infinitely many for explicit automata.
const MOST_VALUES: u64 = 1 << 6;

fn all_values(data: &Data) -> Result<Vec<Int>, Refused> {
    match data.size().and_then(|size| size.to_u64()) {
        Some(size) if size <= MOST_VALUES => Ok((0..size).map(|code| data.value(code)).collect()),
        _ => Err(format!("building from parts needs data of at most {MOST_VALUES} values").into()),
    }
}

/// The answers that a term may give.
pub(super) fn own_answers(plays: &Plays) -> BTreeSet<Own> {
    plays
        .letters
        .iter()
        .filter_map(|letter| match letter {
            Letter::Own(own) if !own.is_question() => Some(own.clone()),
            _ => None,
        })
        .collect()
}

/// The values that a term may give.
pub(super) fn values(plays: &Plays) -> Vec<Int> {
    let values: BTreeSet<Int> = own_answers(plays)
        .into_iter()
        .filter_map(|own| match own.label {
            Label::Value(n) => Some(n),
            _ => None,
        })
        .collect();
    values.into_iter().collect()
}
