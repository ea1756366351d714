//! A module with the stack of all its activations: a strategy like that of a program.
//!
//! Where an activation waits, the environment may answer, or call again. Calls that are summarised are made here.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::source::Span;

use super::{Globals, Machine, Reaction, State, Waiting};
use crate::arena::{Arena, ComponentId, Role};
use crate::machine::offers::{Offer, OfferData};
use crate::moves::{Label, Move};
use crate::play::Play;
use crate::strategy::{Played, Recorded, Step, StepOf, Strategy, Thread, Turn};
use crate::values::{Domain, Exact};

/// A module that is called back, without a bound on the nesting. At every turn the environment is offered all that it knows,
/// whatever an import allows: who follows a play has seen to that.
pub struct Stacked<D: Domain>(pub Machine<D>);

/// A position of a module at which the environment is to move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Nested {
    /// The activations that wait below the innermost, outermost first.
    below: Vec<Waiting>,
    /// The innermost activation, at the cells of the module as they are now.
    inside: Option<State>,
    /// The same cells without an activation.
    outside: State,
}

impl Nested {
    /// A position that is cut at the activation: one that waits, or none, with the cells of the module as they are.
    pub fn cut(inside: Option<State>, outside: State) -> Nested {
        Nested { below: Vec::new(), inside, outside }
    }

    /// The activations that wait below the innermost, outermost first.
    pub fn below(&self) -> &[Waiting] {
        &self.below
    }

    /// The innermost activation at the cells of the module as they are now; without one, the cells alone.
    pub fn innermost(&self) -> State {
        self.inside.unwrap_or(self.outside)
    }

    /// How many activations wait.
    pub fn depth(&self) -> usize {
        self.below.len() + usize::from(self.inside.is_some())
    }
}

/// A run that begins without a move.
#[derive(Clone, Debug)]
pub enum SilentRun<V> {
    /// A procedure that is summarised begins, at a position without an activation.
    Begins(State, ComponentId, Box<[V]>),
    /// It has ended, and an activation goes on with what it returned.
    Ends(State, Offer<V>, OfferData<V>),
}

/// More silent calls and returns than this are not made for one move.
const MOST_CALLS: usize = 1 << 16;
/// More silent calls than this are not open at once: the module may call itself without end.
const MOST_OPEN: usize = 1 << 12;
/// More ways than this are not followed for one move.
const MOST_WAYS: usize = 1 << 10;

/// What a module does between two moves, as far as it was followed.
struct Unfinished<V> {
    /// The activations that wait, outermost first.
    below: Vec<Waiting>,
    silent: Silent<V>,
    /// What the last run has come to.
    run: Reaction<V>,
}

/// A call that nobody sees.
#[derive(Clone, PartialEq)]
struct Call<V> {
    at: State,
    globals: Globals,
    component: ComponentId,
    arguments: Box<[V]>,
}

/// The silent calls on a way: those that are open, and those that each of them, or what was there before, has made.
#[derive(Clone)]
struct Silent<V> {
    /// Each with how many operations had come out in one of several ways.
    open: Vec<(Call<V>, usize)>,
    made: Vec<Vec<(Call<V>, usize)>>,
}

impl<V> Default for Silent<V> {
    fn default() -> Silent<V> {
        Silent { open: Vec::new(), made: vec![Vec::new()] }
    }
}

impl<V: Clone + PartialEq> Silent<V> {
    /// A call begins, unless the module never moves again: the same procedure is open with the same arguments and cells, or the
    /// same activation has made the same call, and every operation since then could come out in one way only.
    fn call(&mut self, call: Call<V>, choices: usize) -> bool {
        let same = |(open, made): &(Call<V>, usize)| {
            *made == choices
                && (&open.globals, open.component, &open.arguments)
                    == (&call.globals, call.component, &call.arguments)
        };
        let again = self.made.last().is_some_and(|made| made.contains(&(call.clone(), choices)));
        if again || self.open.iter().any(same) {
            return false;
        }
        self.made.last_mut().into_iter().for_each(|made| made.push((call.clone(), choices)));
        self.open.push((call, choices));
        self.made.push(Vec::new());
        true
    }

