//! The general simplex algorithm over fractions: bounds on linear forms, or why they contradict each other.
//!
//! As in B. Dutertre, L. de Moura, *A Fast Linear-Arithmetic Solver for DPLL(T)* (CAV 2006), with Bland's rule.

use std::collections::BTreeMap;

use agon_base::int::Int;

use super::linear::{Var, Why};
use super::ratio::Ratio;
use crate::solver::{Limit, Reason};

/// A bound, and what it follows from.
pub type Bound = Option<(Int, Why)>;

/// A form with its bounds.
pub struct Row<'a> {
    /// Variables with factors.
    pub parts: &'a [(Var, Int)],
    /// The form is at least this.
    pub lower: Bound,
    /// The form is at most this.
    pub upper: Bound,
}

/// What became of the bounds.
pub enum Outcome {
    /// They hold here.
    Point(BTreeMap<Var, Ratio>),
    /// They do not hold together.
    Conflict(Why),
}

/// Columns are the variables, then one for each form of several variables.
struct Tableau {
    lower: Vec<Bound>,
    upper: Vec<Bound>,
    value: Vec<Ratio>,
    /// For each basic column, what it is in terms of the others.
    rows: BTreeMap<usize, BTreeMap<usize, Ratio>>,
}

/// A point within these bounds, each form of which occurs once.
pub fn solve(forms: &[Row<'_>], limit: &Limit) -> Result<Outcome, Reason> {
    let mut columns: BTreeMap<Var, usize> = BTreeMap::new();
    for (var, _) in forms.iter().flat_map(|form| form.parts) {
        columns.insert(*var, 0);
    }
    columns.values_mut().enumerate().for_each(|(i, column)| *column = i);
    let count = columns.len();
    let mut tableau = Tableau {
        lower: vec![None; count],
        upper: vec![None; count],
        value: vec![Ratio::ZERO; count],
        rows: BTreeMap::new(),
    };
    for form in forms {
        let column = match form.parts {
            [(var, factor)] if *factor == Int::ONE => columns[var],
            parts => {
                let row = parts.iter().map(|(var, n)| (columns[var], Ratio::whole(n.clone()))).collect();
                let column = tableau.value.len();
                tableau.rows.insert(column, row);
                tableau.lower.push(None);
                tableau.upper.push(None);
                tableau.value.push(Ratio::ZERO);
                column
            }
        };
        tableau.lower[column] = form.lower.clone();
        tableau.upper[column] = form.upper.clone();
    }
    if let Some(conflict) = tableau.start() {
        return Ok(Outcome::Conflict(conflict));
    }
    while let Some(column) = tableau.violated() {
        if let Some(reason) = limit.over() {
            return Err(reason);
        }
        if let Some(conflict) = tableau.mend(column) {
            return Ok(Outcome::Conflict(conflict));
        }
    }
    Ok(Outcome::Point(columns.into_iter().map(|(var, i)| (var, tableau.value[i].clone())).collect()))
}

impl Tableau {
    fn below(&self, column: usize) -> bool {
        let value = &self.value[column];
        self.lower[column].as_ref().is_some_and(|(bound, _)| *value < Ratio::whole(bound.clone()))
    }

    fn above(&self, column: usize) -> bool {
        let value = &self.value[column];
        self.upper[column].as_ref().is_some_and(|(bound, _)| *value > Ratio::whole(bound.clone()))
    }

    /// Brings the variables within their own bounds, and computes the forms.
    fn start(&mut self) -> Option<Why> {
        for column in 0..self.value.len() {
            if let (Some((low, why)), Some((high, also))) = (&self.lower[column], &self.upper[column])
                && low > high
            {
                return Some(why.and(also));
            }
            let bound = match () {
                () if self.rows.contains_key(&column) => None,
                () if self.below(column) => self.lower[column].as_ref(),
                () if self.above(column) => self.upper[column].as_ref(),
                () => None,
            };
            if let Some((bound, _)) = bound {
                self.value[column] = Ratio::whole(bound.clone());
            }
        }
        for (column, row) in &self.rows {
            let sum = row.iter().fold(Ratio::ZERO, |sum, (i, n)| sum.add(&n.mul(&self.value[*i])));
            self.value[*column] = sum;
        }
        None
    }

    /// The first basic column that is out of bounds.
    fn violated(&self) -> Option<usize> {
        self.rows.keys().copied().find(|column| self.below(*column) || self.above(*column))
    }

    /// Moves a basic column to the bound that it violates, and takes it out of the basis; or says why that cannot be.
    fn mend(&mut self, column: usize) -> Option<Why> {
        let up = self.below(column);
        let (bound, why) =
            if up { &self.lower[column] } else { &self.upper[column] }.clone().expect("a bound");
        let row = &self.rows[&column];
        // A column that can move so that the basic one moves the right way.
        let movable = |(i, factor): (&usize, &Ratio)| {
            let rises = factor.is_negative() != up;
            let (stop, value) = (if rises { &self.upper[*i] } else { &self.lower[*i] }, &self.value[*i]);
            let room = stop.as_ref().is_none_or(|(stop, _)| *value != Ratio::whole(stop.clone()));
            room.then_some(*i)
        };
        match row.iter().find_map(movable) {
            Some(other) => {
                self.pivot(column, other, &Ratio::whole(bound));
                None
            }
            None => Some(row.iter().fold(why, |why, (i, factor)| {
                let rises = factor.is_negative() != up;
                let stop = if rises { &self.upper[*i] } else { &self.lower[*i] };
                why.and(&stop.as_ref().expect("it cannot move").1)
            })),
        }
    }

    /// Exchanges a basic column with another one of its row, and gives it a value.
    fn pivot(&mut self, column: usize, other: usize, target: &Ratio) {
        let mut row = self.rows.remove(&column).expect("a basic column");
        let factor = row.remove(&other).expect("a column of the row");
        let step = target.sub(&self.value[column]).div(&factor);
        self.value[column] = target.clone();
        self.value[other] = self.value[other].add(&step);
        for (basic, row) in &self.rows {
            if let Some(n) = row.get(&other) {
                self.value[*basic] = self.value[*basic].add(&n.mul(&step));
            }
        }
        // other = (column - rest) / factor
        let mut solved: BTreeMap<usize, Ratio> =
            row.into_iter().map(|(i, n)| (i, n.div(&factor).neg())).collect();
        solved.insert(column, Ratio::whole(Int::ONE).div(&factor));
        for row in self.rows.values_mut() {
            let Some(n) = row.remove(&other) else { continue };
            for (i, m) in &solved {
                let sum = row.get(i).map_or_else(|| n.mul(m), |old| old.add(&n.mul(m)));
                if sum.is_zero() {
                    row.remove(i);
                } else {
                    row.insert(*i, sum);
                }
            }
        }
        self.rows.insert(other, solved);
    }
}
