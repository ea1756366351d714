//! The runs of a module over predicates, and what is known of its cells at the environment's turns.

use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::explore::depth_first;
use agon_core::module::Allowed;
use agon_games::arena::ComponentId;
use agon_games::machine::Globals;
use agon_games::moves::Label;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Engine;
use crate::modules::tabulate::{Arrival, Figures, Made, Run, Runs};
use crate::predicate::space::{Next, Position, Psi};
use crate::search::{Observer, Progress};

/// A run of the module: the branches that were taken, and where from.
pub(super) type Link = Rc<[(Position, u32)]>;

/// The runs of an engine.
pub(super) struct PredicateRuns<'a, 'e, 'b> {
    engine: &'a mut Engine<'e>,
    observe: &'a mut Observer<'b>,
    progress: &'a mut Progress,
    known: FxHashMap<(Position, Option<Allowed>), Made<Self>>,
}

/// What is known of the cells of the module at a turn of the environment's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Known {
    pub(super) globals: Globals,
    /// What is true of the cells; after a call, also what relates them to those at the beginning of the turn. Where a procedure that
    /// is summarised begins or ends, also what is true of its arguments and of what it returns.
    pub(super) psi: Psi,
    /// Whether the environment has called nothing yet in its turn.
    pub(super) untouched: bool,
}

/// The budget is checked once in this many edges.
const PATIENCE: u64 = 1 << 6;

impl<'a, 'e, 'b> PredicateRuns<'a, 'e, 'b> {
    pub(super) fn new(
        engine: &'a mut Engine<'e>,
        progress: &'a mut Progress,
        observe: &'a mut Observer<'b>,
    ) -> PredicateRuns<'a, 'e, 'b> {
        PredicateRuns { engine, observe, progress, known: FxHashMap::default() }
    }

    /// The runs that begin with a move of the environment's: a call of what is allowed, or an answer.
    fn played(&mut self, at: Position, calls: Option<Allowed>) -> Result<Made<Self>, Stop> {
        if let Some(known) = self.known.get(&(at, calls)) {
            return Ok(known.clone());
        }
        let mut runs: Vec<Run<Known, Link, Position>> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut ends = FxHashSet::default();
        depth_first(vec![(at, Vec::new())], |waiting, (at, taken): (Position, Vec<(Position, u32)>)| {
            self.engine.budget.check()?;
            let branches = self.engine.branches(at)?;
            for (branch, n) in branches.iter().zip(0..) {
                // Only what begins the run is a move of the environment's.
                let asked = branch.1.how.asked.as_ref().map(|asked| asked.m.component);
                if let (Some(allowed), Some(component)) = (calls, asked)
                    && !self.engine.machine().allows(allowed, component)
                {
                    continue;
                }
                let link = || -> Vec<(Position, u32)> { [&taken[..], &[(at, n)]].concat() };
                if branch.1.is_complete() {
                    if ends.insert(Arrival::Fails) {
                        runs.push(Run { end: Arrival::Fails, extra: 0, link: link().into() });
                    }
                    continue;
                }
                let calls = branch.1.label.as_ref().map(|m| (matches!(m.label, Label::Call(_)), m.component));
                let after = self.engine.space.after(at.psi, branch, &self.engine.precision);
                for next in after.0.iter().copied() {
                    let end = match calls {
                        None => {
                            if seen.insert(next) {
                                waiting.push((next, link()));
                            }
                            continue;
                        }
                        Some((true, component)) if self.engine.compiled.is_silent(component) => {
                            let begins = self.engine.passed_on(next, component);
                            Arrival::Calls(next, component, Box::new([begins]))
                        }
                        Some((false, component)) if self.engine.compiled.is_silent(component) => {
                            Arrival::Returns(next, Some(self.engine.returned(next)))
                        }
                        Some((true, _)) => Arrival::Waits(next),
                        Some((false, _)) => Arrival::Returns(next, None),
                    };
                    if ends.insert(end.clone()) {
                        runs.push(Run { end, extra: 0, link: link().into() });
                    }
                }
            }
            Ok::<(), Stop>(())
        })?;
        let runs: Made<Self> = runs.into();
        self.known.insert((at, calls), runs.clone());
        Ok(runs)
    }
}

impl Runs for PredicateRuns<'_, '_, '_> {
    type Value = Known;
    type Link = Link;
    type State = Position;
    type Globals = Known;

    fn start(&mut self) -> Position {
        self.engine.space.start()
    }

    fn globals(&mut self, turn: Option<Known>, at: Position) -> Known {
        let (_, globals) = self.engine.machine().split(at.state);
        let psi = match turn {
            None => self.engine.of_module(at.psi),
            Some(Known { untouched: true, .. }) => self.engine.of_stretch(at.psi),
            Some(Known { psi, .. }) => {
                let call = self.engine.of_stretch(at.psi);
                self.engine.composed(psi, call, at.state)
            }
        };
        Known { globals, psi, untouched: turn.is_none() }
    }

    fn entry(&mut self, now: Known) -> Known {
        Known { psi: self.engine.of_module(now.psi), untouched: true, ..now }
    }

    fn with_globals(&mut self, at: Position, now: Known) -> Position {
        // A turn that is untouched has begun where this activation waits.
        if now.untouched {
            return at;
        }
        self.engine.resumed(at, (now.globals, now.psi))
    }

    fn allowed(&mut self, at: Position) -> Option<Allowed> {
        self.engine.machine().allowed(at.state)
    }

    fn called(&mut self, Known { globals, psi, .. }: Known, allowed: Allowed) -> Result<Made<Self>, Stop> {
        let state = self.engine.machine().join(None, globals);
        let begin = self.engine.entered(Position { state, psi, next: Next::Answer });
        self.played(begin, Some(allowed))
    }

    fn answered(&mut self, at: Position) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(
        &mut self,
        now: Known,
        component: ComponentId,
        arguments: &[Known],
    ) -> Result<Made<Self>, Stop> {
        let Known { globals, psi, .. } = arguments.first().copied().unwrap_or(now);
        let state = self.engine.machine().join(None, globals);
        let begin = self.engine.entered(Position { state, psi, next: Next::Begins(component) });
        self.played(begin, None)
    }

    fn resumed(&mut self, at: Position, ended: Option<&Known>) -> Result<Made<Self>, Stop> {
        let Some(ended) = ended else { return Ok(Rc::default()) };
        let begin = self.engine.gone_on(at, *ended);
        self.played(begin, None)
    }

    fn watch(&mut self, figures: Figures) -> Result<(), Stop> {
        self.progress.states = figures.members;
        self.progress.transitions = figures.edges;
        if figures.edges.is_multiple_of(PATIENCE) {
            self.progress.memory = figures.memory + self.engine.space.game.memory();
            self.engine.budget.check_with(self.progress.memory)?;
            if self.engine.budget.transitions.is_some_and(|most| figures.edges > most) {
                return Err(Stop::Transitions);
            }
            (self.observe)((*self.progress).into());
        }
        Ok(())
    }
}
