//! The model of a module: what it answers to each move of the environment's, as automata that are nested.
//!
//! A nested call does not see its callers. So the model has two kinds of states: *stores*, what the cells of the module hold, and
//! *activations* that wait. The environment's turn is an automaton over stores. Where an activation waits, that turn goes on, and
//! an answer to the activation is one more edge, which depends on the activation and on the store as it is then. A walk over the
//! model keeps a stack of activations; of the calls at a store, it may make those that the innermost import allows. A procedure that calls itself around an import has activations of its own; silent calls
//! that return before the next move are no part of the model.
//!
//! Only what can be reached is in the model: the graph of [`super::rows`] says with which stores an activation can wait. Equal
//! stores and equal activations are one (`classes`).

mod classes;
mod recorded;
mod words;

use agon_base::budget::{Budget, Stop};
use agon_base::growth::unless_full;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::play::Move;
use agon_core::module::{Function, ProcedureId};
use agon_games::arena::Role;
use agon_games::machine::Machine;
use agon_games::values::Exact;

use super::Compiled;
use super::exact::ExactRuns;
use super::rows::is_safe;
use crate::search::Observer;
use crate::verdict::Reason;
use classes::classes;
use recorded::Recorded;
use words::Writer;

agon_base::id! {
    /// What the cells of a module may hold; all stores of a class have one number.
    pub StoreId;
    /// A waiting activation; all activations of a class have one number.
    pub ActivationId;
}

/// The model of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The stores. The first is that before the first move.
    pub stores: Vec<StoreClass>,
    /// The activations.
    pub activations: Vec<Activation>,
    /// What follows what: first the calls by the environment, ordered by the store, then the answers, by activation and store.
    pub edges: Vec<Edge>,
    /// How many stores, and positions at which an activation waits, were visited.
    pub visited: usize,
}

/// Stores that no play tells apart and at which the same activations can wait.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreClass {
    /// How many stores there are in it.
    pub members: usize,
    /// The cells that say something about it.
    pub cells: Vec<Known>,
}

/// What is known of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The cell or the element, as it is written.
    pub name: String,
    /// The values that it has in the class, as they are written.
    pub values: Vec<String>,
}

/// An activation that waits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Activation {
    /// The procedure.
    pub procedure: ProcedureId,
    /// Whether the module has called it; otherwise the environment has.
    pub inner: bool,
    /// What it waits for: a function of the environment's, or a procedure of the module that calls itself.
    pub waits_for: Function,
    /// Where it may have called that.
    pub spans: Vec<Span>,
    /// The cells that tell it from others that wait at the same place.
    pub cells: Vec<Known>,
}

/// An answer of the module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The activation that is given something; none where the environment calls.
    pub waits: Option<ActivationId>,
    /// The store.
    pub store: StoreId,
    /// What happens.
    pub given: Given,
    /// What the module does then.
    pub reply: Reply,
}

/// What the module goes on with.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Given {
    /// The environment moves.
    Moves(Move),
    /// The procedure that the activation waits for is over, with a value if it gives one.
    Ended(Option<Int>),
}

/// What the module does. The activation that was given something is over, or is the first of those that wait.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Reply<W = ActivationId, G = StoreId> {
    /// It calls, and activations wait, outermost first; or it returns, and none is added.
    Moves(Move, Vec<W>, G),
    /// The activation is over with a value, and the one that waits for it goes on.
    Ends(Option<Int>, G),
    /// It fails or ends the process.
    Stops(Move),
    /// It never moves again.
    Diverges,
}

/// The model of a module, over exact numbers.
pub fn model(compiled: &Compiled, budget: &Budget, observe: &mut Observer<'_>) -> Result<Model, Reason> {
    if compiled.module.threads > 1 {
        return Err(Reason::NoModel("the model of a module has one thread of the environment only".into()));
    }
    let model = || budget.check().and_then(|()| made(compiled, budget, observe));
    unless_full(model).and_then(|made| made).map_err(|stop| match stop {
        Stop::Unbounded(component) => {
            let name = &compiled.arena.component(component).name;
            let given = match compiled.roles.of(component) {
                Role::Procedure(_) => format!("call `{name}` with"),
                _ => format!("answer `{name}` by"),
            };
            Reason::NoModel(format!(
                "the environment may {given} more values than are tried one by one; give them a smaller type, such as `int%8`"
            ))
        }
        stop => Reason::Stop(stop),
    })
}

fn made(compiled: &Compiled, budget: &Budget, observe: &mut Observer<'_>) -> Result<Model, Stop> {
    let machine = Machine::new(compiled.code.clone(), compiled.arena.clone(), Exact::default());
    let runs = ExactRuns::new(machine, &compiled.roles, budget, observe).with_unread();
    let mut recorded = Recorded::new(runs, compiled, budget);
    let (_, figures) = is_safe(&mut recorded)?;
    let resolved = recorded.resolved()?;
    let machine = &mut recorded.runs.machine;
    let kinds = |n: u32| {
        let (function, _, at) = resolved.waits[n as usize];
        (machine.began_with(at), function)
    };
    let classes = classes(&resolved, kinds, budget)?;
    let visited = figures.members + resolved.stores.len();
    Ok(Writer { compiled, machine, resolved: &resolved, classes: &classes }.model(visited))
}
