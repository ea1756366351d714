//! Mutexes that become recursive ones, as those of C: each has cells that stand in no text for its owner and for how often it is taken.

use agon_base::int::Int;
use agon_base::source::Span;

use crate::checks::Kind;
use crate::module::insert::{Around, inserted};
use crate::module::{
    Base, Cell, CellId, CellKind, Expression, ExpressionId, Label, Local, LocalId, Module, Place, Procedure,
    ProcedureId, Sort, Statement, next,
};
use crate::term::Operator;
use crate::types::Data;

/// A mutex is taken at most this many times at once; once more is a failure.
const MOST_TIMES: u64 = 2;

/// The same module, whose mutexes may be taken again by their owners.
pub fn with_recursive_mutexes(module: &Module) -> Module {
    let mut module = module.clone();
    let mutexes: Vec<CellId> =
        module.cells().filter(|(_, cell)| matches!(cell.kind, CellKind::Mutex)).map(|(id, _)| id).collect();
    let owned: Vec<(CellId, [CellId; 2])> = mutexes
        .into_iter()
        .map(|mutex| {
            let length = module.cell(mutex).length;
            let cells = [8, 8].map(|bits| {
                let sort = Sort::Data(Data::Machine { signed: false, bits });
                let cell = module.add_cell(Cell {
                    name: "owned".into(),
                    kind: CellKind::Value(sort),
                    length,
                    initial: vec![Int::ZERO],
                    span: Span::default(),
                });
                module.hide(cell);
                cell
            });
            (mutex, cells)
        })
        .collect();
    for n in 0..module.procedures.len() {
        let id = ProcedureId::new(n);
        let Procedure { mut locals, body, .. } = module.procedure(id).clone();
        let itself = LocalId(next(&locals));
        let sort = Sort::Data(Data::Machine { signed: false, bits: 8 });
        locals.push(Local { name: None, sort, length: None, span: Span::default() });
        let around = body
            .iter()
            .map(|(statement, span)| {
                let place = match statement {
                    Statement::Lock(place) | Statement::TryLock(place, _) | Statement::Unlock(place) => place,
                    _ => return Around::default(),
                };
                let cells = owned.iter().find(|(mutex, _)| Base::Module(*mutex) == place.base);
                cells.map_or_else(Around::default, |(_, [owner, times])| {
                    let places = [*owner, *times].map(|id| Place { base: Base::Module(id), ..*place });
                    Use { module: &mut module, itself, span: *span }.around(statement, places)
                })
            })
            .collect();
        let body = inserted(body, around, Span::default());
        module.define(id, locals, body);
    }
    module
}

/// A use of a mutex.
struct Use<'a> {
    module: &'a mut Module,
    itself: LocalId,
    span: Span,
}

impl Use<'_> {
    fn around(&mut self, statement: &Statement, [owner, times]: [Place; 2]) -> Around {
        let me = self.load(Base::Local(self.itself).whole());
        let held = self.load(owner);
        let own = self.binary(Operator::Equal, held, me);
        let (zero, one) = (self.number(0), self.number(1));
        let count = self.load(times);
        let (more, less) =
            (self.binary(Operator::Add, count, one), self.binary(Operator::Subtract, count, one));
        let most = self.number(MOST_TIMES);
        let room = self.binary(Operator::Less, count, most);
        let itself = Statement::Itself(self.itself);
        let again = [Statement::Assert(room, Kind::Lock), Statement::Set(times, more)];
        let taken = vec![Statement::Set(owner, me), Statement::Set(times, one)];
        match statement {
            Statement::Lock(_) => {
                let [room, again] = again;
                let own = Statement::Branch(own, Label(2), Label(5));
                Around { before: vec![itself, own, room, again, Statement::Jump(Label(8))], after: taken }
            }
            Statement::TryLock(_, to) => {
                let [room, again] = again;
                let own = Statement::Branch(own, Label(2), Label(6));
                let tried = self.load(Base::Local(*to).whole());
                let gives = Statement::Set(Base::Local(*to).whole(), one);
                let before = vec![itself, own, room, again, gives, Statement::Jump(Label(10))];
                let after = [vec![Statement::Branch(tried, Label(8), Label(10))], taken].concat();
                Around { before, after }
            }
            _ => {
                let own = Statement::Branch(own, Label(3), Label(2));
                let fails = Statement::Fail(Kind::Unlock);
                let last = Statement::Branch(count, Label(7), Label(5));
                let before =
                    vec![itself, own, fails, Statement::Set(times, less), last, Statement::Set(owner, zero)];
                Around { before, after: Vec::new() }
            }
        }
    }

    fn load(&mut self, place: Place) -> ExpressionId {
        self.module.add(Expression::Load(place), self.span)
    }

    fn number(&mut self, n: u64) -> ExpressionId {
        self.module.add(Expression::Number(Int::from(n)), self.span)
    }

    fn binary(&mut self, operator: Operator, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.module.add(Expression::Binary(operator, a, b), self.span)
    }
}