    /// The innermost call is over.
    fn over(&mut self) {
        self.open.pop();
        self.made.pop();
        // A call that was open before the move has ended; what is below it has made no call yet.
        if self.made.is_empty() {
            self.made.push(Vec::new());
        }
    }
}

impl<D: Domain> Stacked<D> {
    /// Where a run begins with the n-th of the offers, the offer, and the activations that wait below the run.
    pub fn begin(&self, at: &Nested, n: usize) -> Option<(State, Offer<D::Value>, Vec<Waiting>)> {
        let calls = self.0.offers(at.outside);
        let mut below = at.below.clone();
        match calls.get(n) {
            Some(offer) => {
                below.extend(at.inside.and_then(|inside| self.0.split(inside).0));
                Some((at.outside, offer.clone(), below))
            }
            None => {
                let inside = at.inside?;
                Some((inside, self.0.offers(inside).get(n - calls.len())?.clone(), below))
            }
        }
    }

    /// The position after a run that ends with a move, above these activations; nothing if a procedure that is summarised is
    /// called or ends, which is no move.
    pub fn arrive(&mut self, mut below: Vec<Waiting>, run: &Reaction<D::Value>) -> Option<Nested> {
        if self.summarised(run).is_some() {
            return None;
        }
        let (activation, globals) = self.0.split(run.next?);
        let outside = self.0.join(None, globals);
        let inside = activation.or_else(|| below.pop());
        let inside = inside.map(|inside| self.0.join(Some(inside), globals));
        Some(Nested { below, inside, outside })
    }

    /// The run that follows if a run ends with the call or the end of a procedure that is summarised, above these activations;
    /// nothing, if it ends with a move.
    pub fn silent(
        &mut self,
        below: &mut Vec<Waiting>,
        run: &Reaction<D::Value>,
    ) -> Option<SilentRun<D::Value>> {
        let component = self.summarised(run)?;
        let (activation, globals) = self.0.split(run.next?);
        if let Label::Call(arguments) = &run.label.label {
            below.extend(activation);
            return Some(SilentRun::Begins(self.0.join(None, globals), component, arguments.clone()));
        }
        let at = self.0.join(Some(below.pop()?), globals);
        let offer = self.0.offers(at).first()?.clone();
        let value = match &run.label.label {
            Label::Value(value) => Some(value.clone()),
            _ => None,
        };
        Some(SilentRun::Ends(at, offer, OfferData { value, ..OfferData::default() }))
    }

    /// The procedure that is summarised, if a run ends with its call or its end.
    fn summarised(&self, run: &Reaction<D::Value>) -> Option<ComponentId> {
        let (_, roles) = self.0.module()?;
        matches!(roles.of(run.label.component), Role::Summarised(_)).then_some(run.label.component)
    }

