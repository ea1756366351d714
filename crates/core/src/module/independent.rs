//! Data independence: inputs that a module only keeps, passes on, compares for equality, and compares with constants.
//!
//! Of such inputs it does not matter which they are, only which of them are equal, and how they compare with constants. So
//! finitely many values stand for all: the constants, and between two of them three for each place where one can be kept. Suspended
//! activations keep values as well, without a bound, but reachability with a stack and r registers needs no more than 3r values
//! [Murawski, Ramsay, Tzevelekos 2017]; for programs without a stack see [Wolper 1986].

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;

use super::{
    Base, Callee, CellId, CellKind, Expression, ExpressionId, ImportId, LocalId, Module, Place, ProcedureId,
    Sort, Statement,
};
use crate::term::Operator;
use crate::types::Data;

/// Somewhere that values go through.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Spot {
    /// A cell or array of the module.
    Cell(CellId),
    /// A cell or array of an activation; a parameter is one.
    Local(ProcedureId, LocalId),
    /// What a procedure gives.
    Result(ProcedureId),
    /// What an import is given for a parameter.
    Given(ImportId, u32),
    /// What an import gives.
    Answer(ImportId),
}

/// Spots that may hold the same values, and what is done with these.
#[derive(Clone, Debug, Default)]
struct Class {
    /// Something else than copying and comparing.
    used: bool,
    /// Whether some are compared with a constant by their order.
    ordered: bool,
    constants: BTreeSet<Int>,
    /// How many values can be kept at once.
    places: u64,
}

/// Which inputs of a module are independent.
#[derive(Clone, Debug, Default)]
pub struct Independence {
    parents: BTreeMap<Spot, Spot>,
    classes: BTreeMap<Spot, Class>,
}

/// Values that stand for all others at a spot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Few {
    /// The constants that they are compared with.
    pub constants: BTreeSet<Int>,
    /// How many values there must be besides these.
    pub others: u64,
    /// Whether there must be that many below, between and above the constants.
    pub ordered: bool,
}

impl Few {
    /// The values themselves, of a type.
    pub fn values(&self, data: &Data) -> BTreeSet<Int> {
        let fits = |n: &Int| data.wrap(n) == *n;
        let most = usize::try_from(self.others).unwrap_or(usize::MAX);
        let mut values: BTreeSet<Int> = self.constants.iter().filter(|n| fits(n)).cloned().collect();
        let new = |n: &Int| !self.constants.contains(n);
        if !self.ordered {
            let size = data.size().and_then(|size| size.to_u64()).unwrap_or(u64::MAX);
            values.extend((0..size).map(|code| data.value(code)).filter(new).take(most));
            return values;
        }
        let up = |from: &Int| std::iter::successors(Some(from.add(&Int::ONE)), |n| Some(n.add(&Int::ONE)));
        let down = |from: &Int| std::iter::successors(Some(from.sub(&Int::ONE)), |n| Some(n.sub(&Int::ONE)));
        for constant in &self.constants {
            values.extend(up(constant).take_while(|n| new(n) && fits(n)).take(most));
        }
        values.extend(
            self.constants
                .iter()
                .next()
                .into_iter()
                .flat_map(|least| down(least).take_while(fits).take(most)),
        );
        values
    }

    /// The constants of a type, and one more value wherever it may matter: none of these is held. To the module, every other value
    /// that it does not hold is like one of them.
    pub fn fresh(&self, data: &Data, held: &BTreeSet<Int>) -> BTreeSet<Int> {
        let fits = |n: &Int| data.wrap(n) == *n;
        let mut values: BTreeSet<Int> = self.constants.iter().filter(|n| fits(n)).cloned().collect();
        let new = |n: &Int| !self.constants.contains(n);
        let free = |n: &Int| new(n) && !held.contains(n);
        if !self.ordered {
            let size = data.size().and_then(|size| size.to_u64()).unwrap_or(u64::MAX);
            values.extend((0..size).map(|code| data.value(code)).find(free));
            return values;
        }
        let step = |from: &Int, by: i64| {
            let by = Int::from(by);
            std::iter::successors(Some(from.add(&by)), move |n| Some(n.add(&by)))
        };
        for constant in &self.constants {
            values.extend(step(constant, 1).take_while(|n| new(n) && fits(n)).find(free));
        }
        let least = self.constants.first();
        values.extend(least.and_then(|least| step(least, -1).take_while(fits).find(free)));
        values
    }

    /// What stands for all values in two modules at once.
    pub fn both(&self, other: &Few) -> Few {
        let constants = self.constants.union(&other.constants).cloned().collect();
        let others = self.others.saturating_add(other.others);
        Few { constants, others, ordered: self.ordered || other.ordered }
    }
}

