//! Modules: private cells, procedures that are called by value, exports, and imports that the environment supplies.
//!
//! A module is first order and imperative. Its environment calls the exports in any order, and while the module waits in a call
//! of an import it may call them again, to any depth. A body is a list of statements with jumps; expressions have no effects,
//! so calls are statements of their own. Parameters and locals are cells of the activation, and all of them exist as long as
//! the activation does.
//!
//! Every value is an integer. A function's name is one as well: 0 is `null`, then come the module's own procedures, then its
//! imports, then the names of the environment's own functions ([`Module::number`]).

mod accesses;
mod addresses;
pub mod alike;
mod assumed;
mod calls;
mod checks;
pub mod environment;
pub mod eval;
mod evaluate;
pub mod following;
pub mod independent;
pub mod inputs;
mod insert;
mod listing;
mod live;
mod names;
pub mod play;
pub mod run;
pub mod sample;
mod seen;
mod shares;
mod slice;
pub mod stacks;
mod store;
pub mod tables;
pub mod target;
pub mod threads;
mod turns;
mod valid;

pub use addresses::Addresses;
pub use evaluate::{Failure, Fault};
pub use live::Liveness;
pub use names::Function;
pub use seen::Seen;
pub use shares::{DataId, Datum, Share, SharedData};
pub use store::Store;
pub use turns::{Allowed, Calls, ORDER};
pub use valid::Invalid;

use std::collections::{BTreeMap, BTreeSet};

use agon_base::int::Int;
use agon_base::source::Span;

use crate::checks::{BoundId, Kind, Watch};
use crate::condition::Condition;
use crate::term::{Name, Operator, Unary};
use crate::types::Data;

agon_base::id! {
    /// A cell or array of the module's own.
    pub CellId;
    /// A procedure of the module's own, exported or private.
    pub ProcedureId;
    /// A function that the environment supplies.
    pub ImportId;
    /// A type of functions.
    pub SignatureId;
    /// A cell or array of an activation. Parameters come first.
    pub LocalId;
    /// An expression of the module.
    pub ExpressionId;
    /// The place of a statement in its body.
    pub Label;
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    signatures: Vec<Signature>,
    /// The types of functions that values name.
    named: Vec<SignatureId>,
    cells: Vec<Cell>,
    imports: Vec<Import>,
    procedures: Vec<Procedure>,
    /// How many of the last procedures no value can name.
    unnamed: u32,
    /// The names of addresses.
    addresses: Vec<Addresses>,
    /// The names of the elements of arrays that are not written with one index.
    elements: BTreeMap<CellId, Addresses>,
    /// Cells that stand in no text.
    hidden: BTreeSet<CellId>,
    /// Data that the environment sees as well.
    data: Vec<SharedData>,
    /// The imports that are no functions.
    shares: BTreeMap<ImportId, Share>,
    /// Addresses that the environment knows by words.
    fixed: Vec<shares::Fixed>,
    /// What is assumed of what the environment gives.
    assumed: assumed::Assumed,
    expressions: Vec<Expression>,
    spans: Vec<Span>,
    /// The bounds of the model, in words that follow `up to`.
    bounds: Vec<String>,
    /// The bounds behind which nothing is known.
    gaps: BTreeSet<BoundId>,
    /// How many threads of the environment may be in the module at once.
    pub threads: u64,
    /// Whether races count as failures.
    pub races: bool,
    /// Which checks count. Where another one fails, the module diverges.
    pub watch: Watch,
    /// How many activations count for the names of functions that the environment has of its own: of each type it has this many for
    /// each place where a name can be kept. For one stack three are enough, whatever its height.
    pub naming: u64,
    /// Procedures whose calls by the module engines summarise, beside those that may call themselves. It changes no play.
    pub summarised: BTreeSet<ProcedureId>,
}

/// What a value is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// Data.
    Data(Data),
    /// An address, which is a number of this data: 0 is `null`, then come those that have names ([`Module::name_addresses`]),
    /// then those of the environment.
    Address(Data),
    /// The name of a function of this type, or `null`: [`Module::function_sort`].
    Function(SignatureId),
}

/// A type of functions: what they take, and what they give, if they give anything.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature {
    /// The parameters.
    pub parameters: Vec<Sort>,
    /// The result. A function without one is a command.
    pub result: Option<Sort>,
}

/// A cell or array of the module's own.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its name.
    pub name: Name,
    /// What it holds.
    pub kind: CellKind,
    /// The number of elements, of an array.
    pub length: Option<u64>,
    /// What its elements hold at first, one after the other; the last value is that of all elements behind it. It is in range.
    pub initial: Vec<Int>,
    /// Where it is declared.
    pub span: Span,
}

