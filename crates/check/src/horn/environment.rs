//! The environment in clauses: what it may call at its turns, what it may give, and what it gets to know.

use std::collections::BTreeSet;

use agon_base::int::Int;
use agon_core::condition::Condition;
use agon_core::module::{Allowed, Function, ImportId, ProcedureId, Signature, Sort};
use agon_core::term::{Operator, Unary};
use agon_core::types::Data;

use super::cells::{Held, Shape, array_of};
use super::clauses::{Writer, of_sort};
use super::path::Path;
use super::terms::{Term, number};

impl Writer<'_> {
    /// The clauses of the environment: the start, and what it may call at each turn. Turns that the bodies begin are of the same kinds.
    pub(super) fn turns(&mut self) {
        let mut start = Path::new();
        for (id, cell) in self.module.cells() {
            let extent = self.globals.extents[id.index()].clone();
            match extent.whole {
                true => {
                    let held = array_of(cell);
                    start.globals.push(held);
                }
                false => {
                    start.globals.extend((0..extent.length).map(|n| Held::Value(Term::number(cell.first(n)))))
                }
            }
        }
        // What a cell holds at first that the environment may look at is known to it only by calls.
        start.globals.extend(self.escapes.iter().map(|_| Held::Value(Term::number(Int::ZERO))));
        let globals = start.globals.clone();
        let head = self.turn(Allowed::default(), &globals, &globals);
        self.clauses.push(start.clause(&head));
        let mut kinds = BTreeSet::from([Allowed::default()]);
        let imports = self.module.imports().map(|(id, _)| self.module.allowed(Some(Function::Import(id))));
        kinds.extend(imports.filter(|allowed| self.module.allows_calls(*allowed)));
        for allowed in kinds {
            for (id, procedure) in self.module.procedures() {
                let escape = self.escapes.iter().position(|escape| *escape == id);
                if (procedure.exported || escape.is_some()) && self.module.allows(allowed, id) {
                    self.offer(allowed, id, escape);
                }
            }
        }
    }

    /// At a turn the environment calls a procedure, which may end.
    pub(super) fn offer(&mut self, allowed: Allowed, id: ProcedureId, escape: Option<usize>) {
        let mut path = Path::new();
        path.entry = path.fresh_cells(&self.globals.clone());
        path.globals = path.fresh_cells(&self.globals.clone());
        let premise = self.turn(allowed, &path.entry.clone(), &path.globals.clone());
        path.premises.push(premise);
        if let Some(n) = escape {
            let bit = self.bit(&path.globals, n).int();
            path.suppose(format!("(= {bit} 1)"));
        }
        let Signature { parameters, result } =
            self.module.signature(self.module.procedure(id).signature).clone();
        let arguments: Vec<Held> =
            parameters.iter().map(|sort| Held::Value(self.given(&mut path, sort, None))).collect();
        if let Some(condition) = self.module.assumed_call(id) {
            let given: Vec<Term> = arguments
                .iter()
                .map(|held| match held {
                    Held::Value(term) => term.clone(),
                    Held::Array(_) => Term::number(Int::ZERO),
                })
                .collect();
            path.suppose(assumed(condition, &given).holds());
        }
        let head = self.enters(id, &arguments, &path.globals.clone());
        self.clauses.push(path.clause(&head));
        let before = path.globals.clone();
        for n in self.used[id.index()].clone() {
            let name = path.fresh(self.globals.variables[n].shape);
            path.globals[n] = self.globals.named(n, &name);
        }
        let value = result.as_ref().filter(|_| self.tells(id)).map(|sort| {
            let name = path.fresh(Shape::Integer);
            of_sort(&name, sort)
        });
        let premise = self.leaves(id, &arguments, &before, value.as_ref(), &path.globals.clone());
        path.premises.push(premise);
        if let (Some(value), Some(sort)) = (value, &result) {
            self.escape(&mut path, &value, sort);
        }
        let head = self.turn(allowed, &path.entry.clone(), &path.globals.clone());
        self.clauses.push(path.clause(&head));
    }

    /// The variable that says whether a private procedure was given to the environment.
    pub(super) fn bit(&self, globals: &[Held], n: usize) -> Term {
        let first = self.globals.variables.len() - self.escapes.len();
        match &globals[first + n] {
            Held::Value(term) => term.clone(),
            Held::Array(_) => Term::number(Int::ZERO),
        }
    }

    /// The environment gets to know a value.
    pub(super) fn escape(&self, path: &mut Path, value: &Term, sort: &Sort) {
        let Sort::Function(_) = sort else { return };
        let first = self.globals.variables.len() - self.escapes.len();
        for (n, id) in self.escapes.iter().enumerate() {
            let own = number(&self.module.number(Function::Procedure(*id)));
            let bit = self.bit(&path.globals, n);
            let text = format!("(ite (= {} {own}) 1 {})", value.int(), bit.int());
            let known = path.short(Term::of(&text, &Data::Bool));
            path.globals[first + n] = Held::Value(known);
        }
    }

    /// A value of a sort that the environment gives, between two numbers if only these are returned.
    pub(super) fn given(&self, path: &mut Path, sort: &Sort, returns: Option<&(Int, Int)>) -> Term {
        let name = path.fresh(Shape::Integer);
        let signature = match sort {
            Sort::Data(data) | Sort::Address(data) => {
                let (low, high) = match returns {
                    Some((low, high)) => (Some(low.clone()), Some(high.clone())),
                    None => data.range().unzip(),
                };
                low.iter().for_each(|low| path.suppose(format!("(<= {} {name})", number(low))));
                high.iter().for_each(|high| path.suppose(format!("(<= {name} {})", number(high))));
                return Term::integer(&name, low, high);
            }
            Sort::Function(signature) => *signature,
        };
        let module = self.module;
        let is = |function: Function| format!("(= {name} {})", number(&module.number(function)));
        let mut ways = vec![format!("(= {name} 0)")];
        for (id, procedure) in module.procedures().filter(|(_, one)| one.signature == signature) {
            let own = is(Function::Procedure(id));
            match self.escapes.iter().position(|escape| *escape == id) {
                _ if procedure.exported => ways.push(own),
                Some(n) => ways.push(format!("(and {own} (= {} 1))", self.bit(&path.globals, n).int())),
                None => {}
            }
        }
        let imports = module.imports().filter(|(_, import)| import.signature == signature);
        ways.extend(imports.map(|(id, _)| is(Function::Import(id))));
        if let Some(first) = module.foreign(signature).next() {
            let kinds = module.named_types().count().max(1);
            let first = number(&module.number(first));
            let place = path.fresh(Shape::Integer);
            ways.push(format!("(and (<= 0 {place}) (= {name} (+ {first} (* {kinds} {place}))))"));
        }
        path.suppose(format!("(or {})", ways.join(" ")));
        Term::integer(&name, Some(Int::ZERO), None)
    }

    /// A function of the environment's is called: its value, if it returns.
    pub(super) fn outside(
        &mut self,
        path: &mut Path,
        import: Option<ImportId>,
        values: &[Term],
        (parameters, result): (&[Sort], Option<&Sort>),
    ) -> Option<Option<Term>> {
        for (value, sort) in values.iter().zip(parameters) {
            self.escape(path, value, sort);
        }
        let allowed = self.module.allowed(import.map(Function::Import));
        if self.module.allows_calls(allowed) {
            let before = path.globals.clone();
            let head = self.turn(allowed, &before, &before);
            self.clauses.push(path.clause(&head));
            path.globals = path.fresh_cells(&self.globals.clone());
            let premise = self.turn(allowed, &before, &path.globals.clone());
            path.premises.push(premise);
        }
        let condition = import.and_then(|id| self.module.assumed_answer(id));
        let import = import.map(|id| self.module.import(id));
        if import.is_some_and(|import| import.ends) {
            return None;
        }
        let returns = import.and_then(|import| import.returns.as_ref());
        let value = result.map(|sort| self.given(path, sort, returns));
        if let (Some(condition), Some(value)) = (condition, &value) {
            path.suppose(assumed(condition, std::slice::from_ref(value)).holds());
        }
        Some(value)
    }
}

