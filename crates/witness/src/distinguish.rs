//! Distinguishing environments: from a play that one program has and another has not, an environment in which the
//! one comes to its end and the other does not.
//!
//! The environment counts the moves. It plays O's part of the play, and wherever the program does anything but what
//! the play says, it diverges; so the closed program ends, or aborts, just if the program plays the whole play. What
//! an environment of the language cannot see is which element of a free array is used, and a write of the value that
//! is there already; a play that differs in nothing else is told apart by replaying it.

use std::collections::{BTreeMap, HashSet};

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::environment::{
    Answer, Body, Comparison, Declaration, Environment, Opening, Place, Procedure, Purpose, Statement, Use,
    compose,
};
use agon_core::eval::{Exit, Patience};
use agon_core::language::Closed;
use agon_core::term::{Judgement, Name};
use agon_core::types::{Argument, Data, Type};
use agon_games::arena::{Arena, ComponentId};
use agon_games::moves::{Label, Move};

use crate::names::Names;
use crate::replay::{Call, Goal, Recording, replay};
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
    let told = environment(with, with, &recording, moves);
    if !reached(&compose(&told, with.judgement), &recording.goal, patience)? {
        return Err("the environment does not bring the play about".into());
    }
    let other = compose(&environment(with, without, &recording, moves), without.judgement);
    let shown = match (outcome(&other, short), &recording.goal) {
        (Err(Refused::Stop(_)), _) => true,
        (Err(refused), _) => return Err(refused),
        (Ok(outcome), Goal::Abort) => !matches!(outcome, Err(Exit::Abort(_))),
        (Ok(outcome), _) => outcome.is_err(),
    };
    Ok(Distinction { with: with.language.close(&told), shown })
}

/// The environment of a play of `with`, for a program. It has the free identifiers of both.
fn environment(
    with: Subject<'_>,
    program: Subject<'_>,
    recording: &Recording,
    moves: &[Move],
) -> Environment {
    let mut names = Names::new(program, with);
    let step = names.fresh("step");
    let start = Declaration::Cell(step.clone(), Type::Var(Data::Int), Some(Int::ONE));
    let mut writer = Writer {
        names,
        arena: with.arena,
        declarations: vec![start],
        step,
        scratch: BTreeMap::new(),
        checks: BTreeMap::new(),
    };
    // Scratch cells first: what is written is looked at by whatever happens next.
    for var in with.judgement.context.iter().chain(&with.judgement.arguments) {
        let id = with.arena.of_variable(*var).expect("every free identifier has a component");
        let component = with.arena.component(id);
        if let Type::Var(_) | Type::Array(..) = &component.base {
            // An argument of the program's is called by its number, which is no name of a language.
            let owner = if with.judgement.arguments.contains(var) { "argument" } else { "" };
            let cell = writer.new_cell(&format!("{owner}{}", component.name), &component.base);
            writer.scratch.insert(id, cell);
        }
    }
    writer.read_checks(recording);
    let mut arguments = Vec::new();
    for var in with.judgement.context.iter().chain(&with.judgement.arguments) {
        let id = with.arena.of_variable(*var).expect("every free identifier has a component");
        let name = writer.names.identifier(with.judgement, *var, &mut arguments);
        let calls = recording.calls.get(&id).map_or(&[][..], |calls| calls);
        writer.define(&name, &with.judgement.terms.variable(*var).ty, id, calls);
    }
    for (name, ty) in unshared(with.judgement, program.judgement) {
        writer.unplayed(&name, &ty);
    }
    let end = moves.len() - 1;
    let last = writer.expected(end);
    let (opening, after) = match (&moves[0].label, &moves[end].label) {
        (Label::Run, Label::Abort) => (Opening::Plain, vec![]),
        (Label::Run, _) => (Opening::Command, vec![Statement::Expect(last)]),
        (Label::Write(n), _) => (Opening::Write(n.clone()), vec![Statement::Expect(last)]),
        (_, Label::Value(n)) => (Opening::Expect(n.clone(), last), vec![]),
        _ => (Opening::Ignore, vec![]),
    };
    Environment::sequential(Purpose::Tell, writer.declarations, arguments, opening, after)
}

/// What is free in the second program and not in the first one. It is not played.
pub(crate) fn unshared(with: &Judgement, program: &Judgement) -> Vec<(Name, Type)> {
    let names = with.context.iter().map(|var| &with.terms.variable(*var).name);
    let names: HashSet<_> = names.collect();
    let others = program.context.iter().map(|var| program.terms.variable(*var));
    let others = others.filter(|variable| !names.contains(&variable.name));
    others.map(|variable| (variable.name.clone(), variable.ty.clone())).collect()
}

