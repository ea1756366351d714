//! The instructions of the machine.

use std::collections::HashMap;
use std::sync::Arc;

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::{Check, Watch};
use agon_core::module::{self, Module, ProcedureId};
use agon_core::term::{Operator, TermId, Unary, VarId};
use agon_core::types::Data;

use crate::arena::{ComponentId, Role, Roles};
use crate::values::{CellId, Slot};

agon_base::id! {
    /// The place of an instruction.
    pub Pc;
}

/// At this place there is always a `Return`.
pub(super) const RETURN: Pc = Pc(0);
/// At this place there is always an `Enter` of the first variable of the scope.
pub(super) const ENTER_FIRST: Pc = Pc(1);

/// At this place there is always an `Abort`.
pub(super) const ABORT: Pc = Pc(2);

/// A compiled program: immutable, to be shared by any number of machines.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub(super) instructions: Vec<Instruction>,
    /// Where each instruction comes from.
    pub(super) spans: Vec<Span>,
    pub(super) closures: Vec<Closure>,
    pub(super) formulas: Vec<Formula>,
    pub(super) slots: Vec<Slot>,
    pub(super) data: Vec<Data>,
    /// For each component with data, the slot that holds a value on its way.
    pub(super) component_slots: Vec<Option<SlotId>>,
    /// The slot that holds an index on its way.
    pub(super) index_slot: SlotId,
    /// For each component of whose answers something is assumed, where that is looked at: acc is the answer, and then is returned.
    pub(super) assumed: HashMap<ComponentId, Pc>,
    /// The declarations of cells and arrays.
    pub(super) cells: Vec<Cell>,
    pub(super) entry: Pc,
    /// Whether threads may run at once.
    pub(super) threaded: bool,
    /// Whether some cell holds any integer.
    pub(super) unbounded_cells: bool,
    /// For each term where its own code begins and ends, if it was compiled.
    pub(super) places: Vec<Option<(Pc, Pc)>>,
    /// For the entry of each closure, the term it is the code of.
    pub(super) entries: HashMap<Pc, Span>,
    /// The checks of instructions that may fail; of those that evaluate a formula, its own checks are left out.
    pub(super) failing: HashMap<Pc, Check>,
    /// Where an instruction decides a check: passing it without failing, the check holds.
    pub(super) deciding: Vec<(Pc, Check)>,
    /// Which checks count. Where another one fails, the run makes no further move.
    pub(super) watch: Watch,
    /// What only the code of a module has.
    pub(super) module: Option<Arc<ModuleCode>>,
}

/// What only the code of a module has.
#[derive(Clone, Debug)]
pub(super) struct ModuleCode {
    /// The module.
    pub module: Arc<Module>,
    /// What each component is.
    pub roles: Roles,
    /// The private procedures that the environment may come to know. Each has a bit in the first cells of the module.
    pub escapable: Vec<ProcedureId>,
    /// The components whose values are those of a cell.
    pub linked: Vec<(ComponentId, CellId)>,
    /// The cells that hold names of functions.
    pub names: Vec<CellId>,
    /// The cells and arrays of the module, as they stand in the scope, with what they hold at first.
    pub cells: Vec<(SlotId, Vec<Int>)>,
    /// The procedures.
    pub procedures: Vec<ProcedureCode>,
}

/// A procedure of a module.
#[derive(Clone, Debug, Default)]
pub(super) struct ProcedureCode {
    /// Where its body begins, with its parameters in scope.
    pub entry: Pc,
    /// Where a call by the environment begins.
    pub opened: Pc,
    /// Where its body begins if the environment calls it, and something is assumed of the arguments.
    pub assumed: Option<Pc>,
    /// Where a call begins that is summarised.
    pub summarised: Option<Pc>,
    /// For each parameter, the slot of an argument on its way and that of the cell.
    pub parameters: Vec<(SlotId, SlotId)>,
    /// The cells that are not parameters.
    pub locals: Vec<SlotId>,
    /// The procedures that run on its stack.
    pub callees: Vec<ProcedureId>,
    /// The most values that are on their way at once.
    pub saved: u32,
}

impl Code {
    /// Where an instruction comes from.
    pub fn span(&self, pc: Pc) -> Span {
        self.spans.get(pc.index()).copied().unwrap_or_default()
    }

    /// The argument whose code begins at a place.
    pub(crate) fn argument(&self, entry: Pc) -> Option<Span> {
        self.entries.get(&entry).copied()
    }

