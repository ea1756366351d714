//! Following a run: the module whose imports answer as a list says, and that fails behind the last answer only.

use agon_base::int::Int;
use agon_base::source::Span;

use super::insert::{Around, inserted};
use super::{
    Base, Callee, Cell, CellId, CellKind, Expression, ExpressionId, Label, LocalId, Module, Place, Sort,
    Statement,
};
use crate::term::Operator;
use crate::types::Data;

/// An answer of an import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The places of the calls that it may be the answer to.
    pub calls: Vec<Span>,
    /// How the answer compares with a number.
    pub operator: Operator,
    /// The number.
    pub value: Int,
}

impl Module {
    /// The module that takes answers of a list in its order, and how many it has taken. At a call that the next answer belongs to, it
    /// diverges if another answer is given. Where a statement fails before the last answer was taken, it diverges. An index or a
    /// divisor fails as before.
    pub fn following(&self, answers: &[Answer]) -> (Module, CellId) {
        let mut module = self.clone();
        let all = Int::from(u64::from(super::next(answers)));
        let span = super::environment::OUTSIDE;
        let taken = module.add_cell(Cell {
            name: "answers taken".into(),
            kind: CellKind::Value(Sort::Data(Data::Mod(all.add(&Int::ONE)))),
            length: None,
            initial: vec![Int::ZERO],
            span,
        });
        let counter = Base::Module(taken).whole();
        for n in 0..module.procedures.len() {
            let body = std::mem::take(&mut module.procedures[n].body);
            let around = body.iter().map(|(statement, place)| match statement {
                Statement::Call(Callee::Import(_), _, Some(to)) => {
                    module.answered(answers, *place, *to, counter, span)
                }
                Statement::Fail(_) => {
                    let over = module.compared(counter, Operator::Equal, all.clone(), span);
                    let before = vec![Statement::Branch(over, Label(2), Label(1)), Statement::Diverge];
                    Around { before, after: vec![] }
                }
                Statement::Assert(condition, _) => {
                    let over = module.compared(counter, Operator::Equal, all.clone(), span);
                    let before = vec![
                        Statement::Branch(over, Label(3), Label(1)),
                        Statement::Branch(*condition, Label(4), Label(2)),
                        Statement::Diverge,
                    ];
                    Around { before, after: vec![] }
                }
                _ => Around::default(),
            });
            let around = around.collect();
            module.procedures[n].body = inserted(body, around, span);
        }
        (module, taken)
    }

    /// What comes behind a call: if the next answer belongs to it, the result is that answer.
    fn answered(
        &mut self,
        answers: &[Answer],
        place: Span,
        to: LocalId,
        counter: Place,
        span: Span,
    ) -> Around {
        let mut after = Vec::new();
        let own: Vec<(u32, &Answer)> =
            (0..).zip(answers).filter(|(_, answer)| answer.calls.contains(&place)).collect();
        let end = super::next(&own) * 5 + 1;
        for (number, answer) in own {
            let at = super::next(&after) + 1;
            let now = self.compared(counter, Operator::Equal, Int::from(u64::from(number)), span);
            let same = self.compared(Base::Local(to).whole(), answer.operator, answer.value.clone(), span);
            let more = self.add(Expression::Number(Int::from(u64::from(number) + 1)), span);
            after.extend([
                Statement::Branch(now, Label(at + 1), Label(at + 5)),
                Statement::Branch(same, Label(at + 2), Label(at + 4)),
                Statement::Set(counter, more),
                Statement::Jump(Label(end)),
                Statement::Diverge,
            ]);
        }
        Around { before: vec![], after }
    }

    fn compared(&mut self, place: Place, operator: Operator, number: Int, span: Span) -> ExpressionId {
        let held = self.add(Expression::Load(place), span);
        let number = self.add(Expression::Number(number), span);
        self.add(Expression::Binary(operator, held, number), span)
    }
}
