//! Environments of sequential plays: definitions for all free identifiers that play O's part.
//!
//! Each identifier behaves by how often it was asked: its first call does this, its second that. Where all calls
//! do the same, no counting is needed, and the definition reads as a person would write it. A free variable that
//! behaves like a cell becomes one; one that does not becomes a choice of cells, which is how bad variables can
//! be written down at all.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_core::environment::{
    Answer, Body, Declaration, Environment, Opening, Place, Procedure, Purpose, Statement, Use,
};
use agon_core::eval::Request;
use agon_core::term::{Judgement, Name, VarId};
use agon_core::types::{Argument, Data, Type};
use agon_games::arena::{Arena, ComponentId};

use crate::names::Names;
use crate::replay::{Call, Recording};
use crate::verify::Subject;

/// The environment that a recorded play needs.
pub fn environment(subject: Subject<'_>, recording: &Recording) -> Environment {
    let Subject { judgement, arena, .. } = subject;
    let names = Names::new(subject, subject);
    let mut writer = Writer { names, declarations: Vec::new(), judgement, arena };
    let mut arguments = Vec::new();
    for var in judgement.context.iter().chain(&judgement.arguments) {
        let id = arena.of_variable(*var).expect("every free identifier has a component");
        let name = writer.names.identifier(judgement, *var, &mut arguments);
        writer.define(&name, *var, id, recording.calls.get(&id).map_or(&[], |calls| calls));
    }
    let opening = match &recording.opening {
        Request::Read(_) => Opening::Read,
        Request::Write(_, n) => Opening::Write(n.clone()),
        Request::Run => Opening::Plain,
    };
    Environment::sequential(Purpose::Lead, writer.declarations, arguments, opening, Vec::new())
}

struct Writer<'a> {
    names: Names,
    declarations: Vec<Declaration>,
    judgement: &'a Judgement,
    arena: &'a Arena,
}

