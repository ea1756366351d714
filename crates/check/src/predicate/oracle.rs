//! The solver as the engine asks it: only about what is connected, and nothing twice.

use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use agon_base::int::Int;
use agon_core::term::{Operator, Unary};
use agon_games::interval::Interval;
use agon_games::symbolic::{self, Judge};
use agon_games::values::Outcome;
use agon_solve::{Answer, Claim, Limit, Model, Name, Op, Reason, Solver, Sort, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The data of symbolic runs that an oracle judges.
pub(crate) type Symbolic = symbolic::Symbolic<Oracle>;

/// A solver, and what is known of its answers.
pub(crate) struct Oracle {
    solver: Box<dyn Solver>,
    limit: Limit,
    /// How long one answer may take, if that is limited.
    each: Option<Duration>,
    /// What is known of each constant: the range of its type.
    bounds: FxHashMap<Term, Box<[Term]>>,
    ranges: FxHashMap<Term, Interval>,
    /// Terms as the solver sees them.
    plain: FxHashMap<Term, Term>,
    constants: FxHashMap<Term, Rc<[Term]>>,
    known: FxHashMap<Box<[Term]>, bool>,
    /// Models that were good for something lately.
    models: VecDeque<Tried>,
    /// What holds where the run that is judged began.
    base: Vec<Term>,
    /// Conditions that are known to be possible there.
    judged: Vec<Term>,
    /// How often the solver was asked.
    pub asked: u64,
    /// Why it did not know, the first time that it did not.
    pub failure: Option<Reason>,
}

/// A model, and which claims it makes true.
struct Tried {
    model: Model,
    known: FxHashMap<Term, bool>,
}

/// At most this many known models are tried before the solver is asked.
const MODELS: usize = 6;

impl Oracle {
    pub(crate) fn new(solver: Box<dyn Solver>, limit: Limit) -> Oracle {
        Oracle {
            solver,
            limit,
            each: None,
            bounds: FxHashMap::default(),
            ranges: FxHashMap::default(),
            plain: FxHashMap::default(),
            constants: FxHashMap::default(),
            known: FxHashMap::default(),
            models: VecDeque::new(),
            base: Vec::new(),
            judged: Vec::new(),
            asked: 0,
            failure: None,
        }
    }

    /// The same, with no answer taking longer than this.
    pub(crate) fn with_each(self, each: Duration) -> Oracle {
        Oracle { each: Some(each), ..self }
    }

    /// No answer takes longer than this from now on. Returns what the limit was.
    pub(crate) fn set_each(&mut self, each: Option<Duration>) -> Option<Duration> {
        std::mem::replace(&mut self.each, each)
    }

    /// Asks another solver from now on. Nothing that the first one said is believed any more.
    pub(crate) fn replace(&mut self, solver: Box<dyn Solver>) {
        self.solver = solver;
        self.known.clear();
        self.models.clear();
        self.judged.clear();
    }

    /// Says what is known of a constant.
    pub(crate) fn bound(&mut self, constant: Term, range: Interval, claims: Vec<Term>) {
        if !claims.is_empty() {
            self.ranges.insert(constant, range);
            self.bounds.insert(constant, claims.into());
        }
    }

    /// Between which numbers a constant lies, as far as it was said.
    pub(crate) fn range_of(&self, constant: Term) -> Option<&Interval> {
        self.ranges.get(&constant)
    }

    /// A run begins where these hold.
    pub(crate) fn begin(&mut self, base: &[Term]) {
        self.base = base.to_vec();
        self.judged.clear();
    }

    pub(crate) fn constants(&mut self, terms: &Terms, term: Term) -> Rc<[Term]> {
        self.constants.entry(term).or_insert_with(|| terms.constants(term).into()).clone()
    }

    /// Whether something may be true where others are that can be true.
    pub(crate) fn may(&mut self, terms: &mut Terms, base: &[Term], new: &[Term]) -> bool {
        let mut claims: Vec<Term> = Vec::new();
        let mut constants: FxHashSet<Term> = FxHashSet::default();
        for term in new {
            match terms.literal(*term) {
                Some(Value::Truth(true)) => {}
                Some(_) => return false,
                None => {
                    claims.push(*term);
                    constants.extend(self.constants(terms, *term).iter());
                }
            }
        }
        if claims.is_empty() {
            return true;
        }
        let mut left: Vec<Term> = base.to_vec();
        loop {
            let before = left.len();
            left.retain(|term| {
                let theirs =
                    self.constants.entry(*term).or_insert_with(|| terms.constants(*term).into()).clone();
                let connected = theirs.iter().any(|constant| constants.contains(constant));
                if connected {
                    constants.extend(theirs.iter());
                    claims.push(*term);
                }
                !connected
            });
            if left.len() == before {
                break;
            }
        }
        claims.sort_unstable();
        claims.dedup();
        if let Some(known) = self.known.get(&claims[..]) {
            return *known;
        }
        let key: Box<[Term]> = claims.clone().into();
        for constant in &constants {
            claims.extend(self.bounds.get(constant).iter().flat_map(|bounds| bounds.iter()));
        }
        let holds = |tried: &mut Tried| {
            claims.iter().all(|claim| {
                let holds = || tried.model.values(terms, [*claim])[claim].is_true();
                *tried.known.entry(*claim).or_insert_with(holds)
            })
        };
        if let Some(n) = self.models.iter_mut().position(holds) {
            self.models.swap(0, n);
            self.known.insert(key, true);
            return true;
        }
        let may = match self.ask(terms, &claims) {
            Answer::Sat(model) => {
                self.models.truncate(MODELS - 1);
                self.models.push_front(Tried { model, known: FxHashMap::default() });
                true
            }
            Answer::Unsat(_) => false,
            // What is not known may be.
            Answer::Unknown(_) => return true,
        };
        self.known.insert(key, may);
        may
    }

    /// What is known of the constants in some terms.
    pub(crate) fn bounds(&mut self, terms: &Terms, of: &[Term]) -> Vec<Term> {
        let mut constants: FxHashSet<Term> = FxHashSet::default();
        for term in of {
            constants.extend(self.constants(terms, *term).iter());
        }
        let mut claims: Vec<Term> =
            constants.iter().filter_map(|constant| self.bounds.get(constant)).flatten().copied().collect();
        claims.sort_unstable();
        claims
    }

    /// Asks about claims as they are; their names are their places.
    pub(crate) fn ask(&mut self, terms: &mut Terms, claims: &[Term]) -> Answer {
        self.asked += 1;
        let claims: Vec<Claim> = (0..)
            .map(Name)
            .zip(claims)
            .map(|(name, term)| Claim { name, term: self.plainly(terms, *term) })
            .collect();
        let mut limit = self.limit.clone();
        if let Some(each) = self.each {
            let soon = Instant::now() + each;
            limit.deadline = Some(limit.deadline.map_or(soon, |deadline| deadline.min(soon)));
        }
        let answer = self.solver.check(terms, &claims, &limit);
        if let Answer::Unknown(reason) = &answer {
            self.failure.get_or_insert_with(|| reason.clone());
        }
        answer
    }
}

/// A product or quotient is split by the values of one of its operands, if these are at most this many.
const FEW_VALUES: u64 = 64;
/// A remainder is split by the quotient, if there are at most this many quotients.
const FEW_QUOTIENTS: u64 = 3;

impl Oracle {
    /// A term in which products and quotients of unknowns are split into cases, where one of the two has few values.
    fn plainly(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(known) = self.plain.get(&term) {
            return *known;
        }
        for part in terms.parts_first([term]) {
            if self.plain.contains_key(&part) {
                continue;
            }
            let with: FxHashMap<Term, Term> =
                terms.parts(part).iter().map(|part| (*part, self.plain[part])).collect();
            let same = terms.substitute_parts(part, &with);
            let plain = match (terms.op(same).clone(), terms.parts(same)) {
                (Op::Div | Op::Rem, [_, by]) if terms.literal(*by).is_none() => {
                    let by = *by;
                    self.by_cases(terms, same, by).unwrap_or(same)
                }
                (Op::Div | Op::Rem, [a, by]) => {
                    let (a, by) = (*a, *by);
                    self.by_quotients(terms, same, (a, by)).unwrap_or(same)
                }
                (Op::ShiftLeft | Op::ShiftRight, [_, by]) => {
                    let by = *by;
                    self.by_cases(terms, same, by).unwrap_or(same)
                }
                (Op::Mul | Op::BitAnd, [a, b])
                    if terms.literal(*a).is_none() && terms.literal(*b).is_none() =>
                {
                    let (a, b) = (*a, *b);
                    let found = self.by_cases(terms, same, b);
                    found.or_else(|| self.by_cases(terms, same, a)).unwrap_or(same)
                }
                _ => same,
            };
            self.plain.insert(part, plain);
        }
        self.plain[&term]
    }

    /// A quotient or a remainder by a positive number, split by the quotient if there are few: numbers that are brought into the
    /// range of a type are seldom more than one size away from it.
    fn by_quotients(&self, terms: &mut Terms, term: Term, (a, by): (Term, Term)) -> Option<Term> {
        let size = terms.literal(by)?.number().clone();
        if size <= Int::ZERO {
            return None;
        }
        let Outcome::One(range) =
            self.range(terms, a).binary(Operator::Divide, &Interval::point(size.clone()))
        else {
            return None;
        };
        let count = range.count()?.to_u64().filter(|count| *count <= FEW_QUOTIENTS)?;
        let mut quotient = range.high()?.clone();
        let mut found = None;
        for _ in 0..count {
            let least = quotient.mul(&size);
            let here = match terms.op(term) {
                Op::Div => terms.int(quotient.clone()),
                _ => {
                    let least = terms.int(least.clone());
                    terms.sub(a, least)
                }
            };
            found = Some(match found {
                None => here,
                Some(above) => {
                    let end = terms.int(least.add(&size));
                    let below = terms.less(a, end);
                    terms.if_else(below, here, above)
                }
            });
            quotient = quotient.sub(&Int::ONE);
        }
        found
    }

    /// A term split by the values of one of its parts, if these are few.
    fn by_cases(&self, terms: &mut Terms, term: Term, part: Term) -> Option<Term> {
        let range = self.range(terms, part);
        let count = range.count()?.to_u64().filter(|count| *count <= FEW_VALUES)?;
        let mut found = None;
        let mut n = range.low()?.clone();
        for _ in 0..count {
            let number = terms.int(n.clone());
            let case = terms.substitute_parts(term, &FxHashMap::from_iter([(part, number)]));
            found = Some(match found {
                None => case,
                Some(other) => {
                    let hit = terms.equal(part, number);
                    terms.if_else(hit, case, other)
                }
            });
            n = n.add(&Int::ONE);
        }
        found
    }

    /// Between which numbers a term lies.
    fn range(&self, terms: &Terms, term: Term) -> Interval {
        let mut ranges: FxHashMap<Term, Interval> = FxHashMap::default();
        for part in terms.parts_first([term]) {
            if terms.sort(part) != Sort::Int {
                continue;
            }
            let of = |n: usize| ranges.get(&terms.parts(part)[n]).cloned().unwrap_or_else(Interval::all);
            let by = |operator: Operator| match of(0).binary(operator, &of(1)) {
                Outcome::One(range) => range,
                _ => Interval::all(),
            };
            let range = match terms.op(part) {
                Op::Constant(_) => self.ranges.get(&part).cloned().unwrap_or_else(Interval::all),
                Op::Number(n) => Interval::point(n.clone()),
                Op::Add => by(Operator::Add),
                Op::Sub => by(Operator::Subtract),
                Op::Mul => by(Operator::Multiply),
                Op::Rem if terms.literal(terms.parts(part)[1]).is_some_and(|n| !n.number().is_zero()) => {
                    by(Operator::Modulo)
                }
                Op::Div if terms.literal(terms.parts(part)[1]).is_some_and(|n| !n.number().is_zero()) => {
                    by(Operator::Divide)
                }
                Op::BitAnd => by(Operator::BitAnd),
                Op::ShiftLeft => by(Operator::ShiftLeft),
                Op::ShiftRight => by(Operator::ShiftRight),
                Op::Neg => of(0).unary(Unary::Negate),
                Op::If => of(1).hull(&of(2)),
                _ => Interval::all(),
            };
            ranges.insert(part, range);
        }
        ranges.remove(&term).unwrap_or_else(Interval::all)
    }
}

impl Judge for Oracle {
    fn may_be(&mut self, terms: &mut Terms, conditions: &[Term]) -> bool {
        let common = self.judged.iter().zip(conditions).take_while(|(a, b)| a == b).count();
        self.judged.truncate(common);
        if common == conditions.len() {
            return true;
        }
        let base: Vec<Term> = self.base.iter().chain(&self.judged).copied().collect();
        let may = self.may(terms, &base, &conditions[common..]);
        if may {
            self.judged = conditions.to_vec();
        }
        may
    }
}
