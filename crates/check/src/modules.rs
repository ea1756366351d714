//! Modules: the environment calls procedures in any order, and while it is called it may call them again, to any depth.

pub mod each;
pub(crate) mod exact;
pub(crate) mod idle;
pub mod model;
pub mod pairs;
pub mod random;
pub mod rows;
pub mod tabulate;
pub mod threads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::growth::unless_full;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::eval::Patience;
use agon_core::module::eval::{Exit, Outcome, play_within};
use agon_core::module::play::Move as Played;
use agon_core::module::{Function, Module, SignatureId, Sort};
use agon_games::arena::{Arena, ComponentId, Role, Roles};
use agon_games::interval::Interval;
use agon_games::machine::{Code, Machine, compile_module};
use agon_games::moves::{Label, Move};
use agon_games::sites::{SiteId, Sites};
use agon_games::values::Exact;
use agon_witness::library::apart::SILENT;

use crate::horn;
use crate::portfolio::{Engine, in_turn};
use crate::predicate::{self, Scheme};
use crate::refine::RefinementOptions;
use crate::search::Observer;
use crate::verdict::{Reason, Report, Verdict};
use exact::ExactRuns;
use tabulate::{Figures, decide};

/// An answer and its figures. A play that fails is given by the environment's moves; nobody has confirmed it yet.
pub type Found = Report<Vec<Played>, ()>;

/// Where the environment may give more values than this, they are not tried one by one unless that is asked for.
const MOST_INPUTS: u64 = 1 << 10;

/// Of an array that is never written to, no more different numbers than this are distinguished.
const MOST_NUMBERS: usize = 64;

/// A module, compiled.
pub struct Compiled {
    pub(crate) module: Arc<Module>,
    pub(crate) arena: Arc<Arena>,
    pub(crate) roles: Roles,
    pub(crate) code: Arc<Code>,
}

impl Compiled {
    /// Compiles a module.
    pub fn new(module: Module) -> Compiled {
        let module = Arc::new(module);
        let (arena, roles) = Arena::of_module(&module);
        let code = Arc::new(compile_module(&module, &arena, roles.clone()));
        Compiled { module, arena: Arc::new(arena), roles, code }
    }

    /// The engines that are asked, the likeliest first, and why.
    fn plan(&self) -> Vec<(Engine, String)> {
        let given = self
            .roles
            .iter()
            .filter(|(_, role)| matches!(role, Role::Parameter(..) | Role::Import(_) | Role::Named(_)));
        let size = |(id, role): (ComponentId, Role)| match self.is_ignored(role) {
            true => Some(1),
            false => self.arena.count(id),
        };
        let wide = given.map(size).any(|size| size.is_none_or(|size| size > MOST_INPUTS));
        let interval = |why: &str| (Engine::Interval, why.to_string());
        let mut plan = match wide {
            true => vec![interval("the environment may give more values than can be tried")],
            false => vec![
                (Engine::Explicit, "the environment may give few values".into()),
                interval("approximated data may have fewer states"),
            ],
        };
        plan.push((Engine::Predicate(Scheme::Maximal), "cells may be related".into()));
        if wide {
            plan.push((Engine::Explicit, "a few of many values may be enough to fail".into()));
        }
        plan.push((Engine::Random, "random moves may lead to a failure".into()));
        plan
    }

    /// Whether the module never reads what the environment gives in a role.
    fn is_ignored(&self, role: Role) -> bool {
        is_ignored(&self.module, role)
    }

    /// Whether a component is one of calls that the module makes itself. Nobody sees them.
    pub(crate) fn is_silent(&self, id: ComponentId) -> bool {
        matches!(self.roles.of(id), Role::Summarised(_))
    }

    /// The first number that is the name of a function of the environment's own.
    fn first_foreign(&self) -> Int {
        self.module.number(Function::Foreign(1))
    }

    /// Where a part of names is cut when it is cut for the first time: `null`, each function of the module and each import that
    /// values may name, and the environment's own functions are distinguished.
    pub(crate) fn name_cuts(&self) -> Vec<Int> {
        let own: BTreeSet<Int> =
            self.module.named_types().flat_map(|signature| self.own(signature)).collect();
        let around = own.iter().flat_map(|n| [n.clone(), n.add(&Int::ONE)]);
        std::iter::once(Int::ONE).chain(around).chain([self.first_foreign()]).collect()
    }