/// What is assumed of values that the environment gives.
fn assumed(condition: &Condition, given: &[Term]) -> Term {
    match condition {
        Condition::Number(n) => Term::number(n.clone()),
        Condition::Given(n) => given.get(*n).cloned().unwrap_or_else(|| Term::number(Int::ZERO)),
        Condition::Unary(Unary::Not, a) => Term::truth(&assumed(a, given).fails()),
        Condition::Unary(_, a) => Term::integer(&format!("(- {})", assumed(a, given).int()), None, None),
        Condition::Binary(operator, a, b) => {
            let (a, b) = (assumed(a, given), assumed(b, given));
            let numbers = |word: &str| format!("({word} {} {})", a.int(), b.int());
            match operator {
                Operator::Add => Term::integer(&numbers("+"), None, None),
                Operator::Subtract => Term::integer(&numbers("-"), None, None),
                Operator::Multiply => Term::integer(&numbers("*"), None, None),
                Operator::Divide => Term::integer(&numbers("div"), None, None),
                Operator::Modulo => Term::integer(&numbers("mod"), None, None),
                Operator::Equal => Term::truth(&numbers("=")),
                Operator::NotEqual => Term::truth(&numbers("distinct")),
                Operator::Less => Term::truth(&numbers("<")),
                Operator::LessEqual => Term::truth(&numbers("<=")),
                Operator::Greater => Term::truth(&numbers(">")),
                Operator::GreaterEqual => Term::truth(&numbers(">=")),
                Operator::Both => Term::truth(&format!("(and {} {})", a.holds(), b.holds())),
                _ => Term::truth(&format!("(or {} {})", a.holds(), b.holds())),
            }
        }
    }
}
