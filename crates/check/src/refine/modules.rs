//! The game of a module over approximated data: tables instead of a search, the play itself is found and tested as ever.

mod needed;

use std::collections::BTreeSet;
use std::rc::Rc;

use agon_base::budget::{Budget, Stop};
use agon_core::module::Allowed;
use agon_core::module::play::Move as Played;
use agon_games::abstracted::{Abstracted, Keeping, Value};
use agon_games::arena::{ComponentId, OWN, Role, Roles};
use agon_games::contract::Half;
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Globals, Machine, Offer, OfferData, Reaction, Stacked, State, Waiting};
use agon_games::moves::{Label, Move};
use agon_games::play::Play;
use agon_games::sites::{PartRef, SiteId, Sites};
use agon_games::strategy::Outcomes;
use agon_games::values::Exact;
use rustc_hash::FxHashMap;

use super::{Abstraction, Blame, Game, RefinementOptions, Written, begun, refine, undecided_about};
use crate::concretise::{Concrete, Concretising, Given, MOST_PAIRS, Pair, Skeleton};
use crate::modules::exact::end_of;
use crate::modules::idle::Idle;
use crate::modules::tabulate::{Figures, Made, Run, Runs, decide};
use crate::modules::{Compiled, FEW_EDGES, Found};
use crate::search::{Observer, Progress};
use crate::verdict::{Reason, Verdict};
use crate::walk::{Selection, StepRef, Walk};

/// Whether a module can fail, by refining an abstraction of its data until it is fine enough.
pub fn check(
    abstraction: &dyn Abstraction,
    compiled: &Compiled,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    let mut domain = begun(abstraction, Sites::new(&compiled.code, &compiled.arena));
    let names = compiled.name_sites(&domain.sites).collect();
    compiled.separate_constants(&mut domain.sites);
    let walk = Walk::new(machine(compiled, domain));
    let target = Move { component: OWN, element: None, label: Label::Abort };
    let arithmetic = abstraction.arithmetic();
    let selection = abstraction.selection();
    let idle = Idle::new(&compiled.module);
    let mut game = Called {
        compiled,
        abstraction,
        walk,
        names,
        idle,
        target: target.clone(),
        budget,
        selection,
        arithmetic,
        spare_from: effort.spare_from,
        states: 0,
    };
    refine(abstraction, effort, &mut game, &target, observe)
}

fn machine(compiled: &Compiled, domain: Abstracted) -> Machine<Abstracted> {
    let memo = CallMemo { forget: true, ..CallMemo::default() };
    Machine::new(compiled.code.clone(), compiled.arena.clone(), domain).with_call_memo(memo)
}

struct Called<'a> {
    compiled: &'a Compiled,
    abstraction: &'a dyn Abstraction,
    walk: Walk,
    /// The sites that hold names of functions.
    names: BTreeSet<SiteId>,
    idle: Idle,
    target: Move,
    budget: &'a Budget,
    selection: Selection,
    arithmetic: agon_games::abstracted::IntervalArithmetic,
    /// From this many states on, no more is split than excludes a counterexample.
    spare_from: usize,
    /// How many states the last search had.
    states: usize,
}

/// What begins a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Began {
    /// A move of the environment's.
    Played,
    /// The call of a procedure that is summarised.
    Entered,
    /// The end of such a procedure.
    Resumed,
}

/// A run of the module on a way to the target.
#[derive(Clone, Copy, Debug)]
struct Link {
    began: Began,
    step: StepRef,
}

/// The runs of the walk.
struct WalkRuns<'a, 'b> {
    walk: &'a mut Walk,
    compiled: &'a Compiled,
    idle: &'a Idle,
    roles: &'a Roles,
    budget: &'a Budget,
    observe: &'a mut Observer<'b>,
    /// What was played in this iteration.
    known: FxHashMap<(State, Option<Allowed>), Made<Self>>,
    progress: &'a mut Progress,
    selection: Selection,
}

/// The budget is checked once in this many edges.
const PATIENCE: u64 = 1 << 8;
/// Progress is reported once in this many.
const REPORT: u64 = 1 << 14;

