//! Distinguishing environments: from a play that one program has and another has not, an environment in which the
//! one comes to its end and the other does not.
//!
//! The environment counts the moves. It plays O's part of the play, and wherever the program does anything but what
//! the play says, it diverges; so the closed program ends, or aborts, just if the program plays the whole play. What
//! an environment of the language cannot see is which element of a free array is used, and a write of the value that
//! is there already; a play that differs in nothing else is told apart by replaying it.

use std::collections::{BTreeMap, HashSet};

use agon_base::int::Int;
use agon_core::eval::Patience;
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId};
use agon_games::moves::{Label, Move};
use agon_ia::print::print_term;

use crate::environment::Closed;
use crate::page::{Page, number};
use crate::replay::{Call, Goal, Recording, Refused, replay};
use crate::verify::{Subject, outcome, reached};

/// How two programs were seen to differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distinction {
    /// The program that has the play, closed by the environment.
    pub with: Closed,
    /// Whether the environment, run with the other program, was seen to come to something else. Where it was not,
    /// the other program was still seen not to play the play.
    pub shown: bool,
}

/// Confirms that one program has a complete play that the other has not. The play is given as each would make its
/// moves; a program that lacks one of the components lacks the play.
pub fn distinguish(
    with: Subject<'_>,
    without: Subject<'_>,
    moves: &[Move],
    others: Option<&[Move]>,
    patience: Patience<'_>,
) -> Result<Distinction, Refused> {
    let recording = replay(with.judgement, with.arena, moves, patience)?;
    // The other program may run for ever instead; it need not be waited for long.
    let short = Patience { steps: patience.steps.min(20_000_000), ..patience };
    if let Some(others) = others
        && replay(without.judgement, without.arena, others, short).is_ok()
    {
        return Err("both programs play the play".into());
    }
    let closed = close(with, with, &recording, moves);
    match reached(&closed, &recording.goal, patience)? {
        true => {}
        false => return Err("the environment does not bring the play about".into()),
    }
    let other = close(with, without, &recording, moves);
    let shown = match (outcome(&other, short), &recording.goal) {
        (Err(Refused::OutOfPatience), _) => true,
        (Err(refused), _) => return Err(refused),
        (Ok(outcome), Goal::Abort) => !matches!(outcome, Err(agon_core::eval::Exit::Abort(_))),
        (Ok(outcome), _) => outcome.is_err(),
    };
    Ok(Distinction { with: closed, shown })
}

