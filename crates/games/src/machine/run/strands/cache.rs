//! What strands do next, known by what it depends on.
//!
//! What a strand may do depends on itself and on little else: on the strand whose cells it touches, on whether the other
//! half of its `||` is done, on which thread numbers are taken. All this is looked at in an order that follows from what
//! was seen so far, so what is known is a tree of such dependencies with steps at its leaves. It only ever grows, and a copy
//! catches up by what has been added.

use std::ops::Range;

use agon_base::growth::Growth;
use agon_base::id::number;
use rustc_hash::FxHashMap;

use super::{Lettered, StrandId};
use crate::arena::ComponentId;
use crate::machine::store::StoreId;
use crate::strategy::Step;

agon_base::id! {
    /// A strand with its control and its cells. A position is a list of these, by strand.
    pub PieceId;
}

/// A strand of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) strand: StrandId,
    pub(super) rest: u32,
    pub(super) segment: StoreId,
    /// The strand above.
    pub(super) parent: StrandId,
    /// Whether it has paused only because it has run for long.
    pub(super) yielded: bool,
    /// The question that it waits for, where it was asked, and its number there.
    pub(super) asked: Option<(ComponentId, Option<StrandId>, u32)>,
    /// Its place among the threads of one argument, where these are interchangeable.
    pub(super) sibling: Option<Sibling>,
}

/// The place of a thread among those that O has opened in one argument of one question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sibling {
    /// The argument, by number.
    pub(super) group: u32,
    /// Which of its threads, counted from 0.
    pub(super) slot: u32,
    /// Whether nothing names the thread itself: another one could be in its place.
    pub(super) free: bool,
}

/// Something outside of a strand that its steps depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::machine::run) enum Dependency {
    /// Another strand, with its cells.
    Strand(StrandId),
    /// The control of another strand.
    Control(StrandId),
    /// Whether another strand is there.
    Presence(StrandId),
    /// The lowest number that no question open at a place has.
    Number(ComponentId, Option<StrandId>),
    /// Which strand is the next below this one, behind another.
    Below(StrandId, StrandId),
}

/// A step that is known: the number of its move, the stretch of the changes that it makes, and how it came about, by
/// number.
pub(in crate::machine) type CachedStep = Step<Option<u32>, (u32, u32), u32>;

/// Not a piece: the strand is done.
pub(super) const GONE: PieceId = PieceId::MAX;
const UNKNOWN: u32 = u32::MAX;

/// Whether a strand makes a move that comes before everything else: see [`super::Strands::hurrying`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::machine) enum Urgency {
    /// Nobody has looked.
    Open,
    Urgent,
    Ordinary,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Node {
    Dependency(Dependency),
    /// A stretch of the steps.
    Steps(u32, u32),
}

/// All that is known.
#[derive(Default)]
pub struct TransitionCache {
    pieces: Vec<Piece>,
    /// The strand of each piece, once more: all that most transitions need of it.
    strands: Vec<StrandId>,
    nodes: Vec<Node>,
    /// Where the tree of each piece begins.
    roots: Vec<u32>,
    /// Whether some moves come first, and which pieces have these, as far as they have trees.
    pub(super) hurries: bool,
    urgencies: Vec<Urgency>,
    /// What O may do before the play begins.
    opening: Option<(u32, u32)>,
    /// The pieces that have trees, as they got them.
    rooted: Vec<PieceId>,
    /// Where to go on from a node, given what was seen.
    branches: FxHashMap<u64, u32>,
    growth: Growth,
    /// The branches, as they were added.
    grown: Vec<(u64, u32)>,
    steps: Vec<CachedStep>,
    changes: Vec<(StrandId, PieceId)>,
    /// The interchangeable threads of each argument, by slot, and how each of them looks in another's place.
    groups: Vec<Vec<StrandId>>,
    twins: FxHashMap<(StrandId, u32, StoreId), PieceId>,
    /// Whether some argument had several threads at once.
    crowded: bool,
}

fn branch(node: u32, seen: u32) -> u64 {
    (u64::from(node) << 32) | u64::from(seen)
}

impl TransitionCache {
    pub(super) fn piece(&self, id: PieceId) -> &Piece {
        &self.pieces[id.index()]
    }

    /// The strand of a piece.
    pub(in crate::machine) fn strand(&self, id: PieceId) -> StrandId {
        self.strands[id.index()]
    }

    /// Whether a strand has paused only because it has run for long: others come first.
    pub(in crate::machine) fn has_yielded(&self, id: PieceId) -> bool {
        self.piece(id).yielded
    }

