//! What is thought to hold at a position: linear equations, bounds and orders, some under a condition.
//!
//! All of it is guessed from points, and is given up where a step leads to a point at which it does not hold.

use agon_base::int::Int;
use agon_solve::{Model, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::hull::{Equation, Hull};
use super::positions::Slot;

/// How much is looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Bounds of slots and orders between them.
    pub orders: bool,
    /// Equations modulo small numbers, and modulo those that the programs divide by.
    pub moduli: Vec<Int>,
    /// Equations where a condition holds.
    pub guarded: bool,
    /// Orders where a condition holds.
    pub guarded_orders: bool,
    /// Equations between products of two slots.
    pub squares: bool,
}

/// The most slots whose products are looked at.
const MOST_FACTORS: usize = 6;
/// The most slots whose order is looked at.
const MOST_ORDERED: usize = 12;
/// The most conditions that equations are looked for under.
const MOST_GUARDS: usize = 12;

/// A number that equations speak of: a slot, or the product of two.
type Feature = (usize, Option<usize>);

/// Equations, perhaps only where a condition holds.
#[derive(Clone, Debug)]
struct Equations {
    guard: Option<Term>,
    features: Vec<Feature>,
    hull: Hull,
    /// Whether there was a point at which the condition holds.
    met: bool,
}

/// What is thought to hold.
#[derive(Clone, Debug)]
pub(super) struct Known {
    constants: Vec<Term>,
    equations: Vec<Equations>,
    orders: Vec<Term>,
}

/// What a conjunct comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Equation(usize, Equation),
    Order(Term),
}

impl Known {
    /// Everything of a level that holds at some points; thresholds are what bounds are compared with.
    pub(super) fn new(
        terms: &mut Terms,
        slots: &[Slot],
        level: &Level,
        (guards, thresholds): (&[Term], &[Int]),
        points: &[Vec<Int>],
    ) -> Known {
        let constants: Vec<Term> = slots.iter().map(|slot| slot.constant).collect();
        let all: Vec<Feature> = (0..slots.len()).map(|n| (n, None)).collect();
        let mut known = Known { constants, equations: Vec::new(), orders: Vec::new() };
        let mut moduli: Vec<Option<Int>> = vec![None];
        for slot in slots {
            let size = slot.data.as_ref().and_then(|data| data.size());
            moduli.extend(size.filter(|size| !moduli.contains(&Some(size.clone()))).map(Some));
        }
        let own: Vec<Option<Int>> = moduli.clone();
        moduli.extend(level.moduli.iter().cloned().map(Some));
        for modulus in moduli {
            // A number that is counted modulo something else says nothing here.
            let counts = |n: &Feature| match (&modulus, slots[n.0].data.as_ref().and_then(|data| data.size()))
            {
                (Some(modulus), Some(size)) => size.rem(modulus).is_some_and(|rest| rest.is_zero()),
                _ => true,
            };
            let features: Vec<Feature> = all.iter().copied().filter(counts).collect();
            known.add_equations(None, features, modulus);
        }
        if level.squares {
            for modulus in &own {
                known.add_equations(None, products(&all), modulus.clone());
            }
        }
        let mut conditions: Vec<Term> = Vec::new();
        for guard in guards.iter().take(MOST_GUARDS) {
            let not = terms.not(*guard);
            conditions.extend([*guard, not]);
        }
        if level.guarded {
            for guard in &conditions {
                for modulus in &own {
                    known.add_equations(Some(*guard), all.clone(), modulus.clone());
                }
            }
        }
        if level.orders {
            let guards = if level.guarded_orders { &conditions[..] } else { &[] };
            known.add_orders(terms, thresholds, points, guards);
        }
        for point in points {
            known.add(terms, point);
        }
        known
    }

    /// Nothing at all.
    pub(super) fn nothing() -> Known {
        Known { constants: Vec::new(), equations: Vec::new(), orders: Vec::new() }
    }

    fn add_equations(&mut self, guard: Option<Term>, features: Vec<Feature>, modulus: Option<Int>) {
        let hull = Hull::new(features.len(), modulus);
        self.equations.push(Equations { guard, features, hull, met: false });
    }

