//! Abstract values: an interval, and, where a run is told again, what made it one.

use std::sync::Arc;

use agon_base::int::Int;
use agon_core::term::Operator;

use crate::interval::Interval;
use crate::sites::PartRef;

/// An abstract value.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Value {
    /// The numbers that it may be.
    pub interval: Interval,
    /// A part of more than one number that it was read from.
    pub blame: Option<PartRef>,
    /// All that it came from, where that is kept track of.
    pub causes: Causes,
}

impl Value {
    /// A value of which nothing but its numbers is known.
    pub fn new(interval: Interval) -> Value {
        Value { interval, blame: None, causes: Causes::default() }
    }

    /// The same with nobody to blame, if it is one number.
    pub(super) fn settled(mut self) -> Value {
        if self.interval.as_point().is_some() {
            self.blame = None;
            self.causes = Causes::default();
        }
        self
    }
}

/// Where data came from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Source {
    /// A part of a site's partition.
    Part(PartRef),
    /// What the environment gave in its n-th move.
    Answer(u32),
    /// Where the environment pointed in its n-th move.
    Index(u32),
    /// What the environment gave in its n-th move for the k-th parameter.
    Argument(u32, u32),
}

/// One thing that a value came from.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Cause {
    /// What it came from.
    pub source: Source,
    /// The value is the source plus an offset; or, with the sign turned, the offset minus the source.
    linear: Option<(bool, Int)>,
    /// Numbers of the source before which it should be cut to make up its mind.
    pub cuts: Vec<Int>,
}

impl Cause {
    /// Where to cut the source so that the value is cut there.
    fn cut(&self, before: &Int) -> Option<Int> {
        self.linear.as_ref().map(|(turned, offset)| match turned {
            false => before.sub(offset),
            // offset - source < before  iff  source >= offset - before + 1
            true => offset.sub(before).add(&Int::ONE),
        })
    }
}

/// What a value came from, each source once.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Causes(Option<Arc<[Cause]>>);

/// No value has more causes than this; the others are left out.
const MOST_CAUSES: usize = 64;

impl Causes {
    /// The value is what its source gave.
    pub fn source(source: Source) -> Causes {
        Causes(Some([Cause { source, linear: Some((false, Int::ZERO)), cuts: Vec::new() }].into()))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.0.iter().flat_map(|causes| causes.iter())
    }

    fn of(mut all: Vec<Cause>) -> Causes {
        if all.is_empty() {
            return Causes(None);
        }
        all.sort_unstable();
        all.dedup_by(|later, earlier| {
            let same = later.source == earlier.source;
            if same {
                if later.linear != earlier.linear {
                    earlier.linear = None;
                }
                earlier.cuts.append(&mut later.cuts);
                earlier.cuts.sort_unstable();
                earlier.cuts.dedup();
            }
            same
        });
        all.truncate(MOST_CAUSES);
        Causes(Some(all.into()))
    }

    /// What the first value is more than the second, if both came from one number in the same way.
    pub(super) fn difference(&self, other: &Causes) -> Option<Int> {
        self.iter().find_map(|a| {
            let (turned, offset) = a.linear.as_ref()?;
            let b = other.iter().find(|b| b.source == a.source)?;
            let (other_turned, other_offset) = b.linear.as_ref()?;
            (turned == other_turned).then(|| offset.sub(other_offset))
        })
    }

    /// Both together.
    pub(super) fn and(&self, other: &Causes) -> Causes {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            _ => Causes::of(self.iter().chain(other.iter()).cloned().collect()),
        }
    }

    /// The causes of something that depends on the value in another way.
    pub(super) fn blurred(&self) -> Causes {
        Causes::of(self.iter().map(|cause| Cause { linear: None, ..cause.clone() }).collect())
    }

    /// The causes of a decision about the value that would be made if it were cut before these numbers.
    pub fn deciding(&self, cuts: &[Int]) -> Causes {
        let decided = self.iter().map(|cause| {
            let mut all = cause.cuts.clone();
            all.extend(cuts.iter().filter_map(|before| cause.cut(before)));
            Cause { source: cause.source, linear: None, cuts: all }
        });
        Causes::of(decided.collect())
    }

    fn moved(&self, turn: bool, by: &Int) -> Causes {
        let moved = self.iter().map(|cause| {
            let linear = cause.linear.as_ref().map(|(turned, offset)| match turn {
                false => (*turned, offset.add(by)),
                true => (!turned, by.sub(offset)),
            });
            Cause { linear, ..cause.clone() }
        });
        Causes::of(moved.collect())
    }

    /// The causes of `by` minus the value.
    pub(super) fn turned(&self, by: &Int) -> Causes {
        self.moved(true, by)
    }

    /// The causes of the result of an operator.
    pub(super) fn of_binary(operator: Operator, a: &Value, b: &Value) -> Causes {
        match operator {
            Operator::Add | Operator::Subtract => {
                let minus = operator == Operator::Subtract;
                match (a.interval.as_point(), b.interval.as_point()) {
                    (_, Some(n)) if minus => a.causes.moved(false, &n.neg()),
                    (_, Some(n)) => a.causes.moved(false, n),
                    (Some(n), _) if minus => b.causes.moved(true, n),
                    (Some(n), _) => b.causes.moved(false, n),
                    _ => a.causes.blurred().and(&b.causes.blurred()),
                }
            }
            Operator::Equal
            | Operator::NotEqual
            | Operator::Less
            | Operator::LessEqual
            | Operator::Greater
            | Operator::GreaterEqual => {
                let left = a.causes.deciding(&cuts(operator, &b.interval));
                left.and(&b.causes.deciding(&cuts(mirrored(operator), &a.interval)))
            }
            _ => a.causes.blurred().and(&b.causes.blurred()),
        }
    }
}

fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessEqual => Operator::GreaterEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterEqual => Operator::LessEqual,
        other => other,
    }
}

/// Before which numbers the left side of a comparison is to be cut, so that it is decided on most sides of them.
fn cuts(operator: Operator, right: &Interval) -> Vec<Int> {
    let behind = |n: &Int| n.add(&Int::ONE);
    let (low, high) = (right.low(), right.high());
    let found = match operator {
        Operator::Less | Operator::GreaterEqual => [low.cloned(), high.cloned()],
        Operator::LessEqual | Operator::Greater => [low.map(behind), high.map(behind)],
        _ => [low.cloned(), high.map(behind)],
    };
    found.into_iter().flatten().collect()
}