    /// The program's own cells and arrays, as they are declared.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The components whose values are those of a cell of the module.
    pub(crate) fn linked(&self) -> impl Iterator<Item = (ComponentId, CellId)> + '_ {
        self.module.iter().flat_map(|module| module.linked.iter().copied())
    }

    /// The declaration of a cell of a module.
    pub fn module_cell(&self, id: module::CellId) -> Option<CellId> {
        let module = self.module.as_ref()?;
        let (slot, _) = module.cells.get(module.escapable.len() + id.index())?;
        self.slots[slot.index()].cell
    }

    /// The declaration of a cell of an activation, unless it holds an intermediate result.
    pub fn local_cell(&self, procedure: ProcedureId, local: module::LocalId) -> Option<CellId> {
        let code = &self.module.as_ref()?.procedures[procedure.index()];
        let parameters = code.parameters.iter().map(|(_, cell)| cell);
        let slot = parameters.chain(&code.locals).nth(local.index())?;
        self.slots[slot.index()].cell
    }

    /// The cells of the parameters of a procedure that is summarised.
    pub fn parameters(&self, component: ComponentId) -> Vec<CellId> {
        let Some(module) = &self.module else { return Vec::new() };
        let Role::Summarised(id) = module.roles.of(component) else { return Vec::new() };
        let cells = module.procedures[id.index()].parameters.iter().map(|(_, cell)| cell);
        cells.filter_map(|slot| self.slots[slot.0 as usize].cell).collect()
    }

    /// The procedure that is summarised one of whose parameters a cell is, and which.
    pub fn parameter_of(&self, cell: CellId) -> Option<(ComponentId, u32)> {
        let module = self.module.as_ref()?;
        let summarised = module.roles.iter().filter(|(_, role)| matches!(role, Role::Summarised(_)));
        summarised.map(|(component, _)| component).find_map(|component| {
            let n = self.parameters(component).iter().position(|known| *known == cell)?;
            Some((component, u32::try_from(n).ok()?))
        })
    }

    /// Whether a cell is one of a module's, and not of an activation.
    pub fn is_module_cell(&self, cell: CellId) -> bool {
        let cells = self.module.iter().flat_map(|module| &module.cells);
        cells.into_iter().any(|(slot, _)| self.slots[slot.0 as usize].cell == Some(cell))
    }

    /// The cells of a module that hold names of functions.
    pub fn name_cells(&self) -> impl Iterator<Item = CellId> + '_ {
        self.module.iter().flat_map(|module| module.names.iter().copied())
    }

    /// Where the code of a term begins and ends, if it was compiled. What it passes on is compiled elsewhere.
    pub fn place(&self, term: TermId) -> Option<(Pc, Pc)> {
        self.places.get(term.index()).copied().flatten()
    }

    /// The check that fails where an instruction aborts, if checks were compiled apart from each other.
    pub fn check(&self, pc: Pc) -> Option<Check> {
        self.failing.get(&pc).copied()
    }

    /// Whether the program aborts where an instruction fails.
    pub(super) fn aborts(&self, pc: Pc) -> bool {
        let all = matches!(self.watch, Watch::All | Watch::Each);
        pc == ABORT || self.check(pc).map_or(all, |check| self.watch.watches(check))
    }

    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }
}

/// A declaration of a cell or array.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What it is called.
    pub name: String,
    /// The variable that stands for it; none in a module.
    pub variable: Option<VarId>,
    /// What it holds.
    pub data: Data,
    /// How many elements an array has.
    pub length: Option<u64>,
    /// Where it is declared.
    pub span: Span,
    /// Whether nobody gets in between when it is touched.
    pub(super) guarded: bool,
}

agon_base::id! {
    pub(super) SlotId;
    pub(super) ClosureId;
    pub(super) FormulaId;
    pub(super) DataId;
    /// The place of a variable in the scope.
    pub(super) Index;
}

/// What a term that is passed on or named becomes: its code, and what of the scope it needs.
#[derive(Clone, Debug)]
pub(super) enum Closure {
    /// Code, with the places in the scope of what it captures; these become its own scope.
    Code { entry: Pc, captures: Vec<Index> },
    /// A variable is passed on as it is.
    Alias(Index),
    /// So is a free identifier.
    Free(ComponentId),
}

/// A formula over constants and the program's own cells, in reverse Polish order: it makes no visible move and,
/// unless it fails, just gives a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Formula {
    pub steps: Vec<FormulaStep>,
    /// Where each step comes from: where it fails, the program aborts.
    pub spans: Vec<Span>,
    /// What is checked in it.
    pub checks: Vec<Check>,
}

#[derive(Clone, Debug)]
pub(super) enum FormulaStep {
    Number(Int),
    /// What acc holds.
    Accumulator,
    Load(Index),
    /// The index is on top.
    LoadElement(Index),
    Unary(Unary),
    Binary(Operator),
    Wrap(DataId),
}