    /// Bounds and orders; those that do not hold at the points are given up when these are added.
    fn add_orders(&mut self, terms: &mut Terms, thresholds: &[Int], points: &[Vec<Int>], guards: &[Term]) {
        let mut orders = Vec::new();
        for (n, constant) in self.constants.iter().enumerate() {
            let (low, high) = (points.iter().map(|p| &p[n]).min(), points.iter().map(|p| &p[n]).max());
            if let Some(least) = thresholds.iter().filter(|t| low.is_some_and(|low| *t <= low)).max() {
                let least = terms.int(least.clone());
                orders.push(terms.at_most(least, *constant));
            }
            if let Some(most) = thresholds.iter().filter(|t| high.is_some_and(|high| *t >= high)).min() {
                let most = terms.int(most.clone());
                orders.push(terms.at_most(*constant, most));
            }
        }
        if self.constants.len() <= MOST_ORDERED {
            let one = terms.int(1u64);
            for a in &self.constants {
                for b in self.constants.iter().filter(|b| *b != a) {
                    let behind = terms.add(*b, one);
                    orders.extend([terms.less(*a, *b), terms.at_most(*a, *b), terms.at_most(*a, behind)]);
                }
            }
        }
        for guard in guards {
            let not = terms.not(*guard);
            for (n, a) in self.constants.iter().enumerate() {
                for b in self.constants.iter().skip(n + 1).take(MOST_ORDERED) {
                    for order in [terms.at_most(*a, *b), terms.at_most(*b, *a)] {
                        orders.push(terms.or(&[not, order]));
                    }
                }
            }
        }
        orders.retain(|order| terms.literal(*order).is_none());
        self.orders = orders;
    }

    /// Gives up what does not hold at a point. Says whether that was anything.
    pub(super) fn add(&mut self, terms: &Terms, point: &[Int]) -> bool {
        let mut model = Model::default();
        for (constant, n) in self.constants.iter().zip(point) {
            model.set(*constant, Value::Number(n.clone()));
        }
        let guards = self.equations.iter().filter_map(|equations| equations.guard);
        let roots: Vec<Term> = self.orders.iter().copied().chain(guards).collect();
        let values = model.values(terms, roots);
        let before = self.orders.len();
        self.orders.retain(|order| values[order].is_true());
        let mut changed = self.orders.len() != before;
        for Equations { guard, features, hull, met } in &mut self.equations {
            if guard.is_some_and(|guard| !values[&guard].is_true()) {
                continue;
            }
            *met = true;
            let number = |(a, b): &Feature| match b {
                None => point[*a].clone(),
                Some(b) => point[*a].mul(&point[*b]),
            };
            let numbers: Vec<Int> = features.iter().map(number).collect();
            changed |= hull.add(&numbers);
        }
        changed
    }

    /// Gives up a conjunct.
    pub(super) fn leave_out(&mut self, source: &Source) {
        match source {
            Source::Equation(n, equation) => {
                let equations = &mut self.equations[*n];
                match equations.met {
                    true => equations.hull.leave_out(equation),
                    false => equations.hull.clear(),
                }
            }
            Source::Order(order) => self.orders.retain(|other| other != order),
        }
    }

    /// All that is thought to hold, as conjuncts.
    pub(super) fn conjuncts(&self, terms: &mut Terms) -> Vec<(Term, Source)> {
        let mut found: Vec<(Term, Source)> = Vec::new();
        for (n, Equations { guard, features, hull, met }) in self.equations.iter().enumerate() {
            for equation in hull.equations() {
                let term = match met {
                    true => self.equation(terms, features, hull.modulus(), equation),
                    // Nothing is known to happen where the condition holds.
                    false => terms.truth(false),
                };
                let term = match guard {
                    None => term,
                    Some(guard) => {
                        let not = terms.not(*guard);
                        terms.or(&[not, term])
                    }
                };
                if terms.literal(term) != Some(Value::Truth(true)) {
                    found.push((term, Source::Equation(n, equation.clone())));
                }
                if !met {
                    break;
                }
            }
        }
        found.extend(self.orders.iter().map(|order| (*order, Source::Order(*order))));
        found
    }

