//! A path through a body, from one relation to the next: what holds on it, and what the cells hold at its end.

use std::rc::Rc;

use agon_base::int::Int;
use agon_core::checks::{Check, Kind};
use agon_core::module::{Base, Expression, ExpressionId, Module, Place};
use agon_core::term::Unary;
use agon_core::types::Data;

use super::cells::{Cells, Extent, Held, Shape, all};
use super::terms::{Term, binary, wrapped};
use agon_base::source::Span;

/// A path: the body of a clause that is being written.
#[derive(Clone)]
pub(super) struct Path {
    /// What holds on it: relations and conditions.
    pub premises: Vec<String>,
    /// The variables that occur, with their sorts.
    pub variables: Vec<(String, Shape)>,
    /// The arguments that the procedure was called with.
    pub arguments: Vec<Held>,
    /// What the module's cells held when it was called.
    pub entry: Vec<Held>,
    /// What they hold.
    pub globals: Vec<Held>,
    /// What the cells of the activation hold.
    pub locals: Vec<Held>,
}

/// Where a path goes: the module, the cells of the activation, and the clauses that say where it fails.
pub(super) struct Setting<'a> {
    pub module: &'a Module,
    pub globals: &'a Cells,
    pub locals: &'a Cells,
    /// The clauses that lead to a failure.
    pub failures: &'a mut Vec<String>,
    /// Whether a value was left open that clauses have no word for.
    pub open: &'a mut bool,
}

/// The relation of failures.
pub(super) const FAILS: &str = "fails";

impl Path {
    /// An empty path.
    pub fn new() -> Path {
        Path {
            premises: Vec::new(),
            variables: Vec::new(),
            arguments: Vec::new(),
            entry: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
        }
    }

    /// A new variable.
    pub fn fresh(&mut self, shape: Shape) -> String {
        let name = format!("v{}", self.variables.len());
        self.variables.push((name.clone(), shape));
        name
    }

    /// A new variable for each of a list of cells, if they vary; constants stay numbers.
    pub fn fresh_cells(&mut self, cells: &Cells) -> Vec<Held> {
        (0..cells.variables.len())
            .map(|n| match cells.varies(n) {
                true => {
                    let name = self.fresh(cells.variables[n].shape);
                    cells.named(n, &name)
                }
                false => cells.named(n, ""),
            })
            .collect()
    }

    /// A short name for a value.
    pub fn short(&mut self, term: Term) -> Term {
        if term.is_short() {
            return term;
        }
        let name = self.fresh(Shape::Integer);
        self.premises.push(format!("(= {name} {})", term.int()));
        Term::integer(&name, term.low, term.high)
    }

    /// A value brought into the range of a type.
    pub fn wrap(&mut self, term: Term, data: Option<&Data>) -> Term {
        let Some(data) = data else { return term };
        match data.range() {
            Some((low, high)) if !term.is_within(&low, &high) => {
                let term = self.short(term);
                wrapped(&term, data)
            }
            _ => term,
        }
    }

    /// The path goes on only where something holds.
    pub fn suppose(&mut self, condition: String) {
        if condition != "true" {
            self.premises.push(condition);
        }
    }

    /// Whether something on the path never holds.
    pub fn is_impossible(&self) -> bool {
        self.premises.iter().any(|premise| premise == "false")
    }

    /// The clause that leads from the path to a head.
    pub fn clause(&self, head: &str) -> String {
        let body = match &self.premises[..] {
            [] => head.to_string(),
            [one] => format!("(=> {one} {head})"),
            all => format!("(=> (and {}) {head})", all.join(" ")),
        };
        if self.variables.is_empty() {
            return format!("(assert {body})\n");
        }
        let variables: Vec<String> =
            self.variables.iter().map(|(name, shape)| format!("({name} {})", shape.word())).collect();
        format!("(assert (forall ({}) {body}))\n", variables.join(" "))
    }

    /// Goes on only where a condition holds. Elsewhere the module fails, if the check counts.
    pub fn check(&mut self, setting: &mut Setting<'_>, (holds, fails): (String, String), check: Check) {
        if setting.module.watch.watches(check) && fails != "false" {
            let mut failing = self.clone();
            failing.suppose(fails);
            if !failing.is_impossible() {
                setting.failures.push(failing.clause(FAILS));
            }
        }
        self.suppose(holds);
    }

