//! Configurations: the tree of threads and the cells they share, numbered so that equal ones are the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use agon_base::int::Int;

use super::step::{Ask, Frame};
use super::{Place, Step};
use crate::failure::{Failure, Fault, Log};
use crate::held::Held;
use crate::term::{LabelId, TermId, VarId};

/// A configuration of a program. Scopes and cells are numbered in the order in which the threads come to them, and
/// those that no thread comes to are gone.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Run {
    pub(super) phase: Phase,
    pub(super) heap: Heap,
}

/// How far a play is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Phase {
    Unopened,
    Open(Box<Opened>),
    Answered,
    Aborted,
}

/// A question of the environment's, with the thread that is to answer it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Opened {
    pub what: What,
    pub element: Option<u64>,
    pub thread: Thread,
}

/// What is asked in the end, after all arguments and the index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum What {
    /// To be run or evaluated.
    Run,
    Read,
    Write(Int),
    Grab,
    Release,
}

/// A thread: what it does now, and what is to be done with the outcome, innermost last.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Thread {
    pub state: State,
    pub stack: Vec<Frame>,
    /// What it has read where it may abort; by the heights of the stack.
    pub log: Log,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum State {
    /// Something is asked of a term.
    Eval(Closure, Ask),
    /// A value, for the innermost frame.
    Return(Int),
    /// A loop begins a turn.
    Turn(Closure),
    /// Something is asked of cells, whose variable this is.
    Access(CellsId, VarId, Ask),
    /// Something is asked of the environment, one step from this place, under this name if it has one.
    Question(Place, Step, Ask, Option<VarId>),
    /// The program aborts: this term fails, and has begun to note what it read at this height of the stack.
    Abort(TermId, Fault, usize),
    /// Nothing, for ever.
    Diverge,
    /// Nothing is known of what it does.
    Exhausted,
    /// Both of these are to end.
    Both(Box<Thread>, Box<Thread>),
    /// The environment is to answer.
    Waiting(Box<Waiting>),
}

/// A question of the program's that is open.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Waiting {
    pub place: Place,
    /// What it is called in the program, if it has a name.
    pub name: Option<VarId>,
    pub element: Option<u64>,
    pub what: What,
    /// What the environment was given.
    pub arguments: Vec<Bound>,
    /// What the environment asks of it, by the argument and the number of the thread.
    pub open: BTreeMap<(usize, u32), Opened>,
}

/// A term with the scope of its free names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Closure {
    pub term: TermId,
    pub scope: ScopeId,
}

/// The name of a variable or of a label.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Name {
    Variable(VarId),
    Jump(LabelId),
}

/// What a name stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bound {
    Thunk(Closure),
    /// An argument, counted from 0, that the environment gave with its question at this place.
    Opponent(Place, usize),
    /// A cell, an array or a semaphore.
    Cells(CellsId),
    /// A label, by the place of its frame in the stack of its thread.
    Frame(usize),
}

agon_base::id! {
    /// A [`Scope`] of a [`Heap`].
    pub(super) ScopeId;
    /// The [`Cells`] of a variable in a [`Heap`].
    pub(super) CellsId;
}

/// The names that are free in a term, sorted.
pub(super) type Scope = Vec<(Name, Bound)>;

/// What is shared.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct Heap {
    pub scopes: Vec<Scope>,
    pub cells: Vec<Cells>,
}

/// A cell, an array, or a semaphore with the number of places taken: those elements that are not as at the start.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cells {
    initial: Int,
    changed: BTreeMap<u64, Int>,
}

impl Cells {
    pub fn new(initial: Int) -> Cells {
        Cells { initial, changed: BTreeMap::new() }
    }

    pub fn get(&self, element: u64) -> &Int {
        self.changed.get(&element).unwrap_or(&self.initial)
    }

    pub fn with(&self, element: u64, n: Int) -> Cells {
        let mut cells = self.clone();
        if n == cells.initial {
            cells.changed.remove(&element);
        } else {
            cells.changed.insert(element, n);
        }
        cells
    }
}

impl Heap {
    pub fn scope(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId::new(self.scopes.len());
        self.scopes.push(scope);
        id
    }

    pub fn cells(&mut self, cells: Cells) -> CellsId {
        let id = CellsId::new(self.cells.len());
        self.cells.push(cells);
        id
    }
}

impl Thread {
    pub fn new(state: State) -> Thread {
        Thread { state, stack: vec![], log: Log::default() }
    }

    /// Whether it has a value and nothing more to do with it.
    pub fn is_finished(&self) -> bool {
        matches!(self.state, State::Return(_)) && self.stack.is_empty()
    }

    fn nodes<'a>(&'a self, way: &mut Vec<Way>, nodes: &mut Vec<(Vec<Way>, &'a Thread)>) {
        nodes.push((way.clone(), self));
        let mut below = |step: Way, thread: &'a Thread| {
            way.push(step);
            thread.nodes(way, nodes);
            way.pop();
        };
        match &self.state {
            State::Both(left, right) => {
                below(Way::Left, left);
                below(Way::Right, right);
            }
            State::Waiting(waiting) => {
                for ((argument, number), opened) in &waiting.open {
                    below(Way::Argument(*argument, *number), &opened.thread);
                }
            }
            _ => {}
        }
    }
}

/// One step down the tree of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Left,
    Right,
    Argument(usize, u32),
}

impl Run {
    pub(super) fn new() -> Run {
        Run::ended(Phase::Unopened)
    }

    /// A run without threads.
    pub(super) fn ended(phase: Phase) -> Run {
        Run { phase, heap: Heap::default() }
    }