/// A program in the environment of a play of `with`, which has the free identifiers of both.
fn close(with: Subject<'_>, program: Subject<'_>, recording: &Recording, moves: &[Move]) -> Closed {
    let mut writer = Writer { page: Page::new(program, with), arena: with.arena };
    writer.page.line("// An environment that ends only if the program plays the play.");
    let step = writer.page.fresh("step");
    writer.page.line(&format!("new int {step} := 1 in"));
    // Scratch cells first: what is written is looked at by whatever happens next.
    let mut scratch = BTreeMap::new();
    for var in with.judgement.context.iter().chain(&with.judgement.arguments) {
        let id = with.arena.of_variable(*var).expect("every free identifier has a component");
        let component = with.arena.component(id);
        let length = match &component.base {
            Type::Var(_) => String::new(),
            Type::Array(_, length) => format!("[{length}]"),
            _ => continue,
        };
        // An argument of the program's is called by its number, which is no name of the language.
        let owner = if with.judgement.arguments.contains(var) { "argument" } else { "" };
        let cell = writer.page.fresh(&format!("{owner}{}_cell", component.name));
        if let Some(data) = component.base.data() {
            writer.page.line(&format!("new {data} {cell}{length} in"));
        }
        scratch.insert(id, cell);
    }
    let checks = writer.checks(recording, &scratch);
    let mut arguments = Vec::new();
    for var in with.judgement.context.iter().chain(&with.judgement.arguments) {
        let id = with.arena.of_variable(*var).expect("every free identifier has a component");
        let variable = with.judgement.terms.variable(*var);
        let name = match with.judgement.arguments.contains(var) {
            false => variable.name.to_string(),
            true => {
                let name = writer.page.fresh(&format!("argument{}", variable.name));
                arguments.push(name.clone());
                name
            }
        };
        let calls = recording.calls.get(&id).map_or(&[][..], |calls| calls);
        writer.define(&name, &variable.ty, id, calls, &step, &checks, scratch.get(&id));
    }
    // What only the other program mentions is not played.
    let names = with.judgement.context.iter().map(|own| &with.judgement.terms.variable(*own).name);
    let names: HashSet<_> = names.collect();
    for var in &program.judgement.context {
        let variable = program.judgement.terms.variable(*var);
        if !names.contains(&variable.name) {
            writer.unplayed(&variable.name, &variable.ty);
        }
    }
    writer.page.line("// The program.");
    let term = writer.page.text.len();
    let mut body = print_term(&program.program.tree, program.program.body);
    if !arguments.is_empty() {
        body = format!("({body})({})", arguments.join(", "));
    }
    let end = moves.len() - 1;
    let last = condition(&step, end, &checks);
    match (&moves[0].label, &moves[end].label) {
        (_, Label::Abort) if moves[0].label == Label::Run => {}
        (Label::Run, _) => body = format!("{{ {body} }};\nif {last} then skip else diverge"),
        (Label::Write(n), _) => {
            body = format!("({body}) := {};\nif {last} then skip else diverge", number(n))
        }
        (_, Label::Value(n)) => {
            body = format!("if ({body}) = {} and {last} then skip else diverge", number(n));
        }
        _ => body = format!("if ({body}) then skip"),
    }
    writer.page.line(&body);
    Closed { text: writer.page.text, term }
}

fn condition(step: &str, at: usize, checks: &BTreeMap<usize, String>) -> String {
    match checks.get(&at) {
        Some(check) => format!("({step} = {at} and {check})"),
        None => format!("{step} = {at}"),
    }
}

struct Writer<'a> {
    page: Page,
    arena: &'a Arena,
}