/// What steps come to.
fn runs_of<'r>(
    began: Began,
    selection: Selection,
    steps: impl Iterator<Item = (StepRef, &'r Reaction<Value>)>,
    roles: &Roles,
    runs: &mut Vec<Run<Value, Link>>,
) {
    for (step, reaction) in steps {
        let extra = u64::from(!step.certain && selection != Selection::Shortest);
        let end = end_of(roles, reaction.clone());
        runs.extend(end.map(|end| Run { end, extra, link: Link { began, step } }));
    }
}

impl WalkRuns<'_, '_> {
    /// Whether calls of a procedure can be left out, since they change nothing that is distinguished.
    fn is_idle(&self, component: ComponentId) -> bool {
        let Role::Procedure(id) = self.roles.of(component) else { return false };
        let sites = &self.walk.machine.domain().sites;
        let code = &self.compiled.code;
        self.idle.is_idle(id, |cell| {
            code.module_cell(cell).is_none_or(|cell| sites.site(sites.of_cell(cell)).count() > 1)
        })
    }

    /// Whether some move with these parts names no functions but those of the right types.
    fn may_give(&self, offer: &Offer<Value>, code: u64) -> bool {
        let machine = &self.walk.machine;
        let OfferData { arguments, value, .. } = offer.parts(machine.domain(), machine.arena(), code);
        let components = &machine.arena().component(offer.component).arguments;
        let may = |component: ComponentId, value: &Value| self.compiled.may_give(component, &value.interval);
        components.iter().zip(&arguments).all(|(component, value)| may(*component, value))
            && value.is_none_or(|value| may(offer.component, &value))
    }

    /// The runs that begin with a move of the environment's: a call of what is allowed, or an answer.
    fn played(&mut self, at: State, calls: Option<Allowed>) -> Result<Made<Self>, Stop> {
        if let Some(known) = self.known.get(&(at, calls)) {
            return Ok(known.clone());
        }
        let mut runs = Vec::new();
        let offers = self.walk.machine.offers(at);
        for (n, offer) in offers.iter().enumerate() {
            if calls.is_some_and(|allowed| !self.walk.machine.allows(allowed, offer.component)) {
                continue;
            }
            if calls == Some(Allowed::default()) && self.is_idle(offer.component) {
                continue;
            }
            for code in 0..=offer.last.unwrap_or(0) {
                if !self.may_give(offer, code) {
                    continue;
                }
                let steps = self.walk.steps(at, (n, offer, code), self.budget)?;
                runs_of(Began::Played, self.selection, steps, self.roles, &mut runs);
            }
        }
        let runs: Rc<[_]> = runs.into();
        self.known.insert((at, calls), runs.clone());
        Ok(runs)
    }
}

impl Runs for WalkRuns<'_, '_> {
    type Value = Value;
    type Link = Link;
    type State = State;
    type Globals = Globals;

    fn start(&mut self) -> State {
        self.walk.machine.start()
    }

    fn globals(&mut self, _: Option<Globals>, at: State) -> Globals {
        self.walk.machine.split(at).1
    }

    fn with_globals(&mut self, at: State, globals: Globals) -> State {
        let (waiting, _) = self.walk.machine.split(at);
        self.walk.machine.join(waiting, globals)
    }

    fn allowed(&mut self, at: State) -> Option<Allowed> {
        self.walk.machine.allowed(at)
    }

    fn called(&mut self, globals: Globals, allowed: Allowed) -> Result<Made<Self>, Stop> {
        let at = self.walk.machine.join(None, globals);
        self.played(at, Some(allowed))
    }

    fn answered(&mut self, at: State) -> Result<Made<Self>, Stop> {
        self.played(at, None)
    }

    fn entered(
        &mut self,
        globals: Globals,
        component: ComponentId,
        arguments: &[Value],
    ) -> Result<Made<Self>, Stop> {
        let at = self.walk.machine.join(None, globals);
        let mut runs = Vec::new();
        let steps = self.walk.entered_steps(at, (component, arguments), self.budget)?;
        runs_of(Began::Entered, self.selection, steps, self.roles, &mut runs);
        Ok(runs.into())
    }

    fn resumed(&mut self, at: State, value: Option<&Value>) -> Result<Made<Self>, Stop> {
        let mut runs = Vec::new();
        let offers = self.walk.machine.offers(at);
        if let Some(offer) = offers.first() {
            let code = value.map_or(0, |value| self.walk.code_of(offer.component, value));
            let steps = self.walk.steps(at, (0, offer, code), self.budget)?;
            runs_of(Began::Resumed, self.selection, steps, self.roles, &mut runs);
        }
        Ok(runs.into())
    }