impl Module {
    /// Which inputs it does not matter.
    pub fn independence(&self) -> Independence {
        let mut found = Independence::default();
        for (id, cell) in self.cells() {
            let spot = Spot::Cell(id);
            if !matches!(cell.kind, CellKind::Value(Sort::Data(_) | Sort::Address(_))) {
                found.class(spot).used = true;
                continue;
            }
            let class = found.class(spot);
            class.places = cell.length.unwrap_or(1);
            class.constants.extend(cell.initial.iter().cloned());
        }
        for (id, procedure) in self.procedures() {
            for (n, local) in (0..).zip(&procedure.locals) {
                let class = found.class(Spot::Local(id, LocalId(n)));
                class.places = local.length.unwrap_or(1);
                class.constants.insert(Int::ZERO);
                class.used |= matches!(local.sort, Sort::Function(_));
            }
        }
        // Of the values of a type that an import does not all return it does matter which they are.
        for (id, _) in self.imports().filter(|(_, import)| import.returns.is_some()) {
            found.class(Spot::Answer(id)).used = true;
        }
        // So it does of what something is assumed of.
        for (id, _) in self.assumed_answers() {
            found.class(Spot::Answer(id)).used = true;
        }
        for (id, condition) in self.assumed_calls() {
            for n in condition.given() {
                found.class(Spot::Local(id, LocalId(u32::try_from(n).unwrap_or(u32::MAX)))).used = true;
            }
        }
        for (id, procedure) in self.procedures() {
            let mut reader = Reader { module: self, procedure: id, found: &mut found };
            for (statement, _) in &procedure.body {
                reader.statement(statement);
            }
        }
        found
    }

    fn data_at(&self, spot: Spot) -> Option<Data> {
        let sort = match spot {
            Spot::Cell(id) => match &self.cell(id).kind {
                CellKind::Value(sort) => sort.clone(),
                CellKind::Mutex | CellKind::Semaphore(_) => return None,
            },
            Spot::Local(id, local) => self.procedure(id).locals[local.index()].sort.clone(),
            Spot::Result(id) => self.signature(self.procedure(id).signature).result.clone()?,
            Spot::Given(id, n) => {
                self.signature(self.import(id).signature).parameters.get(n as usize)?.clone()
            }
            Spot::Answer(id) => self.signature(self.import(id).signature).result.clone()?,
        };
        match sort {
            Sort::Data(data) | Sort::Address(data) => Some(data),
            Sort::Function(_) => None,
        }
    }
}

impl Independence {
    /// What stands for all values of a spot, if it does not matter which they are.
    pub fn few(&self, spot: Spot) -> Option<Few> {
        // What nobody looks at may be anything.
        let nothing = Class::default();
        let class = self.classes.get(&self.root(spot)).unwrap_or(&nothing);
        let others = class.places.saturating_mul(3).saturating_add(1);
        let Class { ordered, .. } = *class;
        (!class.used).then(|| Few { constants: class.constants.clone(), others, ordered })
    }

    /// Whether two spots may hold the same values.
    pub fn together(&self, a: Spot, b: Spot) -> bool {
        self.root(a) == self.root(b)
    }

    /// How many values there must be besides constants where it does not matter which they are.
    pub fn others(&self, spot: Spot) -> u64 {
        self.classes.get(&self.root(spot)).map_or(1, |class| class.places.saturating_mul(3).saturating_add(1))
    }

    fn root(&self, spot: Spot) -> Spot {
        let mut at = spot;
        while let Some(parent) = self.parents.get(&at) {
            at = *parent;
        }
        at
    }

    fn class(&mut self, spot: Spot) -> &mut Class {
        let root = self.root(spot);
        self.classes.entry(root).or_default()
    }

    /// Values go from one spot to the other, or are compared.
    fn join(&mut self, a: Spot, b: Spot) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            self.classes.entry(a).or_default();
            return;
        }
        let Class { used, ordered, constants, places } = self.classes.remove(&a).unwrap_or_default();
        self.parents.insert(a, b);
        let class = self.classes.entry(b).or_default();
        class.used |= used;
        class.ordered |= ordered;
        class.constants.extend(constants);
        class.places = class.places.saturating_add(places);
    }
}

struct Reader<'a> {
    module: &'a Module,
    procedure: ProcedureId,
    found: &'a mut Independence,
}

