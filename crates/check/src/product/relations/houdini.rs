//! The search for relations that prove two programs equal: guess much, and give up what a step does not keep.

use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_games::values::CellId;
use agon_solve::{Answer, Model, Op, Sort, Term, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::known::{Known, Level, Source, congruent};
use super::positions::{Key, PositionId, Positions, Successor, To};
use crate::equiv::Side;

/// What holds at each position that can be reached, as conjuncts over its constants.
pub(super) type Invariant = FxHashMap<PositionId, Vec<Term>>;

/// Why no proof was found.
#[derive(Debug)]
pub(super) enum Failure {
    /// What is known at a position does not exclude that one program completes a play alone.
    Differs(PositionId, Side),
    /// A cell holds other numbers than those that are kept exactly.
    Escapes(Side, CellId),
    /// No rank was found for a loop in which one program runs alone.
    Loop(PositionId, Side),
    /// It was stopped.
    Stop(Stop),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Failure {
        Failure::Stop(stop)
    }
}

/// No more guards than this come from the conditions of one position.
const MOST_CONDITIONS: usize = 24;

/// A search at one level.
pub(super) struct Houdini<'h, 'a> {
    pub positions: &'h mut Positions<'a>,
    pub level: &'h Level,
    pub thresholds: &'h [Int],
    pub points: &'h FxHashMap<Key, Vec<Vec<Int>>>,
    known: FxHashMap<PositionId, Known>,
    conjuncts: FxHashMap<PositionId, Rc<[(Term, Source)]>>,
    /// What is to be visited: the steps from a position, or what they do to an activation that waits.
    waiting: Vec<(PositionId, Option<PositionId>)>,
    /// The positions that are above activations that wait.
    above: FxHashSet<(PositionId, PositionId)>,
}

impl<'h, 'a> Houdini<'h, 'a> {
    pub(super) fn new(
        positions: &'h mut Positions<'a>,
        level: &'h Level,
        thresholds: &'h [Int],
        points: &'h FxHashMap<Key, Vec<Vec<Int>>>,
    ) -> Houdini<'h, 'a> {
        Houdini {
            positions,
            level,
            thresholds,
            points,
            known: FxHashMap::default(),
            conjuncts: FxHashMap::default(),
            waiting: Vec::new(),
            above: FxHashSet::default(),
        }
    }

    /// Relations that every step keeps, and that exclude every difference.
    pub(super) fn run(mut self) -> Result<Invariant, Failure> {
        let start = self.positions.start()?;
        match &start.to {
            To::At(to, held) => self.follow(&[], &start, *to, held)?,
            To::Escapes(side, cell) => return Err(Failure::Escapes(*side, *cell)),
            To::Differs(_) => {}
        }
        // Positions of which less is known than before are visited again, in rounds.
        while !self.waiting.is_empty() {
            for (id, kept) in std::mem::take(&mut self.waiting) {
                self.visit(id, kept)?;
            }
        }
        let found = self.conjuncts.iter().map(|(id, all)| (*id, all.iter().map(|(term, _)| *term).collect()));
        Ok(found.collect())
    }

    /// From now on this is thought to hold at a position.
    fn learn(&mut self, id: PositionId, known: Known) -> Result<(), Failure> {
        let conjuncts = known.conjuncts(self.positions.both.terms());
        self.conjuncts.insert(id, conjuncts.into());
        if self.known.insert(id, known).is_none() {
            self.meet()?;
        }
        self.visit_again((id, None));
        let mut pairs: Vec<(PositionId, PositionId)> =
            self.above.iter().copied().filter(|(at, kept)| *at == id || *kept == id).collect();
        pairs.sort_unstable();
        for (at, kept) in pairs {
            self.visit_again((at, Some(kept)));
        }
        Ok(())
    }

    fn visit_again(&mut self, visit: (PositionId, Option<PositionId>)) {
        if !self.waiting.contains(&visit) {
            self.waiting.push(visit);
        }
    }

    /// Finds out which positions are above activations that wait, now that one more can be reached.
    fn meet(&mut self) -> Result<(), Failure> {
        let all: FxHashSet<PositionId> = self.known.keys().copied().collect();
        let above = self.positions.above(&all)?;
        let mut new: Vec<(PositionId, PositionId)> = above.difference(&self.above).copied().collect();
        new.sort_unstable();
        self.above = above;
        for (at, kept) in new {
            self.visit_again((at, Some(kept)));
        }
        Ok(())
    }

    fn visit(&mut self, id: PositionId, kept: Option<PositionId>) -> Result<(), Failure> {
        let successors = match kept {
            None => self.positions.successors(id)?,
            Some(kept) => self.positions.disturbances(id, kept)?.successors,
        };
        for successor in successors.iter() {
            self.positions.both.budget.check().map_err(Failure::Stop)?;
            let mut base: Vec<Term> = self.conjuncts[&id].iter().map(|(term, _)| *term).collect();
            if let Some(beside) = successor.beside {
                let others: Vec<Term> = self.conjuncts[&beside].iter().map(|(term, _)| *term).collect();
                base.extend(below(self.positions, beside, &others));
            }
            if !self.positions.both.may(&base, &successor.conditions) {
                continue;
            }
            match &successor.to {
                To::Differs(side) => return Err(Failure::Differs(id, *side)),
                To::Escapes(side, cell) => return Err(Failure::Escapes(*side, *cell)),
                To::At(to, held) => self.follow(&base, successor, *to, held)?,
            }
        }
        Ok(())
    }

    /// Gives up what a step does not keep.
    fn follow(
        &mut self,
        base: &[Term],
        successor: &Successor,
        to: PositionId,
        held: &[Term],
    ) -> Result<(), Failure> {
        if !self.known.contains_key(&to) {
            let points = self.points.get(self.positions.key(to)).cloned().unwrap_or_default();
            let points = if points.is_empty() {
                // The first point is one that this step leads to.
                let claims: Vec<Term> = base.iter().chain(&successor.conditions).copied().collect();
                match self.ask(&claims)? {
                    Answer::Sat(model) => vec![self.point(&model, held)],
                    Answer::Unsat(_) => return Ok(()),
                    Answer::Unknown(_) => Vec::new(),
                }
            } else {
                points
            };
            let known = self.guess(to, &points)?;
            self.learn(to, known)?;
        }
        let with = self.renaming(to, held);
        let mut known = self.known[&to].clone();
        let mut changed = false;
        loop {
            self.positions.both.budget.check().map_err(Failure::Stop)?;
            let conjuncts = known.conjuncts(self.positions.both.terms());
            let mut goals: Vec<(Term, Source)> = Vec::new();
            for (term, source) in conjuncts {
                let goal = behind(self.positions, term, &with);
                if self.positions.both.terms().literal(goal) != Some(Value::Truth(true)) {
                    goals.push((goal, source));
                }
            }
            let terms = self.positions.both.terms();
            let not: Vec<Term> = goals.iter().map(|(goal, _)| terms.not(*goal)).collect();
            if not.is_empty() {
                break;
            }
            let fails = terms.or(&not);
            let mut claims: Vec<Term> = base.iter().chain(&successor.conditions).copied().collect();
            claims.push(fails);
            match self.ask(&claims)? {
                Answer::Unsat(_) => break,
                Answer::Sat(model) => {
                    let point = self.point(&model, held);
                    let given_up = known.add(self.positions.both.terms(), &point);
                    if !given_up {
                        return Err(Failure::Stop(Stop::Cancelled));
                    }
                    changed = true;
                }
                Answer::Unknown(_) => {
                    let mut given_up = false;
                    for ((_, source), not) in goals.iter().zip(&not) {
                        claims.pop();
                        claims.push(*not);
                        if !matches!(self.ask(&claims)?, Answer::Unsat(_)) {
                            known.leave_out(source);
                            given_up = true;
                        }
                    }
                    if !given_up {
                        break;
                    }
                    changed = true;
                }
            }
        }
        if changed {
            self.learn(to, known)?;
        }
        Ok(())
    }

    /// What each slot of a position holds behind a step.
    fn renaming(&self, to: PositionId, held: &[Term]) -> FxHashMap<Term, Term> {
        let slots = &self.positions.get(to).slots;
        slots.iter().map(|slot| slot.constant).zip(held.iter().copied()).collect()
    }

    fn point(&mut self, model: &Model, held: &[Term]) -> Vec<Int> {
        let terms = self.positions.both.terms();
        held.iter().map(|term| model.value(terms, *term).number().clone()).collect()
    }

    fn ask(&mut self, claims: &[Term]) -> Result<Answer, Failure> {
        Ok(ask(self.positions, claims))
    }

    /// All that holds at some points of a position.
    fn guess(&mut self, id: PositionId, points: &[Vec<Int>]) -> Result<Known, Failure> {
        let slots = self.positions.get(id).slots.clone();
        let mut guards = Vec::new();
        if self.level.guarded || self.level.guarded_orders {
            guards = conditions(self.positions, id)?;
        }
        if points.is_empty() || slots.is_empty() {
            // Nobody knows of a point, so nothing is claimed.
            return Ok(Known::nothing());
        }
        let terms = self.positions.both.terms();
        Ok(Known::new(terms, &slots, self.level, (&guards, self.thresholds), points))
    }
}

/// What holds where an activation waits, said of it while it waits below what runs.
pub(super) fn below(positions: &mut Positions<'_>, kept: PositionId, claims: &[Term]) -> Vec<Term> {
    let with = positions.renamed(kept);
    claims.iter().map(|claim| positions.both.substitute(*claim, &with)).collect()
}

/// Asks whether claims can all be true, with what is known of their constants.
pub(super) fn ask(positions: &mut Positions<'_>, claims: &[Term]) -> Answer {
    let (terms, oracle) = positions.both.judge();
    let mut claims = claims.to_vec();
    claims.extend(oracle.bounds(terms, &claims));
    oracle.ask(terms, &claims)
}

/// A conjunct of a position, said of what holds before a step to it.
pub(super) fn behind(positions: &mut Positions<'_>, term: Term, with: &FxHashMap<Term, Term>) -> Term {
    let goal = positions.both.substitute(term, with);
    let terms = positions.both.terms();
    // Parts of a sum that is divided need not be brought into range first.
    let mut simpler: FxHashMap<Term, Term> = FxHashMap::default();
    for part in terms.parts_first([goal]) {
        if let (Op::Rem, [a, by]) = (terms.op(part).clone(), terms.parts(part))
            && let Some(Value::Number(modulus)) = terms.literal(*by)
        {
            let (a, by) = (*a, *by);
            let plain = congruent(terms, a, &modulus);
            if plain != a {
                simpler.insert(part, terms.rem(plain, by));
            }
        }
    }
    if simpler.is_empty() { goal } else { positions.both.substitute(goal, &simpler) }
}

/// The conditions of a position's steps that speak of its slots alone.
fn conditions(positions: &mut Positions<'_>, id: PositionId) -> Result<Vec<Term>, Failure> {
    let successors = positions.successors(id)?;
    let own: FxHashSet<Term> = positions.get(id).slots.iter().map(|slot| slot.constant).collect();
    let terms = positions.both.terms();
    let mut found: Vec<Term> = Vec::new();
    for condition in successors.iter().flat_map(|successor| &successor.conditions) {
        let parts = terms.parts_first([*condition]);
        let atoms = parts.into_iter().filter(|part| {
            terms.sort(*part) == Sort::Bool && matches!(terms.op(*part), Op::Equal | Op::Less | Op::AtMost)
        });
        for atom in atoms.collect::<Vec<_>>() {
            if found.len() < MOST_CONDITIONS
                && !found.contains(&atom)
                && terms.constants(atom).iter().all(|constant| own.contains(constant))
            {
                found.push(atom);
            }
        }
    }
    Ok(found)
}