impl Writer<'_> {
    fn cell(&mut self, name: &Name, ty: &Type, start: Option<Int>) {
        self.declarations.push(Declaration::Cell(name.clone(), ty.clone(), start));
    }

    fn define(&mut self, name: &Name, var: VarId, id: ComponentId, calls: &[Call]) {
        let ty = &self.judgement.terms.variable(var).ty;
        let (parameters, base) = ty.uncurry();
        if parameters.is_empty() && !calls.iter().any(|call| call.goal) && self.as_cells(name, base, calls) {
            return;
        }
        let parameters = self.names.parameters(name, &parameters);
        // What each call ends with: nothing, a value, or a place that is read or written.
        let results = self.results(name, base, calls);
        let mut scripts: Vec<Script> = calls
            .iter()
            .zip(results)
            .map(|(call, result)| self.script(id, call, &parameters, result, base))
            .collect();
        // The last call may have been cut short; it may as well go on like one before it.
        if let [before @ .., cut] = &mut scripts[..]
            && cut.open_ended
            && let Some(like) = before.iter().rev().find(|script| script.steps.starts_with(&cut.steps))
        {
            *cut = like.clone();
        }
        let mut bodies: Vec<Body> = scripts.into_iter().map(Script::body).collect();
        if bodies.is_empty() {
            bodies.push(self.idle(name, base));
        }
        let body = if bodies.iter().all(|body| *body == bodies[0]) {
            bodies.swap_remove(0)
        } else {
            let counter = self.names.fresh(&format!("{name}_calls"));
            self.cell(&counter, &Type::Var(Data::Int), Some(Int::ZERO));
            // What is done by the first calls, and from which call on something else is.
            let mut first = 1;
            let runs = bodies.chunk_by(|a, b| a == b).map(|run| {
                first += run.len();
                (first - run.len(), run[0].clone())
            });
            let calls = Place::named(&counter);
            let choice = Body::choice(&runs.collect::<Vec<_>>(), &|n| match n {
                2 => calls.clone().is(Int::ONE),
                n => calls.clone().is_below(n),
            });
            Body { steps: vec![Statement::Use(Place::named(&counter), Use::Count)], end: choice.end }
        };
        let procedure = Procedure { parameters, base: base.clone(), body };
        self.declarations.push(Declaration::Definition(name.clone(), procedure));
    }

    /// What an identifier that is never asked does.
    fn idle(&mut self, name: &str, base: &Type) -> Body {
        match base {
            Type::Com => Body::default(),
            Type::Exp(_) => Answer::Number(Int::ZERO).into(),
            _ => {
                let cell = self.names.fresh(&format!("{name}_sink"));
                self.cell(&cell, base, None);
                Answer::Cell(cell).into()
            }
        }
    }

    /// A free variable or array that behaves like cells becomes cells. Says whether it does.
    fn as_cells(&mut self, name: &Name, base: &Type, calls: &[Call]) -> bool {
        match base {
            Type::Var(_) => {}
            // More cells than this are not made to be played with.
            Type::Array(_, length) if *length <= 1 << 20 => {}
            _ => return false,
        }
        let mut initial: BTreeMap<u64, Int> = BTreeMap::new();
        let mut now: BTreeMap<u64, Int> = BTreeMap::new();
        for call in calls {
            let at = call.element.unwrap_or(0);
            match (&call.written, &call.answer) {
                (Some(n), _) => {
                    now.insert(at, n.clone());
                }
                (None, Some(read)) => match now.get(&at) {
                    Some(n) if n == read => {}
                    Some(_) => return false,
                    None => {
                        initial.insert(at, read.clone());
                        now.insert(at, read.clone());
                    }
                },
                (None, None) => {}
            }
        }
        initial.retain(|_, n| !n.is_zero());
        if let Type::Var(_) = base {
            self.cell(name, base, initial.remove(&0));
        } else {
            self.array(name, base, &initial);
        }
        true
    }

    /// A new array that holds these numbers, and 0 elsewhere.
    fn array(&mut self, name: &Name, base: &Type, holds: &BTreeMap<u64, Int>) {
        self.cell(name, base, None);
        let elements = holds.iter();
        self.declarations
            .extend(elements.map(|(at, n)| Declaration::Element(name.clone(), Int::from(*at), n.clone())));
    }

    /// For each call of an identifier of variable type, the cell or array that it turns out to be.
    fn results(&mut self, name: &str, base: &Type, calls: &[Call]) -> Vec<Option<Name>> {
        match base {
            Type::Var(_) => {
                let mut cells: Vec<(Option<Int>, Name)> = Vec::new();
                let mut results = Vec::new();
                for call in calls {
                    // What is written goes to a cell that nobody reads.
                    let holds = if call.written.is_some() { None } else { call.answer.clone() };
                    let known = cells.iter().find(|(held, _)| *held == holds).map(|(_, cell)| cell.clone());
                    let cell = known.unwrap_or_else(|| {
                        let like = match &holds {
                            Some(n) => format!("{name}_is_{}", n.to_string().replace('-', "minus_")),
                            None => format!("{name}_sink"),
                        };
                        let cell = self.names.fresh(&like);
                        self.cell(&cell, base, holds.clone());
                        cells.push((holds, cell.clone()));
                        cell
                    });
                    results.push(Some(cell));
                }
                results
            }
            Type::Array(..) => {
                // Arrays that are only read, each with the elements it must hold; and one that is only written.
                let mut arrays: Vec<(BTreeMap<u64, Int>, Name)> = Vec::new();
                let mut sink: Option<Name> = None;
                let mut results = Vec::new();
                for call in calls {
                    if call.written.is_some() || call.answer.is_none() {
                        let name = sink.get_or_insert_with(|| {
                            let sink = self.names.fresh(&format!("{name}_sink"));
                            self.cell(&sink, base, None);
                            sink
                        });
                        results.push(Some(name.clone()));
                        continue;
                    }
                    let (at, n) = (call.element.unwrap_or(0), call.answer.clone().unwrap_or_default());
                    let fitting =
                        arrays.iter().position(|(held, _)| held.get(&at).is_none_or(|held| *held == n));
                    let place = fitting.unwrap_or_else(|| {
                        let name = self.names.fresh(&format!("{name}_as_{}", arrays.len() + 1));
                        arrays.push((BTreeMap::new(), name));
                        arrays.len() - 1
                    });
                    arrays[place].0.insert(at, n);
                    results.push(Some(arrays[place].1.clone()));
                }
                for (held, name) in &arrays {
                    self.array(name, base, held);
                }
                results
            }
            _ => vec![None; calls.len()],
        }
    }

    fn script(
        &self,
        id: ComponentId,
        call: &Call,
        parameters: &[(Name, Argument)],
        result: Option<Name>,
        base: &Type,
    ) -> Script {
        let component = self.arena.component(id);
        let steps = call
            .actions
            .iter()
            .map(|action| {
                let place = Place::named(&parameters[action.argument].0).at(action.element.map(Int::from));
                let argument = self.arena.component(component.arguments[action.argument]);
                match (&argument.base, &action.written) {
                    (Type::Com, _) => Statement::Use(place, Use::Run),
                    (_, Some(n)) => Statement::Use(place, Use::Write(n.clone())),
                    (_, None) => Statement::Use(place, Use::Ignore),
                }
            })
            .collect();
        let end = match (result, base, &call.answer) {
            (Some(cell), ..) => Answer::Cell(cell),
            (_, Type::Exp(_), Some(n)) => Answer::Number(n.clone()),
            (_, Type::Exp(_), None) => Answer::Number(Int::ZERO),
            _ => Answer::Nothing,
        };
        Script { steps, end, goal: call.goal, open_ended: call.answer.is_none() && !call.goal }
    }
}

/// The statements of one call.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Script {
    steps: Vec<Statement>,
    end: Answer,
    /// The play ends with this call.
    goal: bool,
    /// The play ended while this call was under way.
    open_ended: bool,
}

/// As many equal statements as this in a row become a loop.
const MANY: usize = 4;

impl Script {
    fn body(self) -> Body {
        let mut steps = Vec::new();
        for run in self.steps.chunk_by(|a, b| a == b) {
            if run.len() < MANY {
                steps.extend(run.iter().cloned());
            } else {
                steps.push(Statement::Repeat(run.len() as u64, Box::new(run[0].clone())));
            }
        }
        match self.goal {
            true => Body { steps: [steps, vec![Statement::Abort]].concat(), end: Answer::Nothing },
            false => Body { steps, end: self.end },
        }
    }
}
