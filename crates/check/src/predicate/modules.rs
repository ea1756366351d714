//! Predicates for modules: of the cells only what predicates say is known, from one move of the environment's to the next.
//!
//! The tables are those of exact data. What is true at a position is split where the position is: literals over cells of the module
//! go with the environment's turn, those over cells of the activation wait for its end. Literals over both are forgotten once
//! the environment has called something in its turn.

use std::rc::Rc;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::depth_first;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_core::module::play::Move as Played;
use agon_core::module::{
    Allowed, Base, Expression, ExpressionId, Module, Place, ProcedureId, Sort as ModuleSort, Statement,
};
use agon_games::abstracted::{Abstracted, Keeping};
use agon_games::arena::ComponentId;
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Code, Globals, Layout, Machine, Pausing, Stacked, State};
use agon_games::moves::{Label, Player};
use agon_games::sites::Sites;
use agon_games::strategy::Step;
use agon_games::symbolic::{Symbolic, Value};
use agon_games::values::Exact;
use agon_solve::{Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::NAME;
use super::forget::Kept;
use super::oracle::Oracle;
use super::predicates::{PredicateId, Predicates, Spot};
use super::space::{Branch, Position, Precision, Space};
use super::symbolic::{Guarded, Inputs, Reached, Runner, SymbolicGame, SymbolicStep, run_each};
use crate::cegar::{self, Refinable};
use crate::concretise::{Concrete, Concretising, Given, MOST_PAIRS, Pair, Skeleton};
use crate::feasible::{Feasible, feasible_for_module};
use crate::modules::tabulate::{Arrival, Figures, Made, Run, Runs, tabulate};
use crate::modules::{Compiled, Found};
use crate::question::Question;
use crate::refine::RefinementOptions;
use crate::search::{Observer, Progress};
use crate::solvers::solving;
use crate::verdict::{Iteration, Reason, Report, Verdict};

/// Whether a module can fail, by predicate abstraction.
pub fn check(
    compiled: &Compiled,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    if let Some((what, span)) = refused(&compiled.module) {
        return Report::new(Verdict::Unknown(Reason::NoEngine { what, span }), NAME);
    }
    let Compiled { code, arena, module, .. } = compiled;
    let oracle = Oracle::new(effort.solvers.solver(), solving(budget));
    let memo = CallMemo { remember_after: u64::MAX, forget: true };
    let game = |domain: Symbolic| -> Box<dyn SymbolicGame> {
        let machine = Machine::new(code.clone(), arena.clone(), domain);
        Box::new(Called(machine.with_call_memo(memo).with_pausing(Pausing::Loops)))
    };
    let mut space = Space::new((code.clone(), arena.clone()), oracle, budget, game);
    let domain = space.game.domain_mut();
    let everywhere = conditions(module, code, domain, &mut space.predicates);
    let precision = Precision { everywhere, ..Precision::default() };
    let mut engine = Engine {
        compiled,
        effort,
        budget,
        space,
        precision,
        psis: FxHashMap::default(),
        branches: FxHashMap::default(),
        question: Question::aborts(),
        moves: Interner::default(),
    };
    cegar::refine(&mut engine, effort.iterations, observe)
}

/// What of a module the engine cannot handle, if there is anything.
pub(crate) fn refused(module: &Module) -> Option<(String, Span)> {
    if let Some(id) = module.recursive().first() {
        let procedure = module.procedure(*id);
        return Some((format!("`{}` may call itself", procedure.name), procedure.span));
    }
    let names = |sort: &ModuleSort| matches!(sort, ModuleSort::Function(_));
    let mut locals = module.procedures().flat_map(|(_, procedure)| &procedure.locals);
    let local = locals.find(|local| names(&local.sort));
    local.map(|local| ("names of functions are given".into(), local.span))
}

/// The conditions of a module, where they are over its cells and numbers only.
fn conditions(
    module: &Module,
    code: &Code,
    domain: &mut Symbolic,
    predicates: &mut Predicates,
) -> Vec<PredicateId> {
    let mut found = Vec::new();
    for (id, procedure) in module.procedures() {
        for (statement, _) in &procedure.body {
            let (Statement::Branch(condition, ..) | Statement::Assert(condition, _)) = statement else {
                continue;
            };
            let scene = Scene { module, code, procedure: id };
            let Some(number) = predicates.number_in(domain, &scene, *condition) else { continue };
            let truth = domain.truth_of(number);
            let shown = predicates.show(domain.terms(), code, truth);
            found.extend(predicates.add(domain.terms(), truth, &shown).map(|(id, _)| id));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Where an expression stands.
pub(super) struct Scene<'a> {
    pub module: &'a Module,
    pub code: &'a Code,
    pub procedure: ProcedureId,
}

impl Predicates {
    /// An expression of a module as a term over spots, if it is over nothing but numbers and cells.
    fn number_in(&mut self, domain: &mut Symbolic, scene: &Scene<'_>, id: ExpressionId) -> Option<Term> {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match scene.module.expression(id) {
            Expression::Number(n) => Some(domain.terms().int(n.clone())),
            Expression::Function(function) => Some(domain.terms().int(scene.module.number(*function))),
            Expression::Unary(operator, a) => {
                let a = self.number_in(domain, scene, *a)?;
                Some(domain.unary_of(*operator, a))
            }
            Expression::Binary(operator, a, b) => {
                let a = self.number_in(domain, scene, *a)?;
                let b = self.number_in(domain, scene, *b)?;
                Some(domain.binary_of(*operator, a, b))
            }
            Expression::Wrap(data, a) => {
                let a = self.number_in(domain, scene, *a)?;
                Some(domain.wrap_of(data, a))
            }
            Expression::Load(Place { base, index }) => {
                let cell = match base {
                    Base::Module(id) => scene.code.module_cell(*id),
                    Base::Local(id) => scene.code.local_cell(scene.procedure, *id),
                }?;
                match index {
                    None => Some(self.constant(domain.terms(), Spot::Cell(cell, 0))),
                    Some(index) => {
                        let length = scene.code.cells()[cell.0 as usize].length?;
                        let index = self.number_in(domain, scene, *index)?;
                        self.element(domain, (cell, length), index)
                    }
                }
            }
        })
    }
}

/// A module over terms.
struct Called(Machine<Symbolic>);

impl SymbolicGame for Called {
    fn domain(&self) -> &Symbolic {
        self.0.domain()
    }

    fn domain_mut(&mut self) -> &mut Symbolic {
        self.0.domain_mut()
    }

    fn control(&mut self, state: State) -> u32 {
        self.0.control(state)
    }

    fn layout(&self, state: State) -> Layout {
        self.0.layout(state)
    }

    fn held(&mut self, state: State, _: &Layout) -> Vec<(u32, Value)> {
        self.0.places_at(state)
    }

    fn with_held(&mut self, state: State, held: &[(u32, Value)]) -> State {
        self.0.with_places(state, held)
    }

    fn set_pausing(&mut self, pausing: Pausing) {
        self.0.set_pausing(pausing);
    }

    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn runner(&mut self) -> Runner<'_> {
        Runner::Module(&mut self.0)
    }

    fn steps(
        &mut self,
        position: Position,
        inputs: &Inputs,
        budget: &Budget,
    ) -> Result<Vec<SymbolicStep<Reached>>, Stop> {
        let mut found = Vec::new();
        if position.paused {
            run_each(&mut self.0, position, None, &mut found, budget)?;
            return Ok(found);
        }
        let offers = self.0.offers(position.state);
        for (n, offer) in offers.iter().enumerate() {
            run_each(&mut self.0, position, Some((n, offer, inputs)), &mut found, budget)?;
        }
        Ok(found)
    }
}