impl Reader<'_> {
    fn spot(&self, base: Base) -> Spot {
        match base {
            Base::Module(id) => Spot::Cell(id),
            Base::Local(id) => Spot::Local(self.procedure, id),
        }
    }

    /// Something is done with all values in an expression.
    fn uses(&mut self, root: ExpressionId) {
        for id in self.module.within(root).collect::<Vec<_>>() {
            if let Expression::Load(place) = self.module.expression(id) {
                let spot = self.spot(place.base);
                self.found.class(spot).used = true;
            }
        }
    }

    fn index(&mut self, place: Place) {
        if let Some(index) = place.index {
            self.uses(index);
        }
    }

    /// The value of an expression comes to a spot.
    fn flows(&mut self, value: ExpressionId, to: Spot) {
        match self.module.expression(value) {
            Expression::Number(n) => _ = self.found.class(to).constants.insert(n.clone()),
            Expression::Load(place) => {
                self.index(*place);
                let from = self.spot(place.base);
                let same = self.module.data_at(from) == self.module.data_at(to);
                self.found.join(from, to);
                self.found.class(to).used |= !same;
            }
            Expression::Wrap(data, inner) if self.module.data_at(to).as_ref() == Some(data) => {
                self.flows(*inner, to);
            }
            _ => {
                self.asks(value);
                self.found.class(to).used = true;
            }
        }
    }

    /// A condition is asked: values are compared.
    fn asks(&mut self, condition: ExpressionId) {
        match self.module.expression(condition) {
            Expression::Binary(Operator::Equal | Operator::NotEqual, a, b) => {
                match (self.module.expression(*a), self.module.expression(*b)) {
                    (Expression::Load(one), Expression::Load(other)) => {
                        self.index(*one);
                        self.index(*other);
                        let (one, other) = (self.spot(one.base), self.spot(other.base));
                        let same = self.module.data_at(one) == self.module.data_at(other);
                        self.found.join(one, other);
                        self.found.class(one).used |= !same;
                    }
                    (Expression::Load(place), Expression::Number(n))
                    | (Expression::Number(n), Expression::Load(place)) => {
                        self.index(*place);
                        let spot = self.spot(place.base);
                        self.found.class(spot).constants.insert(n.clone());
                    }
                    _ => self.uses(condition),
                }
            }
            Expression::Binary(
                Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual,
                a,
                b,
            ) => match (self.module.expression(*a), self.module.expression(*b)) {
                (Expression::Load(place), Expression::Number(n))
                | (Expression::Number(n), Expression::Load(place)) => {
                    self.index(*place);
                    let spot = self.spot(place.base);
                    let class = self.found.class(spot);
                    class.constants.insert(n.clone());
                    class.ordered = true;
                }
                _ => self.uses(condition),
            },
            Expression::Binary(Operator::Both | Operator::Either, a, b) => {
                self.asks(*a);
                self.asks(*b);
            }
            // A value that is no Boolean is compared with 0.
            Expression::Load(place) => {
                self.index(*place);
                let spot = self.spot(place.base);
                self.found.class(spot).constants.insert(Int::ZERO);
            }
            Expression::Unary(crate::term::Unary::Not, a) => self.asks(*a),
            Expression::Number(_) | Expression::Function(_) => {}
            _ => self.uses(condition),
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Set(place, value) => {
                self.index(*place);
                let to = self.spot(place.base);
                self.flows(*value, to);
            }
            Statement::Fill(base, value) => {
                let to = self.spot(*base);
                self.flows(*value, to);
            }
            Statement::Branch(condition, ..) | Statement::Assert(condition, _) => self.asks(*condition),
            Statement::Return(Some(value)) => self.flows(*value, Spot::Result(self.procedure)),
            Statement::Exit(value)
            | Statement::Join(value, _)
            | Statement::Detach(value)
            | Statement::Leave(Some(value)) => self.uses(*value),
            Statement::Begin(callee, arguments, ..) => {
                arguments.iter().for_each(|value| self.uses(*value));
                self.call(*callee, arguments, None);
            }
            Statement::Call(callee, arguments, to) => self.call(*callee, arguments, *to),
            Statement::Lock(place)
            | Statement::TryLock(place, _)
            | Statement::Unlock(place)
            | Statement::Grab(place)
            | Statement::Release(place) => self.index(*place),
            Statement::Jump(_)
            | Statement::Return(None)
            | Statement::Leave(None)
            | Statement::Itself(_)
            | Statement::Atomic(_)
            | Statement::Fail(_)
            | Statement::Diverge
            | Statement::BeginPredicate(_)
            | Statement::EndPredicate(_) => {}
        }
    }

    fn call(&mut self, callee: Callee, arguments: &[ExpressionId], to: Option<LocalId>) {
        let to = to.map(|to| Spot::Local(self.procedure, to));
        let given = (0..).zip(arguments);
        match callee {
            Callee::Procedure(id) => {
                given.for_each(|(n, value)| self.flows(*value, Spot::Local(id, LocalId(n))));
                to.into_iter().for_each(|to| self.found.join(Spot::Result(id), to));
            }
            Callee::Import(id) => {
                given.for_each(|(n, value)| self.flows(*value, Spot::Given(id, n)));
                to.into_iter().for_each(|to| self.found.join(Spot::Answer(id), to));
            }
            // What is called may do anything.
            Callee::Value(value, signature) => {
                self.uses(value);
                given.for_each(|(_, value)| self.uses(*value));
                for id in self.module.nameable(signature).collect::<Vec<_>>() {
                    let parameters = self.module.signature(signature).parameters.len();
                    let parameters = u32::try_from(parameters).unwrap_or(u32::MAX);
                    (0..parameters).for_each(|n| self.found.class(Spot::Local(id, LocalId(n))).used = true);
                    self.found.class(Spot::Result(id)).used = true;
                }
                to.into_iter().for_each(|to| self.found.class(to).used = true);
            }
        }
    }
}
