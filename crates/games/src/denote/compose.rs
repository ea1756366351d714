//! Composition: a construct's strategy against the strategies of its parts, and hiding [OTF, Def. 1–2].

use std::hash::Hash;

use agon_base::id::number;
use agon_base::intern::Interner;
use agon_base::refused::Refused;
use agon_core::term::{LabelId, VarId};

use super::letters::{Access, Letter, Own, Place as At, Plays};
use super::revealed::Coordinates;
use crate::automaton::Builder;

/// A letter of a construct's own strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Signal {
    /// A move of the whole term's type.
    Own(Own),
    /// A move at a part: a question to it, or its answer.
    Part(usize, Own),
    /// A move at a variable.
    At(VarId, Option<usize>, Own),
    /// An access to a local variable or semaphore, question and answer at once.
    Cell(VarId, Own, Own),
    Abort,
    Go(LabelId),
}

/// A construct's strategy: an automaton from state 0. Its last state is where the play is complete.
#[derive(Clone, Debug, Default)]
pub(super) struct Constant {
    pub edges: Vec<(u32, Signal, u32)>,
    pub states: u32,
}

impl Constant {
    pub(super) fn new() -> Constant {
        Constant { edges: Vec::new(), states: 2 }
    }

    pub(super) const START: u32 = 0;
    pub(super) const END: u32 = 1;

    pub(super) fn state(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    /// A path of signals through new states; gives the state it ends in.
    pub(super) fn path(&mut self, from: u32, signals: impl IntoIterator<Item = Signal>) -> u32 {
        let mut at = from;
        for signal in signals {
            let to = self.state();
            self.edges.push((at, signal, to));
            at = to;
        }
        at
    }

    pub(super) fn edge(&mut self, from: u32, signal: Signal, to: u32) {
        self.edges.push((from, signal, to));
    }
}

/// A product under construction: states are made when they are first asked for, and visited once.
pub(super) struct Piece<S> {
    pub builder: Builder<Letter>,
    states: Interner<S>,
    visited: u32,
}

impl<S> Piece<S> {
    /// How many states it has.
    pub(super) fn len(&self) -> usize {
        self.visited as usize
    }
}

impl<S: Clone + Eq + Hash> Piece<S> {
    pub(super) fn new() -> Piece<S> {
        Piece { builder: Builder::new(), states: Interner::default(), visited: 0 }
    }

    pub(super) fn state(&mut self, state: S) -> u32 {
        let (id, new) = self.states.insert(state);
        if new {
            self.builder.state();
        }
        id
    }

    pub(super) fn next(&mut self) -> Option<(u32, S)> {
        let id = self.visited;
        ((id as usize) < self.states.len()).then(|| {
            self.visited += 1;
            (id, self.states.get(id).clone())
        })
    }
}

/// Where a product of a construct with its parts is: the construct's state, and the active part with its own.
pub(super) type Place = (u32, Option<(usize, u32)>);

/// The composition, from its root. At any time at most one part is active; the others wait to be asked, from their
/// start. The moves between construct and part are hidden, unless they are revealed under the construct's coordinates.
pub(super) fn compose(
    constant: &Constant,
    parts: &[Plays],
    reveal: Option<&Coordinates>,
    go_on: &dyn Fn(u32) -> Result<(), Refused>,
) -> Result<(Piece<Place>, u32), Refused> {
    let inner = |part: usize, own: &Own| {
        reveal.map(|path| Letter::Inner(path.part(number(part) + 1, None), own.clone()))
    };
    let mut product: Piece<Place> = Piece::new();
    let root = product.state((Constant::START, None));
    let end = product.state((Constant::END, None));
    product.builder.accept(end);
    while let Some((from, (at, active))) = product.next() {
        go_on(from)?;
        let Some((part, state)) = active else {
            for (_, signal, to) in constant.edges.iter().filter(|(source, ..)| *source == at) {
                let letter = match signal {
                    Signal::Part(part, question) => {
                        let plays = &parts[*part];
                        if let Some(state) = plays.after(plays.initial, &Letter::Own(question.clone())) {
                            let to = product.state((*to, Some((*part, state))));
                            product.builder.edge(from, inner(*part, question), to);
                        }
                        continue;
                    }
                    Signal::Own(own) => Letter::Own(own.clone()),
                    Signal::At(var, argument, own) => {
                        let path = argument.iter().copied().collect();
                        Letter::At(At { var: *var, path, threads: vec![] }, own.clone())
                    }
                    Signal::Cell(var, question, answer) => {
                        let by = reveal.cloned().unwrap_or_default();
                        Letter::Cell(Access {
                            var: *var,
                            question: question.clone(),
                            answer: answer.clone(),
                            by,
                        })
                    }
                    Signal::Abort => Letter::Abort,
                    Signal::Go(label) => Letter::Go(*label),
                };
                let to = product.state((*to, None));
                product.builder.edge(from, Some(letter), to);
            }
            continue;
        };
        for (letter, next) in parts[part].edges(state) {
            match &parts[part].letters[*letter as usize] {
                // The part's answer is taken by the construct; the part is back at its start.
                Letter::Own(answer) => {
                    for (_, signal, to) in constant.edges.iter().filter(|(source, ..)| *source == at) {
                        if matches!(signal, Signal::Part(n, own) if *n == part && own == answer) {
                            let to = product.state((*to, None));
                            product.builder.edge(from, inner(part, answer), to);
                        }
                    }
                }
                letter if !letter.is_last() => {
                    let to = product.state((at, Some((part, *next))));
                    product.builder.edge(from, Some(letter.clone()), to);
                }
                // Aborts and jumps end the whole, whatever it was doing.
                letter => product.builder.edge(from, Some(letter.clone()), end),
            }
        }
    }
    Ok((product, root))
}
