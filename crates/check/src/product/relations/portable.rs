//! A proof that can be written down, and checked again without a search.
//!
//! Positions are named by where both programs are in their code, and by what is kept exactly. A walk finds them again: from the
//! position before the first move, along all steps from positions that the proof speaks of.

use agon_base::budget::Stop;
use agon_base::explore::breadth_first;
use agon_base::int::Int;
use agon_games::values::CellId;
use agon_solve::{Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::both::Runs;
use super::certificate::Certificate as Proved;
use super::positions::{Alignment, ExactCells, PositionId, Positions, To};
use super::rank::Rank;
use crate::equiv::{Plays, Relation, Side};

/// A proof that two programs are equal.
#[derive(Clone, PartialEq, Debug)]
pub struct Certificate {
    /// What is proved.
    pub relation: Relation,
    /// The plays that count, of modules.
    pub plays: Plays,
    /// If there are finitely many plays: in how many steps all of them are looked at. Nothing else is claimed then.
    pub walked: Option<usize>,
    /// The cells that are kept exactly.
    pub exact: Vec<ExactCell>,
    /// Where both programs are in silent loops, those of which only one runs on.
    pub alignment: Vec<AlignedLoops>,
    /// The terms of claims; parts stand before wholes.
    pub terms: Vec<Node>,
    /// What holds where.
    pub positions: Vec<Claims>,
    /// Why loops end in which one program runs alone.
    pub ranks: Vec<Falls>,
}

impl Certificate {
    /// A proof that claims nothing.
    fn new(positions: &Positions<'_>) -> Certificate {
        Certificate {
            relation: positions.both.relation,
            plays: positions.both.plays(),
            walked: None,
            exact: Vec::new(),
            alignment: Vec::new(),
            terms: Vec::new(),
            positions: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// A proof by a walk over all plays, which are finitely many.
    pub(super) fn of_walk(positions: &Positions<'_>, steps: usize) -> Certificate {
        let alignment = aligned(positions);
        Certificate { walked: Some(steps), alignment, ..Certificate::new(positions) }
    }
}

/// A cell that is kept exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExactCell {
    /// The program.
    pub side: Side,
    /// The cell, by its number in the code.
    pub cell: u32,
    /// The numbers that it may hold; none, if these are all of its type.
    pub numbers: Option<Vec<Int>>,
}

/// Two silent loops of which only one runs on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlignedLoops {
    /// The places in the code where each program will go on, innermost first.
    pub loops: [Vec<u32>; 2],
    /// The program that runs on.
    pub runs: Side,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// A number.
    Number(Int),
    /// True or false.
    Truth(bool),
    /// What a place of the two stores holds.
    Place(String),
    /// An operator, and the numbers of its parts.
    Apply(String, Vec<usize>),
}

/// What holds at a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claims {
    /// Where each program is.
    pub at: [String; 2],
    /// What is kept exactly.
    pub exact: Vec<Int>,
    /// Which of the positions it is that are alike in this.
    pub nth: usize,
    /// The terms that are true.
    pub holds: Vec<usize>,
}

/// A number that falls in a loop in which one program runs alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Falls {
    /// The program.
    pub side: Side,
    /// The positions among which it never rises, by their numbers in the list.
    pub among: Vec<usize>,
    /// The term that falls.
    pub number: usize,
}

/// What a position is called: where both programs are, what is kept exactly, and which of those it is.
type Called = ([String; 2], Vec<Int>, usize);

/// The operators of terms, and their words.
const OPERATORS: [(&str, Op); 16] = [
    ("not", Op::Not),
    ("and", Op::And),
    ("or", Op::Or),
    ("equal", Op::Equal),
    ("if", Op::If),
    ("add", Op::Add),
    ("subtract", Op::Sub),
    ("negate", Op::Neg),
    ("multiply", Op::Mul),
    ("divide", Op::Div),
    ("remainder", Op::Rem),
    ("less", Op::Less),
    ("at-most", Op::AtMost),
    ("bits", Op::BitAnd),
    ("shift-left", Op::ShiftLeft),
    ("shift-right", Op::ShiftRight),
];

