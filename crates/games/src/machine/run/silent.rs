//! Silent steps: runs that never end are found out, and long ones remember their calls.

use std::sync::Arc;

use agon_base::explore::breadth_first;
use agon_base::id::{number, size};

use rustc_hash::FxHashMap;

use super::{Binding, Control, Executed, Frame, Machine, ScopeId, StackId};
use crate::machine::code::{Index, Pc};
use crate::machine::store::StoreId;
use crate::values::Domain;

/// What the machine does to save work. Every choice gives the same plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallMemo {
    /// After this many steps of one run, results of calls without a visible move are kept.
    pub remember_after: u64,
    /// Whether they are forgotten when the run is over.
    pub forget: bool,
}

impl Default for CallMemo {
    fn default() -> CallMemo {
        CallMemo { remember_after: 1 << 14, forget: false }
    }
}

/// Finds out that a run which makes no visible move will never make one: Brent's algorithm over loop heads.
#[derive(Default)]
pub(super) struct LoopWatch {
    saved: Option<(Pc, ScopeId, StackId, StoreId)>,
    seen: u64,
    until: u64,
}

impl LoopWatch {
    pub(super) fn new() -> LoopWatch {
        LoopWatch { saved: None, seen: 0, until: 16 }
    }
}

/// Calls that P made without a visible move, remembered by the closure and the cells that it can reach, once a run
/// gets long: a definition that uses another twice, and so on thirty times over, then takes thirty calls and not a
/// billion.
pub(super) struct SilentCalls<V> {
    /// The steps of the run so far.
    pub(super) steps: u64,
    results: FxHashMap<Call, (V, Box<[u64]>)>,
    /// The calls under way, with the stack to which they will return.
    pub(super) open: Vec<(StackId, Call)>,
    /// The cells that a scope can reach, by offset and width; none if they are many.
    reachable: FxHashMap<ScopeId, Option<Cells>>,
}

impl<V> SilentCalls<V> {
    /// A new run begins.
    pub(super) fn begin(&mut self, memo: CallMemo) {
        self.steps = 0;
        self.open.clear();
        if memo.forget {
            self.results.clear();
        }
    }
}

impl<V> Default for SilentCalls<V> {
    fn default() -> SilentCalls<V> {
        SilentCalls {
            steps: 0,
            results: FxHashMap::default(),
            open: Vec::new(),
            reachable: FxHashMap::default(),
        }
    }
}

/// Cells, by offset and width.
type Cells = Arc<[(u32, u32)]>;

/// A closure, and what the cells that it can reach hold.
type Call = (Pc, ScopeId, Box<[u64]>);

/// No more calls than this are remembered.
const MOST_CALLS: usize = 1 << 18;
/// Calls that can reach more cells than this are not remembered.
const MOST_CELLS: u64 = 64;

impl<D: Domain> Machine<D> {
    pub(super) fn loop_head(&mut self) -> Executed<D::Value> {
        let Control { pc, scope, stack, height, .. } = self.control;
        self.forks.looped = true;
        if self.forks.forked {
            let store = self.stores.fold(&mut self.store, height as usize);
            return if self.forks.heads.insert((pc, scope, stack, store)) {
                Executed::Silent
            } else {
                Executed::Dead
            };
        }
        // A run that is made again ended when it was made first.
        if self.forks.is_scripted() {
            return Executed::Silent;
        }
        self.watch.seen += 1;
        // The first rounds of a loop are not worth looking at.
        if self.watch.until == 16 && self.watch.seen < 16 {
            return Executed::Silent;
        }
        let now = (pc, scope, stack, self.stores.fold(&mut self.store, height as usize));
        if self.watch.saved == Some(now) {
            return Executed::Dead;
        }
        if self.watch.seen >= self.watch.until {
            self.watch = LoopWatch { saved: Some(now), seen: 0, until: self.watch.until * 2 };
        }
        Executed::Silent
    }

    /// In a long run, a call that was made before with the same cells is not made again.
    pub(super) fn remembered(&mut self, entry: Pc, scope: ScopeId, pc: Pc) -> Executed<D::Value> {
        // Only plain calls: nothing but a value is asked for.
        if !matches!(self.frame(self.control.stack), Frame::Return { .. }) {
            return Executed::Silent;
        }
        let Some(cells) = self.reachable(scope) else { return Executed::Silent };
        let call = (entry, scope, self.contents(&cells));
        if let Some((value, after)) = self.silent.results.get(&call) {
            self.control.acc = value.clone();
            for ((offset, width), bits) in cells.iter().zip(after) {
                self.store.set(*offset as usize, *width, *bits);
            }
            return self.come_back(pc);
        }
        self.silent.open.push((self.control.stack, call));
        Executed::Silent
    }

    /// The calls that return with the value in the accumulator to the present stack are done.
    pub(super) fn remember(&mut self) {
        while let Some((stack, _)) = self.silent.open.last() {
            if *stack != self.control.stack {
                return;
            }
            let Some((_, call)) = self.silent.open.pop() else { return };
            if let (Some(cells), true) = (self.reachable(call.1), self.silent.results.len() < MOST_CALLS) {
                let after = self.contents(&cells);
                self.silent.results.insert(call, (self.control.acc.clone(), after));
            }
        }
    }

    fn contents(&self, cells: &[(u32, u32)]) -> Box<[u64]> {
        cells.iter().map(|(offset, width)| self.store.get(*offset as usize, *width)).collect()
    }

    /// The cells that a closure can reach through its scope; nothing if they are many, or if it could jump.
    fn reachable(&mut self, scope: ScopeId) -> Option<Cells> {
        if let Some(known) = self.silent.reachable.get(&scope) {
            return known.clone();
        }
        let mut cells = Vec::new();
        let mut seen = vec![scope];
        let mut few = true;
        // Whether they are few is known when the first scope with many was visited.
        let _ = breadth_first(&mut seen, |seen, next| {
            let scope = seen[next as usize];
            for index in 0..self.scopes.len(scope) {
                match self.scopes.get(scope, Index(index)) {
                    Binding::Closure { scope, .. } => {
                        if !seen.contains(&scope) {
                            seen.push(scope);
                        }
                    }
                    Binding::Cell { slot, offset, .. } => {
                        let width = self.widths[slot.index()];
                        let count = self.domain.cells(&self.code.slots[slot.index()]);
                        few &= count <= MOST_CELLS;
                        for n in 0..number(size(count.min(MOST_CELLS))) {
                            cells.push((offset + n * width, width));
                        }
                    }
                    Binding::Free(_) | Binding::Given { .. } | Binding::Label { .. } => {}
                }
            }
            few &= cells.len() <= 4 * size(MOST_CELLS) && seen.len() <= 4 * size(MOST_CELLS);
            if few { Ok(()) } else { Err(()) }
        });
        cells.sort_unstable();
        cells.dedup();
        let found = (few && cells.len() <= size(MOST_CELLS)).then(|| cells.into());
        self.silent.reachable.insert(scope, found.clone());
        found
    }
}
