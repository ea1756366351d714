//! Moves and who makes them.

use agon_base::int::Int;

use crate::arena::ComponentId;

/// The two sides of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Player {
    /// Opponent, the environment.
    O,
    /// Proponent, the program.
    P,
}

impl Player {
    /// The other side.
    pub fn other(self) -> Player {
        match self {
            Player::O => Player::P,
            Player::P => Player::O,
        }
    }
}

/// A move, over values of type `V`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Move<V = Int> {
    /// Where it is made.
    pub component: ComponentId,
    /// At which element, where the component is an array.
    pub element: Option<V>,
    /// What it says.
    pub label: Label<V>,
}

impl<V> Move<V> {
    /// The same move with other values.
    pub fn map<W>(&self, f: impl Fn(&V) -> W) -> Move<W> {
        Move { component: self.component, element: self.element.as_ref().map(&f), label: self.label.map(f) }
    }
}

/// A move, with the threads that it is made in.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ThreadMove<V = Int> {
    /// The move.
    pub m: Move<V>,
    /// The threads, outermost first: of the identifier, of its argument, and so on. None in a sequential program.
    pub threads: Box<[u32]>,
}

/// What a move says.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Label<V = Int> {
    /// Runs a command.
    Run,
    /// The command is done.
    Done,
    /// Asks for an expression's value.
    Ask,
    /// The value of an expression, or the one read from a variable.
    Value(V),
    /// Reads a variable.
    Read,
    /// Writes a variable.
    Write(V),
    /// Takes a place of a semaphore.
    Grab,
    /// Gives one back.
    Release,
    /// What was to be done to a variable or semaphore is done.
    Ok,
    /// The program aborts: nothing follows.
    Abort,
    /// Calls a function by value, with these arguments: modules.
    Call(Box<[V]>),
    /// The program ends the process, with a status: nothing follows. This is no failure.
    Exit(V),
}

impl<V> Label<V> {
    /// Whether two labels say the same, but for the value.
    pub fn says_what<W>(&self, other: &Label<W>) -> bool {
        self.map(|_| ()) == other.map(|_| ())
    }

    /// The value in it, if there is one.
    pub fn value(&self) -> Option<&V> {
        match self {
            Label::Value(value) | Label::Write(value) => Some(value),
            _ => None,
        }
    }

    /// The same label with other values.
    pub fn map<W>(&self, mut f: impl FnMut(&V) -> W) -> Label<W> {
        match self {
            Label::Run => Label::Run,
            Label::Done => Label::Done,
            Label::Ask => Label::Ask,
            Label::Value(value) => Label::Value(f(value)),
            Label::Read => Label::Read,
            Label::Write(value) => Label::Write(f(value)),
            Label::Grab => Label::Grab,
            Label::Release => Label::Release,
            Label::Ok => Label::Ok,
            Label::Abort => Label::Abort,
            Label::Call(arguments) => Label::Call(arguments.iter().map(f).collect()),
            Label::Exit(value) => Label::Exit(f(value)),
        }
    }

    /// The label as the language reference writes it, its value written by `value`.
    pub fn show(&self, mut value: impl FnMut(&V) -> String) -> String {
        match self {
            Label::Run => "run".into(),
            Label::Done => "done".into(),
            Label::Ask => "q".into(),
            Label::Value(v) => value(v),
            Label::Read => "read".into(),
            Label::Write(v) => format!("write({})", value(v)),
            Label::Grab => "grab".into(),
            Label::Release => "release".into(),
            Label::Ok => "ok".into(),
            Label::Abort => "abort".into(),
            Label::Call(arguments) => {
                format!("({})", arguments.iter().map(value).collect::<Vec<_>>().join(", "))
            }
            Label::Exit(v) => format!("exit {}", value(v)),
        }
    }

    /// Whether the move asks for an answer.
    pub fn is_question(&self) -> bool {
        use Label::{Ask, Call, Grab, Read, Release, Run, Write};
        matches!(self, Run | Ask | Read | Write(_) | Grab | Release | Call(_))
    }
}
