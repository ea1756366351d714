//! Which predicates are true behind a branch.

use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::explore::depth_first;
use agon_games::arena::{ComponentId, Role};
use agon_games::machine::Layout;
use agon_games::moves::Label;
use agon_games::symbolic::Value;
use agon_solve::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Branch, LedTo, Next, Position, Precision, Psi, Space};
use crate::predicate::forget::{Forgotten, Held, Kept, expressed};
use crate::predicate::predicates::{PredicateId, Where};
use crate::predicate::symbolic::{Reached, Runner, SymbolicStep};

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
        let (forgotten, passed) = self.behind(step, precision);
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
        let next = if *paused { Next::Paused } else { Next::Answer };
        let position = |psi| Position { state, psi, next };
        let positions = valuations.into_iter().map(|valuation| {
            let psi = match passed.is_empty() {
                true => self.psis.intern(valuation),
                false => self.intern([&valuation[..], &passed[..]].concat()),
            };
            position(psi)
        });
        (positions.collect(), literals.len())
    }

    /// What the store holds behind a step, when it was forgotten. Values that a procedure which is summarised was called with, is
    /// called with or returns are in no cell, and known all the same. If it is called, this is also what its arguments are,
    /// where that can be said of what is known.
    fn behind(
        &mut self,
        step: &SymbolicStep<(Reached, Held)>,
        precision: &Precision,
    ) -> (Forgotten, Vec<Term>) {
        let Some((Reached { state, .. }, held)) = &step.next else {
            return (Forgotten { held: Held(Vec::new()), were: Vec::new() }, Vec::new());
        };
        let mut forgotten = self.forgotten(*state, held, precision);
        if let Some(component) = step.how.within {
            let arguments = self.arguments(Kept::Argument(component), component);
            forgotten.were.extend(arguments.into_iter().map(|argument| (argument, argument)));
        }
        let mut passed = Vec::new();
        match step.label.as_ref().map(|m| (m.component, &m.label)) {
            Some((component, Label::Call(values))) if self.is_summarised(component) => {
                let constants = self.arguments(Kept::Passed(component), component);
                let values: Vec<Term> =
                    values.iter().map(|value| self.game.domain_mut().term(value).0).collect();
                passed = self.said_of(&constants, &values, &forgotten);
                forgotten.were.extend(constants.into_iter().zip(values));
            }
            Some((component, Label::Value(value))) if self.is_summarised(component) => {
                let term = self.game.domain_mut().term(value).0;
                forgotten.were.push((self.constant_at(Kept::Result(component), 0), term));
            }
            _ => {}
        }
        (forgotten, passed)
    }

    /// That constants are values, where these can be said of what is known behind a step.
    fn said_of(&mut self, constants: &[Term], values: &[Term], forgotten: &Forgotten) -> Vec<Term> {
        let mut becomes: FxHashMap<Term, Term> = FxHashMap::default();
        for (now, was) in &forgotten.were {
            if self.terms().literal(*was).is_none() {
                becomes.entry(*was).or_insert(*now);
            }
        }
        let known: FxHashSet<Term> = becomes.values().copied().collect();
        let mut said = Vec::new();
        for (constant, value) in constants.iter().zip(values) {
            let value = expressed(self.terms(), *value, &becomes);
            if self.terms().constants(value).iter().all(|constant| known.contains(constant)) {
                said.push(self.terms().equal(*constant, value));
            }
        }
        said
    }

    /// Whether a component is that of a procedure that is summarised.
    pub(in crate::predicate) fn is_summarised(&mut self, component: ComponentId) -> bool {
        match self.game.runner() {
            Runner::Module(machine) => {
                machine.module().is_some_and(|(_, roles)| matches!(roles.of(component), Role::Summarised(_)))
            }
            Runner::Sequential | Runner::Strands(_) => false,
        }
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
        let (forgotten, _) = self.behind(step, precision);
        let mut found = Vec::new();
        for id in precision.live(control, &layout) {
            let literals = self.literals(&layout, &[id], held, &forgotten);
            found.extend(literals.into_iter().map(|(before, _)| (id, before)));
        }
        found
    }

    /// The constants in a term.
    fn constants_of(&mut self, term: Term) -> Rc<[Term]> {
        let (terms, oracle) = self.judge();
        oracle.constants(terms, term)
    }

    /// Whether a truth is over nothing but what cells held when the activation began, and what it was called with.
    fn is_of_entry(&mut self, truth: Term) -> bool {
        let constants = self.constants_of(truth);
        let is_of_entry = |kept| matches!(kept, Some((Kept::Entry(_) | Kept::Argument(_), _)));
        constants.iter().all(|constant| is_of_entry(self.place(*constant)))
    }

    /// What was true, and is still, since nothing was assigned.
    fn preserved(&mut self, psi: Psi, forgotten: &Forgotten, literals: &mut Vec<(Term, Term)>) {
        for truth in self.psi(psi).to_vec() {
            let constants = self.constants_of(truth);
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
        let (terms, oracle) = self.game.domain_mut().judge_mut();
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
