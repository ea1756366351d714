//! Environments of modules: what plays the environment's part, as data, and a closed module made of both.
//!
//! An environment counts its own steps. Each function of the environment's knows what it does in which step: it calls a
//! procedure of the module, or it returns. The module is deterministic, so one count serves all depths. An environment with several
//! threads is another one: [`threads`].

pub mod threads;

use agon_base::int::Int;
use agon_base::source::Span;

use super::play::Move;
use super::{
    Base, Callee, Cell, CellId, CellKind, Datum, Expression, ExpressionId, Function, Label, Local, LocalId,
    Module, Place, Procedure, ProcedureId, Share, Signature, SignatureId, Sort, Statement,
};
use crate::checks::Kind;
use crate::term::{Name, Operator};
use crate::types::Data;

/// An environment of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Environment {
    /// The count of steps.
    pub counter: Name,
    /// The cell for the answer of a function, where a language needs one.
    pub answer: Name,
    /// The cell that says whether a function is still open, where a language needs one.
    pub open: Name,
    /// What starts everything: the closed module has this one export, a command without parameters.
    pub start: Name,
    /// What it does.
    pub opening: Steps,
    /// The functions of the environment's: all imports, in the order of their ids, and functions of its own, from number 1 on.
    /// Imports that stand for shared data do nothing in any step.
    pub parts: Vec<Part>,
    /// What it writes to shared data, each with the number of the step that is made next.
    pub writes: Vec<(u64, Datum)>,
    /// What shared data must hold where the environment looks at a move of the module's.
    pub looks_for: Vec<Datum>,
    /// All moves of the environment's in the play, answers of shared data as well.
    pub moves: Vec<Move>,
}

/// A function of the environment's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part<S = Step> {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub signature: SignatureId,
    /// Names for its parameters.
    pub parameters: Vec<Name>,
    /// What it does.
    pub steps: Steps<S>,
}

/// What a function does, each with the number of the step. In any other step it diverges.
pub type Steps<S = Step> = Vec<(u64, S)>;

/// What an environment does in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// It calls a procedure of the module.
    Call(ProcedureId, Vec<Int>),
    /// It returns from the function that is open.
    Return(Option<Int>),
    /// It calls a procedure of the module for the last time: it aborts if the procedure returns this, and diverges otherwise.
    LastCall(ProcedureId, Vec<Int>, Option<Expected>),
    /// It calls a procedure of the module, and diverges unless the procedure returns this.
    CheckedCall(ProcedureId, Vec<Int>, Expected),
    /// It aborts: the module has made the move that was looked for.
    Abort,
    /// It aborts if it was called with these values, and diverges otherwise.
    AbortIf(Vec<Int>),
    /// It diverges unless it was called with these values.
    Check(Vec<Int>),
}

/// What a procedure returns: a value, if it gives one.
pub type Expected = Option<Int>;

impl Environment {
    /// The number of the last step.
    pub fn last(&self) -> u64 {
        let steps = self.parts.iter().flat_map(|part| &part.steps).chain(&self.opening);
        steps.map(|(number, _)| *number).max().unwrap_or(0)
    }

    /// The type of the counter: it can go one step beyond the last.
    pub fn counts(&self) -> Data {
        Data::Mod(Int::from(self.last() + 2))
    }
}

/// The place of everything that belongs to the environment in a closed module.
pub const OUTSIDE: Span = Span { start: u32::MAX, end: u32::MAX };

/// A module in an environment: a module without imports, whose only export is what starts the environment. The names of
/// functions are the same numbers as in the open module.
pub fn compose(module: &Module, environment: &Environment) -> Module {
    let mut closed = without_imports(module);
    let sort = Sort::Data(environment.counts());
    let counter = closed.add_cell(Cell {
        name: environment.counter.clone(),
        kind: CellKind::Value(sort),
        length: None,
        initial: vec![Int::ZERO],
        span: OUTSIDE,
    });
    let data: Vec<CellId> = module
        .all_data()
        .map(|(_, data)| {
            closed.add_cell(Cell {
                name: data.name.clone(),
                kind: CellKind::Value(data.sort.clone()),
                length: data.length,
                initial: data.initial.clone().unwrap_or_else(|| vec![Int::ZERO]),
                span: OUTSIDE,
            })
        })
        .collect();
    let scene = Scene { environment, counter: Base::Module(counter), data: &data };
    let imports = module.imports().map(|(id, _)| module.share_of(id));
    for (part, share) in environment.parts.iter().zip(imports.chain(std::iter::repeat(None))) {
        match share {
            Some(share) => closed.add_share(part, share, &data),
            None => closed.add_part((part.name.clone(), part.signature), &part.steps, &scene, false),
        }
    }
    let command = closed.add_signature(Signature { parameters: vec![], result: None });
    closed.add_part((environment.start.clone(), command), &environment.opening, &scene, true);
    closed
}