impl Writer<'_> {
    /// After a write of P's, the next move of P's comes two later; what was written is looked at then.
    fn checks(
        &self,
        recording: &Recording,
        scratch: &BTreeMap<ComponentId, String>,
    ) -> BTreeMap<usize, String> {
        let mut checks = BTreeMap::new();
        for (id, calls) in &recording.calls {
            let Some(cell) = scratch.get(id) else { continue };
            for call in calls {
                if let (Some(n), Some(ends)) = (&call.written, call.ends) {
                    let place = call.element.map_or(cell.clone(), |at| format!("{cell}[{at}]"));
                    checks.insert(ends + 1, format!("{place} = {}", number(n)));
                }
            }
        }
        checks
    }

    fn unplayed(&mut self, name: &str, ty: &Type) {
        let (parameters, base) = ty.uncurry();
        let declared: Vec<_> = parameters
            .iter()
            .map(|parameter| {
                let name = self.page.fresh(&format!("{name}_p"));
                format!("{name} : {parameter}")
            })
            .collect();
        let header =
            if declared.is_empty() { name.to_string() } else { format!("{name}({})", declared.join(", ")) };
        match base {
            Type::Com | Type::Exp(_) => self.page.line(&format!("let {header} : {base} = diverge in")),
            Type::Array(data, length) => {
                let cell = self.page.fresh(&format!("{name}_cell"));
                self.page.line(&format!("new {data} {cell}[{length}] in"));
                self.page.line(&format!("let {header} = {{ if 0 = 0 then diverge; {cell} }} in"));
            }
            base => {
                let cell = self.page.fresh(&format!("{name}_cell"));
                if let Some(data) = base.data() {
                    self.page.line(&format!("new {data} {cell} in"));
                }
                self.page.line(&format!("let {header} = {{ if 0 = 0 then diverge; {cell} }} in"));
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "these are the parts of one definition")]
    fn define(
        &mut self,
        name: &str,
        ty: &Type,
        id: ComponentId,
        calls: &[Call],
        step: &str,
        checks: &BTreeMap<usize, String>,
        cell: Option<&String>,
    ) {
        if calls.is_empty() {
            return self.unplayed(name, ty);
        }
        let (parameters, base) = ty.uncurry();
        let mut names = Vec::new();
        let mut declared = Vec::new();
        for (n, parameter) in parameters.iter().enumerate() {
            let parameter_name = self.page.fresh(&format!("{name}_{}", n + 1));
            declared.push(format!("{parameter_name} : {parameter}"));
            names.push(parameter_name);
        }
        let result = match base {
            Type::Com | Type::Exp(_) => format!(" : {base}"),
            _ => String::new(),
        };
        let header = match declared.is_empty() {
            true => format!("let {name}{result} ="),
            false => format!("let {name}({}){result} =", declared.join(", ")),
        };
        // Each call is known by the number of the move that begins it.
        let bodies: Vec<(usize, String)> = calls
            .iter()
            .map(|call| (call.begins, self.body(id, call, &names, step, checks, cell, base)))
            .collect();
        let choice = choose(step, &bodies);
        self.page.line(&format!("{header} {choice} in"));
    }

    #[allow(clippy::too_many_arguments, reason = "these are the parts of one call")]
    fn body(
        &self,
        id: ComponentId,
        call: &Call,
        names: &[String],
        step: &str,
        checks: &BTreeMap<usize, String>,
        cell: Option<&String>,
        base: &Type,
    ) -> String {
        let component = self.arena.component(id);
        let mut parts = vec![format!("if {} then skip else diverge", condition(step, call.begins, checks))];
        for action in &call.actions {
            let name = &names[action.argument];
            let place = action.element.map_or(name.clone(), |at| format!("{name}[{at}]"));
            parts.push(format!("{step} := {}", action.at + 1));
            let argument = self.arena.component(component.arguments[action.argument]);
            let then =
                |returned: usize| format!("if {} then skip else diverge", condition(step, returned, checks));
            match (&argument.base, &action.written, &action.returned) {
                (Type::Com, _, returned) => {
                    parts.push(place);
                    parts.extend(returned.as_ref().map(|(at, _)| then(*at)));
                }
                (_, Some(n), returned) => {
                    parts.push(format!("{place} := {}", number(n)));
                    parts.extend(returned.as_ref().map(|(at, _)| then(*at)));
                }
                (_, None, Some((at, value))) => {
                    parts.push(format!("if {place} = {} then skip else diverge", number(value)));
                    parts.push(then(*at));
                }
                (_, None, None) => parts.push(format!("if {place} then skip")),
            }
        }
        // An answer comes before the next move of P's; without one, the call never comes back.
        match call.ends {
            Some(ends) => parts.push(format!("{step} := {}", ends + 1)),
            None => parts.push("diverge".into()),
        }
        match (base, cell, &call.answer) {
            (Type::Exp(_), _, Some(n)) => parts.push(number(n)),
            (Type::Var(data) | Type::Array(data, _), Some(cell), answer) => {
                let place = call.element.map_or(cell.clone(), |at| format!("{cell}[{at}]"));
                // A read gives the answer. Before a write, the cell holds something else, so that it is seen.
                let holds = match &call.written {
                    Some(n) => data.wrap(&n.add(&Int::ONE)),
                    None => answer.clone().unwrap_or_default(),
                };
                parts.push(format!("{place} := {}", number(&holds)));
                parts.push(cell.clone());
            }
            _ => {}
        }
        format!("{{ {} }}", parts.join("; "))
    }
}

/// The body of the call that begins with the next move: a balanced choice.
fn choose(step: &str, bodies: &[(usize, String)]) -> String {
    match bodies {
        [] => "diverge".into(),
        [(_, body)] => body.clone(),
        _ => {
            let (left, right) = bodies.split_at(bodies.len() / 2);
            format!("if {step} < {} then {} else {}", right[0].0, choose(step, left), choose(step, right))
        }
    }
}