    /// Whether some moves come first.
    pub(in crate::machine) fn hurries(&self) -> bool {
        self.hurries
    }

    /// Whether a strand makes a move that comes first.
    pub(in crate::machine) fn urgency(&self, id: PieceId) -> Urgency {
        self.urgencies[id.index()]
    }

    /// Whether it has all pieces of a position.
    pub(in crate::machine) fn knows(&self, position: &[PieceId]) -> bool {
        position.iter().all(|id| id.index() < self.pieces.len())
    }

    /// Adds a piece; it is the next in number.
    pub(super) fn add(&mut self, piece: Piece) {
        self.roots.push(UNKNOWN);
        self.urgencies.push(Urgency::Open);
        self.enrol(PieceId(number(self.pieces.len())), &piece);
        self.strands.push(piece.strand);
        self.pieces.push(piece);
    }

    /// Remembers a thread that is interchangeable with others.
    fn enrol(&mut self, id: PieceId, piece: &Piece) {
        let Some(Sibling { group, slot, free }) = piece.sibling else { return };
        if self.groups.len() <= group as usize {
            self.groups.resize_with(group as usize + 1, Vec::new);
        }
        let threads = &mut self.groups[group as usize];
        // The lowest slot is used first, so there are no gaps.
        if threads.len() == slot as usize {
            threads.push(piece.strand);
            self.crowded |= slot > 0;
        }
        if free {
            self.twins.insert((piece.strand, piece.rest, piece.segment), id);
        }
    }

    /// The threads of an argument, by slot.
    pub(super) fn threads_of(&self, group: u32) -> &[StrandId] {
        self.groups.get(group as usize).map_or(&[], |threads| &threads[..])
    }

    /// What a look sees in a position.
    fn see(&self, look: Dependency, position: &[PieceId]) -> u32 {
        let find = |strand: StrandId| position.iter().find(|id| self.strand(**id) == strand);
        match look {
            Dependency::Strand(strand) => find(strand).map_or(0, |id| 1 + id.0),
            Dependency::Control(strand) => find(strand).map_or(0, |id| 1 + self.piece(*id).rest),
            Dependency::Presence(strand) => u32::from(find(strand).is_some()),
            Dependency::Number(component, giver) => {
                let taken = |number| {
                    position.iter().any(|id| self.piece(*id).asked == Some((component, giver, number)))
                };
                (1..).find(|number| !taken(*number)).unwrap_or(1)
            }
            Dependency::Below(strand, behind) => {
                let pieces = position.iter().map(|id| self.piece(*id));
                let mut below = pieces.filter(|piece| piece.parent == strand && piece.strand > behind);
                below.next().map_or(0, |piece| piece.strand.0)
            }
        }
    }

    /// What one strand of a position may do, if that is known.
    pub(in crate::machine) fn steps(&self, position: &[PieceId], at: usize) -> Option<Range<usize>> {
        let Some(piece) = position.get(at) else {
            return self.opening.map(|(first, end)| first as usize..end as usize);
        };
        let mut node = self.roots[piece.index()];
        while node != UNKNOWN {
            match self.nodes[node as usize] {
                Node::Steps(first, end) => return Some(first as usize..end as usize),
                Node::Dependency(look) => {
                    let seen = self.see(look, position);
                    node = self.branches.get(&branch(node, seen)).copied().unwrap_or(UNKNOWN);
                }
            }
        }
        None
    }

    /// A stretch of the steps.
    pub(in crate::machine) fn stretch(&self, steps: Range<usize>) -> &[CachedStep] {
        &self.steps[steps]
    }

