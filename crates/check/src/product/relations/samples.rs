//! Random plays of both programs with numbers: what they hold at each position, and perhaps a difference.

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_core::term::{Construct, Judgement, TermId};
use agon_games::arena::ComponentId;
use agon_games::values::CellId;
use agon_solve::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use super::both::{Ahead, Both, JointStep, Pair, Played};
use super::both::{At, SIDES};
use super::modules::Place;
use super::positions::{Key, Positions};
use crate::equiv::Side;

/// O's moves in a play, and the program that completes it alone.
pub(super) type Difference = (Side, Vec<Played<Int>>);

/// This many random plays are tried.
const PLAYS: usize = 120;
/// No play has more moves of O's than this.
const MOVES: usize = 40;
/// No play has more steps than this, rounds of loops included.
const STEPS: usize = 300;
/// This many points are kept of a position.
const POINTS: usize = 400;
/// A cell that held more numbers than this is not asked for all of them.
const MOST_NUMBERS: usize = 24;

/// What was seen in random plays.
#[derive(Default)]
pub(super) struct Samples {
    pub pairs: Vec<Pair>,
    seen: FxHashSet<Pair>,
    /// The numbers that cells held, as long as they are few.
    pub numbers: FxHashMap<(Side, CellId), FxHashSet<Int>>,
    /// A play that only one program completes.
    pub difference: Option<Difference>,
}

/// The numbers that a program speaks of.
pub(super) fn constants(judgement: &Judgement) -> Vec<Int> {
    let terms = &judgement.terms;
    let all = (0..terms.len()).filter_map(|n| match terms.construct(TermId(u32::try_from(n).ok()?)) {
        Construct::Number(n) => Some(n.clone()),
        _ => None,
    });
    let mut all: Vec<Int> = all.collect();
    all.sort();
    all.dedup();
    all
}

impl Samples {
    /// Plays at random, with these numbers among others.
    pub(super) fn draw(positions: &mut Positions<'_>, constants: &[Int]) -> Result<Samples, Stop> {
        let mut samples = Samples::default();
        let mut random = Random::new(20);
        for play in 0..PLAYS {
            // The first plays have small numbers only, as most differences and relations need no others.
            samples.play(positions, constants, &mut random, play < PLAYS / 3)?;
            if samples.difference.is_some() {
                break;
            }
        }
        Ok(samples)
    }

