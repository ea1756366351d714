//! Predicates: literals over the program's own cells, wherever these are kept at the time.

use std::collections::BTreeSet;

use agon_base::id::halves;
use agon_core::term::{Construct, TermId, Terms as Program, VarId};
use agon_games::machine::{Code, Layout};
use agon_games::symbolic::operators;
use agon_games::values::CellId;
use agon_solve::{Op, Sort, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::forget::Kept;

agon_base::id! {
    /// A [`Predicate`].
    pub(super) PredicateId;
}

/// A truth over cells.
pub(super) struct Predicate {
    /// It, over one constant for each cell, or element of an array.
    term: Term,
    /// The declarations of the cells.
    pub cells: Vec<CellId>,
    /// As it is written.
    pub shown: String,
}

/// All predicates that were thought of.
#[derive(Default)]
pub(super) struct Predicates {
    all: Vec<Predicate>,
    known: FxHashMap<Term, PredicateId>,
    /// The constant for each spot, and the spot for each constant.
    constants: FxHashMap<Spot, Term>,
    spots: FxHashMap<Term, Spot>,
}

/// Something that a predicate may speak of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Spot {
    /// An element of a declaration's cells.
    Cell(CellId, u32),
    /// The same element of a module's cells when the activation began, or the environment's turn.
    Entry(CellId, u32),
    /// A value on its way: it has no name, so only positions of one kind know it.
    OnItsWay(Kept, u32),
}

/// Where what a predicate speaks of is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    /// At a place of the store.
    At(u32),
    /// At a place of the store, which is this cell's, when the activation began or the environment's turn.
    Entry(CellId, u32),
    /// On its way.
    OnItsWay(Kept, u32),
}

/// Terms of more parts than this are not written.
const LONGEST: usize = 100;
/// Longer texts are written anew.
const LONGEST_TEXT: usize = 200;
/// Elements of longer arrays are not spoken of in predicates.
const LONGEST_ARRAY: u64 = 64;

impl Predicates {
    pub(super) fn get(&self, id: PredicateId) -> &Predicate {
        &self.all[id.index()]
    }

    /// The constant that stands for a spot.
    pub(super) fn constant(&mut self, terms: &mut Terms, spot: Spot) -> Term {
        let constant =
            self.constants.entry(spot).or_insert_with(|| terms.constant(format!("{spot:?}"), Sort::Int));
        self.spots.insert(*constant, spot);
        *constant
    }

    /// Adds a truth over such constants, unless it is decided; whether it is a new one.
    pub(super) fn add(&mut self, terms: &mut Terms, truth: Term, shown: &str) -> Option<(PredicateId, bool)> {
        // A predicate and its negation are as good as each other.
        let term = if *terms.op(truth) == Op::Not { terms.parts(truth)[0] } else { truth };
        if terms.literal(term).is_some() {
            return None;
        }
        if let Some(id) = self.known.get(&term) {
            return Some((*id, false));
        }
        let spots = terms.constants(term).into_iter().map(|constant| self.spots[&constant]);
        let mut cells: Vec<CellId> = spots
            .filter_map(|spot| match spot {
                Spot::Cell(cell, _) | Spot::Entry(cell, _) => Some(cell),
                Spot::OnItsWay(..) => None,
            })
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let id = PredicateId::new(self.all.len());
        self.all.push(Predicate { term, cells, shown: shown.into() });
        self.known.insert(term, id);
        Some((id, true))
    }

    /// The values on their way that a predicate speaks of.
    pub(super) fn spots(&self, terms: &Terms, id: PredicateId) -> Vec<(Kept, u32)> {
        let constants = terms.constants(self.all[id.index()].term);
        let spots = constants.iter().filter_map(|constant| match self.spots[constant] {
            Spot::OnItsWay(kept, n) => Some((kept, n)),
            Spot::Cell(..) | Spot::Entry(..) => None,
        });
        spots.collect()
    }

    /// Whether a predicate speaks of what cells held when the activation began.
    pub(super) fn is_relational(&self, terms: &Terms, id: PredicateId) -> bool {
        let constants = terms.constants(self.all[id.index()].term);
        constants.iter().any(|constant| matches!(self.spots[constant], Spot::Entry(..)))
    }

    /// A truth over a procedure's parameters as one over what the procedure is called with: while it runs, and for the activation
    /// that calls it. There is none if something else is spoken of that only one of both knows.
    pub(super) fn of_calls(&mut self, terms: &mut Terms, code: &Code, truth: Term) -> Vec<Term> {
        let mut components = BTreeSet::new();
        for constant in terms.constants(truth) {
            match self.spots[&constant] {
                Spot::OnItsWay(Kept::Argument(component), _) => _ = components.insert(component),
                Spot::Cell(cell, _) => {
                    components.extend(code.parameter_of(cell).map(|(component, _)| component))
                }
                Spot::Entry(..) | Spot::OnItsWay(..) => {}
            }
        }
        let mut found = Vec::new();
        for component in components {
            let mut of = |predicates: &mut Predicates, kept: Kept, result: bool| {
                let mut with = FxHashMap::default();
                for constant in terms.constants(truth) {
                    let n = match predicates.spots[&constant] {
                        Spot::Cell(cell, _) => match code.parameter_of(cell) {
                            Some((other, n)) if other == component => n,
                            None if code.is_module_cell(cell) => continue,
                            _ => return None,
                        },
                        Spot::OnItsWay(Kept::Argument(other), n) if other == component => n,
                        Spot::OnItsWay(Kept::Result(other), _) if other == component && result => continue,
                        _ => return None,
                    };
                    with.insert(constant, predicates.constant(terms, Spot::OnItsWay(kept, n)));
                }
                Some(terms.substitute(truth, &with))
            };
            found.extend(of(self, Kept::Argument(component), true));
            found.extend(of(self, Kept::Passed(component), false));
        }
        found
    }