    /// All threads, each before those below it, with the way to it.
    pub(super) fn nodes(&self) -> Vec<(Vec<Way>, &Thread)> {
        let mut nodes = Vec::new();
        if let Phase::Open(opened) = &self.phase {
            opened.thread.nodes(&mut Vec::new(), &mut nodes);
        }
        nodes
    }

    /// The open questions of the program.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.nodes().into_iter().filter_map(|(_, thread)| match &thread.state {
            State::Waiting(waiting) => Some(&**waiting),
            _ => None,
        })
    }

    /// What the program's cells hold, as far as any thread can still come to them.
    pub fn held(&self) -> Vec<Held> {
        let named = self.heap.scopes.iter().flatten().filter_map(|(name, bound)| match (name, bound) {
            (Name::Variable(variable), Bound::Cells(address)) => Some((*variable, *address)),
            _ => None,
        });
        let touched = self.nodes().into_iter().filter_map(|(_, thread)| match &thread.state {
            State::Access(address, variable, _) => Some((*variable, *address)),
            _ => None,
        });
        let cells: BTreeSet<(VarId, CellsId)> = named.chain(touched).collect();
        let held = |(variable, address): (VarId, CellsId)| {
            let Cells { initial, changed } = self.heap.cells[address.index()].clone();
            Held { variable, rest: initial, others: changed }
        };
        cells.into_iter().map(held).collect()
    }

    /// Why the program can abort right now, if it can: in the first thread that does.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.nodes().into_iter().find_map(|(_, thread)| match &thread.state {
            State::Abort(term, fault, height) => {
                Some(Failure::new(*term, fault.clone(), thread.log.since(*height)))
            }
            _ => None,
        })
    }

    /// The thread at the end of a way.
    pub(super) fn at(&mut self, way: &[Way]) -> &mut Thread {
        let Phase::Open(opened) = &mut self.phase else { unreachable!("a run that is open has threads") };
        let mut thread = &mut opened.thread;
        for step in way {
            thread = match (step, &mut thread.state) {
                (Way::Left, State::Both(left, _)) => left,
                (Way::Right, State::Both(_, right)) => right,
                (Way::Argument(argument, number), State::Waiting(waiting)) => {
                    &mut waiting
                        .open
                        .get_mut(&(*argument, *number))
                        .expect("the way leads to a thread")
                        .thread
                }
                _ => unreachable!("the way leads to a thread"),
            };
        }
        thread
    }

    /// The same run, with scopes and cells numbered in the order in which the threads come to them.
    pub(super) fn canonical(mut self) -> Run {
        let old = std::mem::take(&mut self.heap);
        let mut numbering = Numbering {
            old,
            new: Heap::default(),
            scopes: HashMap::new(),
            known: HashMap::new(),
            cells: HashMap::new(),
        };
        if let Phase::Open(opened) = &mut self.phase {
            numbering.thread(&mut opened.thread);
        }
        self.heap = numbering.new;
        self
    }
}

struct Numbering {
    old: Heap,
    new: Heap,
    /// The new numbers of old scopes and cells.
    scopes: HashMap<ScopeId, ScopeId>,
    cells: HashMap<CellsId, CellsId>,
    /// The numbers of new scopes.
    known: HashMap<Scope, ScopeId>,
}

impl Numbering {
    fn thread(&mut self, thread: &mut Thread) {
        for frame in &mut thread.stack {
            frame.each(&mut |closure| self.closure(closure));
            if let Some(ask) = frame.ask() {
                self.ask(ask);
            }
        }
        match &mut thread.state {
            State::Eval(closure, ask) => {
                self.closure(closure);
                self.ask(ask);
            }
            State::Turn(closure) => self.closure(closure),
            State::Access(cells, _, ask) => {
                self.cells(cells);
                self.ask(ask);
            }
            State::Question(_, _, ask, _) => self.ask(ask),
            State::Both(left, right) => {
                self.thread(left);
                self.thread(right);
            }
            State::Waiting(waiting) => {
                waiting.arguments.iter_mut().for_each(|bound| self.bound(bound));
                waiting.open.values_mut().for_each(|opened| self.thread(&mut opened.thread));
            }
            State::Return(_) | State::Abort(..) | State::Diverge | State::Exhausted => {}
        }
    }

    fn ask(&mut self, ask: &mut Ask) {
        ask.arguments.iter_mut().for_each(|bound| self.bound(bound));
    }

    fn closure(&mut self, closure: &mut Closure) {
        let old = closure.scope;
        if let Some(new) = self.scopes.get(&old) {
            closure.scope = *new;
            return;
        }
        let mut scope = std::mem::take(&mut self.old.scopes[old.index()]);
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            scope.iter_mut().for_each(|(_, bound)| self.bound(bound));
        });
        let new = match self.known.get(&scope) {
            Some(new) => *new,
            None => {
                let new = self.new.scope(scope.clone());
                self.known.insert(scope, new);
                new
            }
        };
        self.scopes.insert(old, new);
        closure.scope = new;
    }

    fn cells(&mut self, address: &mut CellsId) {
        let old = *address;
        *address = match self.cells.get(&old) {
            Some(new) => *new,
            None => {
                let new = self.new.cells(self.old.cells[old.index()].clone());
                self.cells.insert(old, new);
                new
            }
        };
    }

    fn bound(&mut self, bound: &mut Bound) {
        match bound {
            Bound::Thunk(closure) => self.closure(closure),
            Bound::Cells(address) => self.cells(address),
            Bound::Opponent(..) | Bound::Frame(_) => {}
        }
    }
}