/// The positions that the walk finds, and what they are called. Only from those that are spoken of it goes on.
fn named(
    positions: &mut Positions<'_>,
    mut spoken: impl FnMut(PositionId, &Called) -> bool,
) -> Result<Vec<(PositionId, Called)>, Stop> {
    let mut found: Vec<(PositionId, Called)> = Vec::new();
    let mut seen: FxHashSet<PositionId> = FxHashSet::default();
    let mut alike: FxHashMap<([String; 2], Vec<Int>), usize> = FxHashMap::default();
    let mut meet = |positions: &mut Positions<'_>, to: &To, found: &mut Vec<(PositionId, Called)>| {
        let To::At(id, _) = to else { return };
        if !seen.insert(*id) {
            return;
        }
        let (at, exact) = positions.called(*id);
        let nth = alike.entry((at.clone(), exact.clone())).or_default();
        let called = (at, exact, *nth);
        *nth += 1;
        if spoken(*id, &called) {
            found.push((*id, called));
        }
    };
    let start = positions.start()?;
    meet(positions, &start.to, &mut found);
    // A step may disturb activations that are found later.
    loop {
        let before = found.len();
        breadth_first(&mut found, |found, n| {
            positions.both.budget.check()?;
            let id = found[n as usize].0;
            for successor in positions.successors(id)?.iter() {
                meet(positions, &successor.to, found);
            }
            Ok::<(), Stop>(())
        })?;
        let known: FxHashSet<PositionId> = found.iter().map(|(id, _)| *id).collect();
        let mut above: Vec<(PositionId, PositionId)> = positions.above(&known)?.into_iter().collect();
        above.sort_unstable();
        for (id, kept) in above {
            for successor in positions.disturbances(id, kept)?.successors.iter() {
                meet(positions, &successor.to, &mut found);
            }
        }
        if found.len() == before {
            return Ok(found);
        }
    }
}

/// The silent loops of which only one runs on.
fn aligned(positions: &Positions<'_>) -> Vec<AlignedLoops> {
    let mut found = Vec::new();
    for (loops, runs) in &positions.alignment {
        if let Runs::Only(side) = runs {
            found.push(AlignedLoops { loops: loops.clone(), runs: *side });
        }
    }
    found.sort_by(|a, b| a.loops.cmp(&b.loops));
    found
}

/// Writes a proof down; nothing if it is about threads, whose places have no names that last, or if a term has no words.
pub(super) fn written(positions: &mut Positions<'_>, proved: &Proved) -> Result<Option<Certificate>, Stop> {
    if positions.both.is_concurrent() {
        return Ok(None);
    }
    let found = named(positions, |id, _| proved.invariant.contains_key(&id))?;
    let mut certificate = Certificate::new(positions);
    for ((side, cell), numbers) in &positions.exact {
        certificate.exact.push(ExactCell { side: *side, cell: cell.0, numbers: numbers.clone() });
    }
    certificate.exact.sort_by_key(|exact| (exact.side, exact.cell));
    certificate.alignment = aligned(positions);
    let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
    let mut places: FxHashMap<PositionId, usize> = FxHashMap::default();
    for (id, (at, exact, nth)) in found {
        let mut holds = Vec::new();
        for claim in &proved.invariant[&id] {
            let Some(n) = write(positions, *claim, &mut numbers, &mut certificate.terms) else {
                return Ok(None);
            };
            holds.push(n);
        }
        places.insert(id, certificate.positions.len());
        certificate.positions.push(Claims { at, exact, nth, holds });
    }
    for rank in &proved.ranks {
        let number = write(positions, rank.number, &mut numbers, &mut certificate.terms);
        let among: Option<Vec<usize>> = rank.among.iter().map(|id| places.get(id).copied()).collect();
        let (Some(number), Some(among)) = (number, among) else { return Ok(None) };
        certificate.ranks.push(Falls { side: rank.side, among, number });
    }
    Ok(Some(certificate))
}

/// Writes a term and its parts down, each once.
fn write(
    positions: &mut Positions<'_>,
    term: Term,
    numbers: &mut FxHashMap<Term, usize>,
    nodes: &mut Vec<Node>,
) -> Option<usize> {
    let terms = positions.both.terms();
    for part in terms.parts_first([term]) {
        if numbers.contains_key(&part) {
            continue;
        }
        let node = match terms.op(part) {
            Op::Constant(name) => Node::Place(name.clone()),
            Op::Truth(truth) => Node::Truth(*truth),
            Op::Number(n) if terms.sort(part) == Sort::Int => Node::Number(n.clone()),
            op => {
                let (word, _) = OPERATORS.iter().find(|(_, known)| known == op)?;
                Node::Apply((*word).into(), terms.parts(part).iter().map(|part| numbers[part]).collect())
            }
        };
        numbers.insert(part, nodes.len());
        nodes.push(node);
    }
    numbers.get(&term).copied()
}

/// What a certificate keeps exactly, and how it goes through silent loops.
pub(super) fn settings(certificate: &Certificate) -> (ExactCells, Alignment) {
    let exact =
        certificate.exact.iter().map(|exact| ((exact.side, CellId(exact.cell)), exact.numbers.clone()));
    let alignment = certificate.alignment.iter();
    let alignment = alignment.map(|aligned| (aligned.loops.clone(), Runs::Only(aligned.runs)));
    (exact.collect(), alignment.collect())
}