    fn held(&self, base: Base) -> &[Held] {
        match base {
            Base::Module(_) => &self.globals,
            Base::Local(_) => &self.locals,
        }
    }

    fn held_mut(&mut self, base: Base) -> &mut Vec<Held> {
        match base {
            Base::Module(_) => &mut self.globals,
            Base::Local(_) => &mut self.locals,
        }
    }

    /// The value of an expression.
    pub fn value(&mut self, setting: &mut Setting<'_>, id: ExpressionId) -> Term {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.value_here(setting, id))
    }

    fn value_here(&mut self, setting: &mut Setting<'_>, id: ExpressionId) -> Term {
        let module = setting.module;
        match module.expression(id) {
            Expression::Number(n) => Term::number(n.clone()),
            Expression::Function(function) => Term::number(module.number(*function)),
            Expression::Load(place) => {
                let index = self.index(setting, *place, module.span(id));
                self.load(setting, place.base, index.as_ref())
            }
            Expression::Unary(operator, a) => {
                let a = self.value(setting, *a);
                if let Some(n) = a.as_number() {
                    return Term::number(operator.apply(n));
                }
                let (low, high) = (a.low.clone(), a.high.clone());
                match operator {
                    Unary::Not => Term::truth(&a.fails()),
                    Unary::Negate => {
                        let (low, high) = (high.map(|n| n.neg()), low.map(|n| n.neg()));
                        Term::integer(&format!("(- {})", a.int()), low, high)
                    }
                    Unary::Complement => {
                        let (low, high) = (high.map(|n| n.complement()), low.map(|n| n.complement()));
                        Term::integer(&format!("(- (- 1) {})", a.int()), low, high)
                    }
                }
            }
            Expression::Binary(operator, a, b) => {
                let (a, b) = (self.value(setting, *a), self.value(setting, *b));
                // Conditions are written as they are; other operands may be written several times.
                let (a, b) = match operator.is_truth() {
                    true => (a, b),
                    false => (self.short(a), self.short(b)),
                };
                if operator.divides() {
                    let check = Check { span: module.span(id), kind: Kind::Division };
                    self.check(setting, (b.holds(), b.fails()), check);
                    if b.as_number().is_some_and(Int::is_zero) {
                        return Term::number(Int::ZERO);
                    }
                }
                match binary(*operator, &a, &b) {
                    Some(term) => term,
                    // Any value will do for a proof.
                    None => {
                        *setting.open = true;
                        let name = self.fresh(Shape::Integer);
                        Term::integer(&name, None, None)
                    }
                }
            }
            Expression::Wrap(data, a) => {
                let a = self.value(setting, *a);
                self.wrap(a, Some(data))
            }
        }
    }

    /// The index of a place, which is in bounds from here on.
    pub fn index(&mut self, setting: &mut Setting<'_>, place: Place, span: Span) -> Option<Term> {
        let index = self.value(setting, place.index?);
        let index = self.short(index);
        let length = extent(setting, place.base).length;
        let last = Int::from(length).sub(&Int::ONE);
        if index.is_within(&Int::ZERO, &last) {
            return Some(index);
        }
        let text = index.int();
        let (holds, fails) = match index.as_number() {
            Some(_) => ("false".into(), "true".into()),
            None => (
                format!("(and (<= 0 {text}) (< {text} {length}))"),
                format!("(or (< {text} 0) (<= {length} {text}))"),
            ),
        };
        self.check(setting, (holds, fails), Check { span, kind: Kind::Index });
        let low = index.low.filter(|low| !low.is_negative()).unwrap_or(Int::ZERO);
        let high = index.high.filter(|high| *high <= last).unwrap_or(last);
        Some(Term::integer(&text, Some(low), Some(high)))
    }

