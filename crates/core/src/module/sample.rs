//! Random variations of a module: what C modules have and the text of `.ia` modules does not.

mod recursive;

use agon_base::id::size;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_base::source::Span;

use super::{
    Base, Callee, Calls, Expression, Import, ImportId, Label, Local, LocalId, Module, Procedure, ProcedureId,
    Sort, Statement, next,
};
use crate::condition::Condition;
use crate::term::{Operator, Unary};
use crate::types::Data;
pub use recursive::with_recursive_mutexes;

/// What operators of arithmetic are replaced by.
const OPERATORS: [Operator; 7] = [
    Operator::Quotient,
    Operator::Remainder,
    Operator::BitAnd,
    Operator::BitOr,
    Operator::BitXor,
    Operator::ShiftLeft,
    Operator::ShiftRight,
];

/// The same module with other operators in place of some, and complements in place of negations: programs on bits, for tests
/// that are written in a language without them.
pub fn on_bits(module: &Module, operators: &[(Operator, Operator)]) -> Module {
    let mut module = module.clone();
    for expression in &mut module.expressions {
        match expression {
            Expression::Binary(operator, ..) => {
                let other = operators.iter().find(|(from, _)| from == operator);
                *operator = other.map_or(*operator, |(_, to)| *to);
            }
            Expression::Unary(operator @ Unary::Negate, _) => *operator = Unary::Complement,
            _ => {}
        }
    }
    module
}

/// Variations of a module.
pub struct Variation {
    random: Random,
}

impl Variation {
    /// The variations that follow from a seed.
    pub fn new(seed: u64) -> Variation {
        Variation { random: Random::new(seed ^ 0x5851_f42d_4c95_7f2d) }
    }

    /// Some operators become operators on bits, or divide toward 0.
    pub fn operators(&mut self, module: &mut Module) {
        for expression in &mut module.expressions {
            match expression {
                Expression::Binary(operator, ..) if !operator.is_truth() && !self.random.one_in(3) => {
                    *operator = OPERATORS[self.random.below(OPERATORS.len())];
                }
                Expression::Unary(operator @ Unary::Negate, _) if self.random.one_in(2) => {
                    *operator = Unary::Complement;
                }
                _ => {}
            }
        }
    }

    /// Some imports call less, return less, or never return. What they return are numbers from 0 to 2, as far as they are of the type.
    pub fn imports(&mut self, module: &mut Module) {
        let procedures = next(&module.procedures);
        for n in 0..module.imports.len() {
            let Import { signature, choice, .. } = module.imports[n];
            if choice {
                continue;
            }
            let import = &mut module.imports[n];
            import.calls = match self.random.below(4) {
                0 => Calls::Any,
                1 => Calls::Nothing,
                _ => {
                    Calls::Only((0..procedures).map(ProcedureId).filter(|_| self.random.one_in(2)).collect())
                }
            };
            import.ends = self.random.one_in(8);
            let result = &module.signatures[signature.index()].result;
            if let Some(Sort::Data(data) | Sort::Address(data)) = result
                && self.random.one_in(2)
            {
                let numbers = data.size().and_then(|size| size.to_u64()).map_or(3, |n| size(n).min(3));
                let low = self.random.below(numbers);
                let high = low + self.random.below(numbers - low);
                module.imports[n].returns = Some((Int::from(low as u64), Int::from(high as u64)));
            }
        }
    }

    /// Something is assumed of some numbers that the environment gives.
    pub fn assumptions(&mut self, module: &mut Module) {
        let imports: Vec<ImportId> =
            module.imports().filter(|(_, import)| !import.choice).map(|(id, _)| id).collect();
        for id in imports {
            let result = module.signature(module.import(id).signature).result.clone();
            if matches!(result, Some(Sort::Data(_))) && self.random.one_in(2) {
                let condition = self.condition(0);
                module.assume_answer(id, condition);
            }
        }
        let exports: Vec<ProcedureId> =
            module.procedures().filter(|(_, procedure)| procedure.exported).map(|(id, _)| id).collect();
        for id in exports {
            let parameters = module.signature(module.procedure(id).signature).parameters.clone();
            for (n, sort) in parameters.iter().enumerate() {
                if matches!(sort, Sort::Data(_)) && self.random.one_in(2) {
                    let condition = self.condition(n);
                    module.assume_call(id, condition);
                }
            }
        }
    }

    /// A condition on a number of a move that some number from 0 to 2 fulfils.
    fn condition(&mut self, n: usize) -> Condition {
        let given = || Box::new(Condition::Given(n));
        let number = |n: u64| Box::new(Condition::Number(Int::from(n)));
        let compare = |operator, n: u64| Condition::Binary(operator, given(), number(n));
        match self.random.below(5) {
            0 => compare(Operator::NotEqual, 1),
            1 => compare(Operator::GreaterEqual, 1),
            2 => Condition::Unary(Unary::Not, Box::new(compare(Operator::Greater, 1))),
            3 => compare(Operator::LessEqual, 1).and(compare(Operator::GreaterEqual, 0)),
            _ => {
                let remainder = Condition::Binary(Operator::Modulo, given(), number(2));
                Condition::Binary(Operator::Equal, Box::new(remainder), number(0))
            }
        }
    }

    /// In one procedure it is left open at one place whether it goes on there or elsewhere.
    pub fn choice(&mut self, module: &mut Module) {
        let choice = module.choice("order", 2 + self.random.below(2) as u64);
        let id = ProcedureId::new(self.random.below(module.procedures.len()));
        let Procedure { mut locals, body, .. } = module.procedure(id).clone();
        let at = Label::new(self.random.below(body.len()));
        // Behind the place there are two statements more.
        let moved = |to: Label| Label(if to > at { to.0 + 2 } else { to.0 });
        let elsewhere = moved(Label::new(self.random.below(body.len())));
        let chosen = LocalId(next(&locals));
        let sort = module.signature(module.import(choice).signature).result.clone();
        let sort = sort.unwrap_or(Sort::Data(Data::Int));
        locals.push(Local { name: None, sort, length: None, span: Span::default() });
        let value = module.add(Expression::Load(Base::Local(chosen).whole()), Span::default());
        let mut varied = Vec::new();
        for (n, (statement, span)) in (0..).zip(body) {
            if n == at.0 {
                varied.push((Statement::Call(Callee::Import(choice), vec![], Some(chosen)), span));
                varied.push((Statement::Branch(value, Label(at.0 + 2), elsewhere), span));
            }
            let statement = match statement {
                Statement::Branch(condition, yes, no) => Statement::Branch(condition, moved(yes), moved(no)),
                Statement::Jump(to) => Statement::Jump(moved(to)),
                other => other,
            };
            varied.push((statement, span));
        }
        module.define(id, locals, varied);
    }

    /// A module that is varied in all these ways.
    pub fn all(seed: u64, module: &Module) -> Module {
        let mut varied = module.clone();
        let mut variation = Variation::new(seed);
        if !variation.random.one_in(3) {
            variation.operators(&mut varied);
        }
        if variation.random.one_in(2) {
            variation.choice(&mut varied);
        }
        if !variation.random.one_in(4) {
            variation.imports(&mut varied);
        }
        if variation.random.one_in(2) {
            variation.assumptions(&mut varied);
        }
        varied
    }
}
