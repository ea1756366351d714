//! Environments: from a play, definitions for all free identifiers, in the language itself, that play O's part.
//!
//! Each identifier behaves by how often it was asked: its first call does this, its second that. Where all calls
//! do the same, no counting is needed, and the definition reads as a person would write it. A free variable that
//! behaves like a cell becomes one; one that does not becomes a choice of cells, which is how bad variables can
//! be written down at all.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_core::eval::Request;
use agon_core::term::{Judgement, VarId};
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId};
use agon_ia::print::print_term;

use crate::page::{Page, number};
use crate::replay::{Call, Recording};
use crate::verify::Subject;

/// A closed program: an environment around a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closed {
    /// The text of the whole.
    pub text: String,
    /// Where the environment ends and the term begins, in bytes.
    pub term: usize,
}

/// Closes a program with the environment that a recorded play needs.
pub fn close(subject: Subject<'_>, recording: &Recording) -> Closed {
    let Subject { program, judgement, arena, .. } = subject;
    let mut writer = Writer { page: Page::new(subject, subject), judgement, arena };
    writer.page.line("// An environment that plays O's part.");
    let mut arguments = Vec::new();
    for var in judgement.context.iter().chain(&judgement.arguments) {
        let id = arena.of_variable(*var).expect("every free identifier has a component");
        let name = match judgement.arguments.contains(var) {
            false => judgement.terms.variable(*var).name.to_string(),
            true => {
                let name = writer.page.fresh(&format!("argument{}", judgement.terms.variable(*var).name));
                arguments.push(name.clone());
                name
            }
        };
        writer.define(&name, *var, id, recording.calls.get(&id).map_or(&[], |calls| calls));
    }
    writer.page.line("// The program.");
    let term = writer.page.text.len();
    let mut body = print_term(&program.tree, program.body);
    if !arguments.is_empty() {
        body = format!("({body})({})", arguments.join(", "));
    }
    match &recording.opening {
        Request::Read(_) => body = format!("!({body})"),
        Request::Write(_, n) => body = format!("({body}) := {}", number(n)),
        Request::Run => {}
    }
    writer.page.line(&body);
    Closed { text: writer.page.text, term }
}

struct Writer<'a> {
    page: Page,
    judgement: &'a Judgement,
    arena: &'a Arena,
}

