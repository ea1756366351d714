//! Equal stores and equal activations are one, by partition refinement.
//!
//! Two stores are equal if the module answers equally at both: to each call by the environment, and to each answer to an activation,
//! which must be able to wait at both or at neither. Two activations are equal if they can wait at the same stores, and the module
//! answers equally there. Answers are equal if the moves are, and what waits after them and the stores are equal. So whatever
//! activations wait on a stack, equal stores and equal activations can be put for each other.

use std::hash::Hash;

use agon_base::budget::{Budget, Stop};
use agon_base::id::number;
use agon_base::intern::Interner;
use rustc_hash::FxHashMap;

use super::recorded::{RawEdge, Resolved};
use super::{Given, Reply};

/// For each store and for each activation, the number of its class.
pub(super) struct Classes {
    pub(super) stores: Vec<u32>,
    pub(super) activations: Vec<u32>,
}

/// An edge from a store or from an activation, up to equality of what follows: the activation or the store at the other side, what
/// happens, and the reply.
type Seen = (Option<u32>, u32, u32);

/// The coarsest classes. Activations of different procedures, and activations that wait for different functions, are different from
/// the start: they are shown in different places.
pub(super) fn classes<K: Eq + Hash>(
    resolved: &Resolved,
    kinds: impl Fn(u32) -> K,
    budget: &Budget,
) -> Result<Classes, Stop> {
    let mut given: Interner<&Given> = Interner::default();
    let given: Vec<u32> = resolved.edges.iter().map(|edge| given.intern(&edge.given)).collect();
    let activations = resolved.activations.len();
    let mut first: Interner<K> = Interner::default();
    let mut classes = Classes {
        stores: vec![0; resolved.stores.len()],
        activations: (0..number(activations)).map(|n| first.intern(kinds(n))).collect(),
    };
    let mut count = (1, first.len());
    loop {
        budget.check()?;
        let mut replies: Interner<Reply<u32, u32>> = Interner::default();
        let mut at_stores: Vec<Vec<Seen>> = vec![Vec::new(); resolved.stores.len()];
        let mut at_activations: Vec<Vec<Seen>> = vec![Vec::new(); activations];
        for (RawEdge { waits, store, reply, .. }, given) in resolved.edges.iter().zip(&given) {
            let reply = replies.intern(classes.reply(reply));
            at_stores[*store as usize].push((*waits, *given, reply));
            if let Some(waits) = waits {
                at_activations[*waits as usize].push((Some(*store), *given, reply));
            }
        }
        let finer = Classes {
            stores: refined(&classes.stores, at_stores),
            activations: refined(&classes.activations, at_activations),
        };
        let now = (numbers(&finer.stores), numbers(&finer.activations));
        classes = finer;
        if now == count {
            return Ok(classes);
        }
        count = now;
    }
}

impl Classes {
    /// A reply up to equality.
    pub(super) fn reply(&self, reply: &Reply<u32, u32>) -> Reply<u32, u32> {
        let store = |store: &u32| self.stores[*store as usize];
        match reply {
            Reply::Moves(played, opens, at) => {
                let opens = opens.iter().map(|waits| self.activations[*waits as usize]).collect();
                Reply::Moves(played.clone(), opens, store(at))
            }
            Reply::Ends(value, at) => Reply::Ends(value.clone(), store(at)),
            Reply::Stops(played) => Reply::Stops(played.clone()),
            Reply::Diverges => Reply::Diverges,
        }
    }
}

/// Splits classes by what is seen of their members. Classes are numbered in the order of their first members.
fn refined(classes: &[u32], seen: Vec<Vec<Seen>>) -> Vec<u32> {
    let mut known: FxHashMap<(u32, Vec<Seen>), u32> = FxHashMap::default();
    let mut number = |(class, mut seen): (&u32, Vec<Seen>)| {
        seen.sort_unstable();
        let next = number(known.len());
        *known.entry((*class, seen)).or_insert(next)
    };
    classes.iter().zip(seen).map(&mut number).collect()
}

/// How many classes there are; they are numbered from 0.
fn numbers(classes: &[u32]) -> usize {
    classes.iter().max().map_or(0, |last| *last as usize + 1)
}
