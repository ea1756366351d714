//! The smallest difference in words: which numbers it needs, decided by comparing again without them.
//!
//! A difference is found with some numbers of the environment's. If the programs are equivalent where the environment never gives one of
//! these numbers, they differ only for it. The comparison without it is one under an assumption, and must prove equivalence.

use std::time::{Duration, Instant};

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_core::condition::Condition;
use agon_core::term::{Construct, Operator};
use agon_games::arena::Arena;
use agon_games::machine::Compiled;
use agon_games::moves::{Label, Player};
use agon_games::play::Play;
use agon_witness::verify::Subject;

use super::{Comparison, Options, Relation, compare_again};

/// At most this many comparisons are made.
const MOST: usize = 4;
/// Each may take this long, and a quarter of the time that is left.
const EACH: Duration = Duration::from_secs(2);
/// Each may try this many transitions.
const TRANSITIONS: u64 = 1 << 13;
/// Each tries this many kinds of relations.
const ATTEMPTS: usize = 2;

/// A shortest play with this many moves of the environment is said to be long.
const LONG: usize = 8;

/// That a difference needs this many moves of the environment, in words, if they are many. The play is a shortest one.
pub(crate) fn only_after(moves: usize) -> Option<String> {
    (moves >= LONG).then(|| format!("only after {moves} moves of the environment"))
}

/// Numbers that the environment gives at a place, and without which programs may be equivalent.
#[derive(Clone, Debug)]
pub(crate) struct Restriction {
    /// How the numbers compare with one of them.
    operator: Operator,
    number: Int,
}

impl Restriction {
    /// Restrictions that a number of a difference suggests, the smallest first.
    pub(crate) fn of(number: &Int) -> [Restriction; 3] {
        let operators = [Operator::Equal, Operator::GreaterEqual, Operator::LessEqual];
        operators.map(|operator| Restriction { operator, number: number.clone() })
    }

    /// That the n-th number of a move is none of these.
    pub(crate) fn without(&self, n: usize) -> Condition {
        let operator = match self.operator {
            Operator::Equal => Operator::NotEqual,
            Operator::GreaterEqual => Operator::Less,
            _ => Operator::Greater,
        };
        Condition::Binary(
            operator,
            Box::new(Condition::Given(n)),
            Box::new(Condition::Number(self.number.clone())),
        )
    }

    /// That a difference needs one of them, in words.
    pub(crate) fn words(&self, name: &str) -> String {
        let sign = match self.operator {
            Operator::Equal => "=",
            Operator::GreaterEqual => ">=",
            _ => "<=",
        };
        format!("only for {name} {sign} {}", self.number)
    }

    /// Whether some number of a range is none of these.
    pub(crate) fn leaves_any(&self, range: Option<&(Int, Int)>) -> bool {
        range.is_none_or(|(low, high)| match self.operator {
            Operator::Equal => low < high,
            Operator::GreaterEqual => *low < self.number,
            _ => *high > self.number,
        })
    }
}

/// The same budget with little time: a difference that was found must not be lost because words for it take too long.
pub(crate) fn soon(budget: &Budget) -> Budget {
    let now = Instant::now();
    let left = budget.deadline.map(|deadline| deadline.saturating_duration_since(now) / 4);
    let time = left.map_or(EACH, |left| left.min(EACH));
    Budget { deadline: now.checked_add(time), ..budget.clone() }
}

/// What a comparison without some numbers may cost.
pub(crate) fn little(options: &Options, budget: &Budget) -> (Options, Budget) {
    let transitions = Some(budget.transitions.unwrap_or(TRANSITIONS).min(TRANSITIONS));
    let options = Options { attempts: ATTEMPTS, ..options.clone() };
    (options, Budget { transitions, ..soon(budget) })
}

/// At most this many restrictions are tried.
pub(crate) fn few<T>(all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    all.take(MOST)
}

/// A number that the environment gave: for what, of which numbers, and which one.
type Number<'a> = (&'a str, Option<(Int, Int)>, &'a Int);

/// Which numbers a difference between two programs needs, in words; nothing if that is not known.
pub(super) fn only(
    subjects: [Subject<'_>; 2],
    owner: &Arena,
    play: &Play,
    options: &Options,
    budget: &Budget,
) -> Option<String> {
    let mut given: Vec<Number<'_>> = Vec::new();
    for m in &play.moves {
        let component = owner.component(m.component);
        let (Label::Value(n), Player::P, None) = (&m.label, component.asker, component.parent) else {
            continue;
        };
        if component.variable.is_some()
            && !component.name.starts_with(|c: char| c.is_ascii_digit())
            && !given.iter().any(|(name, _, known)| *name == component.name && *known == n)
        {
            given.push((&component.name, owner.range(m.component), n));
        }
    }
    // What was given last is nearest to the difference.
    let restrictions = given.into_iter().rev().flat_map(|(name, range, n)| {
        let useful = move |restriction: &Restriction| restriction.leaves_any(range.as_ref());
        Restriction::of(n).into_iter().filter(useful).map(move |restriction| (name, restriction))
    });
    few(restrictions).find_map(|(name, restriction)| {
        let without = restriction.without(0);
        let programs = subjects.map(|subject| {
            let mut judgement = subject.judgement.clone();
            let free: Vec<_> = judgement.context.iter().chain(&judgement.arguments).copied().collect();
            let known = free.into_iter().find(|var| *judgement.terms.variable(*var).name == *name);
            known.into_iter().for_each(|var| judgement.terms.assume(var, without.clone()));
            let arena = Arena::new(&judgement);
            (judgement, arena, Compiled::default())
        });
        let [left, right] = [0, 1].map(|n| {
            let (judgement, arena, compiled) = &programs[n];
            Subject { language: subjects[n].language, judgement, arena, compiled }
        });
        let (options, budget) = little(options, budget);
        let compared = compare_again(left, right, &options, &budget).ok()?;
        let proved = matches!(compared, Comparison::Holds) && is_completed(left, &options, &budget);
        proved.then(|| restriction.words(name))
    })
}

/// Whether a program completes some play. If it completes none, there is nothing in which it could differ from others.
fn is_completed(subject: Subject<'_>, options: &Options, budget: &Budget) -> bool {
    let mut judgement = subject.judgement.clone();
    let (ty, span) = (judgement.terms.ty(judgement.body).clone(), judgement.terms.span(judgement.body));
    judgement.body = judgement.terms.add(Construct::Diverge, ty, span);
    let (arena, compiled) = (Arena::new(&judgement), Compiled::default());
    let silent = Subject { judgement: &judgement, arena: &arena, compiled: &compiled, ..subject };
    let options = Options { relation: Relation::Equivalence, ..options.clone() };
    matches!(compare_again(subject, silent, &options, budget), Ok(Comparison::Differs(_)))
}
