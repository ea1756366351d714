//! Forks: where a run over abstract values has more than one branch.

use std::collections::HashSet;
use std::hash::Hash;

use agon_base::id::number;

use super::{Control, Reaction, ScopeId, StackId};
use crate::machine::code::Pc;
use crate::machine::store::{Store, StoreId};

/// The branches that a run has left open, and the choices that it has made.
pub(super) struct Forks<V> {
    /// The branches that are still to be followed.
    pub(super) alternatives: Vec<(Control<V>, Store)>,
    /// What P does at once in some branches.
    pub(super) found: Vec<Reaction<V>>,
    pub(super) forked: bool,
    /// Where branches were left open; none is followed twice.
    pub(super) taken: HashSet<(Pc, ScopeId, StackId, V, StoreId)>,
    /// The run has passed the head of a loop, so that a path may lead to where it was before.
    pub(super) looped: bool,
    /// Some path led to no move of P's.
    pub(super) dead_end: bool,
    /// Loop heads that were passed since the run forked.
    pub(super) heads: HashSet<(Pc, ScopeId, StackId, StoreId)>,
    /// Choices: those before, the outcome, and what it was about. The first entry stands for none.
    trails: Vec<(u32, u32, Option<V>)>,
    /// The choices that the run is to take, last first.
    script: Option<Vec<u32>>,
    /// Paths are followed one by one.
    listed: Option<Listed>,
}

/// The path of a run: which outcome each undecided operation has, and of how many.
#[derive(Default)]
struct Listed {
    choices: Vec<(u32, u32)>,
    /// How many of them were met.
    met: usize,
}

impl<V> Default for Forks<V> {
    fn default() -> Forks<V> {
        Forks {
            alternatives: Vec::new(),
            found: Vec::new(),
            forked: false,
            dead_end: false,
            heads: HashSet::new(),
            taken: HashSet::new(),
            looped: false,
            trails: vec![(0, 0, None)],
            script: None,
            listed: None,
        }
    }
}

impl<V: Clone + Eq + Hash> Forks<V> {
    pub(super) fn begin(&mut self, script: Option<&[u32]>) {
        self.script = script.map(|choices| choices.iter().rev().copied().collect());
        if self.forked {
            self.alternatives.clear();
            self.found.clear();
            self.heads.clear();
            self.taken.clear();
            self.trails.truncate(1);
            self.forked = false;
        }
        self.dead_end = false;
        self.looped = false;
    }

    /// From here on paths are followed one by one; this is the first, or one with these choices to begin with.
    pub(super) fn list(&mut self, choices: &[u32]) {
        self.begin(None);
        self.listed = Some(Listed { choices: choices.iter().map(|n| (*n, 0)).collect(), met: 0 });
    }

    /// Paths are no longer followed one by one.
    pub(super) fn unlist(&mut self) {
        self.listed = None;
    }

    /// The choices on the path that was followed.
    pub(super) fn way(&self) -> Box<[u32]> {
        let listed = self.listed.iter().flat_map(|listed| &listed.choices[..listed.met]);
        listed.map(|(choice, _)| *choice).collect()
    }

    /// Turns to the next path, if there is another.
    pub(super) fn next_way(&mut self) -> bool {
        self.begin(None);
        let Some(listed) = &mut self.listed else { return false };
        listed.choices.truncate(listed.met);
        listed.met = 0;
        let last = listed.choices.iter().rposition(|(choice, of)| choice + 1 < *of);
        listed.choices.truncate(last.map_or(0, |last| last + 1));
        listed.choices.last_mut().map(|(choice, _)| *choice += 1).is_some()
    }

    /// Another strand runs.
    pub(super) fn pass(&mut self) {
        self.heads.clear();
    }

    /// The next choice of the script, of this many; none if there is no script.
    pub(super) fn scripted(&mut self, of: usize) -> Option<usize> {
        if let Some(listed) = &mut self.listed {
            self.forked = true;
            if listed.met == listed.choices.len() {
                listed.choices.push((0, 0));
            }
            let choice = &mut listed.choices[listed.met];
            choice.1 = number(of);
            listed.met += 1;
            return Some(choice.0 as usize);
        }
        // A script that ends too early is one for another domain: any choice is as good.
        self.script.as_mut().map(|script| script.pop().unwrap_or(0) as usize)
    }

    /// The choices of the script that were not taken yet.
    pub(super) fn script_left(&self) -> Vec<u32> {
        self.script.iter().flatten().rev().copied().collect()
    }

    pub(super) fn is_scripted(&self) -> bool {
        self.script.is_some()
    }

    pub(super) fn chosen(&mut self, before: u32, outcome: usize, about: &Option<V>) -> u32 {
        self.forked = true;
        self.trails.push((before, number(outcome), about.clone()));
        number(self.trails.len()) - 1
    }

    /// The choices of a trail, and what the first was about.
    pub(super) fn retrace(&self, trail: u32) -> (Box<[u32]>, Option<V>) {
        let mut choices = Vec::new();
        let mut about = None;
        let mut at = trail;
        while at != 0 {
            let (before, outcome, marker) = &self.trails[at as usize];
            choices.push(*outcome);
            about.clone_from(marker);
            at = *before;
        }
        choices.reverse();
        (choices.into(), about)
    }

    /// Paths with the same result are one; if all have it, it is certain.
    pub(super) fn settle(&self, reactions: &mut Vec<Reaction<V>>, from: usize) {
        let mut kept = from;
        for n in from..reactions.len() {
            let known = reactions[from..kept]
                .iter()
                .any(|known| known.next == reactions[n].next && known.label == reactions[n].label);
            if !known {
                reactions.swap(kept, n);
                kept += 1;
            }
        }
        reactions.truncate(kept);
        if kept == from + 1 && !self.dead_end {
            reactions[from].how.certain = true;
        }
    }
}