    /// The names of the functions of the module and of imports that values of a type may name.
    fn own(&self, signature: SignatureId) -> impl Iterator<Item = Int> + '_ {
        let own = self.module.nameable(signature).map(Function::Procedure);
        let imports = self.module.imports().filter(move |(_, import)| import.signature == signature);
        let all = own.chain(imports.map(|(id, _)| Function::Import(id)));
        all.map(|function| self.module.number(function))
    }

    /// Whether the environment may give a number of an interval, where names are given: `null`, or a function of the right type.
    pub(crate) fn may_give(&self, component: ComponentId, interval: &Interval) -> bool {
        let Some(Sort::Function(signature)) = self.roles.sort(component) else { return true };
        let foreign = self.module.foreign(*signature).map(|function| self.module.number(function));
        let high = interval.high().cloned();
        let mut foreign = foreign.take_while(|n| high.as_ref().is_none_or(|high| n <= high));
        interval.contains(&Int::ZERO)
            || self.own(*signature).any(|n| interval.contains(&n))
            || foreign.any(|n| interval.contains(&n))
    }

    /// A cell that is never written to holds what it holds at first. These numbers are distinguished from all others from the start.
    pub(crate) fn separate_constants(&self, sites: &mut Sites) {
        for id in self.module.unwritten() {
            let Some(cell) = self.code.module_cell(id) else { continue };
            let site = sites.site_mut(sites.of_cell(cell));
            let numbers: BTreeSet<&Int> = self.module.cell(id).initial.iter().collect();
            if site.count() > 1 || numbers.len() > MOST_NUMBERS {
                continue;
            }
            let mut parts = Vec::new();
            let mut low = site.range.low().cloned();
            for n in numbers {
                let below = Interval::new(low, Some(n.sub(&Int::ONE)));
                parts.extend(below.into_iter().chain([Interval::point(n.clone())]));
                low = Some(n.add(&Int::ONE));
            }
            parts.extend(Interval::new(low, site.range.high().cloned()));
            site.split(&BTreeMap::from([(0, parts)]));
        }
    }

    /// The sites that hold names of functions.
    pub(crate) fn name_sites<'a>(&'a self, sites: &'a Sites) -> impl Iterator<Item = SiteId> + 'a {
        let named = |id: &ComponentId| matches!(self.roles.sort(*id), Some(Sort::Function(_)));
        let given = self.roles.iter().map(|(id, _)| id).filter(named);
        let given = given.filter_map(|id| sites.of_component(id));
        let kept = self.code.name_cells().map(|cell| sites.of_cell(cell));
        let all: BTreeSet<SiteId> = given.chain(kept).collect();
        all.into_iter()
    }

    /// The numbers of an interval from the first one on that names a function of the right type, where names are given.
    pub(crate) fn nameable(&self, component: ComponentId, interval: &Interval) -> Interval {
        let Some(Sort::Function(signature)) = self.roles.sort(component) else { return interval.clone() };
        let own = self.module.foreign(*signature).map(|function| self.module.number(function));
        let high = interval.high().cloned();
        let mut within = own.take_while(|n| high.as_ref().is_none_or(|high| n <= high));
        match within.find(|n| interval.contains(n)) {
            Some(first) if interval.as_point().is_none() => {
                Interval::new(Some(first), high).unwrap_or_else(|| interval.clone())
            }
            _ => interval.clone(),
        }
    }

    /// A move of either side as plays of modules have it.
    pub fn as_played(&self, m: &Move) -> Option<Played> {
        Some(match &m.label {
            Label::Abort => Played::Fail,
            Label::Exit(n) => Played::Exit(n.clone()),
            Label::Call(arguments) => {
                let function = self.roles.function(&self.module, m.component, m.element.as_ref())?;
                Played::Call(function, arguments.to_vec())
            }
            Label::Value(n) => Played::Return(Some(n.clone())),
            _ => Played::Return(None),
        })
    }
}