    /// Adds what becomes known: the steps of a strand, and what was looked at to know them.
    pub(super) fn learn(
        &mut self,
        position: &[PieceId],
        at: usize,
        dependencies: &[Dependency],
        urgent: bool,
        steps: impl IntoIterator<Item = (Lettered, u32)>,
    ) -> Range<usize> {
        let first = number(self.steps.len());
        for (Step { label, next, origin, .. }, how) in steps {
            let next = next.map(|changes| {
                let start = number(self.changes.len());
                self.changes.extend(changes);
                (start, number(self.changes.len()))
            });
            self.steps.push(Step { label, next, origin, how });
        }
        let end = number(self.steps.len());
        let found = first as usize..end as usize;
        if position.is_empty() {
            self.opening = Some((first, end));
            return found;
        }
        let urgency = if urgent { Urgency::Urgent } else { Urgency::Ordinary };
        let before = std::mem::replace(&mut self.urgencies[position[at].index()], urgency);
        // It must not depend on the order in which positions are visited.
        assert!(before == Urgency::Open || before == urgency, "urgency follows from the strand alone");
        let mut parent: Option<(u32, u32)> = None;
        let leaf = Node::Steps(first, end);
        for node in dependencies.iter().map(|look| Node::Dependency(*look)).chain([leaf]) {
            let known = match parent {
                None => self.roots[position[at].index()],
                Some((node, seen)) => self.branches.get(&branch(node, seen)).copied().unwrap_or(UNKNOWN),
            };
            let id = if known == UNKNOWN { number(self.nodes.len()) } else { known };
            if known == UNKNOWN {
                self.nodes.push(node);
                match parent {
                    None => {
                        self.roots[position[at].index()] = id;
                        self.rooted.push(position[at]);
                    }
                    Some((node, seen)) => {
                        self.watch_growth();
                        self.branches.insert(branch(node, seen), id);
                        self.grown.push((branch(node, seen), id));
                    }
                }
            }
            // Otherwise steps would be remembered for positions where the machine takes others.
            assert_eq!(self.nodes[id as usize], node, "what is looked at follows from what was seen");
            if let Node::Dependency(look) = node {
                parent = Some((id, self.see(look, position)));
            }
        }
        found
    }

    /// Whether a stretch of the steps is what the machine does.
    pub(super) fn is_what(&self, known: Range<usize>, done: &[Lettered]) -> bool {
        let known = &self.steps[known];
        known.len() == done.len()
            && known.iter().zip(done).all(|(known, done)| {
                (known.label, known.origin) == (done.label, done.origin)
                    && known.next.map(|changes| self.changes(changes)) == done.next.as_deref()
            })
    }

    fn changes(&self, (first, end): (u32, u32)) -> &[(StrandId, PieceId)] {
        &self.changes[first as usize..end as usize]
    }

    fn watch_growth(&mut self) {
        let entry = size_of::<(u64, u32)>() + 1;
        self.growth.watch(self.branches.len(), self.branches.capacity(), self.branches.capacity() * entry);
    }

    /// What a step makes of a position, unless the play is complete. Of positions in which interchangeable threads have
    /// changed places, one stands for all.
    #[inline]
    pub(in crate::machine) fn after(
        &self,
        position: &[PieceId],
        step: &CachedStep,
        next: &mut Vec<PieceId>,
    ) -> bool {
        let Some(changes) = step.next else { return false };
        self.change(position, self.changes(changes), next);
        if self.crowded && !self.is_in_order(next) {
            self.exchange(next);
        }
        true
    }

    /// Whether interchangeable threads are in order, and in the lowest slots that are free. Within a group, strands have
    /// the order of their slots.
    #[inline(never)]
    fn is_in_order(&self, position: &[PieceId]) -> bool {
        for (at, id) in position.iter().enumerate() {
            let piece = self.piece(*id);
            let Some(Sibling { group, slot, free: true }) = piece.sibling else { continue };
            let mut lower = 0;
            let mut before = None;
            for id in position[..at].iter().rev() {
                let other = self.piece(*id);
                if let Some(sibling) = other.sibling
                    && sibling.group == group
                {
                    lower += 1;
                    if sibling.free && before.is_none() {
                        before = Some((other.rest, other.segment));
                    }
                }
            }
            if lower != slot || before.is_some_and(|before| before > (piece.rest, piece.segment)) {
                return false;
            }
        }
        true
    }

    /// What a step changes.
    pub(super) fn changes_of(&self, step: &CachedStep) -> &[(StrandId, PieceId)] {
        step.next.map_or(&[], |changes| self.changes(changes))
    }

    /// Puts interchangeable threads in order, in the lowest slots that are free. Says which strand went where.
    pub(super) fn exchange(&self, position: &mut [PieceId]) -> Vec<(StrandId, StrandId)> {
        let mut moved = Vec::new();
        let sibling = |id: PieceId| self.piece(id).sibling;
        let mut done: Vec<u32> = Vec::new();
        for at in 0..position.len() {
            let Some(Sibling { group, free: true, .. }) = sibling(position[at]) else { continue };
            if done.contains(&group) {
                continue;
            }
            done.push(group);
            let of_group = |id: &PieceId| sibling(*id).filter(|other| other.group == group);
            let mut free: Vec<usize> = (at..position.len())
                .filter(|at| of_group(&position[*at]).is_some_and(|sibling| sibling.free))
                .collect();
            let places = free.clone();
            let key = |at: &usize| {
                let piece = self.piece(position[*at]);
                (piece.rest, piece.segment)
            };
            free.sort_by_key(key);
            let is_taken = |slot: u32| {
                let mut others = position.iter().filter_map(of_group);
                others.any(|other| !other.free && other.slot == slot)
            };
            let slots: Vec<u32> = (0..).filter(|slot| !is_taken(*slot)).take(free.len()).collect();
            let twins: Vec<PieceId> = free
                .iter()
                .zip(slots)
                .map(|(from, slot)| {
                    let Piece { strand, rest, segment, .. } = *self.piece(position[*from]);
                    let to = self.groups[group as usize][slot as usize];
                    if to != strand {
                        moved.push((strand, to));
                    }
                    self.twins[&(to, rest, segment)]
                })
                .collect();
            places.into_iter().zip(twins).for_each(|(at, twin)| position[at] = twin);
        }
        if !moved.is_empty() {
            position.sort_by_key(|id| self.piece(*id).strand);
        }
        moved
    }

