//! Equivalence over unbounded and wide data: a proof by relations between the two stores, or a difference.
//!
//! Both programs are walked as one game over terms (`both`, `positions`). Random plays (`samples`) show which relations
//! may hold at each position (`known`, `hull`). What a step does not keep is given up (`houdini`). If what is left excludes
//! every difference, and every loop in which one program runs alone has a rank (`rank`), the programs are equal. A pass of
//! its own checks that once more (`certificate`). Differences are looked for meanwhile (`refute`).

mod both;
mod certificate;
mod houdini;
mod hull;
mod known;
mod minimal;
mod modules;
mod portable;
mod positions;
mod proof;
mod rank;
mod refute;
mod samples;
mod show;
mod threads;

use std::sync::Arc;
use std::time::Duration;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::play::Move as ModuleMove;
use agon_games::arena::Arena;
use agon_games::machine::{Code, OfferKind};
use agon_games::moves::{Label, Move};
use agon_games::play::Play;
use agon_witness::verify::Subject;

use super::Unknown;
use crate::equiv::{Options, Relation, Side};
use crate::modules::Compiled;
use crate::predicate::oracle::Oracle;
use crate::search::{Observer, Progress};
use crate::solvers::{Solvers, solving};
use crate::verdict::{Reason, Unproved};
use both::{At, Both, Kind, Runs};
use certificate::{Certificate, is_valid};
use houdini::{Failure, Houdini};
use known::Level;
use minimal::minimise;
pub use portable::{AlignedLoops, Certificate as Written, Claims, ExactCell, Falls, Node};
use positions::{Alignment, ExactCells, MOST_VALUES, Positions, What};
pub use proof::{Aligned, Holding, Proof, Ranked};
use refute::{Refuted, refute, told};
use samples::{Difference, Samples, constants};
use show::{names, show};

/// What the search came to.
pub(crate) enum Found {
    /// The relation holds.
    Holds(Box<Proof>),
    /// One program completes a play that the other does not have.
    Differs(Side, Play),
}

/// How long one question to the solver may take.
const EACH: Duration = Duration::from_millis(1_500);
/// A cell of a large type is kept exactly if it held at most this many numbers in random plays.
const FEW_NUMBERS: usize = 12;
/// The most combinations of values of an array that is kept exactly.
const FEW_COMBINATIONS: u64 = 64;
/// Differences are looked for in this many steps before anything is proved.
const A_LOOK: usize = 25;
/// A difference that was met at random is looked for in this many steps once more.
const SHORTER: usize = 300;
/// Differences are looked for in this many steps after each level.
const REFUTING: [usize; 4] = [60, 200, 600, 2_000];
/// Up to how many moves concurrent programs do the same is found in this many steps.
const FOLLOWED: usize = 1_000;
/// At most this many pairs of loops are gone through one after the other.
const MOST_ALIGNED: usize = 4;
/// Divisors up to this size are looked at, if the programs speak of them.
const LARGEST_DIVISOR: i64 = 64;