/// Whether a module never reads what the environment gives in a role.
pub(crate) fn is_ignored(module: &Module, role: Role) -> bool {
    match role {
        Role::Parameter(id, n) => module.ignores_parameter(id, n),
        Role::Import(id) => module.ignores_result(id),
        _ => false,
    }
}

/// Whether a module can fail, by an engine that takes modules. Others take none, which is a reason.
pub fn answer(
    engine: Engine,
    compiled: &Compiled,
    effort: &RefinementOptions,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Found {
    // A small module is answered before an engine looks at the budget.
    if let Err(stop) = budget.check() {
        return Report::new(Verdict::Unknown(Reason::Stop(stop)), engine.name());
    }
    let run = || match engine {
        Engine::Explicit => explicit(compiled, FEW_EDGES, budget, observe),
        Engine::Interval => each::intervals(compiled, each::TOGETHER, effort, budget, observe),
        Engine::Auto => {
            // Random environments would go on for ever where all others have given up.
            let ask = |engine, budget: &Budget, observe: &mut Observer<'_>| match engine {
                Engine::Random => answer(engine, compiled, effort, &random::some(budget), observe),
                _ => answer(engine, compiled, effort, budget, observe),
            };
            in_turn(compiled.plan(), budget, &ask, observe)
        }
        Engine::Predicate(_) => predicate::modules::check(compiled, effort, budget, observe),
        Engine::Horn => horn::check(compiled, effort, budget, observe),
        Engine::Random => random::check(compiled, budget),
        Engine::Partition { .. } | Engine::AssumeGuarantee(_) => {
            let what = format!("the engine `{}` takes no modules", engine.name());
            let span = Span::default();
            Report::new(Verdict::Unknown(Reason::NoEngine { what, span }), engine.name())
        }
    };
    unless_full(run).unwrap_or_else(|stop| Report::new(Verdict::Unknown(Reason::Stop(stop)), engine.name()))
}

/// Whether a module can fail, over exact numbers. With more edges than `few`, a proof is tried first.
pub fn explicit(compiled: &Compiled, few: u64, budget: &Budget, observe: &mut Observer<'_>) -> Found {
    let machine = Machine::new(compiled.code.clone(), compiled.arena.clone(), Exact::default());
    let mut runs = ExactRuns::new(machine, &compiled.roles, budget, observe);
    match decide(&mut runs, few) {
        Ok(tabulate::Found { failure, figures: Figures { members, edges, .. } }) => {
            let verdict = match (failure, runs.unbounded()) {
                (None, None) => Verdict::Safe,
                (None, Some(component)) => Verdict::Unknown(Reason::Stop(Stop::Unbounded(component))),
                (Some(links), _) => {
                    let moves = runs.moves(&links);
                    Verdict::Unsafe(moves.iter().filter_map(|m| compiled.as_played(m)).collect(), ())
                }
            };
            Report { states: members, transitions: edges, ..Report::new(verdict, "explicit") }
        }
        Err(stop) => Report::new(Verdict::Unknown(Reason::Stop(stop)), "explicit"),
    }
}

/// An answer about a slice of a module, in which nothing is left that no check depends on. If it is a play that the module itself does not
/// play to a failure, or if slicing is switched off, the answer is about the module.
pub fn of_slice(
    module: &Module,
    slicing: bool,
    budget: &Budget,
    mut ask: impl FnMut(&Compiled) -> Found,
) -> Found {
    if slicing {
        let found = ask(&Compiled::new(module.sliced()));
        match &found.verdict {
            Verdict::Unsafe(moves, ()) if !fails(module, moves, budget) => {}
            _ => return found,
        }
    }
    ask(&Compiled::new(module.clone()))
}

/// Whether a module fails after moves of the environment's. If it makes no move for long, it is taken to make none.
fn fails(module: &Module, moves: &[Played], budget: &Budget) -> bool {
    let patience = Patience { steps: SILENT, ..Patience::within(budget) };
    let played = play_within(module, moves.to_vec(), patience);
    matches!(played.outcome, Outcome::Ended(Exit::Fails(_)))
}

/// With more edges than this, a proof is tried first.
pub const FEW_EDGES: u64 = 1 << 15;