struct Writer<'a> {
    names: Names,
    arena: &'a Arena,
    declarations: Vec<Declaration>,
    /// The cell that counts the moves.
    step: Name,
    /// What the program reads and writes at variables and arrays.
    scratch: BTreeMap<ComponentId, Name>,
    /// What must hold when a move of P's is made, beside the number of the move.
    checks: BTreeMap<usize, Comparison>,
}

impl Writer<'_> {
    fn new_cell(&mut self, name: &str, base: &Type) -> Name {
        let cell = self.names.fresh(&format!("{name}_cell"));
        self.declarations.push(Declaration::Cell(cell.clone(), base.clone(), None));
        cell
    }

    /// After a write of P's, the next move of P's comes two later; what was written is looked at then.
    fn read_checks(&mut self, recording: &Recording) {
        for (id, calls) in &recording.calls {
            let Some(cell) = self.scratch.get(id) else { continue };
            for call in calls {
                if let (Some(n), Some(ends)) = (&call.written, call.ends) {
                    let place = Place::named(cell).at(call.element.map(Int::from));
                    self.checks.insert(ends + 1, place.is(n.clone()));
                }
            }
        }
    }

    /// What must hold when a move of P's is made.
    fn expected(&self, at: usize) -> Vec<Comparison> {
        let count = Place::named(&self.step).is(at as u64);
        [count].into_iter().chain(self.checks.get(&at).cloned()).collect()
    }

    /// The next move is this one.
    fn goes_on(&self, at: usize) -> Statement {
        Statement::Use(Place::named(&self.step), Use::Write(Int::from(at as u64)))
    }

    fn unplayed(&mut self, name: &Name, ty: &Type) {
        let (parameters, base) = ty.uncurry();
        let parameters = parameters.into_iter().map(|argument| {
            let parameter = self.names.fresh(&format!("{name}_p"));
            (parameter, argument.clone())
        });
        let parameters = parameters.collect();
        let end = match base {
            Type::Com | Type::Exp(_) => Answer::Nothing,
            base => Answer::Cell(self.new_cell(name, base)),
        };
        self.definition(name, parameters, base, Body { steps: vec![Statement::Diverge], end });
    }

    fn definition(&mut self, name: &Name, parameters: Vec<(Name, Argument)>, base: &Type, body: Body) {
        let procedure = Procedure { parameters, base: base.clone(), body };
        self.declarations.push(Declaration::Definition(name.clone(), procedure));
    }

    fn define(&mut self, name: &Name, ty: &Type, id: ComponentId, calls: &[Call]) {
        if calls.is_empty() {
            return self.unplayed(name, ty);
        }
        let (parameters, base) = ty.uncurry();
        let parameters = self.names.parameters(name, &parameters);
        // Each call is known by the number of the move that begins it.
        let bodies: Vec<(usize, Body)> =
            calls.iter().map(|call| (call.begins, self.body(id, call, &parameters, base))).collect();
        let body = Body::choice(&bodies, &|n| Place::named(&self.step).is_below(n));
        self.definition(name, parameters, base, body);
    }

    fn body(&self, id: ComponentId, call: &Call, parameters: &[(Name, Argument)], base: &Type) -> Body {
        let component = self.arena.component(id);
        let mut steps = vec![Statement::Expect(self.expected(call.begins))];
        for action in &call.actions {
            let place = Place::named(&parameters[action.argument].0).at(action.element.map(Int::from));
            steps.push(self.goes_on(action.at + 1));
            let argument = self.arena.component(component.arguments[action.argument]);
            steps.push(match (&argument.base, &action.written, &action.returned) {
                (Type::Com, ..) => Statement::Use(place, Use::Run),
                (_, Some(n), _) => Statement::Use(place, Use::Write(n.clone())),
                (_, None, Some((_, value))) => Statement::Expect(vec![place.is(value.clone())]),
                (_, None, None) => Statement::Use(place, Use::Ignore),
            });
            steps.extend(action.returned.as_ref().map(|(at, _)| Statement::Expect(self.expected(*at))));
        }
        // An answer comes before the next move of P's; without one, the call never comes back.
        steps.push(call.ends.map_or(Statement::Diverge, |ends| self.goes_on(ends + 1)));
        let end = match (base, self.scratch.get(&id), &call.answer) {
            (Type::Exp(_), _, Some(n)) => Answer::Number(n.clone()),
            (Type::Var(data) | Type::Array(data, _), Some(cell), answer) => {
                // A read gives the answer. Before a write, the cell holds something else, so that it is seen.
                let holds = match &call.written {
                    Some(n) => data.wrap(&n.add(&Int::ONE)),
                    None => answer.clone().unwrap_or_default(),
                };
                let place = Place::named(cell).at(call.element.map(Int::from));
                steps.push(Statement::Use(place, Use::Write(holds)));
                Answer::Cell(cell.clone())
            }
            _ => Answer::Nothing,
        };
        Body { steps, end }
    }
}
