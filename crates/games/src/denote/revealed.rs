//! Revealed plays: nothing is hidden, and every move says where in the syntax tree it is made [GC, §2 and App. B.1].
//!
//! Of an argument of a call in a concurrent program there may be several copies at once. The coordinates of what is in
//! one have the thread, `run⟨2,1@3⟩`; a place in the tree runs once at a time in each copy of what is around it, so
//! nothing else is needed to tell copies apart.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use agon_base::refused::Refused;
use agon_core::term::{Judgement, VarId};

use super::letters::{Letter, Own, Plays};
use super::{Building, Built, plays, visible};
use crate::arena::Arena;
use crate::moves::{Label, ThreadMove};

/// A step down the syntax tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Coordinate {
    /// Which part, from 1; that which a block starts with is 0.
    pub part: u32,
    /// The thread, in an argument of a concurrent program.
    pub thread: Option<u32>,
}

/// A place in the syntax tree of the normal form.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Coordinates(pub Vec<Coordinate>);

impl Coordinates {
    /// The place of a part.
    pub(super) fn part(&self, part: u32, thread: Option<u32>) -> Coordinates {
        Coordinates(self.0.iter().copied().chain([Coordinate { part, thread }]).collect())
    }

    /// Says of the part at a depth in which thread it is; nothing, if it is not so deep.
    pub(super) fn set_thread(&mut self, depth: usize, thread: u32) {
        if let Some(coordinate) = self.0.get_mut(depth) {
            coordinate.thread = Some(thread);
        }
    }

    fn without_threads(&self) -> Vec<u32> {
        self.0.iter().map(|coordinate| coordinate.part).collect()
    }
}

impl Display for Coordinates {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "⟨")?;
        for (n, Coordinate { part, thread }) in self.0.iter().enumerate() {
            write!(f, "{}{part}", if n == 0 { "" } else { "," })?;
            if let Some(thread) = thread {
                write!(f, "@{thread}")?;
            }
        }
        write!(f, "⟩")
    }
}

/// A move of a revealed play.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Revealed {
    /// One that everybody sees.
    Visible(ThreadMove),
    /// One between a construct and its part, at the coordinates of the part.
    Inner(Coordinates, String),
    /// One at a local variable or semaphore: its name, what is said, and in a concurrent program, where question and
    /// answer are one, by whom.
    Local(String, String, Option<Coordinates>),
}

/// A move at a local variable, or the whole access.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Local {
    pub var: VarId,
    /// The name that it was given.
    pub name: Arc<str>,
    /// Where the block is that declares it.
    pub block: Coordinates,
    pub own: Own,
    /// In a concurrent program: the answer, and who is given it.
    pub answer: Option<(Own, Coordinates)>,
}

/// The complete plays of a program with all moves between its parts. With those hidden again they are the plays of
/// `bottom_up_threads`.
pub fn revealed(
    judgement: &Judgement,
    arena: &Arena,
    building: Building<'_>,
) -> Result<Built<Revealed>, Refused> {
    let (plays, largest) = plays(judgement, building, true)?;
    let free = judgement.context.iter().map(|var| judgement.terms.variable(*var).name.clone());
    let cells = Cells::new(&plays, free.collect());
    let model = plays.relabel(|letter| match letter {
        Letter::Inner(place, own) => Revealed::Inner(place.clone(), said(own) + &element(own)),
        Letter::Local(local) => cells.show(local),
        letter => Revealed::Visible(visible(letter, arena).expect("all other letters are visible")),
    });
    Ok(Built { model, largest })
}

fn said(own: &Own) -> String {
    own.label.show(|n| n.to_string())
}

fn element(own: &Own) -> String {
    own.element.map_or(String::new(), |element| format!("[{element}]"))
}

/// How the local variables and semaphores of a program are called. A name that several have is followed by the
/// coordinates of the block, and so is one of which there are several copies. Blocks that follow one another directly
/// have the same coordinates; if the name is the same, too, the inner one has a prime more.
struct Cells {
    /// Names that do not say which is meant.
    shared: HashSet<Arc<str>>,
    primes: BTreeMap<VarId, usize>,
}

impl Cells {
    fn new(plays: &Plays, free: HashSet<Arc<str>>) -> Cells {
        let mut named: BTreeMap<&Arc<str>, BTreeSet<VarId>> = BTreeMap::new();
        let mut placed: BTreeMap<(&Arc<str>, Vec<u32>), BTreeSet<VarId>> = BTreeMap::new();
        for letter in &plays.letters {
            if let Letter::Local(local) = letter {
                named.entry(&local.name).or_default().insert(local.var);
                placed.entry((&local.name, local.block.without_threads())).or_default().insert(local.var);
            }
        }
        let several = named.into_iter().filter(|(_, vars)| vars.len() > 1).map(|(name, _)| name.clone());
        let shared = several.chain(free).collect();
        let primes = placed.into_values().flat_map(|vars| vars.into_iter().zip(0..)).collect();
        Cells { shared, primes }
    }

    fn show(&self, local: &Local) -> Revealed {
        let Local { var, name, block, own, answer } = local;
        let copied = block.0.iter().any(|coordinate| coordinate.thread.is_some());
        let place = if copied || self.shared.contains(name) { block.to_string() } else { String::new() };
        let cell = format!("{name}{}{place}{}", "'".repeat(self.primes[var]), element(own));
        match answer {
            None => Revealed::Local(cell, said(own), None),
            Some((answer, by)) => {
                let what = match (&own.label, &answer.label) {
                    (Label::Read, Label::Value(n)) => format!("read({n})"),
                    _ => said(own),
                };
                Revealed::Local(cell, what, Some(by.clone()))
            }
        }
    }
}
