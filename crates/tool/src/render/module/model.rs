//! Models of modules as text, data and pictures: the turn of the environment, and a component for each procedure that waits.

mod picture;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Result, Write};

use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::source::Span;
use agon_check::modules::model::{Activation, ActivationId, Edge, Given, Known, Model, Reply, StoreClass};
use agon_core::module::play::{Move, Nested};
use agon_core::module::{Calls, Function, ProcedureId};

use super::{columns, data, place, written};
use crate::session::module::{ModuleSession, Role};
use crate::shape::model::{NestedActivation, NestedCell, NestedEdge, NestedModel, NestedReply, NestedStore};
use crate::shape::{self, Version};

/// More values of a cell than this are not listed in words.
const MOST_VALUES: usize = 8;

/// The heading of what the environment may do wherever it is to move.
const TURN: &str = "turn of the environment";

/// A model of a module, with names for its activations.
pub struct Spelt<'a> {
    session: &'a ModuleSession,
    model: &'a Model,
    names: Vec<String>,
}

/// A component: the turn of the environment, or a procedure and whether the module called it itself.
type Component = Option<(ProcedureId, bool)>;

impl<'a> Spelt<'a> {
    /// Names the activations by their procedures.
    pub fn new(session: &'a ModuleSession, model: &'a Model) -> Spelt<'a> {
        let mut counts: BTreeMap<ProcedureId, usize> = BTreeMap::new();
        let name = |id: ProcedureId| session.module().procedure(id).name.clone();
        let names = model.activations.iter().map(|activation| {
            let count = counts.entry(activation.procedure).or_default();
            *count += 1;
            format!("{}.{count}", name(activation.procedure))
        });
        Spelt { session, model, names: names.collect() }
    }

    fn name(&self, id: ActivationId) -> &str {
        &self.names[id.index()]
    }

    fn component(&self, edge: &Edge) -> Component {
        edge.waits.map(|id| {
            let activation = &self.model.activations[id.index()];
            (activation.procedure, activation.inner)
        })
    }

    /// The procedures that wait, in the order of their activations.
    fn components(&self) -> Vec<(ProcedureId, bool)> {
        let mut all: Interner<(ProcedureId, bool)> = Interner::default();
        for activation in &self.model.activations {
            all.intern((activation.procedure, activation.inner));
        }
        all.into_vec()
    }

    fn title(&self, component: Component) -> String {
        match component {
            None => TURN.into(),
            Some((id, inner)) => {
                let name = &self.session.module().procedure(id).name;
                if inner { format!("{name}, called by the module") } else { name.to_string() }
            }
        }
    }

    /// A move that answers a call of a function, or calls it.
    fn played(&self, played: &Move, function: Function) -> String {
        let nested = Nested { depth: 0, function: Some(function), by_environment: true, reenters: false };
        let module = self.session.module();
        let value = || data(module, played, &nested).pop().unwrap_or_default();
        match (self.session.role(Some(function)), played) {
            (Role::Asks(object), Move::Call(..)) => format!("reads {object}"),
            (Role::Asks(object), Move::Return(_)) | (Role::Tells(object), Move::Call(..)) => {
                format!("{object} = {}", value())
            }
            (Role::Order, Move::Call(..)) => "order of evaluation".into(),
            (Role::Order, Move::Return(_)) => format!("order {}", value()),
            _ => written(module, played, &nested),
        }
    }

    /// The end of a procedure that the module called itself.
    fn ended(&self, value: Option<&Int>, function: Function) -> String {
        match value {
            None => "ends".into(),
            Some(value) => {
                let answer = self.played(&Move::Return(Some(value.clone())), function);
                format!("ends with {}", answer.trim_start_matches("ret "))
            }
        }
    }

    /// What a module goes on with, in words.
    fn given(&self, edge: &Edge) -> String {
        let waits_for = edge.waits.map(|id| self.model.activations[id.index()].waits_for);
        match (&edge.given, waits_for) {
            (Given::Moves(played @ Move::Call(function, _)), _) => self.played(played, *function),
            (Given::Moves(played), Some(function)) => self.played(played, function),
            (Given::Ended(value), Some(function)) => {
                let name = self.session.module().show_function(function);
                format!("{name} {}", self.ended(value.as_ref(), function))
            }
            (given, None) => unreachable!("{given:?} answers nothing"),
        }
    }

    /// What the module does, in words.
    fn reply(&self, edge: &Edge) -> String {
        let owner = match (&edge.given, edge.waits) {
            (_, Some(id)) => Function::Procedure(self.model.activations[id.index()].procedure),
            (Given::Moves(Move::Call(function, _)), None) => *function,
            (given, None) => unreachable!("{given:?} answers nothing"),
        };
        match &edge.reply {
            Reply::Moves(played @ Move::Call(function, _), ..) => self.played(played, *function),
            Reply::Moves(played, ..) | Reply::Stops(played) => self.played(played, owner),
            Reply::Ends(value, _) => self.ended(value.as_ref(), owner),
            Reply::Diverges => "never moves again".into(),
        }
    }

    /// What holds after an edge: the store, and which activations wait.
    fn after(&self, edge: &Edge) -> String {
        match &edge.reply {
            Reply::Moves(_, opens, store) => {
                let names: Vec<&str> = opens.iter().map(|id| self.name(*id)).collect();
                match &names[..] {
                    [] => store.0.to_string(),
                    [one] => format!("{}  {one} waits", store.0),
                    several => format!("{}  {} wait", store.0, several.join(", ")),
                }
            }
            Reply::Ends(_, store) => store.0.to_string(),
            Reply::Stops(_) | Reply::Diverges => String::new(),
        }
    }

    /// A line for each store, each activation and each edge.
    pub fn text(&self) -> String {
        let mut text = String::from("stores\n");
        for (n, store) in self.model.stores.iter().enumerate() {
            let cells = known(&store.cells);
            let members =
                if store.members == 1 { String::new() } else { format!("{} stores", store.members) };
            let about: Vec<&str> = [&*cells, &*members].into_iter().filter(|part| !part.is_empty()).collect();
            let _ = writeln!(text, "{}", format!("{n:5}  {}", about.join("; ")).trim_end());
        }
        let components = std::iter::once(None).chain(self.components().into_iter().map(Some));
        for component in components {
            let _ = writeln!(text, "\n{}", self.title(component));
            for (name, activation) in self.names.iter().zip(&self.model.activations) {
                if component == Some((activation.procedure, activation.inner)) {
                    let _ = writeln!(text, "       {name} waits for {}", self.waits_for(activation));
                }
            }
            let row = |edge: &Edge| {
                let waits_for = edge.waits.map(|id| self.model.activations[id.index()].waits_for);
                let by = match edge.given {
                    Given::Ended(_) => "L",
                    Given::Moves(_) if self.session.role(waits_for) == Role::Order => "·",
                    Given::Moves(_) => "E",
                };
                let waits = edge.waits.map_or(String::new(), |id| format!("  {}", self.name(id)));
                [
                    format!("{:5}{waits}", edge.store.0),
                    format!("{by}  {}", self.given(edge)),
                    format!("L  {}", self.reply(edge)),
                    self.after(edge),
                ]
            };
            let edges = self.model.edges.iter().filter(|edge| self.component(edge) == component);
            text += &columns(&edges.map(row).collect::<Vec<_>>());
        }
        text
    }

    /// What an activation waits for, where, and what tells it from others.
    fn waits_for(&self, activation: &Activation) -> String {
        let role = self.session.role(Some(activation.waits_for));
        let mut text = match role {
            Role::Order => "an order of evaluation".into(),
            Role::System(name) => format!("what {name} gives"),
            Role::Reuse => "whether an address comes again".into(),
            Role::Asks(object) => format!("the value of {object}"),
            Role::Function | Role::Tells(_) | Role::Dies => {
                self.session.module().show_function(activation.waits_for)
            }
        };
        let line = |span: &Span| self.session.source.line_column(span.start).0;
        let mut lines: Vec<usize> = activation.spans.iter().map(line).collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        match lines.len() {
            0 => {}
            1 => _ = write!(text, " in line {}", lines[0]),
            _ => _ = write!(text, " in lines {}", lines.join(", ")),
        }
        if let (Role::Function, Function::Import(id)) = (role, activation.waits_for) {
            let module = self.session.module();
            let restrictions = module.show_restrictions(module.import(id));
            if !restrictions.is_empty() {
                let _ = write!(text, ", which {}", restrictions.join(", "));
            }
        }
        if !activation.cells.is_empty() {
            let _ = write!(text, "; {}", known(&activation.cells));
        }
        text
    }

    /// What the environment may call while an activation waits, if that is not everything that it knows.
    fn calls(&self, activation: &Activation) -> Option<Vec<String>> {
        let module = self.session.module();
        let Function::Import(id) = activation.waits_for else { return None };
        let name = |id: &ProcedureId| module.procedure(*id).name.to_string();
        match &module.import(id).calls {
            Calls::Any => None,
            Calls::Nothing => Some(Vec::new()),
            Calls::Only(ids) => Some(ids.iter().map(name).collect()),
        }
    }

    /// The model as data.
    pub fn data(&self) -> NestedModel {
        let module = self.session.module();
        let cells = |cells: &[Known]| {
            let cell = |cell: &Known| NestedCell { name: cell.name.clone(), values: cell.values.clone() };
            cells.iter().map(cell).collect()
        };
        let store = |store: &StoreClass| NestedStore { members: store.members, cells: cells(&store.cells) };
        let activations = self.names.iter().zip(&self.model.activations);
        let activation = |(name, activation): (&String, &Activation)| NestedActivation {
            name: name.clone(),
            procedure: module.procedure(activation.procedure).name.to_string(),
            inner: activation.inner,
            waits_for: module.show_function(activation.waits_for),
            calls: self.calls(activation),
            places: activation.spans.iter().map(|span| place(&self.session.source, *span)).collect(),
            cells: cells(&activation.cells),
        };
        NestedModel {
            version: Version,
            initial: 0,
            stores: self.model.stores.iter().map(store).collect(),
            activations: activations.map(activation).collect(),
            edges: self.model.edges.iter().map(|edge| self.edge(edge)).collect(),
        }
    }

    fn edge(&self, edge: &Edge) -> NestedEdge {
        let (kind, opens, next): (_, &[ActivationId], _) = match &edge.reply {
            Reply::Moves(Move::Call(..), opens, store) => (NestedReply::Call, opens, Some(store)),
            Reply::Moves(_, opens, store) => (NestedReply::Return, opens, Some(store)),
            Reply::Ends(_, store) => (NestedReply::End, &[], Some(store)),
            Reply::Stops(Move::Exit(_)) => (NestedReply::Exit, &[], None),
            Reply::Stops(_) => (NestedReply::Fail, &[], None),
            Reply::Diverges => (NestedReply::Nothing, &[], None),
        };
        NestedEdge {
            store: edge.store.0,
            waits: edge.waits.map(|id| id.0),
            given: self.given(edge),
            ended: matches!(edge.given, Given::Ended(_)),
            kind,
            reply: (kind != NestedReply::Nothing).then(|| self.reply(edge)),
            opens: opens.iter().map(|id| id.0).collect(),
            next: next.map(|store| store.0),
        }
    }

    /// The model as JSON.
    pub fn json(&self, out: &mut dyn Write) -> Result<()> {
        out.write_all(shape::pretty(&self.data()).as_bytes())
    }
}

/// What is known of cells, in words.
fn known(cells: &[Known]) -> String {
    let cell = |cell: &Known| {
        let shown = cell.values.iter().take(MOST_VALUES).map(String::as_str);
        let more = (cell.values.len() > MOST_VALUES).then_some("…");
        format!("{} = {}", cell.name, shown.chain(more).collect::<Vec<_>>().join(" | "))
    };
    cells.iter().map(cell).collect::<Vec<_>>().join(", ")
}
