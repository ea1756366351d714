//! What becomes of the moves of two programs: they go on together where these are the same, and alone where not.

use agon_games::machine::State;
use agon_games::moves::{Label, Move};
use agon_games::symbolic::Value;
use agon_solve::Term;

use super::{Ahead, At, Both, JointStep, Pair, Runs, SIDES, values_of};
use crate::equiv::{Relation, Side};

impl Both<'_> {
    /// What follows where programs are again at a pair at which they have been since O's last move: those that run do the same
    /// again and again, and never move.
    pub(in super::super) fn never_moves(&mut self, pair: &Pair, runs: Runs) -> Vec<JointStep> {
        let ends = |side: Side| {
            let runs = match runs {
                Runs::Both => true,
                Runs::Only(only) => only == side,
            };
            match &pair[side as usize] {
                At::Paused(_) if runs => At::Gone,
                at => at.clone(),
            }
        };
        let after = [ends(Side::Left), ends(Side::Right)];
        let mut found = Vec::new();
        self.settle(Vec::new(), after, &[], &mut found);
        found
    }

    /// Compares the moves of two programs that have both moved.
    pub(super) fn settle(
        &mut self,
        conditions: Vec<Term>,
        pair: Pair,
        base: &[Term],
        found: &mut Vec<JointStep>,
    ) {
        let [a, b] = pair;
        match (a, b) {
            (At::Moved(..), At::Gone) if self.all_count() => self.differs(conditions, Side::Left, found),
            (At::Gone, At::Moved(..)) if self.all_count() => self.differs(conditions, Side::Right, found),
            (At::Moved(m, next), At::Moved(n, other)) => {
                let differ = match self.same(&m, &n) {
                    None => {
                        let truth = self.terms.truth(true);
                        (truth, None)
                    }
                    Some(claims) => {
                        let not: Vec<Term> = claims.iter().map(|claim| self.terms.not(*claim)).collect();
                        (self.terms.or(&not), Some(claims))
                    }
                };
                let (differs, same) = differ;
                let mut apart = conditions.clone();
                apart.push(differs);
                if self.all_count() {
                    if self.may(base, &apart) {
                        self.differs(apart, Side::Left, found);
                    }
                } else if self.may(base, &apart) {
                    for (side, next) in SIDES.into_iter().zip([next, other]) {
                        self.alone(apart.clone(), side, next, At::Gone, found);
                    }
                }
                let Some(claims) = same else { return };
                let mut together = conditions;
                together.extend(claims);
                if !self.may(base, &together) {
                    return;
                }
                match (next, other) {
                    (Some(left), Some(right)) => {
                        let to = Ahead::Pair([At::Waits(left), At::Waits(right)]);
                        found.push(JointStep { conditions: together, to });
                    }
                    (None, None) => {}
                    // One play is complete, the other is not, though both have made the same move.
                    (None, Some(_)) => self.differs(together, Side::Left, found),
                    (Some(_), None) => self.differs(together, Side::Right, found),
                }
            }
            (At::Moved(_, next), left @ (At::Gone | At::Away)) => {
                self.alone(conditions, Side::Left, next, left, found);
            }
            (left @ (At::Gone | At::Away), At::Moved(_, next)) => {
                self.alone(conditions, Side::Right, next, left, found);
            }
            (At::Gone | At::Away, At::Gone | At::Away) => {}
            (At::Gone, _) if self.relation == Relation::Approximation => {}
            (a, b) => found.push(JointStep { conditions, to: Ahead::Pair([a, b]) }),
        }
    }

    /// One program goes on alone.
    fn alone(
        &self,
        conditions: Vec<Term>,
        side: Side,
        next: Option<State>,
        left: At,
        found: &mut Vec<JointStep>,
    ) {
        if side == Side::Right && self.relation == Relation::Approximation {
            return;
        }
        match next {
            None => self.differs(conditions, side, found),
            Some(state) => {
                let waits = At::Waits(state);
                let to = match side {
                    Side::Left => Ahead::Pair([waits, left]),
                    Side::Right => Ahead::Pair([left, waits]),
                };
                found.push(JointStep { conditions, to });
            }
        }
    }

    fn differs(&self, conditions: Vec<Term>, side: Side, found: &mut Vec<JointStep>) {
        if side == Side::Left || self.relation == Relation::Equivalence {
            found.push(JointStep { conditions, to: Ahead::Differs(side) });
        }
    }

    /// What must be so for two moves to be the same; nothing if they cannot be.
    pub(in super::super) fn same(&mut self, left: &Move<Value>, right: &Move<Value>) -> Option<Vec<Term>> {
        let names = [left, right].map(|m| m.component.0 as usize);
        let ends = self.are_modules() && matches!(left.label, Label::Abort | Label::Exit(_));
        let elsewhere = self.components[0][names[0]] != self.components[1][names[1]];
        if (elsewhere && !ends) || !left.label.says_what(&right.label) {
            return None;
        }
        let mut pairs: Vec<(Value, Value)> = Vec::new();
        pairs.extend(values_of(&left.label).into_iter().zip(values_of(&right.label)));
        // An answer is about the element that was asked for, and both were asked the same.
        if left.label.is_question() {
            pairs.extend(left.element.zip(right.element));
        }
        let mut claims = Vec::new();
        for (a, b) in pairs {
            let a = self.term(Side::Left, &a);
            let b = self.term(Side::Right, &b);
            claims.push(self.terms.equal(a, b));
        }
        Some(claims)
    }
}