    /// Whether a predicate is what the activation knows that calls a procedure. The procedure has one of its own.
    pub(super) fn is_passed(&self, terms: &Terms, id: PredicateId) -> bool {
        let constants = terms.constants(self.all[id.index()].term);
        constants.iter().any(|constant| matches!(self.spots[constant], Spot::OnItsWay(Kept::Passed(_), _)))
    }

    /// Whether a predicate can be known everywhere.
    pub(super) fn is_of_cells(&self, terms: &Terms, id: PredicateId) -> bool {
        let constants = terms.constants(self.all[id.index()].term);
        constants.iter().all(|constant| matches!(self.spots[constant], Spot::Cell(..)))
    }

    /// A term of the program as a predicate, if it is pure: over nothing but numbers and the program's own cells.
    /// Where no text is given for it, it is written as the program would.
    pub(super) fn read(
        &mut self,
        terms: &mut Terms,
        program: &Program,
        code: &Code,
        term: TermId,
        text: Option<&str>,
    ) -> Option<PredicateId> {
        let number = self.number(terms, program, code, term)?;
        let truth = operators::truth(terms, number);
        let shown = match text {
            Some(text) if text.len() <= LONGEST_TEXT && !text.contains('\n') => text.to_string(),
            _ => self.show(terms, code, truth),
        };
        self.add(terms, truth, &shown).map(|(id, _)| id)
    }

    fn cell(&self, code: &Code, variable: VarId) -> Option<(CellId, Option<u64>)> {
        let n = code.cells().iter().position(|cell| cell.variable == Some(variable))?;
        Some((CellId::new(n), code.cells()[n].length))
    }

