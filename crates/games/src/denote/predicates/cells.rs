//! Cells: blocks that declare them, elements of arrays, and expressions that wait while they may change.

use std::collections::{BTreeMap, BTreeSet};

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::term::{Construct, New, TermId};
use agon_core::types::Type;
use agon_solve::Term;

use super::{Denoter, Entries, Exit, Exits, LONGEST, Question, Valued};
use crate::symbolic::Value;

impl Denoter<'_> {
    /// Expressions that wait while another term is evaluated, each with the states in which that is entered.
    pub(super) fn pending(
        &mut self,
        values: Vec<Valued>,
        during: TermId,
        place: TermId,
    ) -> Vec<(Value, Entries)> {
        let cells = self.may_change(during);
        let mut all: BTreeMap<Value, Entries> = BTreeMap::new();
        for (value, psi, state) in values {
            let value = self.logic.kept(&value, &psi, &cells, place);
            self.add(all.entry(value).or_default(), psi, state);
        }
        all.into_iter().collect()
    }

    /// The cells that a term may assign to before it gives a value or a variable: those of local variables that it does
    /// more with than read them, or give them.
    fn may_change(&mut self, term: TermId) -> BTreeSet<Term> {
        let terms = &self.judgement.terms;
        let mut cells = BTreeSet::new();
        let mut waiting = vec![(term, true)];
        while let Some((term, given)) = waiting.pop() {
            match terms.construct(term) {
                Construct::Variable(var) if !given && self.logic.is_local(*var) => {
                    cells.extend(self.logic.cells(*var));
                }
                Construct::Read(a) => waiting.push((*a, true)),
                Construct::WrapVariable(_, a) => waiting.push((*a, given)),
                Construct::Index(a, index) => waiting.extend([(*a, given), (*index, true)]),
                Construct::Sequence(a, b) => waiting.extend([(*a, false), (*b, given)]),
                Construct::If(a, b, c) => waiting.extend([(*a, true), (*b, given), (*c, given)]),
                Construct::New(new) => {
                    waiting.extend(new.initial.map(|initial| (initial, true)));
                    waiting.push((new.body, given));
                }
                // Predicates are not evaluated.
                Construct::WithPredicate(_, body) => waiting.push((*body, given)),
                Construct::BeginPredicate(_) | Construct::EndPredicate(_) => {}
                construct => construct.each_child(|child| waiting.push((child, false))),
            }
        }
        cells
    }

    /// An element of an array: first the index, which may point to several, then the array.
    pub(super) fn index(
        &mut self,
        term: TermId,
        array: TermId,
        index: TermId,
        question: &Question,
        from: Entries,
    ) -> Result<Exits, Refused> {
        let Type::Array(_, length) = self.judgement.terms.ty(array) else {
            unreachable!("only arrays are indexed")
        };
        let length = Some(*length).filter(|length| *length <= LONGEST).ok_or(Stop::Table)?;
        let cells = self.may_change(array);
        let (values, mut exits) = self.values(index, &Question::Ask, from)?;
        let mut pointed: BTreeMap<(u64, Value), Entries> = BTreeMap::new();
        for (value, psi, state) in values {
            let (elements, outside) = self.logic.elements(&psi, &value, length);
            for (n, known) in elements {
                let known = self.logic.kept(&known, &psi, &cells, term);
                self.add(pointed.entry((n, known)).or_default(), psi.clone(), state);
            }
            if outside {
                self.add(&mut exits, (Exit::Abort, psi), state);
            }
        }
        for ((n, known), from) in pointed {
            let others = match question {
                Question::Write(_, value) => {
                    let value = self.logic.given(value, &known);
                    self.term(array, &Question::Write(Some(n), value), from)?
                }
                _ => self.mapped(array, &Question::Read(Some(n)), from, |logic, value| {
                    logic.given(value, &known)
                })?,
            };
            self.add_all(&mut exits, others);
        }
        Ok(exits)
    }

    /// ⟦new x . M⟧ = (⟦M⟧^Ψ₀Ψ₁)^Ψ₀′Ψ₁′ with sat(Ψ₀, Ψ₀′, x = E) and sat(Ψ₁, Ψ₁′). The `letp`s that the block starts with
    /// are the predicates that are new in Ψ₀.
    pub(super) fn block(
        &mut self,
        term: TermId,
        new: &New,
        question: &Question,
        from: Entries,
    ) -> Result<Exits, Refused> {
        let cells = self.logic.cells(new.variable);
        let mut body = new.body;
        let mut predicates = Vec::new();
        while let Construct::WithPredicate(predicate, inner) = self.judgement.terms.construct(body) {
            predicates.push(self.logic.predicate(*predicate)?);
            body = *inner;
        }
        let (values, mut exits) = match new.initial {
            Some(initial) => self.values(initial, &Question::Ask, from)?,
            None => {
                let zero = self.logic.number(&Int::ZERO);
                (from.into_iter().map(|(psi, state)| (zero, psi, state)).collect(), Exits::new())
            }
        };
        // A predicate that is alive outside already does not end with the block.
        let mut groups: BTreeMap<Vec<Term>, Entries> = BTreeMap::new();
        for (value, psi, state) in values {
            let begun: Vec<Term> = predicates.iter().copied().filter(|known| !psi.has(*known)).collect();
            for opened in self.logic.opened(&psi, &cells, &value, &predicates) {
                self.add(groups.entry(begun.clone()).or_default(), opened, state);
            }
        }
        let declared = BTreeSet::from_iter(cells.iter().copied());
        for (begun, from) in groups {
            for ((exit, psi), state) in self.term(body, question, from)? {
                let exit = match exit {
                    Exit::Value(value) => Exit::Value(self.logic.kept(&value, &psi, &declared, term)),
                    exit => exit,
                };
                let ended =
                    begun.iter().fold(psi, |psi, predicate| psi.ended(*predicate, self.abstraction.after));
                let closed = self.logic.closed(&ended, &cells);
                self.add(&mut exits, (exit, closed), state);
            }
        }
        Ok(exits)
    }
}
