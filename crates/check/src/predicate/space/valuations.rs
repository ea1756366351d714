//! Which predicates are true behind a branch.

use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::explore::depth_first;
use agon_games::machine::Layout;
use agon_games::symbolic::Value;
use agon_solve::Term;
use rustc_hash::FxHashMap;

use super::{Branch, LedTo, Position, Precision, Psi, Space};
use crate::predicate::forget::{Forgotten, Held, Kept};
use crate::predicate::predicates::{PredicateId, Where};
use crate::predicate::symbolic::Reached;

impl Space<'_> {
    /// The positions that a branch leads to, after what is not kept was forgotten.
    pub(in crate::predicate) fn after(
        &mut self,
        psi: Psi,
        branch: &Branch,
        precision: &Precision,
    ) -> Rc<LedTo> {
        let (number, step) = branch;
        let Some((Reached { state, .. }, _)) = step.next else { return Rc::default() };
        let control = self.game.control(state);
        let layout = self.layout(state);
        let key = (*number, psi, precision.live(control, &layout));
        let led_to = match self.led_to.get(&key) {
            Some(known) => known.clone(),
            None => {
                let led_to = Rc::new(self.led_to(psi, branch, &key.2, precision));
                self.led_to.insert(key, led_to.clone());
                led_to
            }
        };
        self.alive = self.alive.max(led_to.1);
        led_to
    }

    fn led_to(&mut self, psi: Psi, (_, step): &Branch, live: &[PredicateId], precision: &Precision) -> LedTo {
        let Some((Reached { state, paused, stored }, held)) = &step.next else { return LedTo::default() };
        let layout = self.layout(*state);
        let forgotten = self.forgotten(*state, held, precision);
        let mut literals = self.literals(&layout, live, held, &forgotten);
        // Literals outlive their scopes until the next assignment [PRED, §4.3].
        if !stored {
            self.preserved(psi, &forgotten, &mut literals);
        }
        if precision.relational {
            let of_entry = self.psi(psi).to_vec().into_iter().filter(|truth| self.is_of_entry(*truth));
            literals.extend(of_entry.map(|truth| (truth, truth)));
        }
        literals.retain(|(_, after)| self.game.domain_mut().terms().literal(*after).is_none());
        let mut base = self.psi(psi).to_vec();
        base.extend(&step.how.conditions);
        let valuations = self.valuations(&base, &literals);
        let values: Vec<(u32, Value)> =
            forgotten.held.iter().map(|(at, term)| (at, Value::new(term))).collect();
        let state = self.game.with_held(*state, &values);
        let position = |psi| Position { state, psi, paused: *paused };
        let positions = valuations.into_iter().map(|valuation| position(self.psis.intern(valuation)));
        (positions.collect(), literals.len())
    }

    /// The predicates that are to be known, over what the store held and over what it holds.
    fn literals(
        &mut self,
        layout: &Layout,
        live: &[PredicateId],
        before: &Held,
        forgotten: &Forgotten,
    ) -> Vec<(Term, Term)> {
        let mut literals = Vec::new();
        let on_its_way = |now: bool| {
            move |space: &Self, kept: Kept, n: u32| {
                let constant = space.constants.get(&(kept, n))?;
                let (_, was) = forgotten.were.iter().find(|(known, _)| known == constant)?;
                Some(if now { *constant } else { *was })
            }
        };
        for id in live.iter().copied() {
            let over = |space: &mut Self, held: &Held, now: bool| {
                let spots = space.predicates.spots(space.game.domain_mut().terms(), id);
                let on_its_way = on_its_way(now);
                let ways: FxHashMap<(Kept, u32), Option<Term>> =
                    spots.into_iter().map(|(kept, n)| ((kept, n), on_its_way(space, kept, n))).collect();
                let constants = &space.constants;
                let terms = space.game.domain_mut().terms();
                space.predicates.over(terms, id, layout, &|spot| match spot {
                    Where::At(at) => held.get(at),
                    Where::Entry(cell, at) => constants.get(&(Kept::Entry(cell), at)).copied(),
                    Where::OnItsWay(kept, n) => ways.get(&(kept, n)).copied().flatten(),
                })
            };
            let then = over(self, before, false);
            let now = over(self, &forgotten.held, true);
            literals.extend(then.into_iter().zip(now));
        }
        literals
    }

    /// What must be so before a branch for the predicates to be true that are to be known behind it.
    pub(in crate::predicate) fn preconditions(
        &mut self,
        (_, step): &Branch,
        precision: &Precision,
    ) -> Vec<(PredicateId, Term)> {
        let Some((Reached { state, .. }, held)) = &step.next else { return Vec::new() };
        let (control, layout) = (self.game.control(*state), self.layout(*state));
        let forgotten = self.forgotten(*state, held, precision);
        let mut found = Vec::new();
        for id in precision.live(control, &layout) {
            let literals = self.literals(&layout, &[id], held, &forgotten);
            found.extend(literals.into_iter().map(|(before, _)| (id, before)));
        }
        found
    }

    /// Whether a truth is over nothing but what cells held when the activation began.
    fn is_of_entry(&mut self, truth: Term) -> bool {
        let constants = self.oracle.borrow_mut().constants(self.game.domain_mut().terms(), truth);
        constants.iter().all(|constant| matches!(self.place(*constant), Some((Kept::Entry(_), _))))
    }

    /// What was true, and is still, since nothing was assigned.
    fn preserved(&mut self, psi: Psi, forgotten: &Forgotten, literals: &mut Vec<(Term, Term)>) {
        for truth in self.psi(psi).to_vec() {
            let constants = self.oracle.borrow_mut().constants(self.game.domain_mut().terms(), truth);
            let unchanged = constants.iter().all(|constant| forgotten.were.contains(&(*constant, *constant)));
            if unchanged && !literals.iter().any(|(_, known)| *known == truth) {
                let not = self.terms().not(truth);
                if !literals.iter().any(|(_, known)| *known == not) {
                    literals.push((truth, truth));
                }
            }
        }
    }

    /// The ways in which literals can come out, one after the other: what they are made from, and what they become.
    fn valuations(&mut self, base: &[Term], literals: &[(Term, Term)]) -> Vec<Box<[Term]>> {
        let mut found = Vec::new();
        let start: (usize, Vec<Term>, Vec<Term>) = (0, base.to_vec(), Vec::new());
        let mut oracle = self.oracle.borrow_mut();
        let terms = self.game.domain_mut().terms();
        // If time is over, the caller notices it too.
        let _ = depth_first(vec![start], |waiting, (n, mut base, mut chosen)| {
            self.budget.check()?;
            let Some((before, after)) = literals.get(n) else {
                chosen.sort_unstable();
                chosen.dedup();
                found.push(chosen.into());
                return Ok(());
            };
            let (not_before, not_after) = (terms.not(*before), terms.not(*after));
            let is_known = |base: &[Term], term: Term| base.contains(&term);
            let yes = !is_known(&base, not_before)
                && (is_known(&base, *before) || oracle.may(terms, &base, &[*before]));
            let no = !yes || (!is_known(&base, *before) && oracle.may(terms, &base, &[not_before]));
            if yes && no {
                let (mut other, mut others) = (base.clone(), chosen.clone());
                other.push(not_before);
                others.push(not_after);
                waiting.push((n + 1, other, others));
            }
            base.push(if yes { *before } else { not_before });
            chosen.push(if yes { *after } else { not_after });
            waiting.push((n + 1, base, chosen));
            Ok::<(), Stop>(())
        });
        found
    }
}