/// A module whose imports will be procedures of its own, the next ones in the order of their ids. Nothing is exported.
fn without_imports(module: &Module) -> Module {
    let mut closed = module.clone();
    let own = super::next(&module.procedures);
    let imported = |id: super::ImportId| ProcedureId(own + id.0);
    for expression in &mut closed.expressions {
        if let Expression::Function(Function::Import(id)) = *expression {
            *expression = Expression::Function(Function::Procedure(imported(id)));
        }
    }
    for procedure in &mut closed.procedures {
        procedure.exported = false;
        for (statement, _) in &mut procedure.body {
            if let Statement::Call(callee @ Callee::Import(_), ..) = statement
                && let Callee::Import(id) = *callee
            {
                *callee = Callee::Procedure(imported(id));
            }
        }
    }
    closed.imports.clear();
    closed
}

/// What the functions of an environment have in common.
struct Scene<'a> {
    environment: &'a Environment,
    counter: Base,
    /// The cells of shared data.
    data: &'a [CellId],
}

impl Module {
    fn add_part(
        &mut self,
        (name, signature): (Name, SignatureId),
        steps: &Steps,
        scene: &Scene<'_>,
        exported: bool,
    ) {
        let counter = scene.counter;
        let sorts = &self.signature(signature).parameters;
        let local = |sort: &Sort| Local { name: None, sort: sort.clone(), length: None, span: OUTSIDE };
        let mut locals: Vec<Local> = sorts.iter().map(local).collect();
        let mut body = Vec::new();
        let count = self.add(Expression::Load(counter.whole()), OUTSIDE);
        let one = self.add(Expression::Number(Int::ONE), OUTSIDE);
        let more = self.add(Expression::Binary(Operator::Add, count, one), OUTSIDE);
        body.push(Statement::Set(counter.whole(), more));
        for (at, step) in steps {
            let number = self.add(Expression::Number(Int::from(*at)), OUTSIDE);
            let now = self.add(Expression::Binary(Operator::Equal, count, number), OUTSIDE);
            // Where the step begins, behind the branch to it.
            let here = super::next(&body) + 1;
            let writes = scene.environment.writes.iter().filter(|(known, _)| known == at);
            let mut deed: Vec<Statement> = writes.map(|(_, datum)| self.written(scene.data, datum)).collect();
            let here = here + super::next(&deed);
            let mut done = match step {
                Step::Call(id, values) => vec![self.call(*id, values, None), Statement::Jump(Label(0))],
                Step::LastCall(id, values, expected) => {
                    let (call, kept) = self.call_for_result(*id, values, &mut locals);
                    let mut deed = vec![call];
                    match expected {
                        None => deed.push(Statement::Diverge),
                        Some(value) => {
                            let expected = kept.zip(value.clone()).into_iter().collect();
                            let then = Statement::Fail(Kind::Abort);
                            deed.extend(self.look(expected, scene, here + 1, then));
                        }
                    }
                    deed
                }
                Step::CheckedCall(id, values, expected) => {
                    let (call, kept) = self.call_for_result(*id, values, &mut locals);
                    let expected = kept.zip(expected.clone()).into_iter().collect();
                    let look = self.look(expected, scene, here + 1, Statement::Jump(Label(0)));
                    std::iter::once(call).chain(look).collect()
                }
                Step::Return(value) => {
                    let value = value.as_ref().map(|n| self.add(Expression::Number(n.clone()), OUTSIDE));
                    vec![Statement::Return(value)]
                }
                Step::Abort => vec![Statement::Fail(Kind::Abort)],
                Step::AbortIf(values) | Step::Check(values) => {
                    let expected = (0..).map(LocalId).zip(values.iter().cloned()).collect();
                    let then = match step {
                        Step::Check(_) => Statement::Jump(Label(0)),
                        _ => Statement::Fail(Kind::Abort),
                    };
                    self.look(expected, scene, here, then)
                }
            };
            deed.append(&mut done);
            let begin = super::next(&body) + 1;
            body.push(Statement::Branch(now, Label(begin), Label(begin + super::next(&deed))));
            body.append(&mut deed);
        }
        body.push(Statement::Diverge);
        let body = body.into_iter().map(|statement| (statement, OUTSIDE)).collect();
        self.add_procedure(Procedure { name, signature, exported, locals, body, span: OUTSIDE });
    }