    fn watch(&mut self, figures: Figures) -> Result<(), Stop> {
        self.progress.states = figures.members;
        self.progress.transitions = figures.edges;
        if figures.edges.is_multiple_of(PATIENCE) {
            self.progress.memory = figures.memory + self.walk.memory();
            self.budget.check_with(self.progress.memory)?;
            if self.budget.transitions.is_some_and(|most| figures.edges > most) {
                return Err(Stop::Transitions);
            }
            if figures.edges.is_multiple_of(REPORT) {
                (self.observe)((*self.progress).into());
            }
        }
        Ok(())
    }
}

/// The stack of a module that is played again.
#[derive(Clone, PartialEq, Default)]
struct Stack {
    waiting: Vec<Waiting>,
    globals: Option<Globals>,
}

impl Stack {
    /// The position at which a run begins.
    fn begin(&mut self, machine: &mut Machine<Abstracted>, outside: bool) -> State {
        let globals = self.globals.unwrap_or_else(|| machine.split(machine.start()).1);
        let waiting = if outside { None } else { self.waiting.pop() };
        machine.join(waiting, globals)
    }

    /// Where a run has come to.
    fn end(&mut self, machine: &Machine<Abstracted>, next: State) {
        let (waiting, globals) = machine.split(next);
        self.waiting.extend(waiting);
        self.globals = Some(globals);
    }
}

impl Called<'_> {
    /// Whether a run begins without an activation.
    fn is_outside(&self, link: &Link) -> bool {
        self.walk.machine.split(link.step.from).0.is_none()
    }

    /// The numbers that the environment gives with a move.
    fn given(&self, link: &Link) -> Given {
        let (_, data) = self.walk.asked(&link.step);
        let Given { value, mut arguments, .. } = Given::from(data);
        let offers = self.walk.machine.offers(link.step.from);
        if let Some(offer) = offers.get(usize::from(link.step.offer)) {
            let components = &self.walk.machine.arena().component(offer.component).arguments;
            for (argument, component) in arguments.iter_mut().zip(components) {
                *argument = self.compiled.nameable(*component, argument);
            }
        }
        let value = value.map(|value| match self.walk.machine.waits_for(link.step.from) {
            Some(component) => self.compiled.nameable(component, &value),
            None => value,
        });
        Given { value, index: None, arguments }
    }

    fn skeleton(&self, path: &[Link]) -> Skeleton {
        let mut pairs: Vec<Pair> = Vec::new();
        for link in path {
            let answer = self
                .walk
                .reaction(&link.step)
                .map(|reaction| (reaction.label.component, reaction.label.label.clone()));
            match (link.began, pairs.last_mut()) {
                (Began::Entered | Began::Resumed, Some(pair)) => pair.answer = answer,
                _ => {
                    let offer = match self.is_outside(link) {
                        true => usize::from(link.step.offer),
                        false => self.walk.machine.callable(link.step.from).len(),
                    };
                    pairs.push(Pair {
                        thread: Box::default(),
                        offer: Some(offer),
                        given: self.given(link),
                        answer,
                    });
                }
            }
        }
        Skeleton { pairs, target: self.target.clone() }
    }
}

