//! The solver that is always there: propositional search, bits by sums and circuits, integers by linear constraints.
//!
//! Every term is written down once, as a literal or as a linear expression; claims are assumed, so nothing is
//! ever taken back and whatever was learnt stays true. The SAT solver proposes an assignment; of it, only what the
//! claims need to be true is looked at (`relevant`); the integers in that are solved, or the contradiction among them
//! becomes a clause, and the search goes on.

mod bits;
mod bits_of_integers;
mod clauses;
mod encode;
mod integers;
mod linear;
mod omega;
mod products;
mod ratio;
mod reduce;
mod relevant;
mod simplex;
mod sums;

use std::collections::BTreeMap;
use std::rc::Rc;

use agon_base::int::Int;
use batsat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::eval::{Model, Value};
use crate::solver::{Answer, Claim, Limit, Reason, Solver, believe};
use crate::term::{Op, Sort, Term, Terms};
use clauses::{Clauses, Found};
use integers::Outcome;
use linear::{Form, Linear, Var};
use reduce::Point;

/// How often the products and the bits of unknowns may be put right before the solver gives up on them.
const JOINTS: u32 = 200;

/// The embedded solver.
#[derive(Default)]
pub struct Embedded {
    clauses: Clauses,
    codes: FxHashMap<Term, Code>,
    vars: Vec<Meaning>,
    /// For each form, the literals that say that it is at most so much.
    bounds: FxHashMap<Form, BTreeMap<Int, Lit>>,
    /// For each such literal, positive, the form and the number.
    atoms: FxHashMap<Lit, (Form, Int)>,
    /// For each equality of integers, that the difference is at most 0 and that it is at least 0.
    equalities: FxHashMap<Term, (Lit, Lit)>,
    joints: FxHashMap<(Joint, Linear, Linear), Var>,
    quotients: FxHashMap<(Linear, Int), Var>,
    /// The sums of products and the divisors of which it is known what is left.
    residues: FxHashSet<(Linear, u64)>,
    /// The bits of each vector, the lowest first, and the vectors by their bits.
    vectors: Vec<Rc<[Lit]>>,
    vector_numbers: FxHashMap<Rc<[Lit]>, Var>,
    /// The bits of sums of vectors, by width.
    sums: FxHashMap<(Rc<Linear>, u32), Rc<[Lit]>>,
}

/// What a term is written down as.
#[derive(Clone)]
enum Code {
    Truth(Lit),
    /// A sum of integers, or of vectors modulo a power of two.
    Linear(Rc<Linear>),
}

/// What is known of an integer variable.
enum Meaning {
    /// A constant of the question.
    Constant,
    /// The quotient of an expression by a number.
    Quotient(Rc<Linear>, Int),
    /// One of two terms, by the value of a Boolean term.
    Choice(Term, Rc<Linear>, Rc<Linear>),
    /// What an operation makes of two expressions, of which only some clauses are known.
    Joint(Joint, Rc<Linear>, Rc<Linear>, Vec<Vec<Lit>>),
}

/// An operation on two unknowns that is not linear.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Joint {
    /// The product.
    Product,
    /// The bits that both have.
    BitAnd,
    /// The first, shifted to the left by the second.
    ShiftLeft,
    /// The first, shifted to the right by the second.
    ShiftRight,
}

impl Embedded {
    /// A solver that has seen nothing.
    pub fn new() -> Embedded {
        Embedded::default()
    }

    fn solve(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Result<Answer, Reason> {
        for term in terms.parts_first(claims.iter().map(|claim| claim.term)) {
            if !self.codes.contains_key(&term) {
                if let Some(reason) = limit.over() {
                    return Err(reason);
                }
                let code = self.encode(terms, term)?;
                self.codes.insert(term, code);
            }
        }
        let mut assumptions: Vec<(Lit, Claim)> = Vec::new();
        for claim in claims {
            let literal = self.literal(claim.term);
            if assumptions.iter().all(|(other, _)| *other != literal) {
                assumptions.push((literal, *claim));
            }
        }
        let assumed: Vec<Lit> = assumptions.iter().map(|(literal, _)| *literal).collect();
        let mut put_right = 0;
        loop {
            match self.clauses.solve(&assumed, limit) {
                Found::Nothing => return Err(limit.over().unwrap_or(Reason::Time)),
                Found::Core(core) => {
                    let named =
                        |(literal, claim): &(Lit, Claim)| core.contains(literal).then_some(claim.name);
                    return Ok(Answer::Unsat(assumptions.iter().filter_map(named).collect()));
                }
                Found::Assignment => {}
            }
            if let Some(reason) = limit.over() {
                return Err(reason);
            }
            let relevant = self.relevant(terms, claims);
            let next = u32::try_from(self.vars.len()).expect("fewer than 2^32 variables");
            match integers::solve(relevant.constraints, next, limit)? {
                Outcome::Conflict(why) => {
                    let clause: Vec<Lit> = why.0.iter().map(|i| !relevant.premises[*i as usize]).collect();
                    self.clauses.clause(&clause);
                }
                Outcome::Point(point) => {
                    if self.put_right(&relevant.vars, &point) {
                        put_right += 1;
                        if put_right > JOINTS {
                            return Err(Reason::Beyond("products or bits of unknowns".into()));
                        }
                        continue;
                    }
                    let model = self.model(terms, claims, &point);
                    return Ok(believe(terms, claims, model));
                }
            }
        }
    }

    fn literal(&self, term: Term) -> Lit {
        match self.codes[&term] {
            Code::Truth(literal) => literal,
            _ => unreachable!("a term that is no truth"),
        }
    }

    fn model(&self, terms: &Terms, claims: &[Claim], point: &Point) -> Model {
        let mut model = Model::default();
        for term in terms.parts_first(claims.iter().map(|claim| claim.term)) {
            if !matches!(terms.op(term), Op::Constant(_)) {
                continue;
            }
            let value = match (&self.codes[&term], terms.sort(term)) {
                (Code::Truth(literal), _) => Value::Truth(self.clauses.value(*literal)),
                (Code::Linear(sum), Sort::Bits(_)) => {
                    let double = |n: Int, bit: &Lit| n.add(&n).add(&Int::truth(self.clauses.value(*bit)));
                    let bits = |var: Var| self.vectors[var.index()].iter().rev().fold(Int::ZERO, double);
                    Value::Number(sum.value(bits))
                }
                (Code::Linear(linear), _) => {
                    Value::Number(linear.value(|var| point.get(&var).cloned().unwrap_or_default()))
                }
            };
            model.set(term, value);
        }
        model
    }
}

impl Solver for Embedded {
    fn check(&mut self, terms: &Terms, claims: &[Claim], limit: &Limit) -> Answer {
        self.solve(terms, claims, limit).unwrap_or_else(Answer::Unknown)
    }
}