/// What a cell of the module holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellKind {
    /// Values.
    Value(Sort),
    /// A lock with an owner: 0 while it is free.
    Mutex,
    /// A semaphore with this many places: how many of them are taken.
    Semaphore(u64),
}

/// A function that the environment supplies.
#[derive(Clone, Debug)]
pub struct Import {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub signature: SignatureId,
    /// Where it is declared.
    pub span: Span,
    /// The least and the greatest number that it returns, if it does not return all of its type.
    pub returns: Option<(Int, Int)>,
    /// What the environment may call before it returns. This is about calls that it makes itself: what it calls may
    /// wait for another import, and before that one returns, the environment may call what that one allows.
    pub calls: Calls,
    /// Whether it never returns. Before it ends the program the environment may make calls.
    pub ends: bool,
    /// Whether it is no function, but a choice that the language leaves open, such as an order of evaluation: its result is
    /// the branch that is taken ([`Module::choice`]).
    pub choice: bool,
}

/// A procedure of the module's own.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub signature: SignatureId,
    /// Whether the environment may call it from the start.
    pub exported: bool,
    /// The cells of an activation, parameters first. All others hold 0 at first.
    pub locals: Vec<Local>,
    /// The statements, each with the place that it comes from. The last one is no statement that another one follows.
    pub body: Vec<(Statement, Span)>,
    /// Where its name stands.
    pub span: Span,
}

/// A cell or array of an activation.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name; nothing if it holds an intermediate result.
    pub name: Option<Name>,
    /// What it holds.
    pub sort: Sort,
    /// The number of elements, of an array.
    pub length: Option<u64>,
    /// Where it is declared.
    pub span: Span,
}

/// A statement. Where nothing else is said, the next one follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Evaluates the expression, then the index of the place; brings the value in range and stores it there.
    Set(Place, ExpressionId),
    /// Stores a value in all elements of an array.
    Fill(Base, ExpressionId),
    /// Goes to the first label if the value is not 0, to the second otherwise.
    Branch(ExpressionId, Label, Label),
    /// Goes to a label.
    Jump(Label),
    /// Evaluates the callee, then the arguments, and calls. The result goes to a local, if it is of interest.
    Call(Callee, Vec<ExpressionId>, Option<LocalId>),
    /// Ends the activation, with a value if the procedure gives one.
    Return(Option<ExpressionId>),
    /// Fails if the value is 0.
    Assert(ExpressionId, Kind),
    /// Fails.
    Fail(Kind),
    /// Ends the whole program, with a value for the system; this is no failure.
    Exit(ExpressionId),
    /// Never ends, and does nothing.
    Diverge,
    /// Takes a mutex. One that is taken already by the same thread is a failure.
    Lock(Place),
    /// Takes a mutex if it is free, and says in a local whether it was.
    TryLock(Place, LocalId),
    /// Frees a mutex. One that the thread has not taken is a failure.
    Unlock(Place),
    /// Takes a place of a semaphore, waiting for one.
    Grab(Place),
    /// Gives a place of a semaphore back, waiting until one is taken.
    Release(Place),
    /// Begins a thread that calls a procedure; its number goes to a local. If there are too many threads, the bound is met.
    Begin(Callee, Vec<ExpressionId>, LocalId, BoundId),
    /// Waits for the end of the thread that has this number. What it gives goes to a local, if it is of interest.
    Join(ExpressionId, Option<LocalId>),
    /// Nobody will wait for the end of the thread that has this number.
    Detach(ExpressionId),
    /// Ends the thread, with a value if threads give one.
    Leave(Option<ExpressionId>),
    /// Stores the number of the thread. One thread alone has the number 1.
    Itself(LocalId),
    /// From here on no other thread runs; or they do again.
    Atomic(bool),
    /// From here on this is a predicate of the abstraction. It is never evaluated.
    BeginPredicate(ExpressionId),
    /// From here on it is not.
    EndPredicate(ExpressionId),
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A procedure of the module's own. Nobody sees that.
    Procedure(ProcedureId),
    /// An import.
    Import(ImportId),
    /// The function of this type that a value names. `null` is a failure.
    Value(ExpressionId, SignatureId),
}

