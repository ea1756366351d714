//! What positions are made of: the control, frames of its stack, bindings, and questions.

use agon_base::id::{halves, pair};

use crate::arena::ComponentId;
use crate::machine::code::{DataId, Pc, SlotId};
use crate::machine::store::StoreId;

/// A position where it is O's turn: the control and the store, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct State(pub u64);

impl State {
    pub(super) fn new(stack: StackId, store: StoreId) -> State {
        State(pair(stack.0, store.0))
    }

    /// The control.
    pub(super) fn stack(self) -> StackId {
        StackId(halves(self.0).0)
    }

    pub(super) fn store(self) -> StoreId {
        StoreId(halves(self.0).1)
    }
}

agon_base::id! {
    pub(super) ScopeId;
    pub(super) StackId;
    /// The place of a thread in the tree of threads; there is only the first in a sequential program.
    pub StrandId;
}

/// The stack of a machine that was not opened yet.
pub(super) const CLOSED: StackId = StackId(0);

/// The control of a running machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Control<V> {
    pub(super) pc: Pc,
    pub(super) scope: ScopeId,
    pub(super) stack: StackId,
    /// How many bits of the store are in use.
    pub(super) height: u32,
    /// The choices made so far.
    pub(super) trail: u32,
    pub(super) acc: V,
}

/// What a variable stands for at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Binding {
    Closure {
        entry: Pc,
        scope: ScopeId,
    },
    Cell {
        slot: SlotId,
        strand: StrandId,
        offset: u32,
    },
    Free(ComponentId),
    /// What O gave when it called a procedure, in the strand that runs the call.
    Given {
        component: ComponentId,
        strand: StrandId,
    },
    Label {
        stack: StackId,
        restart: Option<Pc>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Frame {
    /// Not opened.
    Closed,
    /// A module without an activation. Its cells are laid out as a scope says, in halves of this many bits.
    Outside {
        scope: ScopeId,
        bits: u32,
    },
    Return {
        pc: Pc,
        scope: ScopeId,
        height: u32,
    },
    Argument(Binding),
    Read,
    Write {
        slot: SlotId,
        offset: u32,
    },
    Element {
        slot: SlotId,
        offset: u32,
    },
    Grab,
    Release,
    /// Two strands are waited for.
    Join,
    /// What is read or written below is brought in range.
    Wrap(DataId),
    /// The value that comes back is brought in range.
    WrapResult(DataId),
    /// P has asked and waits; with the answer it goes on at a place.
    Wait {
        pc: Pc,
        scope: ScopeId,
        height: u32,
        question: u32,
    },
    /// P was paused on its way, and will go on at a place.
    Pause {
        pc: Pc,
        scope: ScopeId,
        height: u32,
    },
    /// O has asked for an argument of the question below, and P will answer.
    Reply {
        component: ComponentId,
        element: Option<u32>,
        height: u32,
        answer: Answer,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Answer {
    Done,
    Value,
    Ok,
}

/// A question of P's that waits for O's answer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Question<V> {
    pub(super) component: ComponentId,
    /// The strand in which O gave the identifier that is asked, if O did.
    pub(super) giver: Option<StrandId>,
    /// Which of the questions open there at once; 0 in a sequential program.
    pub(super) thread: u32,
    pub(super) element: Option<V>,
    pub(super) answer: Answer,
    pub(super) arguments: Box<[Binding]>,
}