    /// The steps that follow once a run of the module has come to something: the module moves, or calls and returns are made
    /// that nobody sees.
    fn follow(
        &mut self,
        below: Vec<Waiting>,
        runs: Vec<Reaction<D::Value>>,
        budget: &Budget,
    ) -> Result<Vec<StepOf<Self>>, Stop> {
        let mut found = Vec::new();
        let mut calls = 0;
        let way = |run| Unfinished { below: below.clone(), silent: Silent::default(), run };
        let waiting: Vec<_> = runs.into_iter().rev().map(way).collect();
        agon_base::explore::depth_first(waiting, |waiting, Unfinished { mut below, mut silent, run }| {
            let Some(next) = run.next else {
                found.push(Step { label: run.label, next: None, origin: run.origin, how: run.how });
                return Ok(());
            };
            let (activation, globals) = self.0.split(next);
            let outside = self.0.join(None, globals);
            let mut further = Vec::new();
            match (self.summarised(&run), &run.label.label) {
                (None, _) => {
                    let next = self.arrive(below, &run);
                    found.push(Step { label: run.label, next, origin: run.origin, how: run.how });
                    return Ok(());
                }
                (Some(component), Label::Call(arguments)) => {
                    let call = Call { at: next, globals, component, arguments: arguments.clone() };
                    if !silent.call(call, run.how.choices.len()) {
                        return Ok(());
                    }
                    below.extend(activation);
                    self.0.enter_summarised(outside, (component, arguments), None, &mut further, budget)?;
                }
                (Some(_), label) => {
                    let Some(caller) = below.pop() else {
                        // The stack was cut at this activation, so its end is what can be said.
                        let next = Some(Nested { below, inside: None, outside });
                        found.push(Step { label: run.label, next, origin: run.origin, how: run.how });
                        return Ok(());
                    };
                    silent.over();
                    let at = self.0.join(Some(caller), globals);
                    let value = match label {
                        Label::Value(value) => Some(value.clone()),
                        _ => None,
                    };
                    if let Some(offer) = self.0.offers(at).first() {
                        let data = OfferData { value, ..OfferData::default() };
                        self.0.play_with(at, offer, data, None, &mut further, budget)?;
                    }
                }
            }
            budget.check()?;
            calls += 1;
            let many = calls > MOST_CALLS || below.len() > MOST_OPEN;
            if many || waiting.len() + found.len() > MOST_WAYS {
                return Err(Stop::Transitions);
            }
            let ways = further.len();
            for (n, step) in further.into_iter().rev().enumerate() {
                let how = run.how.then(step.how);
                // With exact data there is one way, and nothing is copied.
                let (below, silent) = match n + 1 == ways {
                    true => (std::mem::take(&mut below), std::mem::take(&mut silent)),
                    false => (below.clone(), silent.clone()),
                };
                waiting.push(Unfinished { below, silent, run: Step { how, ..step } });
            }
            Ok(())
        })?;
        Ok(found)
    }
}

impl<D: Domain> Strategy for Stacked<D> {
    type Domain = D;
    type Position = Nested;
    type Label = Move<D::Value>;

    fn start(&self) -> Nested {
        Nested { below: Vec::new(), inside: None, outside: self.0.start() }
    }

    fn offers(&self, at: &Nested, _: &Thread) -> Option<Arc<[Offer<D::Value>]>> {
        let calls = self.0.offers(at.outside);
        Some(match at.inside {
            None => calls,
            Some(inside) => calls.iter().chain(self.0.offers(inside).iter()).cloned().collect(),
        })
    }

    fn steps_into(
        &mut self,
        at: &Nested,
        turn: Turn<'_, D::Value>,
        script: Option<&[u32]>,
        budget: &Budget,
        found: &mut Vec<StepOf<Self>>,
    ) -> Result<(), Stop> {
        let Some((n, data)) = turn.played else { return Ok(()) };
        let Some((state, offer, below)) = self.begin(at, n) else { return Ok(()) };
        let mut runs = Vec::new();
        self.0.play_with(state, &offer, data, None, &mut runs, budget)?;
        let steps = self.follow(below, runs, budget)?;
        let scripted = |step: &StepOf<Self>| script.is_none_or(|script| *step.how.choices == *script);
        found.extend(steps.into_iter().filter(scripted));
        Ok(())
    }
}

impl<D: Domain> Played for Stacked<D> {
    const ANSWERS: bool = true;

    fn seen(label: &Move<D::Value>) -> Option<&Move<D::Value>> {
        Some(label)
    }

    fn arena(&self) -> &Arena {
        self.0.arena()
    }
}

impl Recorded for Stacked<Exact> {
    fn record(
        &self,
        _: &Nested,
        played: Option<(usize, Move)>,
        step: Option<&StepOf<Self>>,
        play: &mut Play,
    ) {
        let span_of = |m: &Move<Int>| -> Option<Span> {
            let (module, roles) = self.0.module()?;
            match (roles.of(m.component), &m.label) {
                (Role::Procedure(id), Label::Call(_)) => Some(module.procedure(id).span),
                _ => None,
            }
        };
        if let Some((_, asked)) = played {
            let span = span_of(&asked);
            play.push(asked, span);
        }
        if let Some(step) = step {
            play.push(step.label.clone(), step.origin.span(self.0.code()));
        }
    }
}