impl Writer<'_> {
    fn define(&mut self, name: &str, var: VarId, id: ComponentId, calls: &[Call]) {
        let ty = &self.judgement.terms.variable(var).ty;
        let (parameters, base) = ty.uncurry();
        if parameters.is_empty() && !calls.iter().any(|call| call.goal) && self.as_cells(name, base, calls) {
            return;
        }
        let mut names = Vec::new();
        let mut declared = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let parameter_name = self.page.fresh(&format!("{name}_{}", n + 1));
            declared.push(format!("{parameter_name} : {parameter}"));
            names.push(parameter_name);
        }
        let header = match (declared.is_empty(), base) {
            (true, Type::Var(_) | Type::Array(..)) => format!("let {name} ="),
            (true, base) => format!("let {name} : {base} ="),
            (false, Type::Var(_) | Type::Array(..)) => format!("let {name}({}) =", declared.join(", ")),
            (false, base) => format!("let {name}({}) : {base} =", declared.join(", ")),
        };
        // What each call ends with: nothing, a value, or a place that is read or written.
        let results = self.results(name, base, calls);
        let mut scripts: Vec<Script> = calls
            .iter()
            .zip(results)
            .map(|(call, result)| self.script(id, call, &names, result, base))
            .collect();
        // The last call may have been cut short; it may as well go on like one before it.
        if let [before @ .., cut] = &mut scripts[..]
            && cut.open_ended
            && let Some(like) = before.iter().rev().find(|script| script.steps.starts_with(&cut.steps))
        {
            *cut = like.clone();
        }
        let mut bodies: Vec<String> = scripts.iter().map(Script::text).collect();
        if bodies.is_empty() {
            let idle = self.idle(name, base);
            bodies.push(idle);
        }
        if bodies.iter().all(|body| *body == bodies[0]) {
            self.page.line(&format!("{header} {} in", block(&bodies[0])));
            return;
        }
        let counter = self.page.fresh(&format!("{name}_calls"));
        self.page.line(&format!("new int {counter} := 0 in"));
        let choice = choice(&counter, &bodies, 1);
        self.page.line(&format!("{header} {{\n  {counter} := {counter} + 1;\n  {choice}\n}} in"));
    }

    /// What an identifier that is never asked does.
    fn idle(&mut self, name: &str, base: &Type) -> String {
        let length = match base {
            Type::Com => return "skip".into(),
            Type::Exp(_) => return "0".into(),
            Type::Array(_, length) => format!("[{length}]"),
            _ => String::new(),
        };
        let cell = self.page.fresh(&format!("{name}_sink"));
        if let Some(data) = base.data() {
            self.page.line(&format!("new {data} {cell}{length} in"));
        }
        cell
    }

    /// A free variable or array that behaves like cells becomes cells. Says whether it does.
    fn as_cells(&mut self, name: &str, base: &Type, calls: &[Call]) -> bool {
        let (data, length) = match base {
            Type::Var(data) => (data, None),
            Type::Array(data, length) => (data, Some(*length)),
            _ => return false,
        };
        // More cells than this are not made to be played with.
        if length.is_some_and(|length| length > 1 << 20) {
            return false;
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
        match length {
            None => {
                let start = initial.get(&0).map_or(String::new(), |n| format!(" := {}", number(n)));
                self.page.line(&format!("new {data} {name}{start} in"));
            }
            Some(length) => {
                self.page.line(&format!("new {data} {name}[{length}] in"));
                for (at, n) in initial {
                    self.page.line(&format!("{name}[{at}] := {};", number(&n)));
                }
            }
        }
        true
    }

    /// For each call of an identifier of variable type, the cell or array that it turns out to be.
    fn results(&mut self, name: &str, base: &Type, calls: &[Call]) -> Vec<Option<String>> {
        match base {
            Type::Var(data) => {
                let mut cells: Vec<(Option<Int>, String)> = Vec::new();
                let mut results = Vec::new();
                for call in calls {
                    // What is written goes to a cell that nobody reads.
                    let holds = if call.written.is_some() { None } else { call.answer.clone() };
                    let known = cells.iter().find(|(held, _)| *held == holds).map(|(_, cell)| cell.clone());
                    let cell = known.unwrap_or_else(|| {
                        let cell = match &holds {
                            Some(n) => self
                                .page
                                .fresh(&format!("{name}_is_{}", n.to_string().replace('-', "minus_"))),
                            None => self.page.fresh(&format!("{name}_sink")),
                        };
                        let start = holds.as_ref().map_or(String::new(), |n| format!(" := {}", number(n)));
                        self.page.line(&format!("new {data} {cell}{start} in"));
                        cells.push((holds, cell.clone()));
                        cell
                    });
                    results.push(Some(cell));
                }
                results
            }
            Type::Array(data, length) => {
                // Arrays that are only read, each with the elements it must hold; and one that is only written.
                let mut arrays: Vec<(BTreeMap<u64, Int>, String)> = Vec::new();
                let mut sink = None;
                let mut results = Vec::new();
                for call in calls {
                    if call.written.is_some() || call.answer.is_none() {
                        let name = match &sink {
                            Some(name) => String::clone(name),
                            None => {
                                let name = self.page.fresh(&format!("{name}_sink"));
                                self.page.line(&format!("new {data} {name}[{length}] in"));
                                sink = Some(name.clone());
                                name
                            }
                        };
                        results.push(Some(name));
                        continue;
                    }
                    let (at, n) = (call.element.unwrap_or(0), call.answer.clone().unwrap_or_default());
                    let fitting =
                        arrays.iter().position(|(held, _)| held.get(&at).is_none_or(|held| *held == n));
                    let place = fitting.unwrap_or_else(|| {
                        let name = self.page.fresh(&format!("{name}_as_{}", arrays.len() + 1));
                        arrays.push((BTreeMap::new(), name));
                        arrays.len() - 1
                    });
                    arrays[place].0.insert(at, n);
                    results.push(Some(arrays[place].1.clone()));
                }
                for (held, name) in &arrays {
                    self.page.line(&format!("new {data} {name}[{length}] in"));
                    for (at, n) in held {
                        self.page.line(&format!("{name}[{at}] := {};", number(n)));
                    }
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
        names: &[String],
        result: Option<String>,
        base: &Type,
    ) -> Script {
        let component = self.arena.component(id);
        let steps = call
            .actions
            .iter()
            .map(|action| {
                let name = &names[action.argument];
                let place = match action.element {
                    Some(at) => format!("{name}[{at}]"),
                    None => name.clone(),
                };
                let argument = self.arena.component(component.arguments[action.argument]);
                match (&argument.base, &action.written) {
                    (Type::Com, _) => place,
                    (_, Some(n)) => format!("{place} := {}", number(n)),
                    // The value is of no interest here.
                    (_, None) => format!("if {place} then skip"),
                }
            })
            .collect();
        let end = match (call.goal, result, base, &call.answer) {
            (true, ..) => Some("abort".into()),
            (_, Some(cell), ..) => Some(cell),
            (_, _, Type::Exp(_), Some(n)) => Some(number(n)),
            (_, _, Type::Exp(_), None) => Some("0".into()),
            _ => None,
        };
        Script { steps, end, open_ended: call.answer.is_none() && !call.goal }
    }
}

/// The statements of one call.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Script {
    steps: Vec<String>,
    end: Option<String>,
    /// The play ended while this call was under way.
    open_ended: bool,
}

/// As many equal statements as this in a row become a loop.
const MANY: usize = 4;

impl Script {
    fn text(&self) -> String {
        let mut parts = Vec::new();
        for run in self.steps.chunk_by(|a, b| a == b) {
            if run.len() < MANY {
                parts.extend(run.iter().cloned());
            } else {
                parts.push(format!(
                    "{{ new int times := 0 in while times < {} do {{ times := times + 1; {} }} }}",
                    run.len(),
                    run[0]
                ));
            }
        }
        parts.extend(self.end.clone());
        match parts.len() {
            0 => "skip".into(),
            // A loop alone needs no braces of its own.
            1 if parts[0].starts_with("{ ") => {
                parts[0].trim_start_matches("{ ").trim_end_matches(" }").to_string() + " }"
            }
            _ => parts.join("; "),
        }
    }
}

fn block(body: &str) -> String {
    if body.contains(';') || body.starts_with("if ") { format!("{{ {body} }}") } else { body.into() }
}

/// The body of the call that a counter has come to: a balanced choice, so that long plays stay quick to run.
fn choice(counter: &str, bodies: &[String], first: usize) -> String {
    let runs: Vec<&[String]> = bodies.chunk_by(|a, b| a == b).collect();
    if runs.len() == 1 {
        return block(&bodies[0]);
    }
    let middle: usize = runs[..runs.len() / 2].iter().map(|run| run.len()).sum();
    let (left, right) = bodies.split_at(middle);
    let condition = match middle {
        1 if first == 1 => format!("{counter} = 1"),
        _ => format!("{counter} < {}", first + middle),
    };
    format!(
        "if {condition} then {} else {}",
        choice(counter, left, first),
        choice(counter, right, first + middle)
    )
}
