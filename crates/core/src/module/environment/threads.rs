//! Environments with several threads: what each thread does, as data, and a closed module made of all.
//!
//! The threads of the environment take turns. A cell says whose step is next: each function of the environment's, and what each
//! thread begins with, looks at it again and again, and makes its step when it has the number of one. So the environment's moves
//! come in their order. How the module's accesses come between them is up to whoever runs the closed module.

use agon_base::int::Int;

use super::{OUTSIDE, Part, Steps, without_imports};
use crate::checks::Kind;
use crate::module::{
    Base, Callee, Cell, CellKind, Expression, Label, Local, LocalId, Module, Procedure, ProcedureId,
    Signature, SignatureId, Sort, Statement, next,
};
use crate::term::{Name, Operator};
use crate::types::Data;

/// An environment with several threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Environment {
    /// The cell that has the number of the next step, from 1.
    pub turn: Name,
    /// The cell for what a function has seen there.
    pub now: Name,
    /// The cell for the answer of a function, where a language needs one.
    pub answer: Name,
    /// The cell that says whether a function is still open, where a language needs one.
    pub open: Name,
    /// What the threads begin with: the closed module has these exports, commands without parameters.
    pub threads: Vec<(Name, Steps<Step>)>,
    /// The functions of the environment's: all imports, in the order of their ids, and functions of its own, from number 1 on.
    /// One that makes no step diverges.
    pub parts: Vec<Part<Step>>,
}

/// What an environment does in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// It calls a procedure of the module.
    Call(ProcedureId, Vec<Int>),
    /// It returns from the function that is open.
    Return(Option<Int>),
    /// It aborts: the module has made the move that was looked for.
    Abort,
}

/// How often a thread uses cells of the environment for one step: it sees that the step is next, and says that it was made.
pub const USES: usize = 2;

impl Environment {
    /// The number of the last step.
    pub fn last(&self) -> u64 {
        let parts = self.parts.iter().map(|part| &part.steps);
        let all = parts.chain(self.threads.iter().map(|(_, steps)| steps)).flatten();
        all.map(|(number, _)| *number).max().unwrap_or(0)
    }

    /// The type of the cell for the turn: it goes one step beyond the last.
    pub fn counts(&self) -> Data {
        Data::Mod(Int::from(self.last() + 2))
    }
}

/// A module of single accesses in an environment: a module without imports that makes single accesses, and what each of its
/// threads begins with. The names of functions are the same numbers as in the open module.
pub fn compose(module: &Module, environment: &Environment) -> (Module, Vec<ProcedureId>) {
    let mut closed = without_imports(module);
    closed.threads = environment.threads.len() as u64;
    let sort = Sort::Data(environment.counts());
    let turn = closed.add_cell(Cell {
        name: environment.turn.clone(),
        kind: CellKind::Value(sort.clone()),
        length: None,
        initial: vec![Int::ONE],
        span: OUTSIDE,
    });
    let turn = (Base::Module(turn), sort);
    for Part { name, signature, steps, .. } in &environment.parts {
        closed.add_waiting((name.clone(), *signature), steps, &turn, false);
    }
    let command = closed.add_signature(Signature { parameters: vec![], result: None });
    let threads = environment.threads.iter();
    let threads =
        threads.map(|(name, steps)| closed.add_waiting((name.clone(), command), steps, &turn, true));
    let threads = threads.collect();
    (closed, threads)
}

impl Module {
    /// A procedure that waits for its steps.
    fn add_waiting(
        &mut self,
        (name, signature): (Name, SignatureId),
        steps: &Steps<Step>,
        (turn, sort): &(Base, Sort),
        exported: bool,
    ) -> ProcedureId {
        let local = |sort: &Sort| Local { name: None, sort: sort.clone(), length: None, span: OUTSIDE };
        let mut locals: Vec<Local> = self.signature(signature).parameters.iter().map(local).collect();
        locals.push(local(sort));
        let now = Base::Local(LocalId(next(&locals) - 1)).whole();
        let seen = self.add(Expression::Load(turn.whole()), OUTSIDE);
        let now_is = self.add(Expression::Load(now), OUTSIDE);
        let mut body = vec![Statement::Set(now, seen)];
        for (number, step) in steps {
            let this = self.add(Expression::Number(Int::from(*number)), OUTSIDE);
            let following = self.add(Expression::Number(Int::from(*number + 1)), OUTSIDE);
            let mine = self.add(Expression::Binary(Operator::Equal, now_is, this), OUTSIDE);
            let mut made = vec![Statement::Set(turn.whole(), following)];
            match step {
                Step::Call(id, values) => {
                    let values = values.iter().map(|n| self.add(Expression::Number(n.clone()), OUTSIDE));
                    made.push(Statement::Call(Callee::Procedure(*id), values.collect(), None));
                    made.push(Statement::Jump(Label(0)));
                }
                Step::Return(value) => {
                    let value = value.as_ref().map(|n| self.add(Expression::Number(n.clone()), OUTSIDE));
                    made.push(Statement::Return(value));
                }
                Step::Abort => made.push(Statement::Fail(Kind::Abort)),
            }
            let begin = next(&body) + 1;
            body.push(Statement::Branch(mine, Label(begin), Label(begin + next(&made))));
            body.append(&mut made);
        }
        body.push(Statement::Jump(Label(0)));
        if steps.is_empty() {
            body = vec![Statement::Diverge];
        }
        let body = body.into_iter().map(|statement| (statement, OUTSIDE)).collect();
        self.add_procedure(Procedure { name, signature, exported, locals, body, span: OUTSIDE })
    }
}