/// Reads a proof that was written down, or says why it is none.
pub(super) fn read(
    positions: &mut Positions<'_>,
    certificate: &Certificate,
) -> Result<Result<Proved, String>, Stop> {
    let mut numbers: FxHashMap<Called, usize> = FxHashMap::default();
    for (n, Claims { at, exact, nth, .. }) in certificate.positions.iter().enumerate() {
        numbers.insert((at.clone(), exact.clone(), *nth), n);
    }
    let found = named(positions, |_, called| numbers.contains_key(called))?;
    let terms = match terms(positions, &certificate.terms) {
        Ok(terms) => terms,
        Err(why) => return Ok(Err(why)),
    };
    let ids: FxHashMap<usize, PositionId> = found.iter().map(|(id, called)| (numbers[called], *id)).collect();
    let mut proved = Proved { invariant: FxHashMap::default(), ranks: Vec::new() };
    for (n, id) in &ids {
        let own: FxHashSet<Term> = positions.get(*id).slots.iter().map(|slot| slot.constant).collect();
        let mut claims = Vec::new();
        for claim in &certificate.positions[*n].holds {
            let Some(claim) = terms.get(*claim).copied() else { return Ok(Err(NO_TERM.into())) };
            let terms = positions.both.terms();
            if terms.sort(claim) != Sort::Bool {
                return Ok(Err("a claim is neither true nor false".into()));
            }
            if !terms.constants(claim).iter().all(|constant| own.contains(constant)) {
                return Ok(Err("a claim speaks of what is not there".into()));
            }
            claims.push(claim);
        }
        proved.invariant.insert(*id, claims);
    }
    for Falls { side, among, number } in &certificate.ranks {
        let Some(number) = terms.get(*number).copied() else { return Ok(Err(NO_TERM.into())) };
        if positions.both.terms().sort(number) != Sort::Int {
            return Ok(Err("what falls is no number".into()));
        }
        // A rank of positions that are never met is a rank of nothing.
        let among: Option<Vec<PositionId>> = among.iter().map(|n| ids.get(n).copied()).collect();
        if let Some(among) = among {
            proved.ranks.push(Rank { side: *side, among, number });
        }
    }
    Ok(Ok(proved))
}

const NO_TERM: &str = "it has no term of this number";

/// The terms that were written down.
fn terms(positions: &mut Positions<'_>, nodes: &[Node]) -> Result<Vec<Term>, String> {
    let terms = positions.both.terms();
    let mut made: Vec<Term> = Vec::new();
    for node in nodes {
        let term = match node {
            Node::Number(n) => terms.int(n.clone()),
            Node::Truth(truth) => terms.truth(*truth),
            Node::Place(name) => terms.constant(name.clone(), Sort::Int),
            Node::Apply(word, parts) => {
                let parts: Option<Vec<Term>> = parts.iter().map(|part| made.get(*part).copied()).collect();
                let parts = parts.ok_or("a part stands behind the whole")?;
                let ints =
                    |n: usize| parts.len() == n && parts.iter().all(|part| terms.sort(*part) == Sort::Int);
                let truths = || parts.iter().all(|part| terms.sort(*part) == Sort::Bool);
                match (word.as_str(), &parts[..]) {
                    ("not", [a]) if truths() => terms.not(*a),
                    ("and", all) if truths() => terms.and(all),
                    ("or", all) if truths() => terms.or(all),
                    ("equal", [a, b]) if terms.sort(*a) == terms.sort(*b) => terms.equal(*a, *b),
                    ("if", [condition, a, b])
                        if terms.sort(*condition) == Sort::Bool && terms.sort(*a) == terms.sort(*b) =>
                    {
                        terms.if_else(*condition, *a, *b)
                    }
                    ("negate", [a]) if ints(1) => terms.neg(*a),
                    ("add", [a, b]) if ints(2) => terms.add(*a, *b),
                    ("subtract", [a, b]) if ints(2) => terms.sub(*a, *b),
                    ("multiply", [a, b]) if ints(2) => terms.mul(*a, *b),
                    ("divide", [a, b]) if ints(2) => terms.div(*a, *b),
                    ("remainder", [a, b]) if ints(2) => terms.rem(*a, *b),
                    ("less", [a, b]) if ints(2) => terms.less(*a, *b),
                    ("at-most", [a, b]) if ints(2) => terms.at_most(*a, *b),
                    ("bits", [a, b]) if ints(2) => terms.bit_and(*a, *b),
                    ("shift-left", [a, b]) if ints(2) => terms.shift_left(*a, *b),
                    ("shift-right", [a, b]) if ints(2) => terms.shift_right(*a, *b),
                    _ => return Err(format!("`{word}` does not have such parts")),
                }
            }
        };
        made.push(term);
    }
    Ok(made)
}