/// `acc` is the accumulator: the value just computed.
#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// acc := formula
    Evaluate(FormulaId),
    /// acc := operator acc
    Unary(Unary),
    /// acc := acc operator formula
    BinaryRight(Operator, FormulaId),
    /// acc := formula operator acc
    BinaryLeft(Operator, FormulaId),
    /// acc := saved operator acc
    BinarySaved(Operator, SlotId),
    /// acc := acc in range
    Wrap(DataId),
    /// Puts acc on the store.
    Save(SlotId),
    /// Takes acc back from the store.
    Restore(SlotId),

    Jump(Pc),
    JumpIfZero(Pc),
    /// A loop starts over here.
    LoopHead,

    /// A new cell or array, starting with acc, becomes the innermost variable.
    New(SlotId),
    /// The innermost variable, a cell or array, ends.
    Drop(SlotId),
    /// cell := acc
    Store(Index),
    /// acc := array[acc]
    LoadElement(Index),
    /// array[formula] := acc
    StoreElement(Index, FormulaId),
    /// array[acc] := saved
    StoreElementSaved(Index, SlotId),

    /// A closure becomes the innermost variable.
    Bind(ClosureId),
    /// The innermost variable, a closure, ends.
    Unbind,
    /// The argument on the stack becomes the innermost variable.
    BindArgument,
    /// Puts a return to a place on the stack.
    PushReturn(Pc),
    /// Puts an argument on the stack.
    PushArgument(ClosureId),
    /// Puts a read on the stack.
    PushRead,
    /// Puts a write of acc on the stack.
    PushWrite(SlotId),
    /// Aborts unless acc is an index into an array of this length.
    CheckIndex(u64),
    /// Puts an index, acc, on the stack.
    PushElement(SlotId),
    /// What is read or written on the way is brought in range.
    PushWrap(DataId),
    /// Goes into a variable with what is asked of it on the stack.
    Enter(Index),
    /// Goes into a free identifier with what is asked of it on the stack.
    EnterFree(ComponentId),
    /// Goes back, with acc.
    Return,

    /// Calls a free identifier.
    Call(ComponentId, Box<[ClosureId]>),
    /// Reads a free variable.
    Read(ComponentId),
    /// Writes acc to a free variable.
    Write(ComponentId),
    /// Reads element acc of a free array.
    ReadElement(ComponentId),
    /// Writes what was saved to element acc of a free array.
    WriteElement(ComponentId, SlotId),

    /// A label for the return on top of the stack becomes the innermost variable; a jump goes there or, if there
    /// is a place to start again, to that place.
    BindLabel(Option<Pc>),
    Goto(Index),
    /// Runs two closures at once, and goes on when both are done.
    Parallel(ClosureId, ClosureId),
    /// A semaphore of which this many places are taken.
    NewSemaphore(SlotId, u64),
    /// Takes a place of a semaphore of the program's own, waiting for one.
    Grab(Index),
    /// Gives one back.
    Release(Index),
    /// Puts a grab on the stack.
    PushGrab,
    /// Puts a release on the stack.
    PushRelease,
    Abort,
    Diverge,

    /// Calls a function of the environment's, or a procedure that is summarised, with the values that were saved; the name
    /// of the function was saved before them, if it has a slot.
    CallOut(ComponentId, Option<SlotId>, Box<[SlotId]>),
    /// Calls a procedure of the module with the values that were saved.
    CallProcedure(ProcedureId),
    /// The same for the environment, if something is assumed of the arguments.
    OpenProcedure(ProcedureId),
    /// Goes on if the formula is not 0, and keeps acc. Otherwise the environment did not make this move.
    Assume(FormulaId),
    /// The environment knows a private procedure from now on, by the place of its bit.
    Escape(Index),
    /// What a cell of the activation holds is not needed any more.
    Forget(Index),
    /// All elements of an array := acc
    Fill(Index),
    /// Ends the process, with acc.
    Exit,
}

impl Instruction {
    /// The formula that it evaluates.
    pub(super) fn formula(&self) -> Option<FormulaId> {
        use Instruction::{Assume, BinaryLeft, BinaryRight, Evaluate, StoreElement};
        match self {
            Evaluate(formula)
            | Assume(formula)
            | BinaryRight(_, formula)
            | BinaryLeft(_, formula)
            | StoreElement(_, formula) => Some(*formula),
            _ => None,
        }
    }

    /// Whether acc is neither needed here nor behind it, before it is set anew.
    pub(super) fn forgets(&self) -> bool {
        use Instruction::{Call, Evaluate, Grab, Read, Release};
        matches!(self, Evaluate(_) | Call(..) | Read(_) | Grab(_) | Release(_))
    }
}