    fn play(
        &mut self,
        positions: &mut Positions<'_>,
        constants: &[Int],
        random: &mut Random,
        small: bool,
    ) -> Result<(), Stop> {
        let mut place = positions.both.begin();
        let mut path: Vec<Played<Int>> = Vec::new();
        // O asks again and again, or answers soon.
        let patience = 1 + random.below(8);
        let mut silent: FxHashSet<Pair> = FxHashSet::default();
        for _ in 0..STEPS {
            positions.both.budget.check()?;
            self.note_place(positions, &place);
            let mut below = place.waiting.clone();
            let steps = if positions.both.is_concurrent() {
                let Some(steps) = interleaved(positions, &place.pair, constants, random, small)? else {
                    return Ok(());
                };
                steps
            } else if Both::is_turn_of_o(&place.pair) {
                let choices = positions.both.choices(&place);
                if choices.is_empty() || path.len() >= MOVES {
                    return Ok(());
                }
                // The last one is an answer, unless nothing was asked.
                let answers = !positions.both.are_modules() || !place.waiting.is_empty();
                let questions = choices.len() - usize::from(answers);
                let choice = match questions > 0 && (!answers || !random.one_in(patience + 1)) {
                    true => random.below(questions),
                    false => questions,
                };
                let (offered, from) = choices[choice].clone();
                let arguments = positions.both.arguments(offered);
                let mut number = |component: ComponentId, index: bool| {
                    let range = positions.both.input_range(component, index);
                    drawn(random, constants, range, small)
                };
                let value = offered.gives().then(|| number(offered.component, false));
                let index = offered.points().then(|| number(offered.component, true));
                let arguments: Vec<Int> = arguments.into_iter().map(|id| number(id, false)).collect();
                let played = Played { offered, value, index, arguments };
                let given = played.map(|n| positions.both.terms().int(n.clone()));
                path.push(played);
                below = from.waiting;
                silent.clear();
                positions.both.play(&from.pair, &given, &[])?
            } else {
                let runs = positions.runs(&place.pair);
                match silent.insert(place.pair.clone()) {
                    true => positions.both.resume(&place.pair, runs, &[])?,
                    false => positions.both.never_moves(&place.pair, runs),
                }
            };
            let holds = |positions: &mut Positions<'_>, step: &JointStep| {
                let terms = positions.both.terms();
                step.conditions.iter().all(|term| terms.literal(*term) == Some(Value::Truth(true)))
            };
            // Where the programs part, either may be followed.
            let mut possible: Vec<JointStep> = steps;
            possible.retain(|step| holds(positions, step));
            if possible.is_empty() {
                return Ok(());
            }
            match possible.swap_remove(random.below(possible.len())).to {
                // Under the same schedule a difference need not be one.
                Ahead::Differs(_) if positions.both.is_concurrent() => return Ok(()),
                Ahead::Differs(side) => {
                    self.difference = Some((side, path));
                    return Ok(());
                }
                Ahead::Pair(next) => {
                    place = positions.both.arrived(below, next);
                    if let Some(side) = positions.both.completed(&place) {
                        self.difference = Some((side, path));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn note_place(&mut self, positions: &mut Positions<'_>, Place { pair, waiting }: &Place) {
        // While a module runs, the cells of the modules are not those of a turn of the environment's.
        let turn = Both::is_turn_of_o(pair);
        for kept in waiting.iter().filter(|_| turn) {
            let inside = positions.both.within(kept, pair);
            match positions.both.may_call(kept) {
                true => self.note(positions, &Both::kept(inside)),
                false => self.note(positions, &inside),
            }
        }
        self.note(positions, pair);
    }

    fn note(&mut self, positions: &mut Positions<'_>, pair: &Pair) {
        if !self.seen.insert(pair.clone()) {
            return;
        }
        self.pairs.push(pair.clone());
        for side in SIDES {
            for (cell, number) in positions.contents(side, &pair[side as usize]) {
                let numbers = self.numbers.entry((side, cell)).or_default();
                if numbers.len() <= MOST_NUMBERS {
                    numbers.insert(number);
                }
            }
        }
    }

    /// The points of each position.
    pub(super) fn points(&self, positions: &mut Positions<'_>) -> FxHashMap<Key, Vec<Vec<Int>>> {
        let mut points: FxHashMap<Key, Vec<Vec<Int>>> = FxHashMap::default();
        for pair in self.pairs.iter().filter(|pair| !is_apart(pair)) {
            if let Some((key, point)) = positions.point(pair) {
                let known = points.entry(key).or_default();
                if known.len() < POINTS && !known.contains(&point) {
                    known.push(point);
                }
            }
        }
        points
    }
}

/// The steps of a thread of concurrent programs, drawn at random.
fn interleaved(
    positions: &mut Positions<'_>,
    pair: &Pair,
    constants: &[Int],
    random: &mut Random,
    small: bool,
) -> Result<Option<Vec<JointStep>>, Stop> {
    let turns = positions.both.turns(pair).filter(|turns| !turns.is_empty());
    let Some(mut turns) = turns else { return Ok(None) };
    let turn = turns.swap_remove(random.below(turns.len()));
    let given = turn.played.map(|(offered, _)| {
        let mut literal = |index: bool| {
            let range = positions.both.input_range(offered.component, index);
            let n = drawn(random, constants, range, small);
            positions.both.terms().int(n)
        };
        let value = offered.gives().then(|| literal(false));
        let index = offered.points().then(|| literal(true));
        Played { offered, value, index, arguments: Vec::new() }
    });
    positions.both.take(pair, &turn, given.as_ref()).map(Some)
}

/// Whether one program is gone.
fn is_apart(pair: &Pair) -> bool {
    pair.iter().any(At::has_left)
}

/// A number that O may give.
fn drawn(random: &mut Random, constants: &[Int], range: Option<(Int, Int)>, small: bool) -> Int {
    let near =
        |random: &mut Random, n: usize| Int::from(random.below(2 * n + 1) as u64).sub(&Int::from(n as u64));
    let n = match random.below(if small { 3 } else { 8 }) {
        0 | 1 => near(random, 3),
        2 | 3 => near(random, 12),
        4 if !constants.is_empty() => constants[random.below(constants.len())].add(&near(random, 1)),
        5 => near(random, 10_000),
        6 => match (&range, random.one_in(2)) {
            (Some((low, _)), true) => low.add(&Int::from(random.below(2) as u64)),
            (Some((_, high)), false) => high.sub(&Int::from(random.below(2) as u64)),
            (None, _) => near(random, 1_000),
        },
        _ => near(random, 100),
    };
    match range {
        Some((low, high)) if n < low || n > high => {
            let size = high.sub(&low).add(&Int::ONE);
            low.add(&n.sub(&low).rem(&size).unwrap_or_default())
        }
        _ => n,
    }
}
