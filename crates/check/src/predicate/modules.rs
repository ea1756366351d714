//! Predicates for modules: of the cells only what predicates say is known, from one move of the environment's to the next.
//!
//! The tables are those of exact data. What is true at a position is split where the position is: literals over cells of the module
//! go with the environment's turn, those over cells of the activation wait for its end. Literals over both are forgotten once
//! the environment has called something in its turn, unless predicates relate the cells after that call to those before it.
//! A procedure that may call itself is summarised: by what is known at its end of what it was called with, what it returns, and
//! the cells of the module.

mod conditions;
mod relations;
mod runs;

use std::rc::Rc;

use agon_base::budget::{Budget, Stop};
use agon_base::intern::Interner;
use agon_core::module::play::Move as Played;
use agon_games::abstracted::{Abstracted, Keeping};
use agon_games::arena::ComponentId;
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Machine, Pausing, Stacked, State};
use agon_games::moves::{Label, Move, Player};
use agon_games::sites::Sites;
use agon_games::symbolic::Value;
use agon_games::values::Exact;
use agon_solve::Term;
use rustc_hash::FxHashMap;

use super::NAME;
use super::oracle::{Oracle, Symbolic};
use super::predicates::PredicateId;
use super::space::{Branch, Next, Position, Precision, Psi, Space};
use super::symbolic::{Runner, Sequential, SymbolicGame};
use crate::cegar::{self, Refinable};
use crate::concretise::{Concrete, Concretising, Given, MOST_PAIRS, Pair, Skeleton};
use crate::feasible::{Feasible, feasible_for_module};
use crate::modules::tabulate::tabulate;
use crate::modules::{Compiled, Found};
use crate::question::Question;
use crate::refine::RefinementOptions;
use crate::search::{Observer, Progress};
use crate::solvers::solving;
use crate::verdict::{Iteration, Reason, Verdict};
use conditions::conditions;
use relations::{About, OnTheirWay};
use runs::{Link, PredicateRuns};

/// Whether a module can fail, by predicate abstraction.
pub fn check(
    compiled: &Compiled,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let Compiled { code, arena, module, .. } = compiled;
    let oracle = Oracle::new(effort.solvers.solver(), solving(budget));
    let memo = CallMemo { remember_after: u64::MAX, forget: true };
    let game = |domain: Symbolic| -> Box<dyn SymbolicGame> {
        let machine = Machine::new(code.clone(), arena.clone(), domain);
        Box::new(Sequential(machine.with_call_memo(memo).with_pausing(Pausing::Loops)))
    };
    let mut space = Space::new((code.clone(), arena.clone()), oracle, budget, game);
    let terms = space.game.domain_mut().terms();
    let everywhere = conditions(compiled, terms, &mut space.predicates);
    let exact = module.unwritten().filter_map(|id| code.module_cell(id)).collect();
    let precision = Precision { everywhere, exact, ..Precision::default() };
    let mut engine = Engine {
        compiled,
        effort,
        budget,
        space,
        precision,
        about: FxHashMap::default(),
        ways: FxHashMap::default(),
        composed: FxHashMap::default(),
        branches: FxHashMap::default(),
        question: Question::aborts(),
        moves: Interner::default(),
    };
    cegar::refine(&mut engine, effort.iterations, observe)
}

struct Engine<'a> {
    compiled: &'a Compiled,
    effort: &'a RefinementOptions,
    budget: &'a Budget,
    space: Space<'a>,
    precision: Precision,
    /// What truths speak of.
    about: FxHashMap<Term, About>,
    /// Values on their way where activations wait, after cells of the module were written to.
    ways: FxHashMap<State, Rc<OnTheirWay>>,
    /// What is true after two stretches of a play, with what is known now.
    composed: FxHashMap<(Psi, Psi, State), Psi>,
    branches: FxHashMap<Position, Rc<[Branch]>>,
    question: Question,
    /// The moves of all counterexamples, as they are written.
    moves: Interner<(Player, String)>,
}

impl Engine<'_> {
    fn machine(&mut self) -> &mut Machine<Symbolic> {
        match self.space.game.runner() {
            Runner::Module(machine) => machine,
            Runner::Sequential | Runner::Strands(_) => unreachable!("a module runs"),
        }
    }

    fn branches(&mut self, position: Position) -> Result<Rc<[Branch]>, Stop> {
        if let Some(known) = self.branches.get(&position) {
            return Ok(known.clone());
        }
        let branches: Rc<[Branch]> = self.space.branches(position, &self.question)?.into();
        self.branches.insert(position, branches.clone());
        Ok(branches)
    }
}