/// An expression. It has no effects; it fails where an index is out of bounds or a divisor is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expression {
    /// A number.
    Number(Int),
    /// A function's name.
    Function(Function),
    /// What a place holds.
    Load(Place),
    /// An operator of one operand.
    Unary(Unary, ExpressionId),
    /// An operator of two operands, which are both evaluated, left first.
    Binary(Operator, ExpressionId, ExpressionId),
    /// A value brought into the range of a type.
    Wrap(Data, ExpressionId),
}

/// A cell, or an element of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The cell or array.
    pub base: Base,
    /// The index into an array. Out of bounds it is a failure.
    pub index: Option<ExpressionId>,
}

/// A cell or array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Base {
    /// Of the module.
    Module(CellId),
    /// Of the activation.
    Local(LocalId),
}

impl CellKind {
    /// How many places a semaphore has; a mutex has one.
    pub fn places(&self) -> u64 {
        match self {
            CellKind::Semaphore(places) => *places,
            CellKind::Value(_) | CellKind::Mutex => 1,
        }
    }
}

impl Module {
    /// Whether it begins threads of its own.
    pub fn begins_threads(&self) -> bool {
        let mut statements = self.procedures().flat_map(|(_, procedure)| &procedure.body);
        statements.any(|(statement, _)| matches!(statement, Statement::Begin(..)))
    }
}

impl Base {
    /// The cell or array as a place, without an index.
    pub fn whole(self) -> Place {
        Place { base: self, index: None }
    }
}

impl Default for Module {
    fn default() -> Module {
        Module {
            signatures: vec![],
            named: vec![],
            addresses: vec![],
            elements: BTreeMap::new(),
            hidden: BTreeSet::new(),
            data: vec![],
            shares: BTreeMap::new(),
            fixed: vec![],
            assumed: assumed::Assumed::default(),
            cells: vec![],
            imports: vec![],
            procedures: vec![],
            unnamed: 0,
            expressions: vec![],
            spans: vec![],
            bounds: vec![],
            gaps: BTreeSet::new(),
            threads: 1,
            races: false,
            watch: Watch::All,
            naming: 3,
            summarised: BTreeSet::new(),
        }
    }
}

/// The number of the next thing of a list.
fn next<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).expect("a source text is shorter than 4 GiB")
}

impl Module {
    /// Says that a cell stands in no text: it is part of what the module means, and is not shown.
    pub fn hide(&mut self, cell: CellId) {
        self.hidden.insert(cell);
    }

    /// Whether a cell stands in no text.
    pub fn is_hidden(&self, cell: CellId) -> bool {
        self.hidden.contains(&cell)
    }

    /// Whether some cell stands in no text.
    pub(crate) fn hides(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// A type of functions; equal ones have one id.
    pub fn add_signature(&mut self, signature: Signature) -> SignatureId {
        if let Some(known) = self.signatures.iter().position(|known| *known == signature) {
            return SignatureId(u32::try_from(known).expect("ids are numbers of 32 bits"));
        }
        self.signatures.push(signature);
        SignatureId(next(&self.signatures) - 1)
    }

    /// The sort of the names of functions of a type.
    pub fn function_sort(&mut self, signature: SignatureId) -> Sort {
        if !self.named.contains(&signature) {
            self.named.push(signature);
        }
        Sort::Function(signature)
    }

    /// A bound of the model, in words that follow `up to`, such as `8 locks of a mutex at once`; equal ones have one id.
    /// Statements check it as [`Kind::Bound`].
    pub fn add_bound(&mut self, words: String) -> BoundId {
        if let Some(known) = self.bounds.iter().position(|known| *known == words) {
            return BoundId(u32::try_from(known).expect("ids are numbers of 32 bits"));
        }
        self.bounds.push(words);
        BoundId(next(&self.bounds) - 1)
    }

    /// The same for something that the model does not follow: where it is met, nothing is known of the module.
    pub fn add_gap(&mut self, words: String) -> BoundId {
        let id = self.add_bound(words);
        self.gaps.insert(id);
        id
    }

    /// Whether nothing is known of the module where a bound is met.
    pub fn is_gap(&self, id: BoundId) -> bool {
        self.gaps.contains(&id)
    }

    /// The bounds of the model, in the order of their ids.
    pub fn bounds(&self) -> impl Iterator<Item = (BoundId, &str)> {
        (0..).map(BoundId).zip(self.bounds.iter().map(String::as_str))
    }

    /// Adds a cell or array.
    pub fn add_cell(&mut self, cell: Cell) -> CellId {
        self.cells.push(cell);
        CellId(next(&self.cells) - 1)
    }

    /// Adds an import.
    pub fn add_import(&mut self, import: Import) -> ImportId {
        self.imports.push(import);
        ImportId(next(&self.imports) - 1)
    }

    /// Adds a procedure. Its body may come later, so that procedures can call each other.
    pub fn add_procedure(&mut self, procedure: Procedure) -> ProcedureId {
        self.procedures.push(procedure);
        ProcedureId(next(&self.procedures) - 1)
    }

    /// Says what a cell or array holds at first, in range.
    pub fn initialise(&mut self, id: CellId, initial: Vec<Int>) {
        self.cells[id.index()].initial = initial;
    }

    /// Gives a procedure its locals, parameters first, and its body.
    pub fn define(&mut self, id: ProcedureId, locals: Vec<Local>, body: Vec<(Statement, Span)>) {
        let procedure = &mut self.procedures[id.index()];
        procedure.locals = locals;
        procedure.body = body;
    }

    /// The environment may call a procedure from the start.
    pub fn export(&mut self, id: ProcedureId) {
        self.procedures[id.index()].exported = true;
    }

    /// The environment may call these procedures only, as far as it may call them now.
    pub fn keep_exports(&mut self, names: &[String]) {
        let named = |procedure: &Procedure| names.iter().any(|name| *procedure.name == **name);
        self.procedures.iter_mut().for_each(|procedure| procedure.exported &= named(procedure));
    }

    /// Adds an expression.
    pub fn add(&mut self, expression: Expression, span: Span) -> ExpressionId {
        self.expressions.push(expression);
        self.spans.push(span);
        ExpressionId(next(&self.expressions) - 1)
    }

    /// The same module, of which other checks count.
    pub fn watching(&self, watch: Watch) -> Module {
        Module { watch, ..self.clone() }
    }

    /// A type of functions.
    pub fn signature(&self, id: SignatureId) -> &Signature {
        &self.signatures[id.index()]
    }

    /// A cell or array of the module's own.
    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }

    /// All cells and arrays, in the order of their ids.
    pub fn cells(&self) -> impl Iterator<Item = (CellId, &Cell)> {
        (0..).map(CellId).zip(&self.cells)
    }

    /// An import.
    pub fn import(&self, id: ImportId) -> &Import {
        &self.imports[id.index()]
    }

    /// All imports, in the order of their ids.
    pub fn imports(&self) -> impl Iterator<Item = (ImportId, &Import)> {
        (0..).map(ImportId).zip(&self.imports)
    }

    /// A procedure.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        &self.procedures[id.index()]
    }

    /// All procedures, in the order of their ids.
    pub fn procedures(&self) -> impl Iterator<Item = (ProcedureId, &Procedure)> {
        (0..).map(ProcedureId).zip(&self.procedures)
    }

    /// An expression.
    pub fn expression(&self, id: ExpressionId) -> &Expression {
        &self.expressions[id.index()]
    }

    /// The functions whose names stand in expressions.
    fn functions(&self) -> impl Iterator<Item = Function> + '_ {
        self.expressions.iter().filter_map(|expression| match expression {
            Expression::Function(function) => Some(*function),
            _ => None,
        })
    }

    /// The numbers that stand in expressions and in assumptions, and what cells hold at first.
    pub fn numbers(&self) -> impl Iterator<Item = &Int> {
        let written = self.expressions.iter().filter_map(|expression| match expression {
            Expression::Number(n) => Some(n),
            _ => None,
        });
        let assumed = self.assumed_calls().map(|(_, condition)| condition);
        let assumed = assumed.chain(self.assumed_answers().map(|(_, condition)| condition));
        let initial = self.cells.iter().flat_map(|cell| &cell.initial);
        written.chain(initial).chain(assumed.flat_map(Condition::numbers))
    }

    /// Where an expression comes from.
    pub fn span(&self, id: ExpressionId) -> Span {
        self.spans[id.index()]
    }

    /// The sort of the values that a cell or array holds; nothing if it is a mutex or a semaphore.
    pub fn sort_of<'a>(&'a self, procedure: &'a Procedure, base: Base) -> Option<&'a Sort> {
        match base {
            Base::Local(id) => Some(&procedure.locals[id.index()].sort),
            Base::Module(id) => match &self.cell(id).kind {
                CellKind::Value(sort) => Some(sort),
                CellKind::Mutex | CellKind::Semaphore(_) => None,
            },
        }
    }

    /// The number of elements of an array.
    pub fn length_of(&self, procedure: &Procedure, base: Base) -> Option<u64> {
        match base {
            Base::Local(id) => procedure.locals[id.index()].length,
            Base::Module(id) => self.cell(id).length,
        }
    }
}