/// Compares two programs by relations between their stores; concurrent ones under the same schedule.
pub(crate) fn compare(
    subjects: [Subject<'_>; 2],
    concurrent: bool,
    Options { relation, solvers, attempts, .. }: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
    progress: &mut Progress,
) -> Result<Found, Unknown> {
    let program = |side: Side| -> Result<(Arc<Code>, Arc<Arena>), Unknown> {
        let subject = subjects[side as usize];
        let code = subject.code().map_err(|refusal| Unknown::of(side, refusal))?;
        Ok((code, Arc::new(subject.arena.clone())))
    };
    let programs = [program(Side::Left)?, program(Side::Right)?];
    let oracle = Oracle::new(solvers.solver(), solving(budget)).with_each(EACH);
    let kind = if concurrent { Kind::Concurrent } else { Kind::Sequential };
    let both = Both::new(programs.clone(), kind, *relation, oracle, budget);
    let mut numbers: Vec<Int> = subjects.iter().flat_map(|subject| constants(subject.judgement)).collect();
    numbers.sort();
    numbers.dedup();
    let mut search = Search { attempts: *attempts, ..Search::new(both, programs, numbers, solvers, budget) };
    let found = search.run(observe);
    *progress = search.progress();
    match found? {
        Outcome::Holds(proof) => Ok(Found::Holds(proof)),
        Outcome::Differs(difference) => search.told(&difference),
    }
}

/// Checks a proof that was written down, without a search; the reason if it is none.
pub(crate) fn recheck(
    subjects: [Subject<'_>; 2],
    concurrent: bool,
    certificate: &Written,
    solvers: &Solvers,
    budget: &Budget,
) -> Result<Box<Proof>, Reason> {
    let program = |side: Side| -> Result<(Arc<Code>, Arc<Arena>), Reason> {
        let subject = subjects[side as usize];
        Ok((
            subject.code().map_err(|refusal| Unknown::of(side, refusal).reason)?,
            Arc::new(subject.arena.clone()),
        ))
    };
    let programs = [program(Side::Left)?, program(Side::Right)?];
    let kind = if concurrent { Kind::Concurrent } else { Kind::Sequential };
    rechecked(programs, kind, certificate, solvers, budget)
}

/// Checks a proof about two modules that was written down, without a search; the reason if it is none.
pub(crate) fn recheck_modules(
    modules: [&Compiled; 2],
    certificate: &Written,
    solvers: &Solvers,
    budget: &Budget,
) -> Result<Box<Proof>, Reason> {
    if !fits(modules) {
        return Err(Reason::Refused("it cannot be one of these modules".into()));
    }
    let programs = modules.map(|compiled| (compiled.code.clone(), compiled.arena.clone()));
    let kind = Kind::Modules(modules::common(modules[0], modules[1]), certificate.plays);
    rechecked(programs, kind, certificate, solvers, budget)
}

fn rechecked(
    programs: [(Arc<Code>, Arc<Arena>); 2],
    kind: Kind,
    certificate: &Written,
    solvers: &Solvers,
    budget: &Budget,
) -> Result<Box<Proof>, Reason> {
    let oracle = Oracle::new(solvers.solver(), solving(budget)).with_each(EACH);
    let both = Both::new(programs.clone(), kind, certificate.relation, oracle, budget);
    let mut search = Search::new(both, programs, Vec::new(), solvers, budget);
    let (exact, alignment) = portable::settings(certificate);
    search.positions.restart(exact, alignment);
    if let Some(steps) = certificate.walked {
        if !search.is_walked(steps)? {
            budget.check()?;
            return Err(Reason::Refused("there are more plays than it claims, or one differs".into()));
        }
        let certificate = Some(Box::new(certificate.clone()));
        let asked = search.positions.both.asked();
        return Ok(Box::new(Proof { walked: Some(steps), asked, certificate, ..Proof::default() }));
    }
    let proved = portable::read(&mut search.positions, certificate)?.map_err(Reason::Refused)?;
    let valid = is_valid(&mut search.positions, &proved).map_err(|failure| match failure {
        Failure::Stop(stop) => Reason::Stop(stop),
        _ => Reason::Refused("a step leaves what is kept exactly".into()),
    })?;
    if search.positions.both.ambiguous() {
        return Err(Reason::Ambiguous);
    }
    if !valid {
        budget.check()?;
        return Err(Reason::Refused(
            "some step does not keep what it claims, or some loop has no number that falls".into(),
        ));
    }
    let mut proof = search.shown(&proved);
    proof.certificate = Some(Box::new(certificate.clone()));
    Ok(Box::new(proof))
}

/// What the search for relations between two modules came to.
pub(crate) enum ModulesFound {
    /// They have the same plays.
    Equivalent(Box<Proof>),
    /// After these moves of the environment's, as each of them has them, this one has played what the other one does not play.
    Different([Vec<ModuleMove>; 2], Side),
}

/// Whether relations are looked for between two modules.
pub(crate) fn fits(modules: [&Compiled; 2]) -> bool {
    unfit(modules).is_none()
}

/// What keeps relations from being looked for between two modules: they have it.
pub(crate) fn unfit(modules: [&Compiled; 2]) -> Option<&'static str> {
    modules.iter().find_map(|compiled| modules::unfit(&compiled.module))
}

/// Compares two modules by relations between what they hold; the reason if that says nothing.
pub(crate) fn compare_modules(
    modules: [&Compiled; 2],
    Options { solvers, attempts, plays, .. }: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
    progress: &mut Progress,
) -> Result<ModulesFound, Reason> {
    if let Some(why) = unfit(modules) {
        return Err(Reason::Unsupported(format!("looking for relations between modules that {why}")));
    }
    let programs = modules.map(|compiled| (compiled.code.clone(), compiled.arena.clone()));
    let oracle = Oracle::new(solvers.solver(), solving(budget)).with_each(EACH);
    let kind = Kind::Modules(modules::common(modules[0], modules[1]), *plays);
    let both = Both::new(programs.clone(), kind, Relation::Equivalence, oracle, budget);
    let mut numbers: Vec<Int> =
        modules.iter().flat_map(|compiled| compiled.module.numbers().cloned()).collect();
    numbers.sort();
    numbers.dedup();
    let mut search = Search { attempts: *attempts, ..Search::new(both, programs, numbers, solvers, budget) };
    let found = search.run(observe);
    *progress = search.progress();
    match found.map_err(|unknown| unknown.reason)? {
        Outcome::Holds(proof) => Ok(ModulesFound::Equivalent(proof)),
        Outcome::Differs((side, path)) => {
            let moves =
                |side: Side| path.iter().filter_map(|played| search.played(side, modules, played)).collect();
            Ok(ModulesFound::Different([moves(Side::Left), moves(Side::Right)], side))
        }
    }
}

/// What a search came to.
enum Outcome {
    Holds(Box<Proof>),
    Differs(Difference),
}

/// What an attempt came to.
enum Attempt {
    Found(Outcome),
    Failed(Option<Lack>),
}

/// What a proof lacks, and where.
struct Lack {
    what: Unproved,
    side: Side,
    span: Option<Span>,
}

/// Other ways to run on from silent loops: at some pair of loops, only one of them runs on.
fn alignments(positions: &mut Positions<'_>) -> Vec<Alignment> {
    let heads = positions.heads().into_iter().take(MOST_ALIGNED);
    let runs = [Runs::Only(Side::Left), Runs::Only(Side::Right)];
    heads.flat_map(|heads| runs.map(|runs| Alignment::from_iter([(heads.clone(), runs)]))).collect()
}

struct Search<'a> {
    positions: Positions<'a>,
    programs: [(Arc<Code>, Arc<Arena>); 2],
    /// The numbers that the programs speak of.
    numbers: Vec<Int>,
    solvers: &'a Solvers,
    budget: &'a Budget,
    /// In how many steps all plays were looked at, if they were.
    walked: Option<usize>,
    /// A proof is tried this often.
    attempts: usize,
}

