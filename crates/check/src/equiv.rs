//! Equivalence and approximation of two programs: by their complete plays.
//!
//! Two programs are equivalent when they have the same complete plays. The product of both finds a
//! shortest play that only one of them has. No such play is believed before it was replayed with both programs.

mod confirm;
pub(crate) mod only;

use agon_base::budget::{Budget, Stop};
use agon_base::refused::Refused;
use agon_core::alike::alike;
use agon_core::term::Mode;
use agon_core::types::{Data, Type};
use agon_games::arena::{Arena, OWN};
use agon_games::moves::{Move, Player};
use agon_games::play::Play;
use agon_witness::distinguish::Distinction;
use agon_witness::verify::Subject;

use crate::product::relations::{self, Found};
pub use crate::product::relations::{
    Aligned, AlignedLoops, Claims, ExactCell, Falls, Holding, Node, Proof, Ranked, Written,
};
use crate::product::sequential::pair;
use crate::product::{Product, Unknown, Walked, concurrent};
use crate::search::{Observer, Progress};
use crate::solvers::Solvers;
use crate::verdict::Reason;

/// One of two programs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// What is asked about two programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Whether they have the same complete plays.
    Equivalence,
    /// Whether the complete plays of the left one are among those of the right one.
    Approximation,
}

/// What comparing two programs came to.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// The relation holds.
    Holds,
    /// One has a complete play that the other has not.
    Differs(Box<Difference>),
    /// It could not be found out, because of one of them.
    Unknown(Side, Reason),
}

/// A difference between two programs, confirmed.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Which of them has the play.
    pub side: Side,
    /// The play.
    pub play: Play,
    /// What tells them apart. Of concurrent programs the play is replayed with both first, and if their steps have too
    /// many orders, that must do.
    pub distinction: Option<Distinction>,
    /// Which numbers of the environment's it needs, in words: without these the programs were proved to be equivalent.
    pub only: Vec<String>,
}

/// Why two programs cannot be compared.
pub fn comparable(left: &Arena, right: &Arena) -> Result<(), String> {
    let own = |arena: &Arena| arena.component(OWN).base.clone();
    let agrees = match (own(left), own(right)) {
        (Type::Exp(_), Type::Exp(_)) => true,
        (Type::Var(a), Type::Var(b)) => a.same_values(&b),
        (a, b) => a == b,
    };
    if !agrees {
        return Err(format!(
            "the first program is of type `{}`, the second of type `{}`",
            own(left),
            own(right)
        ));
    }
    let arguments = |arena: &Arena| arena.component(OWN).arguments.len();
    if arguments(left) != arguments(right) {
        return Err("the programs take different numbers of arguments".into());
    }
    for (_, component) in left.components().skip(1) {
        let Some((_, other)) = right.components().skip(1).find(|(_, other)| other.name == component.name)
        else {
            // An identifier that only one of them mentions is of no consequence; its arguments go with it.
            let root = component.name.split('.').next().unwrap_or("");
            if right.components().skip(1).any(|(_, other)| other.name == root) {
                return Err(format!("`{root}` takes different arguments in the two programs"));
            }
            continue;
        };
        let same = match (&component.base, &other.base) {
            (Type::Exp(a), Type::Exp(b)) | (Type::Var(a), Type::Var(b)) => a.same_values(b),
            (Type::Array(a, n), Type::Array(b, m)) => a.same_values(b) && n == m,
            (a, b) => a == b,
        };
        // What the program guarantees is inferred, whatever is claimed; what it assumes is as it is written.
        let assumed = component.asker == Player::O;
        if assumed && component.bound.unwrap_or(1) != other.bound.unwrap_or(1) {
            return Err(format!("`{}` has different bounds in the two programs", component.name));
        }
        if !same || component.arguments.len() != other.arguments.len() {
            return Err(format!(
                "`{}` is of type `{}` in the first program, of type `{}` in the second",
                component.name, component.base, other.base
            ));
        }
    }
    Ok(())
}

