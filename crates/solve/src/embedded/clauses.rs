//! Propositional logic: clauses in a SAT solver, and gates made of them.

use batsat::{Callbacks, Lit, SolverInterface, lbool};
use rustc_hash::FxHashMap;

use crate::solver::Limit;

/// Stops the SAT solver when the time is over.
#[derive(Default)]
struct Watch(Limit);

impl Callbacks for Watch {
    fn stop(&self) -> bool {
        self.0.over().is_some()
    }
}

/// A gate of two inputs, for which there is one output.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
}

/// Clauses, which only become more. What a question claims is assumed, never added.
pub struct Clauses {
    sat: batsat::Solver<Watch>,
    yes: Lit,
    gates: FxHashMap<Gate, Lit>,
}

/// What the SAT solver found.
pub enum Found {
    /// Values for all variables.
    Assignment,
    /// Assumptions that cannot hold together.
    Core(Vec<Lit>),
    /// Nothing in time.
    Nothing,
}

impl Default for Clauses {
    fn default() -> Clauses {
        let mut sat = batsat::Solver::new(Default::default(), Watch::default());
        let yes = Lit::new(sat.new_var_default(), true);
        sat.add_clause_reuse(&mut vec![yes]);
        Clauses { sat, yes, gates: FxHashMap::default() }
    }
}

impl Clauses {
    /// The literal that is true, or the one that is false.
    pub fn truth(&self, b: bool) -> Lit {
        if b { self.yes } else { !self.yes }
    }

    /// A variable of which nothing is known.
    pub fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var_default(), true)
    }

    /// Adds a clause: one of these is true.
    pub fn clause(&mut self, literals: &[Lit]) {
        self.sat.add_clause_reuse(&mut literals.to_vec());
    }

    /// Looks for an assignment in which these hold.
    pub fn solve(&mut self, assumptions: &[Lit], limit: &Limit) -> Found {
        self.sat.cb_mut().0 = limit.clone();
        let found = self.sat.solve_limited(assumptions);
        if found == lbool::TRUE {
            Found::Assignment
        } else if found == lbool::FALSE {
            // The core holds the assumptions themselves, or their negations: either way we know them again.
            let held = |assumption: &&Lit| {
                self.sat.unsat_core_contains_lit(**assumption)
                    || self.sat.unsat_core_contains_lit(!**assumption)
            };
            Found::Core(assumptions.iter().filter(held).copied().collect())
        } else {
            Found::Nothing
        }
    }

    /// The value of a literal in the assignment that was found last.
    pub fn value(&self, literal: Lit) -> bool {
        self.sat.value_lit(literal) == lbool::TRUE
    }

    /// Whether both hold.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || b == self.yes {
            return a;
        }
        if a == self.yes {
            return b;
        }
        if a == !b || a == !self.yes || b == !self.yes {
            return !self.yes;
        }
        if let Some(known) = self.gates.get(&Gate::And(a, b)) {
            return *known;
        }
        let both = self.fresh();
        self.clause(&[!both, a]);
        self.clause(&[!both, b]);
        self.clause(&[both, !a, !b]);
        self.gates.insert(Gate::And(a, b), both);
        both
    }

    /// Whether one of the two holds.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Whether exactly one of the two holds.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        // The sign goes out, so that there is one gate for four.
        let flip = a.sign() != b.sign();
        let positive = |literal: Lit| if literal.sign() { literal } else { !literal };
        let (a, b) = (positive(a).min(positive(b)), positive(a).max(positive(b)));
        let differ = if a == b {
            !self.yes
        } else if a == positive(self.yes) || b == positive(self.yes) {
            let (constant, other) = if a == positive(self.yes) { (a, b) } else { (b, a) };
            if constant == self.yes { !other } else { other }
        } else if let Some(known) = self.gates.get(&Gate::Xor(a, b)) {
            *known
        } else {
            let differ = self.fresh();
            self.clause(&[!differ, a, b]);
            self.clause(&[!differ, !a, !b]);
            self.clause(&[differ, !a, b]);
            self.clause(&[differ, a, !b]);
            self.gates.insert(Gate::Xor(a, b), differ);
            differ
        };
        if flip { !differ } else { differ }
    }

    /// `a` if the condition holds, else `b`.
    pub fn if_else(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        let then = self.and(condition, a);
        let other = self.and(!condition, b);
        self.or(then, other)
    }

    /// Whether all hold.
    pub fn all(&mut self, literals: &[Lit]) -> Lit {
        if literals.len() <= 2 {
            return literals.iter().fold(self.yes, |all, literal| self.and(all, *literal));
        }
        let all = self.fresh();
        let mut long = vec![all];
        for literal in literals {
            self.clause(&[!all, *literal]);
            long.push(!*literal);
        }
        self.clause(&long);
        all
    }

    /// Whether two of three hold.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let both = self.and(a, b);
        let one = self.xor(a, b);
        let carried = self.and(one, c);
        self.or(both, carried)
    }
}