    /// What changes make of a position.
    pub(super) fn change(
        &self,
        position: &[PieceId],
        changes: &[(StrandId, PieceId)],
        next: &mut Vec<PieceId>,
    ) {
        let mut changes = changes.iter().peekable();
        next.clear();
        for id in position {
            let strand = self.strand(*id);
            while let Some((_, piece)) = changes.next_if(|(changed, _)| *changed < strand) {
                next.extend((*piece != GONE).then_some(piece));
            }
            match changes.next_if(|(changed, _)| *changed == strand) {
                Some((_, piece)) => next.extend((*piece != GONE).then_some(piece)),
                None => next.push(*id),
            }
        }
        next.extend(changes.map(|(_, piece)| piece).filter(|piece| **piece != GONE));
    }

    /// Learns all that another has learned since.
    pub(in crate::machine) fn catch_up(&mut self, other: &TransitionCache) {
        (self.opening, self.hurries) = (other.opening, other.hurries);
        for id in self.pieces.len()..other.pieces.len() {
            self.enrol(PieceId(number(id)), &other.pieces[id]);
        }
        self.pieces.extend_from_slice(&other.pieces[self.pieces.len()..]);
        self.strands.extend_from_slice(&other.strands[self.strands.len()..]);
        self.nodes.extend_from_slice(&other.nodes[self.nodes.len()..]);
        self.steps.extend_from_slice(&other.steps[self.steps.len()..]);
        self.changes.extend_from_slice(&other.changes[self.changes.len()..]);
        self.roots.resize(self.pieces.len(), UNKNOWN);
        self.urgencies.resize(self.pieces.len(), Urgency::Open);
        let rooted = &other.rooted[self.rooted.len()..];
        for piece in rooted {
            self.roots[piece.index()] = other.roots[piece.index()];
            self.urgencies[piece.index()] = other.urgencies[piece.index()];
        }
        self.rooted.extend_from_slice(rooted);
        self.watch_growth();
        let grown = &other.grown[self.grown.len()..];
        self.branches.extend(grown.iter().copied());
        self.grown.extend_from_slice(grown);
    }

    /// The memory that it takes, in bytes.
    pub(in crate::machine) fn memory(&self) -> usize {
        self.pieces.capacity() * size_of::<Piece>()
            + self.strands.capacity() * size_of::<StrandId>()
            + self.nodes.capacity() * size_of::<Node>()
            + (self.roots.capacity() + self.rooted.capacity()) * size_of::<u32>()
            + self.urgencies.capacity() * size_of::<Urgency>()
            + self.branches.capacity() * (size_of::<(u64, u32)>() + 1)
            + self.grown.capacity() * size_of::<(u64, u32)>()
            + self.steps.capacity() * size_of::<CachedStep>()
            + self.changes.capacity() * size_of::<(StrandId, PieceId)>()
    }
}

#[cfg(test)]
impl TransitionCache {
    /// Plants a mistake: every step is remembered as the end of the play.
    pub(in crate::machine) fn plant_mistake(&mut self) {
        self.steps.iter_mut().for_each(|step| step.next = None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(strand: u32) -> Piece {
        Piece {
            strand: StrandId(strand),
            rest: 0,
            segment: StoreId(0),
            parent: StrandId(0),
            yielded: false,
            asked: None,
            sibling: None,
        }
    }

    #[test]
    #[should_panic(expected = "what is looked at follows from what was seen")]
    fn what_depends_on_something_else_than_before_is_not_remembered() {
        let mut known = TransitionCache::default();
        known.add(piece(1));
        known.add(piece(2));
        known.learn(&[0, 1].map(PieceId), 0, &[Dependency::Presence(StrandId(2))], false, Vec::new());
        known.learn(&[PieceId(0)], 0, &[Dependency::Strand(StrandId(2))], false, Vec::new());
    }
}