impl<'a> Search<'a> {
    fn new(
        both: Both<'a>,
        programs: [(Arc<Code>, Arc<Arena>); 2],
        numbers: Vec<Int>,
        solvers: &'a Solvers,
        budget: &'a Budget,
    ) -> Search<'a> {
        let positions = Positions::new(both, ExactCells::default(), Alignment::default());
        Search { positions, programs, numbers, solvers, budget, walked: None, attempts: usize::MAX }
    }

    fn progress(&self) -> Progress {
        let asked = self.positions.both.asked();
        let memory = self.positions.both.memory();
        Progress { states: self.positions.len(), transitions: asked, memory, iteration: 0 }
    }

    fn run(&mut self, observe: &mut Observer<'_>) -> Result<Outcome, Unknown> {
        let levels = self.levels();
        let mut first: Option<Lack> = None;
        let mut moves = 0;
        let both = Alignment::default();
        match self.attempt(&both, &levels, &mut moves, observe)? {
            Attempt::Found(found) => return Ok(found),
            Attempt::Failed(failure) => first = first.or(failure),
        }
        // Two loops that do the same in other rounds may have to be gone through one after the other.
        for alignment in alignments(&mut self.positions) {
            // Equations without orders seldom prove anything of loops.
            match self.attempt(&alignment, &levels[1..3], &mut moves, observe)? {
                Attempt::Found(found) => return Ok(found),
                Attempt::Failed(failure) => first = first.or(failure),
            }
        }
        self.budget.check()?;
        if self.positions.both.is_concurrent() {
            moves = refute::same_moves(&mut self.positions, FOLLOWED, self.budget)?;
        }
        let Lack { what, side, span } =
            first.unwrap_or(Lack { what: Unproved::Relation, side: Side::Left, span: None });
        Err(Unknown::of(side, Reason::Unproved { what, span, second: side == Side::Right, moves }))
    }

    /// Looks for a proof with programs that run on from loops like this, and for a difference.
    fn attempt(
        &mut self,
        alignment: &Alignment,
        levels: &[Level],
        moves: &mut usize,
        observe: &mut Observer<'_>,
    ) -> Result<Attempt, Unknown> {
        self.positions.restart(ExactCells::default(), alignment.clone());
        let samples = Samples::draw(&mut self.positions, &self.numbers)?;
        if let Some(difference) = &samples.difference {
            // A difference between modules is shown by a short play, if there is one.
            let shorter = match self.positions.both.are_modules() {
                true => self.refuted(SHORTER, moves)?,
                false => None,
            };
            let found = shorter.unwrap_or_else(|| Outcome::Differs(difference.clone()));
            return Ok(Attempt::Found(found));
        }
        if let Some(found) = self.refuted(A_LOOK, moves)? {
            return Ok(Attempt::Found(found));
        }
        // Of few plays, relations are shown if they are found at once.
        let levels = if self.walked.is_some() { &levels[..1] } else { levels };
        let mut exact = self.exact(&samples);
        let mut failure = None;
        let mut levels = levels.iter().zip(REFUTING).peekable();
        while let Some((level, steps)) = levels.peek().filter(|_| self.attempts > 0) {
            self.budget.check()?;
            self.attempts -= 1;
            observe(self.progress().into());
            self.positions.restart(exact.clone(), alignment.clone());
            match self.prove(&samples, level) {
                Ok(_) if self.positions.both.ambiguous() => {
                    return Err(Unknown::of(Side::Left, Reason::Ambiguous));
                }
                Ok(certificate) => return self.checked(certificate).map(Attempt::Found),
                Err(Failure::Escapes(side, cell)) => {
                    exact.remove(&(side, cell));
                    continue;
                }
                Err(Failure::Stop(stop)) => return Err(stop.into()),
                Err(other) => failure = failure.or_else(|| self.lack(&other)),
            }
            if self.walked.is_none()
                && let Some(found) = self.refuted(*steps, moves)?
            {
                return Ok(Attempt::Found(found));
            }
            if let Some(steps) = self.walked {
                return self.all_walked(steps).map(Attempt::Found);
            }
            levels.next();
        }
        Ok(Attempt::Failed(failure))
    }

    /// Looks for a difference in this many steps. Under the same schedule none is found.
    fn refuted(&mut self, steps: usize, moves: &mut usize) -> Result<Option<Outcome>, Unknown> {
        if self.positions.both.is_concurrent() {
            return Ok(None);
        }
        match refute(&mut self.positions, steps, self.budget)? {
            Refuted::Differs(difference) => Ok(Some(Outcome::Differs(difference))),
            Refuted::UpTo(most) => {
                *moves = most.max(*moves);
                Ok(None)
            }
            Refuted::Nothing => {
                self.walked = Some(steps);
                Ok(None)
            }
        }
    }

    /// Whether there are finitely many plays, which are looked at in this many steps, and none differs.
    fn is_walked(&mut self, steps: usize) -> Result<bool, Stop> {
        if self.positions.both.is_concurrent() {
            return Ok(false);
        }
        let refuted = refute(&mut self.positions, steps, self.budget)?;
        Ok(matches!(refuted, Refuted::Nothing) && !self.positions.both.ambiguous())
    }

    /// What follows if all plays were looked at: that is done once more, with another solver.
    fn all_walked(&mut self, steps: usize) -> Result<Outcome, Unknown> {
        if self.positions.both.ambiguous() {
            return Err(Unknown::of(Side::Left, Reason::Ambiguous));
        }
        self.positions.begin_anew(self.solvers.solver());
        if !self.is_walked(steps)? {
            self.budget.check()?;
            return Err(Unknown::of(Side::Left, Reason::Unverified("a walk found something else".into())));
        }
        let certificate = Written::of_walk(&self.positions, steps);
        let asked = self.positions.both.asked();
        Ok(Outcome::Holds(Box::new(Proof {
            walked: Some(steps),
            asked,
            certificate: Some(Box::new(certificate)),
            ..Proof::default()
        })))
    }

    /// What a proof lacks that was not found.
    fn lack(&self, failure: &Failure) -> Option<Lack> {
        let (what, id, side) = match failure {
            Failure::Loop(id, side) => (Unproved::Loop, *id, *side),
            Failure::Differs(id, side) => (Unproved::Relation, *id, *side),
            Failure::Escapes(..) | Failure::Stop(_) => return None,
        };
        let span = match &self.positions.get(id).pair[side as usize] {
            At::Waits(state) | At::Keeps(state) | At::Paused(state) => self.positions.both.span(side, *state),
            At::Moved(..) | At::Gone | At::Away => None,
        };
        Some(Lack { what, side, span })
    }

    fn levels(&self) -> Vec<Level> {
        let small = |n: &&Int| **n > Int::from(4i64) && **n <= Int::from(LARGEST_DIVISOR);
        let mut moduli: Vec<Int> = [2i64, 3, 4].map(Int::from).to_vec();
        moduli.extend(self.numbers.iter().filter(small).cloned());
        let equations = Level::default();
        let orders = Level { orders: true, moduli, ..equations.clone() };
        let guarded = Level { guarded: true, guarded_orders: true, ..orders.clone() };
        // Products are many, and small moduli say little of them.
        let squares = Level { squares: true, guarded: false, moduli: Vec::new(), ..guarded.clone() };
        vec![equations, orders, guarded, squares]
    }

    /// The cells that are kept exactly: they have few values, or had few in random plays.
    fn exact(&self, samples: &Samples) -> ExactCells {
        let mut exact = ExactCells::default();
        for side in both::SIDES {
            for (n, cell) in (0u32..).zip(self.programs[side as usize].0.cells()) {
                let id = agon_games::values::CellId(n);
                let size = cell.data.size().and_then(|size| size.to_u64());
                let length = u32::try_from(cell.length.unwrap_or(1)).unwrap_or(u32::MAX);
                let combinations = size.and_then(|size| size.checked_pow(length));
                if size.is_some_and(|size| size <= MOST_VALUES)
                    && combinations.is_some_and(|all| cell.length.is_none() || all <= FEW_COMBINATIONS)
                {
                    exact.insert((side, id), None);
                    continue;
                }
                let Some(numbers) = samples.numbers.get(&(side, id)) else { continue };
                if cell.length.is_none() && numbers.len() <= FEW_NUMBERS {
                    let mut numbers: Vec<Int> = numbers.iter().cloned().collect();
                    numbers.sort();
                    exact.insert((side, id), Some(numbers));
                }
            }
        }
        exact
    }

    fn prove(&mut self, samples: &Samples, level: &Level) -> Result<Certificate, Failure> {
        let points = samples.points(&mut self.positions);
        let mut thresholds: Vec<Int> = [-1i64, 0, 1].map(Int::from).to_vec();
        thresholds.extend(self.numbers.iter().cloned());
        let invariant = Houdini::new(&mut self.positions, level, &thresholds, &points).run()?;
        let ranks = rank::ranks(&mut self.positions, &invariant)?;
        Ok(Certificate { invariant, ranks })
    }

    /// Makes a proof minimal, and has it checked before it is believed.
    fn checked(&mut self, mut certificate: Certificate) -> Result<Outcome, Unknown> {
        let stopped = |failure: Failure| match failure {
            Failure::Stop(stop) => Unknown::from(stop),
            _ => Unknown::from(Stop::Cancelled),
        };
        minimise(&mut self.positions, &mut certificate).map_err(stopped)?;
        self.positions.begin_anew(self.solvers.solver());
        if is_valid(&mut self.positions, &certificate).map_err(stopped)? {
            let mut proof = self.shown(&certificate);
            proof.certificate = portable::written(&mut self.positions, &certificate)?.map(Box::new);
            return Ok(Outcome::Holds(Box::new(proof)));
        }
        self.budget.check()?;
        Err(Unknown::of(Side::Left, Reason::Unverified("a proof was found that is none".into())))
    }

    /// A proof in words of the source.
    fn shown(&mut self, certificate: &Certificate) -> Proof {
        let mut proof = Proof { asked: self.positions.both.asked(), ..Proof::default() };
        let mut ids: Vec<_> = certificate.invariant.iter().collect();
        ids.sort_unstable_by_key(|(id, _)| **id);
        for (id, claims) in ids {
            let position = self.positions.get(*id).clone();
            if !Both::is_turn_of_o(&position.pair) {
                continue;
            }
            let [left, right] = &self.programs;
            let names = names(&position.slots, [&left.0, &right.0]);
            let mut holds: Vec<String> = position.exact.iter().map(|exact| self.shown_exact(exact)).collect();
            holds.extend(claims.iter().map(|claim| show(self.positions.both.terms(), *claim, &names)));
            let place = |side: Side| match &position.pair[side as usize] {
                At::Waits(state) | At::Keeps(state) => Some(self.positions.both.place(side, *state)),
                _ => None,
            };
            let [first, second] = [place(Side::Left), place(Side::Right)];
            let alone = match (&first, &second) {
                (Some(_), Some(_)) => None,
                (Some(_), None) => Some(Side::Left),
                _ => Some(Side::Right),
            };
            let at = first.as_ref().or(second.as_ref()).map(|(name, _)| name.clone()).unwrap_or_default();
            let places = [first, second].map(|place| place.and_then(|(_, span)| span));
            proof.relations.push(Holding { at, places, alone, holds });
        }
        for (heads, runs) in self.positions.alignment.clone() {
            if let Runs::Only(side) = runs {
                let loops = self.positions.loops(&heads);
                proof.alignment.push(Aligned { loops, runs: side });
            }
        }
        for rank in &certificate.ranks {
            let position = self.positions.get(rank.among[0]).clone();
            let [left, right] = &self.programs;
            let names = names(&position.slots, [&left.0, &right.0]);
            let number = show(self.positions.both.terms(), rank.number, &names);
            let place = match &position.pair[rank.side as usize] {
                At::Paused(state) => self.positions.both.span(rank.side, *state),
                _ => None,
            };
            proof.ranks.push(Ranked { side: rank.side, place, number });
        }
        proof
    }

    fn shown_exact(&self, (side, what, number): &(Side, What, Int)) -> String {
        let What::Cell(cell, element, _) = what else { return String::new() };
        let cell = &self.programs[*side as usize].0.cells()[cell.0 as usize];
        let side = if *side == Side::Left { "first" } else { "second" };
        match cell.length {
            Some(_) => format!("{}[{element}] ({side}) = {number}", cell.name),
            None => format!("{} ({side}) = {number}", cell.name),
        }
    }

    /// A move of the environment's as a module has it; nothing if it has no such function.
    fn played(&self, side: Side, modules: [&Compiled; 2], played: &both::Played<Int>) -> Option<ModuleMove> {
        let component = self.positions.both.own_component(side, played.offered.component)?;
        let label = match (&played.value, played.offered.kind) {
            (_, OfferKind::Call) => Label::Call(played.arguments.clone().into()),
            (Some(value), _) => Label::Value(value.clone()),
            (None, _) => Label::Done,
        };
        modules[side as usize].as_played(&Move { component, element: None, label })
    }

    /// The play of a difference.
    fn told(&mut self, (side, path): &Difference) -> Result<Found, Unknown> {
        let program = self.programs[*side as usize].clone();
        let both = &self.positions.both;
        let own = |played: &both::Played<Int>| both.own_component(*side, played.offered.component);
        match told(program, own, path, self.budget)? {
            Some(play) => Ok(Found::Differs(*side, play)),
            None => Err(Unknown::of(
                *side,
                Reason::Unverified("with the numbers that were found the program does something else".into()),
            )),
        }
    }
}