impl Game for Called<'_> {
    type Path = Vec<Link>;
    type Play = Vec<Played>;
    type Evidence = ();

    fn sites(&self) -> &Sites {
        &self.walk.machine.domain().sites
    }

    fn candidate(
        &mut self,
        progress: &mut Progress,
        observe: &mut Observer<'_>,
    ) -> Result<Option<Vec<Link>>, Reason> {
        let mut runs = WalkRuns {
            walk: &mut self.walk,
            compiled: self.compiled,
            idle: &self.idle,
            roles: &self.compiled.roles,
            budget: self.budget,
            observe,
            known: FxHashMap::default(),
            progress,
            selection: self.selection,
        };
        let found = decide(&mut runs, FEW_EDGES).map_err(Reason::Stop)?;
        self.states = found.figures.members;
        Ok(found.failure)
    }

    fn played(&self) -> u64 {
        self.walk.played
    }

    fn is_certain(&self, path: &Vec<Link>) -> bool {
        path.iter().all(|link| link.step.certain)
    }

    fn moves(&self, path: &Vec<Link>, written: &mut Written) -> Vec<u32> {
        let mut play = Vec::new();
        let seen = |m: &Move<Value>| !self.compiled.is_silent(m.component);
        for Link { began, step } in path {
            let half = (Half::Rest, &self.walk);
            written.step(Half::Rest, step, &mut play, |written, play| match began {
                Began::Played => written.pair(half, step, step.certain, seen, play),
                Began::Entered | Began::Resumed => written.answer(half, step, step.certain, seen, play),
            });
        }
        play
    }

    fn undecided(&self, path: &Vec<Link>) -> String {
        let undecided = path.iter().filter_map(|link| self.walk.reaction(&link.step));
        let first = undecided.filter(|reaction| !reaction.how.certain).map(|reaction| &reaction.how.marker);
        match first.flatten().next() {
            Some(about) => undecided_about(self.sites(), about.blame),
            None => "undecided".into(),
        }
    }

    fn concretise(&self, path: &Vec<Link>, _: &RefinementOptions) -> Concrete {
        let skeleton = self.skeleton(path);
        let domain = Abstracted::new(self.sites().clone(), Keeping::Intervals, Interval::binary);
        let Compiled { code, arena, .. } = self.compiled;
        let mut concretising = Concretising {
            skeleton: &skeleton,
            intervals: Stacked(machine(self.compiled, domain)),
            exact: Stacked(Machine::new(code.clone(), arena.clone(), Exact::default())),
            budget: self.budget,
            steps_left: MOST_PAIRS.max(2 * skeleton.pairs.len()),
        };
        concretising.run()
    }

    fn slice(&self, path: &Vec<Link>, blame: &mut Blame<'_>) -> Result<(), Reason> {
        let domain = Abstracted::new(self.sites().clone(), Keeping::Causes, self.arithmetic);
        let mut machine = machine(self.compiled, domain);
        let mut stack = Stack::default();
        let mut before: Option<Reaction<Value>> = None;
        for link in path {
            let Some(known) = self.walk.reaction(&link.step) else { break };
            let script = Some(&*known.how.choices);
            let outside = self.is_outside(link);
            let state = stack.begin(&mut machine, outside);
            let mut reactions = Vec::new();
            let said = before.take().map(|reaction| (reaction.label.component, reaction.label.label));
            match (link.began, said) {
                (Began::Entered, Some((component, Label::Call(arguments)))) => {
                    let call = (component, &*arguments);
                    machine.enter_summarised(state, call, script, &mut reactions, self.budget)?;
                }
                (began, said) => {
                    let offers = machine.offers(state);
                    let Some(offer) = offers.get(usize::from(link.step.offer)) else { break };
                    let data = match (began, said) {
                        (Began::Resumed, Some((_, Label::Value(value)))) => {
                            OfferData { value: Some(value), ..OfferData::default() }
                        }
                        (Began::Resumed, _) => OfferData::default(),
                        _ => offer.parts(machine.domain(), machine.arena(), link.step.code),
                    };
                    machine.play_with(state, offer, data, script, &mut reactions, self.budget)?;
                }
            }
            let doubts = machine.domain_mut().take_doubts();
            let Some(reaction) = reactions.pop() else {
                return Err(Reason::Unverified("a play cannot be told again".into()));
            };
            if !known.how.certain && blame.step(&doubts) {
                break;
            }
            let Some(next) = reaction.next else { break };
            stack.end(&machine, next);
            let how = Outcomes { certain: known.how.certain, ..reaction.how };
            before = Some(Reaction { how, ..reaction });
        }
        // Names are never compared with anything but names, so the first cut tells all kinds of them apart.
        let whole =
            |part: &PartRef| self.names.contains(&part.site) && self.sites().site(part.site).count() == 1;
        for (_, cuts) in blame.parts.iter_mut().filter(|(part, _)| whole(part)) {
            cuts.extend(self.compiled.name_cuts());
        }
        if self.states >= self.spare_from {
            self.spare(path, blame);
        }
        Ok(())
    }

    fn refine(&mut self, parts: &[PartRef], refine: &dyn Fn(&mut Abstracted)) {
        self.walk.refine(parts, refine);
    }

    fn confirm(&self, _: &Vec<Link>, play: Play) -> Verdict<Vec<Played>, ()> {
        let moves = play.moves.iter().step_by(2).filter_map(|m| self.compiled.as_played(m));
        Verdict::Unsafe(moves.collect(), ())
    }
}