impl Refinable for Engine<'_> {
    type Path = Vec<Link>;
    type Play = Vec<Played>;
    type Evidence = ();
    type Cause = ();

    fn name(&self) -> &'static str {
        NAME
    }

    fn known(&self) -> Vec<(String, String)> {
        let shown = |id: &PredicateId| self.space.predicates.get(*id).shown.clone();
        let terms = self.space.game.domain().known_terms();
        let all = self.precision.everywhere.iter();
        let told = all.filter(|id| !self.space.predicates.is_passed(terms, **id));
        told.map(|id| (shown(id), "everywhere".into())).collect()
    }

    fn played(&self) -> u64 {
        0
    }

    fn candidate(
        &mut self,
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Vec<Link>>, Reason> {
        self.composed.clear();
        let found = tabulate(&mut PredicateRuns::new(self, progress, observe))?;
        self.effort.solvers.given_up().map_or(Ok(()), |reason| Err(Reason::Solver(reason)))?;
        // What took too long may have been left out.
        self.budget.check()?;
        Ok(found.failure)
    }

    fn written(&mut self) -> &mut Interner<(Player, String)> {
        &mut self.moves
    }

    fn moves(&mut self, path: &Vec<Link>) -> Vec<u32> {
        let mut play = Vec::new();
        let arena = self.space.arena.clone();
        for (position, n) in path.iter().flat_map(|link| link.iter()) {
            let (_, step) = &self.branches[position][*n as usize];
            let show = |m| arena.show_with(m, |_, _: &Value| "…".into());
            let seen = |m: &&Move<Value>| !self.compiled.is_silent(m.component);
            let asked = step.how.asked.as_ref().map(|asked| &asked.m).filter(seen);
            let asked = asked.map(|m| (Player::O, show(m)));
            let answer = step.label.as_ref().filter(seen).map(|answer| (Player::P, show(answer)));
            play.extend(asked.into_iter().chain(answer).map(|m| self.moves.intern(m)));
        }
        play
    }

    fn certify(
        &mut self,
        path: &Vec<Link>,
        iteration: &mut Iteration,
    ) -> Result<Verdict<Vec<Played>, ()>, ()> {
        match self.concretise(path) {
            Concrete::Found(play) => {
                let moves = play.moves.iter().step_by(2).filter_map(|m| self.compiled.as_played(m));
                Ok(Verdict::Unsafe(moves.collect(), ()))
            }
            Concrete::Stopped(stop) => Ok(Verdict::Unknown(Reason::Stop(stop))),
            _ => {
                iteration.spurious = Some("no numbers were found with which it can be played".into());
                Err(())
            }
        }
    }

    fn refine(&mut self, path: &Vec<Link>, (): (), iteration: &mut Iteration) -> Result<(), Reason> {
        let new = self.finer(path);
        let terms = self.space.game.domain().known_terms();
        let told = new.iter().filter(|id| !self.space.predicates.is_passed(terms, **id));
        let shown =
            |id: &PredicateId| format!("{} is known everywhere", self.space.predicates.get(*id).shown);
        iteration.changes = told.map(shown).collect();
        if new.is_empty() {
            return Err(Reason::Predicates);
        }
        self.precision.everywhere.extend(new);
        Ok(())
    }
}

impl Engine<'_> {
    /// Looks for numbers with which a way can be gone: the solver is asked, and where it does not know, intervals are cut, which
    /// begin with all that the environment may give.
    fn concretise(&mut self, path: &[Link]) -> Concrete {
        let Compiled { code, arena, .. } = self.compiled;
        let mut pairs: Vec<Pair> = Vec::new();
        // The calls and returns that nobody sees, for each pair.
        let mut silent: Vec<usize> = Vec::new();
        for (position, n) in path.iter().flat_map(|link| link.iter()) {
            let step = self.branches[position][*n as usize].1.clone();
            let answer = step.label.as_ref().map(|m| (m.component, m.label.map(|_| Default::default())));
            let asked = step.how.asked.as_ref();
            let ends = asked.is_some_and(|asked| self.compiled.is_silent(asked.m.component));
            if ends || matches!(position.next, Next::Begins(_)) {
                silent.iter_mut().last().into_iter().for_each(|silent| *silent += 1);
            }
            match asked.filter(|_| !ends) {
                Some(asked) => {
                    silent.push(0);
                    let whole = |id: &ComponentId| Interval::given(arena, *id);
                    let machine = self.machine();
                    let outside = machine.split(position.state).0.is_none();
                    let calls = machine.callable(position.state).len();
                    let offer = if outside { asked.offer } else { calls };
                    let arguments = match asked.m.label {
                        Label::Call(_) => {
                            arena.component(asked.m.component).arguments.iter().map(whole).collect()
                        }
                        _ => Box::default(),
                    };
                    let value = asked.value.map(|_| whole(&asked.m.component));
                    let given = Given { value, index: None, arguments };
                    pairs.push(Pair { thread: Box::default(), offer: Some(offer), given, answer });
                }
                None => {
                    if let Some(pair) = pairs.last_mut() {
                        pair.answer = answer;
                    }
                }
            }
        }
        let skeleton = Skeleton { pairs, target: self.question.target.clone() };
        let domain = Abstracted::new(Sites::new(code, arena), Keeping::Intervals, Interval::binary);
        let memo = CallMemo { forget: true, ..CallMemo::default() };
        let intervals = Machine::new(code.clone(), arena.clone(), domain).with_call_memo(memo);
        let mut concretising = Concretising {
            skeleton: &skeleton,
            intervals: Stacked(intervals),
            exact: Stacked(Machine::new(code.clone(), arena.clone(), Exact::default())),
            budget: self.budget,
            steps_left: MOST_PAIRS.max(2 * skeleton.pairs.len()),
        };
        let mut solver = self.effort.solvers.solver();
        match feasible_for_module(code, arena, (&skeleton, &silent), &mut solver, self.budget) {
            Feasible::With(given) => {
                if let Some(play) = concretising.tell(&given) {
                    return Concrete::Found(play);
                }
            }
            Feasible::Not => return Concrete::Infeasible,
            Feasible::Unknown => {}
        }
        concretising.run()
    }
}