    /// A call of a procedure with numbers.
    fn call(&mut self, id: ProcedureId, values: &[Int], result: Option<LocalId>) -> Statement {
        let values = values.iter().map(|n| self.add(Expression::Number(n.clone()), OUTSIDE));
        Statement::Call(Callee::Procedure(id), values.collect(), result)
    }

    /// A call of a procedure whose result, if it has one, is kept in a new local.
    fn call_for_result(
        &mut self,
        id: ProcedureId,
        values: &[Int],
        locals: &mut Vec<Local>,
    ) -> (Statement, Option<LocalId>) {
        let result = self.signature(self.procedure(id).signature).result.clone();
        let kept = result.map(|sort| {
            locals.push(Local { name: None, sort, length: None, span: OUTSIDE });
            LocalId(super::next(locals) - 1)
        });
        (self.call(id, values, kept), kept)
    }

    /// Statements that do something if locals and shared data hold these values, and diverge otherwise. They stand from a
    /// label on.
    fn look(
        &mut self,
        expected: Vec<(LocalId, Int)>,
        scene: &Scene<'_>,
        from: u32,
        then: Statement,
    ) -> Vec<Statement> {
        let locals = expected.into_iter().map(|(local, value)| (Base::Local(local).whole(), value));
        let mut places: Vec<(Place, Int)> = locals.collect();
        for datum in &scene.environment.looks_for {
            places.push((self.place_of(scene.data, datum), datum.value.clone()));
        }
        let diverge = from + super::next(&places) + 1;
        let mut statements = Vec::new();
        for (at, (place, value)) in (from..).zip(places) {
            let held = self.add(Expression::Load(place), OUTSIDE);
            let value = self.add(Expression::Number(value), OUTSIDE);
            let same = self.add(Expression::Binary(Operator::Equal, held, value), OUTSIDE);
            statements.push(Statement::Branch(same, Label(at + 1), Label(diverge)));
        }
        statements.extend([then, Statement::Diverge]);
        statements
    }

    /// Where shared data is in a closed module.
    fn place_of(&mut self, data: &[CellId], datum: &Datum) -> Place {
        let index = datum.index.as_ref().map(|n| self.add(Expression::Number(n.clone()), OUTSIDE));
        Place { base: Base::Module(data[datum.data.index()]), index }
    }

    /// The environment writes to shared data.
    fn written(&mut self, data: &[CellId], datum: &Datum) -> Statement {
        let place = self.place_of(data, datum);
        let value = self.add(Expression::Number(datum.value.clone()), OUTSIDE);
        Statement::Set(place, value)
    }

    /// What becomes of an import that stands for shared data.
    fn add_share(&mut self, part: &Part, share: Share, data: &[CellId]) {
        let Signature { parameters, .. } = self.signature(part.signature).clone();
        let local = |sort: &Sort| Local { name: None, sort: sort.clone(), length: None, span: OUTSIDE };
        let locals: Vec<Local> = parameters.iter().map(local).collect();
        let mut loads: Vec<ExpressionId> = Vec::new();
        for n in 0..super::next(&locals) {
            loads.push(self.add(Expression::Load(Base::Local(LocalId(n)).whole()), OUTSIDE));
        }
        let place = |id: super::DataId, index| Place { base: Base::Module(data[id.index()]), index };
        let body = match (share, &loads[..]) {
            (Share::Asks { data, .. }, index) => {
                let held = self.add(Expression::Load(place(data, index.first().copied())), OUTSIDE);
                vec![Statement::Return(Some(held))]
            }
            (Share::Tells(data), [index @ .., value]) => {
                let to = place(data, index.first().copied());
                vec![Statement::Set(to, *value), Statement::Return(None)]
            }
            _ => vec![Statement::Return(None)],
        };
        let body = body.into_iter().map(|statement| (statement, OUTSIDE)).collect();
        let (name, signature) = (part.name.clone(), part.signature);
        self.add_procedure(Procedure { name, signature, exported: false, locals, body, span: OUTSIDE });
    }
}