    fn number(&mut self, terms: &mut Terms, program: &Program, code: &Code, term: TermId) -> Option<Term> {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match program.construct(term) {
            Construct::Number(n) => Some(terms.int(n.clone())),
            Construct::Unary(operator, a) => {
                let a = self.number(terms, program, code, *a)?;
                Some(operators::unary(terms, *operator, a))
            }
            Construct::Binary(operator, a, b) => {
                let a = self.number(terms, program, code, *a)?;
                let b = self.number(terms, program, code, *b)?;
                Some(operators::binary(terms, *operator, a, b))
            }
            Construct::Wrap(data, a) => {
                let a = self.number(terms, program, code, *a)?;
                Some(operators::wrap(terms, data, a))
            }
            Construct::If(guard, yes, no) => {
                let guard = self.number(terms, program, code, *guard)?;
                let yes = self.number(terms, program, code, *yes)?;
                let no = self.number(terms, program, code, *no)?;
                let truth = operators::truth(terms, guard);
                Some(terms.if_else(truth, yes, no))
            }
            Construct::WithPredicate(_, body) => self.number(terms, program, code, *body),
            Construct::Read(a) => match program.construct(*a) {
                Construct::Variable(variable) => {
                    let (cell, None) = self.cell(code, *variable)? else { return None };
                    Some(self.constant(terms, Spot::Cell(cell, 0)))
                }
                Construct::Index(array, index) => {
                    let Construct::Variable(variable) = program.construct(*array) else { return None };
                    let (cell, Some(length)) = self.cell(code, *variable)? else { return None };
                    let index = self.number(terms, program, code, *index)?;
                    self.element(terms, (cell, length), index)
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The element of an array at an index.
    pub(super) fn element(
        &mut self,
        terms: &mut Terms,
        (cell, length): (CellId, u64),
        index: Term,
    ) -> Option<Term> {
        if length > LONGEST_ARRAY {
            return None;
        }
        if let Some(Value::Number(n)) = terms.literal(index) {
            let n = n.to_u64().filter(|n| *n < length)?;
            return Some(self.constant(terms, Spot::Cell(cell, halves(n).1)));
        }
        let mut element = terms.int(0u64);
        for n in 0..length {
            let here = self.constant(terms, Spot::Cell(cell, halves(n).1));
            let number = terms.int(n);
            let hit = terms.equal(index, number);
            element = terms.if_else(hit, here, element);
        }
        Some(element)
    }

    /// The predicate over the values of a store, once for each time that its cells are alive.
    pub(super) fn over(
        &self,
        terms: &mut Terms,
        id: PredicateId,
        layout: &Layout,
        value: &dyn Fn(Where) -> Option<Term>,
    ) -> Vec<Term> {
        let predicate = &self.all[id.index()];
        let alive: Vec<Vec<u32>> = predicate
            .cells
            .iter()
            .map(|cell| {
                layout.cells.iter().filter(|place| place.cell == *cell).map(|place| place.at).collect()
            })
            .collect();
        // Cells that are declared together are alive together.
        let times = alive.iter().map(Vec::len).max().unwrap_or(1);
        if alive.iter().any(Vec::is_empty) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for time in 0..times {
            let mut with: FxHashMap<Term, Term> = FxHashMap::default();
            for constant in terms.constants(predicate.term) {
                let spot = match self.spots[&constant] {
                    Spot::OnItsWay(kept, n) => Where::OnItsWay(kept, n),
                    spot @ (Spot::Cell(cell, n) | Spot::Entry(cell, n)) => {
                        let which = predicate.cells.iter().position(|known| *known == cell).unwrap_or(0);
                        let at = alive[which][time.min(alive[which].len() - 1)] + n;
                        match spot {
                            Spot::Entry(..) => Where::Entry(cell, at),
                            _ => Where::At(at),
                        }
                    }
                };
                with.extend(value(spot).map(|value| (constant, value)));
            }
            // What is on its way may be nothing.
            if terms.constants(predicate.term).iter().all(|constant| with.contains_key(constant)) {
                found.push(terms.substitute(predicate.term, &with));
            }
        }
        found
    }

    /// A term over such constants as it is written in a program.
    pub(super) fn show(&self, terms: &Terms, code: &Code, term: Term) -> String {
        // What is shared is written once for each time.
        let mut sizes: FxHashMap<Term, usize> = FxHashMap::default();
        for part in terms.parts_first([term]) {
            let size = terms.parts(part).iter().map(|part| sizes[part]).fold(1, usize::saturating_add);
            sizes.insert(part, size);
        }
        match sizes[&term] > LONGEST {
            true => "…".into(),
            false => self.shown(terms, code, term, 0),
        }
    }

    fn shown(&self, terms: &Terms, code: &Code, term: Term, binding: u8) -> String {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
            let parts = terms.parts(term).to_vec();
            let infix = |sign: &str, own: u8| {
                let last = parts.len() - 1;
                let mut text = String::new();
                for (n, part) in parts.iter().enumerate() {
                    text += &self.shown(terms, code, *part, own + u8::from(n > 0));
                    if n < last {
                        text += sign;
                    }
                }
                if own < binding { format!("({text})") } else { text }
            };
            match terms.op(term) {
                Op::Constant(name) => match self.spots.get(&term) {
                    Some(Spot::OnItsWay(Kept::Argument(component) | Kept::Passed(component), n)) => {
                        match code.parameters(*component).get(*n as usize) {
                            Some(cell) => format!("old !{}", code.cells()[cell.0 as usize].name),
                            None => "…".into(),
                        }
                    }
                    Some(Spot::OnItsWay(Kept::Result(_), _)) => "result".into(),
                    Some(Spot::OnItsWay(..)) => "…".into(),
                    Some(spot @ (Spot::Cell(cell, n) | Spot::Entry(cell, n))) => {
                        let cell = &code.cells()[cell.index()];
                        let old = if matches!(spot, Spot::Entry(..)) { "old " } else { "" };
                        match cell.length {
                            Some(_) => format!("{old}!{}[{n}]", cell.name),
                            None => format!("{old}!{}", cell.name),
                        }
                    }
                    None => name.clone(),
                },
                Op::Truth(b) => b.to_string(),
                Op::Number(n) => n.to_string(),
                Op::Not => match terms.op(parts[0]) {
                    Op::Equal => {
                        let [a, b] = terms.parts(parts[0]) else { unreachable!("two are equal") };
                        let text = format!(
                            "{} <> {}",
                            self.shown(terms, code, *a, 4),
                            self.shown(terms, code, *b, 4)
                        );
                        if binding > 3 { format!("({text})") } else { text }
                    }
                    _ => format!("not ({})", self.shown(terms, code, parts[0], 0)),
                },
                Op::And => infix(" and ", 2),
                Op::Or => infix(" or ", 1),
                Op::Equal => infix(" = ", 3),
                Op::Less => infix(" < ", 3),
                Op::AtMost => infix(" <= ", 3),
                Op::Add => infix(" + ", 5),
                Op::Sub => infix(" - ", 5),
                Op::Mul => infix(" * ", 6),
                Op::Div => infix(" / ", 6),
                Op::Rem => infix(" % ", 6),
                Op::BitAnd => infix(" bitand ", 4),
                Op::ShiftLeft => infix(" << ", 4),
                Op::ShiftRight => infix(" >> ", 4),
                Op::Neg => format!("-{}", self.shown(terms, code, parts[0], 7)),
                Op::If => format!(
                    "(if {} then {} else {})",
                    self.shown(terms, code, parts[0], 0),
                    self.shown(terms, code, parts[1], 0),
                    self.shown(terms, code, parts[2], 0)
                ),
                other => format!("{other:?}"),
            }
        })
    }
}
