//! The linear equations that hold at some points: over the integers, or modulo a number.
//!
//! The equations that hold at all points so far are kept by generators: every other such equation is a sum of multiples
//! of them. A new point takes away one generator at most, or leaves a multiple of it where numbers are counted modulo
//! something. So the equations at the points of a loop are found after few points, as in Karr's analysis.

use agon_base::int::Int;

/// A sum of multiples that is 0: a factor for each number of a point, and last the number that is added.
pub(super) type Equation = Vec<Int>;

/// All linear equations that hold at some points.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    generators: Vec<Equation>,
    /// What numbers are counted modulo, if they are.
    modulus: Option<Int>,
}

impl Hull {
    /// Every equation over this many numbers: there is no point yet.
    pub(super) fn new(numbers: usize, modulus: Option<Int>) -> Hull {
        let unit = |n: usize| (0..=numbers).map(|m| Int::truth(m == n)).collect();
        Hull { generators: (0..=numbers).map(unit).collect(), modulus }
    }

    /// What numbers are counted modulo.
    pub(super) fn modulus(&self) -> Option<&Int> {
        self.modulus.as_ref()
    }

    /// The equations that all others follow from.
    pub(super) fn equations(&self) -> &[Equation] {
        &self.generators
    }

    /// Leaves out an equation, of which nobody knows whether it holds.
    pub(super) fn leave_out(&mut self, equation: &Equation) {
        self.generators.retain(|generator| generator != equation);
    }

    /// Leaves out all equations.
    pub(super) fn clear(&mut self) {
        self.generators.clear();
    }

    /// Keeps the equations that hold at one more point. Says whether there are fewer now.
    pub(super) fn add(&mut self, point: &[Int]) -> bool {
        let mut left: Vec<Int> =
            self.generators.iter().map(|generator| self.value(generator, point)).collect();
        let mut changed = false;
        loop {
            // The generator that is least wrong is taken from the others, as in Euclid's algorithm.
            let wrong = || (0..left.len()).filter(|n| !left[*n].is_zero());
            let Some(least) = wrong().min_by(|a, b| magnitude(&left[*a]).cmp(&magnitude(&left[*b]))) else {
                return changed;
            };
            changed = true;
            let others: Vec<usize> = wrong().filter(|n| *n != least).collect();
            if others.is_empty() {
                self.reduce(least, &left[least]);
                return true;
            }
            for n in others {
                let times = quotient(&left[n], &left[least]);
                let least_generator = self.generators[least].clone();
                let generator = &mut self.generators[n];
                for (factor, other) in generator.iter_mut().zip(&least_generator) {
                    *factor = factor.sub(&times.mul(other));
                }
                left[n] = left[n].sub(&times.mul(&left[least]));
                self.simplify(n);
                left[n] = self.value(&self.generators[n], point);
            }
        }
    }

    /// The only generator that is wrong at a point goes; modulo something, a multiple of it may still be right.
    fn reduce(&mut self, n: usize, wrong: &Int) {
        let generator = self.generators.remove(n);
        let Some(modulus) = self.modulus.clone() else { return };
        let common = gcd(&modulus, wrong);
        if let Some(times) = modulus.div(&common).filter(|_| common != Int::ONE) {
            let multiple: Equation = generator.iter().map(|factor| factor.mul(&times)).collect();
            self.generators.insert(n, multiple);
            self.simplify(n);
            if self.generators[n].iter().all(Int::is_zero) {
                self.generators.remove(n);
            }
        }
    }

    /// Makes the factors small.
    fn simplify(&mut self, n: usize) {
        let Some(modulus) = &self.modulus else { return };
        let half = modulus.div(&Int::from(2i64)).unwrap_or_default();
        for factor in &mut self.generators[n] {
            let rest = factor.rem(modulus).unwrap_or_default();
            *factor = if rest > half { rest.sub(modulus) } else { rest };
        }
    }

    /// What the left side of an equation is at a point.
    fn value(&self, equation: &Equation, point: &[Int]) -> Int {
        let added = equation.last().cloned().unwrap_or_default();
        let sum = equation.iter().zip(point).fold(added, |sum, (factor, n)| sum.add(&factor.mul(n)));
        match &self.modulus {
            Some(modulus) => sum.rem(modulus).unwrap_or_default(),
            None => sum,
        }
    }
}

/// The magnitude.
fn magnitude(n: &Int) -> Int {
    if n.is_negative() { n.neg() } else { n.clone() }
}

/// A quotient that leaves less than the divisor.
fn quotient(a: &Int, b: &Int) -> Int {
    a.quotient(b).unwrap_or_default()
}

/// The greatest common divisor, never negative.
pub(super) fn gcd(a: &Int, b: &Int) -> Int {
    let (mut a, mut b) = (magnitude(a), magnitude(b));
    while let Some(rest) = a.rem(&b) {
        a = std::mem::replace(&mut b, rest);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(of: &[i64]) -> Vec<Int> {
        of.iter().map(|n| Int::from(*n)).collect()
    }

    #[test]
    fn a_line_has_one_equation() {
        let mut hull = Hull::new(2, None);
        for n in 0..5i64 {
            hull.add(&numbers(&[n, 7 - 3 * n]));
        }
        let [equation] = hull.equations() else { panic!("one equation: {hull:?}") };
        assert!(hull.value(equation, &numbers(&[10, -23])).is_zero());
        assert!(!hull.value(equation, &numbers(&[10, 5])).is_zero());
        assert!(!hull.add(&numbers(&[100, -293])));
        assert!(hull.add(&numbers(&[100, 0])));
        assert!(hull.equations().is_empty());
    }

    #[test]
    fn numbers_that_wrap_have_equations_modulo_their_size() {
        let size = Int::from(256i64);
        let mut hull = Hull::new(2, Some(size.clone()));
        for n in [0i64, 1, 130, 255, 77] {
            hull.add(&[Int::from(n), Int::from(7 - n).rem(&size).expect("256 is not 0")]);
        }
        assert_eq!(hull.equations().len(), 1, "{hull:?}");
        // Of even numbers it is known that 128 times them is 0.
        let mut hull = Hull::new(1, Some(size.clone()));
        for n in [0i64, 2, 6, 254] {
            hull.add(&numbers(&[n]));
        }
        assert_eq!(hull.equations(), [numbers(&[128, 0])]);
        assert!(hull.add(&numbers(&[1])));
        assert!(hull.equations().is_empty(), "{hull:?}");
    }
}