/// A move of one program as the other would make it; nothing where it has no such component.
pub fn translated(m: &Move, from: &Arena, to: &Arena) -> Option<Move> {
    let name = &from.component(m.component).name;
    let (component, _) = to.components().find(|(_, component)| component.name == *name)?;
    Some(Move { component, ..m.clone() })
}

/// Which plays of modules count. Those of terms are compared by the complete ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plays {
    /// All: a client may stop at any move.
    #[default]
    All,
    /// Those in which every call is answered, or which the module ends: it fails, or it ends the process.
    Complete,
}

/// How two programs are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Engine {
    /// Small data by the walk over pairs; wide data by relations, too.
    #[default]
    Auto,
    /// By the walk over pairs, one number after the other.
    Explicit,
    /// By relations between what both hold.
    Product,
}

impl Engine {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Explicit => "explicit",
            Engine::Product => "product",
        }
    }
}

/// What is asked about two programs, and how it is answered.
#[derive(Clone, Debug)]
pub struct Options {
    /// The relation.
    pub relation: Relation,
    /// The plays that count, of modules.
    pub plays: Plays,
    /// How it is looked for.
    pub engine: Engine,
    /// The solvers that are asked.
    pub solvers: Solvers,
    /// A proof by relations is tried this often, each time with others.
    pub attempts: usize,
}

/// A proof is tried this often, if nothing is said: all relations are looked for.
pub const ATTEMPTS: usize = 100;

impl Options {
    /// A question for the default engine and solvers.
    pub fn new(relation: Relation) -> Options {
        let (plays, engine, solvers) = (Plays::All, Engine::Auto, Solvers::default());
        Options { relation, plays, engine, solvers, attempts: ATTEMPTS }
    }
}

/// What comparing two programs came to, and how.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The answer.
    pub comparison: Comparison,
    /// The engine that gave it.
    pub engine: Engine,
    /// Why it holds, if that was found by relations.
    pub proof: Option<Box<Proof>>,
    /// How far it came.
    pub progress: Progress,
}