    /// What an element holds.
    pub fn load(&mut self, setting: &Setting<'_>, base: Base, index: Option<&Term>) -> Term {
        let Extent { first, length, whole, data } = extent(setting, base).clone();
        let held = self.held(base);
        let Some(index) = index else {
            return match &held[first] {
                Held::Value(term) => term.clone(),
                Held::Array(_) => Term::number(Int::ZERO),
            };
        };
        if whole {
            let text = format!("(select {} {})", held[first].text(), index.int());
            return match &data {
                Some(data) => Term::of(&text, data),
                None => Term::integer(&text, Some(Int::ZERO), None),
            };
        }
        let element = |n: u64| match &held[first + usize::try_from(n).unwrap_or(0)] {
            Held::Value(term) => term.clone(),
            Held::Array(_) => Term::number(Int::ZERO),
        };
        if let Some(n) = index.as_number() {
            return n.to_u64().filter(|n| *n < length).map_or(Term::number(Int::ZERO), element);
        }
        // What is out of bounds is not on the path.
        let bound = |n: &Option<Int>, other: u64| {
            n.as_ref().and_then(Int::to_u64).map_or(other, |n| n.min(length - 1))
        };
        let (from, to) = (bound(&index.low, 0), bound(&index.high, length - 1));
        let elements: Vec<Term> = (from..=to).map(element).collect();
        let low = elements.iter().map(|term| term.low.clone()).collect::<Option<Vec<_>>>();
        let high = elements.iter().map(|term| term.high.clone()).collect::<Option<Vec<_>>>();
        let mut text = elements.last().map_or("0".into(), Term::int);
        let before: Vec<(u64, &Term)> = (from..to).zip(&elements).collect();
        for (n, term) in before.into_iter().rev() {
            text = format!("(ite (= {} {n}) {} {text})", index.int(), term.int());
        }
        let bounds = (low.and_then(|all| all.into_iter().min()), high.and_then(|all| all.into_iter().max()));
        let term = Term::integer(&text, bounds.0, bounds.1);
        self.short(term)
    }

    /// Writes a value, brought into range, to an element.
    pub fn store(&mut self, setting: &Setting<'_>, base: Base, index: Option<&Term>, value: Term) {
        let Extent { first, length, whole, data } = extent(setting, base).clone();
        let value = self.wrap(value, data.as_ref());
        let value = self.short(value);
        let Some(index) = index else {
            self.held_mut(base)[first] = Held::Value(value);
            return;
        };
        if whole {
            let name = self.fresh(Shape::Array);
            let before = self.held(base)[first].text();
            self.premises.push(format!("(= {name} (store {before} {} {}))", index.int(), value.int()));
            self.held_mut(base)[first] = Held::Array(name.into());
            return;
        }
        if let Some(n) = index.as_number() {
            let n = n.to_u64().filter(|n| *n < length).and_then(|n| usize::try_from(n).ok());
            if let Some(n) = n {
                self.held_mut(base)[first + n] = Held::Value(value);
            }
            return;
        }
        for n in 0..length {
            let at = first + usize::try_from(n).unwrap_or(0);
            let number = Int::from(n);
            let beyond = index.low.as_ref().is_some_and(|low| number < *low)
                || index.high.as_ref().is_some_and(|high| number > *high);
            let Held::Value(before) = self.held(base)[at].clone() else { continue };
            if beyond {
                continue;
            }
            let text = format!("(ite (= {} {n}) {} {})", index.int(), value.int(), before.int());
            let least = before.low.zip(value.low.clone()).map(|(a, b)| a.min(b));
            let most = before.high.zip(value.high.clone()).map(|(a, b)| a.max(b));
            let after = self.short(Term::integer(&text, least, most));
            self.held_mut(base)[at] = Held::Value(after);
        }
    }

    /// Writes a value, brought into range, to all elements.
    pub fn fill(&mut self, setting: &Setting<'_>, base: Base, value: Term) {
        let Extent { first, length, whole, data } = extent(setting, base).clone();
        let value = self.wrap(value, data.as_ref());
        let value = self.short(value);
        if whole {
            let text: Rc<str> = match value.as_number() {
                Some(n) => all(n).into(),
                None => format!("((as const (Array Int Int)) {})", value.int()).into(),
            };
            self.held_mut(base)[first] = Held::Array(text);
            return;
        }
        for n in 0..usize::try_from(length).unwrap_or(0) {
            self.held_mut(base)[first + n] = Held::Value(value.clone());
        }
    }
}

fn extent<'a>(setting: &'a Setting<'_>, base: Base) -> &'a Extent {
    match base {
        Base::Module(id) => &setting.globals.extents[id.index()],
        Base::Local(id) => &setting.locals.extents[id.index()],
    }
}