    fn equation(
        &self,
        terms: &mut Terms,
        features: &[Feature],
        modulus: Option<&Int>,
        equation: &Equation,
    ) -> Term {
        let (added, factors) = equation.split_last().expect("an equation has a number that is added");
        // What is taken away stands on the other side, unless both sides are divided.
        let mut sides = [terms.int(added.clone()), terms.int(Int::ZERO)];
        for ((a, b), factor) in features.iter().zip(factors) {
            if factor.is_zero() {
                continue;
            }
            let feature = match b {
                None => self.constants[*a],
                Some(b) => terms.mul(self.constants[*a], self.constants[*b]),
            };
            let taken = factor.is_negative() && modulus.is_none();
            let factor = if taken { factor.neg() } else { factor.clone() };
            let multiple = match factor == Int::ONE {
                true => feature,
                false => {
                    let factor = terms.int(factor);
                    terms.mul(factor, feature)
                }
            };
            let side = &mut sides[usize::from(taken)];
            *side = match terms.literal(*side) {
                Some(Value::Number(n)) if n.is_zero() => multiple,
                _ => terms.add(*side, multiple),
            };
        }
        match modulus {
            None => terms.equal(sides[0], sides[1]),
            Some(modulus) => {
                let modulus = terms.int(modulus.clone());
                let rest = terms.rem(sides[0], modulus);
                terms.equal(rest, sides[1])
            }
        }
    }
}

/// Slots and products of two of them, as long as they are few.
fn products(all: &[Feature]) -> Vec<Feature> {
    let factors = &all[..all.len().min(MOST_FACTORS)];
    let mut features = all.to_vec();
    for (n, (a, _)) in factors.iter().enumerate() {
        features.extend(factors[n..].iter().map(|(b, _)| (*a, Some(*b))));
    }
    features
}

/// A term that leaves the same when it is divided by a number, without what only brings parts of it into a range.
pub(super) fn congruent(terms: &mut Terms, term: Term, modulus: &Int) -> Term {
    use agon_solve::Op;
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    let divides = |terms: &Terms, by: Term| {
        let by = terms.literal(by).map(|by| by.number().clone());
        by.is_some_and(|by| by.rem(modulus).is_some_and(|rest| rest.is_zero()))
    };
    for part in terms.parts_first([term]) {
        let parts: Vec<Term> = terms.parts(part).to_vec();
        let new = match (terms.op(part).clone(), &parts[..]) {
            (Op::Rem, [a, by]) if divides(terms, *by) => done[a],
            (Op::Add | Op::Sub | Op::Neg | Op::Mul, _) => {
                let with: FxHashMap<Term, Term> = parts.iter().map(|part| (*part, done[part])).collect();
                terms.substitute_parts(part, &with)
            }
            // A term where it fits, and what is left of it elsewhere.
            (Op::If, [_, a, b]) if is_wrapped(terms, *a, *b, &divides) => done[a],
            (Op::If, [condition, a, b]) if terms.sort(part) == agon_solve::Sort::Int => {
                let (a, b) = (done[a], done[b]);
                terms.if_else(*condition, a, b)
            }
            _ => part,
        };
        done.insert(part, new);
    }
    done[&term]
}

/// Whether a term is another one, brought into a range whose size is a multiple of the divisor.
fn is_wrapped(terms: &Terms, a: Term, b: Term, divides: &dyn Fn(&Terms, Term) -> bool) -> bool {
    use agon_solve::Op;
    let of = |term: Term, op: Op| (*terms.op(term) == op).then(|| terms.parts(term));
    let Some([x, y]) = of(b, Op::Add) else { return false };
    [(*x, *y), (*y, *x)].into_iter().any(|(rest, least)| {
        let Some([shifted, size]) = of(rest, Op::Rem) else { return false };
        let Some([whole, low]) = of(*shifted, Op::Sub) else { return false };
        *whole == a && *low == least && divides(terms, *size)
    })
}