/// Compares two programs; the reason, if they cannot be compared.
pub fn compare(
    left: Subject<'_>,
    right: Subject<'_>,
    relation: Relation,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<(Comparison, Progress), String> {
    let compared = compare_with(left, right, &Options::new(relation), budget, observe)?;
    Ok((compared.comparison, compared.progress))
}

/// The same, by an engine. A difference that is found is described in words.
pub fn compare_with(
    left: Subject<'_>,
    right: Subject<'_>,
    options: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<Compared, String> {
    let mut compared = compare_once(left, right, options, budget, observe)?;
    if let Comparison::Differs(difference) = &mut compared.comparison {
        let owner = if difference.side == Side::Left { left } else { right };
        difference.only.extend(only::only([left, right], owner.arena, &difference.play, options, budget));
        // The walk has compared all shorter plays, if it has tried all numbers.
        let shortest = compared.engine == Engine::Explicit
            && left.judgement.mode == Mode::Sequential
            && ![left, right].iter().any(is_wide);
        if shortest {
            let moves = difference.play.moves.iter().filter(|m| owner.arena.player(m) == Player::O);
            difference.only.extend(only::only_after(moves.count()));
        }
    }
    Ok(compared)
}

/// Whether two programs are equivalent, to be asked about a difference.
fn compare_again(
    left: Subject<'_>,
    right: Subject<'_>,
    options: &Options,
    budget: &Budget,
) -> Result<Comparison, String> {
    compare_once(left, right, options, budget, &mut |_| {}).map(|compared| compared.comparison)
}

/// Compares two programs once.
fn compare_once(
    left: Subject<'_>,
    right: Subject<'_>,
    options: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Result<Compared, String> {
    if left.judgement.mode != right.judgement.mode {
        return Err(
            "one program is sequential, the other concurrent; declare both `concurrent` or both `sequential`"
                .into(),
        );
    }
    comparable(left.arena, right.arena)?;
    let mut compared = Compared {
        comparison: Comparison::Holds,
        engine: Engine::Explicit,
        proof: None,
        progress: Progress::default(),
    };
    // The same program but for layout and bound names: there is nothing to search, whatever its data.
    if alike(left.judgement, right.judgement) {
        return Ok(compared);
    }
    let subjects = [left, right];
    let found = match left.judgement.mode {
        Mode::Sequential => {
            let found = sequential(subjects, options, budget, observe, &mut compared);
            found.and_then(|found| confirmed(found, subjects, budget, confirm::sequential))
        }
        Mode::Concurrent => {
            let found = concurrently(subjects, options, budget, observe, &mut compared);
            found.and_then(|found| confirmed(found, subjects, budget, confirm::concurrent))
        }
    };
    compared.comparison = found.unwrap_or_else(|Unknown { side, reason }| Comparison::Unknown(side, reason));
    Ok(compared)
}

/// Checks a certificate of two programs, without a search; why they cannot be compared.
pub fn recheck(
    left: Subject<'_>,
    right: Subject<'_>,
    certificate: &Written,
    solvers: &Solvers,
    budget: &Budget,
) -> Result<Compared, String> {
    if left.judgement.mode != right.judgement.mode {
        return Err("one program is sequential, the other concurrent".into());
    }
    comparable(left.arena, right.arena)?;
    let concurrent = left.judgement.mode == Mode::Concurrent;
    let checked = relations::recheck([left, right], concurrent, certificate, solvers, budget);
    let (comparison, proof) = match checked {
        Ok(proof) => (Comparison::Holds, Some(proof)),
        Err(reason) => (Comparison::Unknown(Side::Left, reason), None),
    };
    let asked = proof.as_ref().map_or(0, |proof| proof.asked);
    let progress =
        Progress { states: certificate.positions.len(), transitions: asked, ..Progress::default() };
    Ok(Compared { comparison, engine: Engine::Product, proof, progress })
}

/// What follows from a difference that was found or not found, if the interpreters confirm it.
fn confirmed(
    found: Option<(Side, Play)>,
    [left, right]: [Subject<'_>; 2],
    budget: &Budget,
    confirm: impl Fn([Subject<'_>; 2], &Play, &Budget) -> Result<Option<Distinction>, Refused>,
) -> Result<Comparison, Unknown> {
    let Some((side, play)) = found else { return Ok(Comparison::Holds) };
    let subjects = if side == Side::Left { [left, right] } else { [right, left] };
    match confirm(subjects, &play, budget) {
        Ok(distinction) => {
            Ok(Comparison::Differs(Box::new(Difference { side, play, distinction, only: Vec::new() })))
        }
        Err(refused) => Err(Unknown::of(side, Reason::disbelieved(play.moves.len(), refused))),
    }
}

/// Programs with unbounded or wide data are walked for this many transitions before relations are looked for.
const A_GLANCE: u64 = 20_000;
/// In that walk the budget is asked at most this often.
const A_MOMENT: u64 = 400;
/// Other programs are walked for this many.
const A_WALK: u64 = 1 << 20;
/// Data with more values than this is wide.
const WIDE: u64 = 1 << 12;

/// Whether a program has data with many values.
fn is_wide(subject: &Subject<'_>) -> bool {
    let many = |data: &Data| data.size().and_then(|size| size.to_u64()).is_none_or(|size| size > WIDE);
    let of_cells = subject.code().is_ok_and(|code| code.cells().iter().any(|cell| many(&cell.data)));
    of_cells || subject.arena.components().any(|(_, component)| component.base.data().is_some_and(many))
}

/// Compares two concurrent programs: a shortest complete play that only one of them has. Wide data is looked at under the
/// same schedule first, which proves or says nothing.
fn concurrently(
    subjects: [Subject<'_>; 2],
    options: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
    compared: &mut Compared,
) -> Result<Option<(Side, Play)>, Unknown> {
    let wide = subjects.iter().any(is_wide);
    let mut unproved = None;
    if options.engine == Engine::Product || (options.engine == Engine::Auto && wide) {
        match by_relations(subjects, options, budget, observe, compared) {
            Err(unknown) if options.engine == Engine::Auto => {
                budget.check().map_err(|stop| Unknown::from(stop).partly(&unknown))?;
                unproved = Some(unknown);
            }
            found => return found,
        }
        compared.engine = Engine::Explicit;
        compared.progress = Progress::default();
    }
    let found = concurrent::compare(subjects, options.relation, budget, observe, &mut compared.progress);
    match (found, unproved) {
        (Err(unknown), Some(unproved)) => Err(undecided(unknown, unproved, compared)),
        (found, _) => found,
    }
}

/// Why nothing is known where neither the walk nor relations have decided anything.
fn undecided(unknown: Unknown, unproved: Unknown, compared: &mut Compared) -> Unknown {
    match unknown.reason {
        // Where numbers cannot be tried one by one, it says more what the proof lacks.
        Reason::Stop(Stop::Unbounded(_)) => {
            compared.engine = Engine::Product;
            unproved
        }
        reason => Unknown { reason: reason.partly(Some(&unproved.reason)), ..unknown },
    }
}

/// Compares two programs by relations between what both hold.
fn by_relations(
    subjects: [Subject<'_>; 2],
    options: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
    compared: &mut Compared,
) -> Result<Option<(Side, Play)>, Unknown> {
    compared.engine = Engine::Product;
    let concurrent = subjects[0].judgement.mode == Mode::Concurrent;
    let progress = &mut compared.progress;
    match relations::compare(subjects, concurrent, options, budget, observe, progress)? {
        Found::Holds(proof) => {
            compared.proof = Some(proof);
            Ok(None)
        }
        Found::Differs(side, play) => Ok(Some((side, play))),
    }
}

/// Compares two sequential programs: a complete play that only one of them has; by the walk, a shortest one.
fn sequential(
    subjects: [Subject<'_>; 2],
    options: &Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
    compared: &mut Compared,
) -> Result<Option<(Side, Play)>, Unknown> {
    if options.engine == Engine::Product {
        return by_relations(subjects, options, budget, observe, compared);
    }
    let mut product = Product::new(pair(subjects)?, options.relation);
    let wide = subjects.iter().any(is_wide);
    let first = match options.engine {
        Engine::Auto if wide => A_GLANCE,
        Engine::Auto => A_WALK,
        _ => u64::MAX,
    };
    // A silent run over unbounded data may never end, nor come to where it was.
    let brief = options.engine == Engine::Auto && wide;
    let patience = if brief { budget.with_patience(A_MOMENT) } else { budget.clone() };
    let mut walked = match product.advance(first, &patience, observe) {
        Err(Unknown { reason: Reason::Stop(Stop::Cancelled), .. }) if brief => {
            budget.check()?;
            Walked::Paused
        }
        walked => walked?,
    };
    compared.progress = product.progress();
    let mut unproved = None;
    let unsure = || product.doubt().is_some_and(|doubt| !matches!(doubt.reason, Reason::Ambiguous));
    if options.engine == Engine::Auto && walked.is_open(unsure) {
        let found = by_relations(subjects, options, budget, observe, compared);
        match (found, &walked) {
            (Ok(found), _) => return Ok(found),
            // The walk has nothing more to try.
            (Err(unknown), Walked::Same) => return Err(unknown),
            (Err(unknown), _) => {
                budget.check().map_err(|stop| Unknown::from(stop).partly(&unknown))?;
                let ended = product.advance(u64::MAX, budget, observe);
                walked = ended.map_err(|stopped| stopped.partly(&unknown))?;
                unproved = Some(unknown);
            }
        }
        compared.engine = Engine::Explicit;
        compared.progress = product.progress();
    }
    match walked {
        Walked::Differs(side, steps) => product.told(side, &steps, budget).map(|play| Some((side, play))),
        Walked::Paused | Walked::Same => match (product.doubt(), unproved) {
            (None, _) => Ok(None),
            (Some(doubt), Some(unproved)) => Err(undecided(doubt, unproved, compared)),
            (Some(doubt), None) => Err(doubt),
        },
    }
}