/// A run of the module: the branches that were taken, and where from.
type Link = Rc<[(Position, u32)]>;

struct Engine<'a> {
    compiled: &'a Compiled,
    effort: &'a RefinementOptions,
    budget: &'a Budget,
    space: Space<'a>,
    precision: Precision,
    /// For what is true at a position, what of it is over cells of the module, and what over those of the activation.
    psis: FxHashMap<u32, (u32, u32)>,
    branches: FxHashMap<Position, Rc<[Branch]>>,
    question: Question,
    /// The moves of all counterexamples, as they are written.
    moves: Interner<(Player, String)>,
}

/// The runs of an engine.
struct PredicateRuns<'a, 'e, 'b> {
    engine: &'a mut Engine<'e>,
    observe: &'a mut Observer<'b>,
    progress: &'a mut Progress,
    known: FxHashMap<(Position, Option<Allowed>), Made<Self>>,
}

/// The budget is checked once in this many edges.
const PATIENCE: u64 = 1 << 6;

impl Engine<'_> {
    fn machine(&mut self) -> &mut Machine<Symbolic> {
        match self.space.game.runner() {
            Runner::Module(machine) => machine,
            Runner::Sequential | Runner::Strands(_) => unreachable!("a module runs"),
        }
    }

    /// What of a truth is over cells of the module, and what over those of the activation; what is over both is neither.
    fn halves(&mut self, psi: u32) -> (u32, u32) {
        if let Some(known) = self.psis.get(&psi) {
            return *known;
        }
        let (mut module, mut activation) = (Vec::new(), Vec::new());
        for truth in self.space.psi(psi).to_vec() {
            let constants = self.space.terms().constants(truth);
            let mut of_module = 0;
            for constant in &constants {
                let place = self.space.place(*constant);
                of_module += usize::from(
                    matches!(place, Some((Kept::Cell(_), at)) if self.machine().is_of_module(at)),
                );
            }
            if of_module == constants.len() {
                module.push(truth);
            } else if of_module == 0 {
                activation.push(truth);
            }
        }
        let halves = (self.space.intern(module), self.space.intern(activation));
        self.psis.insert(psi, halves);
        halves
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

impl PredicateRuns<'_, '_, '_> {
    /// The runs that begin with a move of the environment's: a call of what is allowed, or an answer.
    fn played(&mut self, at: Position, calls: Option<Allowed>) -> Result<Made<Self>, Stop> {
        if let Some(known) = self.known.get(&(at, calls)) {
            return Ok(known.clone());
        }
        let mut runs: Vec<Run<(), Link, Position>> = Vec::new();
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
                let calls = branch.1.label.as_ref().map(|m| matches!(m.label, Label::Call(_)));
                let after = self.engine.space.after(at.psi, branch, &self.engine.precision);
                for next in after.0.iter().copied() {
                    let end = match calls {
                        None => {
                            if seen.insert(next) {
                                waiting.push((next, link()));
                            }
                            continue;
                        }
                        Some(true) => Arrival::Waits(next),
                        Some(false) => Arrival::Returns(next, None),
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

/// What is known of the cells of the module, and whether the environment has called nothing yet in its turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Known {
    globals: Globals,
    psi: u32,
    untouched: bool,
}

impl Runs for PredicateRuns<'_, '_, '_> {
    type Value = ();
    type Link = Link;
    type State = Position;
    type Globals = Known;

    fn start(&mut self) -> Position {
        self.engine.space.start()
    }

    fn globals(&mut self, at: Position) -> Known {
        let (psi, _) = self.engine.halves(at.psi);
        let (waiting, globals) = self.engine.machine().split(at.state);
        Known { globals, psi, untouched: waiting.is_some() }
    }

    fn with_globals(&mut self, at: Position, now: Known) -> Position {
        let Known { globals, psi: module, untouched } = now;
        // A turn that is untouched has begun where this activation waits.
        if untouched {
            return at;
        }
        let (_, activation) = self.engine.halves(at.psi);
        let machine = self.engine.machine();
        let (waiting, _) = machine.split(at.state);
        let state = machine.join(waiting, globals);
        let mut literals = self.engine.space.psi(module).to_vec();
        literals.extend_from_slice(self.engine.space.psi(activation));
        Position { state, psi: self.engine.space.intern(literals), paused: false }
    }

    fn allowed(&mut self, at: Position) -> Option<Allowed> {
        self.engine.machine().allowed(at.state)
    }

    fn called(&mut self, Known { globals, psi, .. }: Known, allowed: Allowed) -> Result<Made<Self>, Stop> {
        let state = self.engine.machine().join(None, globals);
        self.played(Position { state, psi, paused: false }, Some(allowed))
    }

    fn answered(&mut self, at: Position) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(&mut self, _: Known, _: ComponentId, _: &[()]) -> Result<Made<Self>, Stop> {
        unreachable!("modules whose procedures call themselves are refused")
    }

    fn resumed(&mut self, _: Position, _: Option<&()>) -> Result<Made<Self>, Stop> {
        unreachable!("modules whose procedures call themselves are refused")
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
        self.precision.everywhere.iter().map(|id| (shown(id), "everywhere".into())).collect()
    }

    fn played(&self) -> u64 {
        0
    }

    fn candidate(
        &mut self,
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Vec<Link>>, Reason> {
        let mut runs = PredicateRuns { engine: self, observe, progress, known: FxHashMap::default() };
        let found = tabulate(&mut runs)?;
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
            let asked = step.how.asked.as_ref().map(|asked| (Player::O, show(&asked.m)));
            let answer = step.label.as_ref().map(|answer| (Player::P, show(answer)));
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
        let shown =
            |id: &PredicateId| format!("{} is known everywhere", self.space.predicates.get(*id).shown);
        iteration.changes = new.iter().map(shown).collect();
        if new.is_empty() {
            return Err(Reason::Predicates);
        }
        self.precision.everywhere.extend(new);
        Ok(())
    }
}

/// At most this many conditions are made from those of one branch.
const MOST_ELEMENTS: usize = 64;

/// A condition in which an array is read at an unknown index, once for each index.
fn elements(terms: &mut Terms, condition: Term) -> Vec<Term> {
    let chosen = terms.parts_first([condition]).into_iter().find_map(|part| {
        let (Op::If, [hit, ..]) = (terms.op(part), terms.parts(part)) else { return None };
        let (Op::Equal, [a, b]) = (terms.op(*hit), terms.parts(*hit)) else { return None };
        match (terms.literal(*a), terms.literal(*b)) {
            (None, Some(_)) => Some(*a),
            (Some(_), None) => Some(*b),
            _ => None,
        }
    });
    let Some(index) = chosen else { return vec![] };
    let mut numbers: Vec<Term> = Vec::new();
    for part in terms.parts_first([condition]) {
        match (terms.op(part), terms.parts(part)) {
            (Op::Equal, [a, b]) if *a == index && terms.literal(*b).is_some() => numbers.push(*b),
            (Op::Equal, [a, b]) if *b == index && terms.literal(*a).is_some() => numbers.push(*a),
            _ => {}
        }
    }
    // The last element may stand behind all that were asked for.
    let least = (0u64..).map(|n| terms.int(n)).find(|number| !numbers.contains(number));
    numbers.extend(least);
    let at = |number| terms.substitute(condition, &FxHashMap::from_iter([(index, number)]));
    numbers.into_iter().map(at).collect()
}

impl Engine<'_> {
    /// Looks for numbers with which a way can be gone: the solver is asked, and where it does not know, intervals are cut, which
    /// begin with all that the environment may give.
    fn concretise(&mut self, path: &[Link]) -> Concrete {
        let Compiled { code, arena, .. } = self.compiled;
        let mut pairs: Vec<Pair> = Vec::new();
        for (position, n) in path.iter().flat_map(|link| link.iter()) {
            let step = self.branches[position][*n as usize].1.clone();
            let answer = step.label.as_ref().map(|m| (m.component, m.label.map(|_| Default::default())));
            match &step.how.asked {
                Some(asked) => {
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
        match feasible_for_module(code, arena, &skeleton, &mut solver, self.budget) {
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

    /// Predicates that were not known on a way: what its branches need of the cells before them, which are the weakest
    /// preconditions of the conditions.
    fn finer(&mut self, path: &[Link]) -> Vec<PredicateId> {
        let mut found = Vec::new();
        for (position, n) in path.iter().flat_map(|link| link.iter()) {
            let (_, step) = self.branches[position][*n as usize].clone();
            let Step { how: Guarded { conditions, .. }, .. } = step;
            let layout = self.space.layout(position.state);
            for condition in self.with_elements(conditions) {
                let Some(truth) = self.over_spots(condition, &layout) else { continue };
                let code = self.space.code.clone();
                let shown = self.space.predicates.show(self.space.game.domain_mut().terms(), &code, truth);
                let terms = self.space.game.domain_mut().terms();
                if let Some((id, true)) = self.space.predicates.add(terms, truth, &shown) {
                    found.push(id);
                }
            }
        }
        found
    }

    /// Conditions, and what they say of each element of an array whose index the environment or the activation chooses. Such
    /// an index is forgotten while the environment has its turn; what is known of all elements is not.
    fn with_elements(&mut self, conditions: Vec<Term>) -> Vec<Term> {
        let mut all = conditions;
        let mut next = 0;
        while let Some(condition) = all.get(next).copied() {
            next += 1;
            let elements = elements(self.space.terms(), condition);
            if all.len() + elements.len() > MOST_ELEMENTS {
                break;
            }
            all.extend(elements);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A condition over what cells hold at a position, as a predicate; nothing, if it depends on something else.
    fn over_spots(&mut self, condition: Term, layout: &Arc<Layout>) -> Option<Term> {
        let mut with = FxHashMap::default();
        for constant in self.space.terms().constants(condition) {
            let (Kept::Cell(cell), at) = self.space.place(constant)? else { return None };
            let place = layout.cells.iter().find(|place| place.cell == cell && place.at <= at)?;
            let terms = self.space.game.domain_mut().terms();
            let spot = self.space.predicates.constant(terms, Spot::Cell(cell, at - place.at));
            with.insert(constant, spot);
        }
        Some(self.space.terms().substitute(condition, &with))
    }
}
