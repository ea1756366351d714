//! Environments: what plays O's part, as data. One is run with a program, and written in the program's language.

mod compose;

pub use compose::{Composed, compose};

use agon_base::int::Int;

use crate::term::{Name, Operator};
use crate::types::{Argument, Type};

/// An environment of a program: declarations around it, how it is opened, and what is done beside it and afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Environment {
    /// What it is for.
    pub purpose: Purpose,
    /// Whether it has threads.
    pub concurrent: bool,
    /// Semaphores of one place at which its threads wait for their turn; and whether that place is taken at the start.
    pub turns: Vec<(Name, bool)>,
    /// What it declares, in order. Every name is in scope of what comes behind it. No name is declared twice.
    pub declarations: Vec<Declaration>,
    /// What a thread does beside the program.
    pub beside: Option<Vec<Statement>>,
    /// The names that a program is given which is itself a procedure.
    pub arguments: Vec<Name>,
    /// How the program is opened.
    pub opening: Opening,
    /// What is done when it has ended.
    pub after: Vec<Statement>,
}

impl Environment {
    /// One without threads.
    pub fn sequential(
        purpose: Purpose,
        declarations: Vec<Declaration>,
        arguments: Vec<Name>,
        opening: Opening,
        after: Vec<Statement>,
    ) -> Environment {
        let (turns, beside) = (Vec::new(), None);
        Environment { purpose, concurrent: false, turns, declarations, beside, arguments, opening, after }
    }
}

/// What an environment is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To bring the last move of a play about. It aborts there, unless the program does, or ends.
    Lead,
    /// To end only if the program plays the play: wherever it is seen to do anything else, the environment diverges.
    Tell,
}

/// How a program is opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opening {
    /// It is run or evaluated, and its outcome is that of the whole.
    Plain,
    /// It is a variable that is read, and its value is that of the whole.
    Read,
    /// It is a variable that is written to.
    Write(Int),
    /// It is run as a command.
    Command,
    /// It is evaluated, and must give this value; some comparisons must hold then.
    Expect(Int, Vec<Comparison>),
    /// It is evaluated, and the value is of no interest.
    Ignore,
}

/// A name that an environment declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declaration {
    /// A new variable, array or semaphore, and what it holds at the start, 0 if nothing is said; of a semaphore, how many
    /// places are taken.
    Cell(Name, Type, Option<Int>),
    /// An element of an array that was declared before is written to.
    Element(Name, Int, Int),
    /// A definition.
    Definition(Name, Procedure),
}

/// Parameters and what is done with them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Procedure {
    /// The parameters.
    pub parameters: Vec<(Name, Argument)>,
    /// The base type of what it gives.
    pub base: Type,
    /// What it does.
    pub body: Body,
}

/// Statements, and what is given in the end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    /// What is done.
    pub steps: Vec<Statement>,
    /// What is given then.
    pub end: Answer,
}

/// What a body gives in the end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Answer {
    /// Nothing: it is a command, or never comes to its end.
    #[default]
    Nothing,
    /// A number.
    Number(Int),
    /// A variable, array or semaphore.
    Cell(Name),
    /// The value of the first body if a comparison holds, otherwise that of the second.
    Choice(Comparison, Box<Body>, Box<Body>),
}

/// One thing that an environment does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Ends everything, abnormally.
    Abort,
    /// Never ends.
    Diverge,
    /// Goes on if all of these hold; diverges otherwise.
    Expect(Vec<Comparison>),
    /// Uses something.
    Use(Place, Use),
    /// Does something this many times.
    Repeat(u64, Box<Statement>),
    /// Does these at once, each one after the other.
    Parallel(Vec<Vec<Statement>>),
}

/// How something is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    /// It is run as a command.
    Run,
    /// It is evaluated, and the value is of no interest.
    Ignore,
    /// A number is written to it.
    Write(Int),
    /// 1 is added to it.
    Count,
    /// A place of it is taken.
    Grab,
    /// A place of it is given back.
    Release,
}

/// A name, applied to arguments, at an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The name.
    pub name: Name,
    /// The arguments, if it is a procedure.
    pub given: Vec<Procedure>,
    /// The element, if it is an array.
    pub element: Option<Int>,
}

/// A number that a place holds, compared with another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// What is evaluated.
    pub place: Place,
    /// How it is compared.
    pub operator: Operator,
    /// With what.
    pub number: Int,
}

impl Body {
    /// A balanced choice between bodies, each of which is for the numbers from its own up to the next one's; `before` says
    /// how it is seen that a number is not reached.
    pub fn choice(bodies: &[(usize, Body)], before: &dyn Fn(u64) -> Comparison) -> Body {
        match bodies {
            [] => Body::default(),
            [(_, body)] => body.clone(),
            _ => {
                let (left, right) = bodies.split_at(bodies.len() / 2);
                let (yes, no) = (Body::choice(left, before), Body::choice(right, before));
                Answer::Choice(before(right[0].0 as u64), Box::new(yes), Box::new(no)).into()
            }
        }
    }
}

impl Place {
    /// A name by itself.
    pub fn named(name: &Name) -> Place {
        Place { name: name.clone(), given: Vec::new(), element: None }
    }

    /// It, or an element of it.
    pub fn at(self, element: Option<Int>) -> Place {
        Place { element, ..self }
    }

    /// That it holds this number.
    pub fn is(self, number: impl Into<Int>) -> Comparison {
        Comparison { place: self, operator: Operator::Equal, number: number.into() }
    }

    /// That it holds less than this number.
    pub fn is_below(self, number: impl Into<Int>) -> Comparison {
        Comparison { place: self, operator: Operator::Less, number: number.into() }
    }
}

impl From<Vec<Statement>> for Body {
    fn from(steps: Vec<Statement>) -> Body {
        Body { steps, end: Answer::Nothing }
    }
}

impl From<Answer> for Body {
    fn from(end: Answer) -> Body {
        Body { steps: Vec::new(), end }
    }
}
