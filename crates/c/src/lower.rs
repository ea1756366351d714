//! Lowering: from a C program to a module of cells and procedures.
//!
//! Expressions of the core have no effects. So what an expression does becomes statements, and what is left of it is its value.

mod access;
mod calls;
mod casts;
mod closed;
mod exposed;
mod expressions;
mod first_use;
mod functions;
mod given;
mod handles;
mod heap;
mod locks;
mod lost;
mod objects;
mod places;
mod pointers;
mod regions;
mod sorts;
mod statements;
mod storage;
mod structures;
mod threads;
mod unions;
mod versions;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{
    Base, CellId, Expression, ExpressionId, Function as CoreFunction, ImportId, Label, Local, LocalId,
    Module, SignatureId, Sort, Statement,
};

use access::SharedCell;
pub use access::SharedImport;
pub(crate) use access::{ERRNO, is_shared, is_visible};
pub use versions::{OutputImport, Word};

use crate::effects::Effects;
use crate::layout::Sibling;
use crate::memory::Memory;
use crate::options::Options;
use crate::points::{Owner, TargetId};
use crate::tree::{FunctionId, LabelId, ObjectId, Program, VariableId};
use crate::types::{FunctionType, Type};

/// A module, and what the objects and functions of the program became.
pub struct Lowered {
    /// The module.
    pub module: Module,
    /// The functions, by their ids; nothing for those that are not used.
    pub functions: Vec<Option<CoreFunction>>,
    /// The types of functions that signatures come from.
    pub signatures: Vec<(SignatureId, FunctionType)>,
    /// The imports that stand for what is done to shared objects.
    pub shared: Vec<SharedImport>,
    /// The imports that stand for what functions of the C library write.
    pub outputs: Vec<OutputImport>,
    /// What the environment sees and plays do not show.
    pub unseen: BTreeSet<String>,
    /// The choice whether the address of an object that has died comes again.
    pub reuse: Option<ImportId>,
    /// How it uses memory.
    pub memory: MemoryUse,
}

/// How a program uses memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryUse {
    /// Whether it allocates.
    pub allocates: bool,
    /// Whether the environment gets pointers to its objects.
    pub hands_out: bool,
    /// Whether some objects are those of a pool.
    pub pools: bool,
    /// Whether the environment looks into objects of the program.
    pub exposed: bool,
    /// Whether pointers to objects of the environment are followed.
    pub foreign: bool,
}

/// Lowers a program.
pub fn lower(program: &Program, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    let memory = Arc::new(crate::effects::memory(program, options));
    let mut lowering = Lowering {
        program,
        options,
        effects: Arc::new(Effects::new(program, options, &memory)),
        memory,
        stored: BTreeMap::new(),
        set_bits: BTreeMap::new(),
        alive: BTreeMap::new(),
        handed: BTreeMap::new(),
        foreign: vec![],
        exposed: false,
        held: None,
        holding: BTreeMap::new(),
        own_call: None,
        module: Module::default(),
        objects: vec![],
        constants: BTreeSet::new(),
        signatures: vec![],
        functions: vec![None; program.functions.len()],
        inner: vec![None; program.functions.len()],
        shared: BTreeMap::new(),
        shared_imports: vec![],
        outputs: vec![],
        results: BTreeMap::new(),
        unions: BTreeMap::new(),
        told_results: BTreeMap::new(),
        locks: BTreeMap::new(),
        owned: BTreeMap::new(),
        kinds: BTreeMap::new(),
        unseen: BTreeSet::new(),
        given: given::Given::default(),
        body: Body::default(),
        diagnostics: vec![],
    };
    lowering.module.threads = options.threads.max(1);
    lowering.module.races = options.checks.race;
    for addresses in lowering.memory.addresses(program) {
        lowering.module.name_addresses(addresses);
    }
    lowering.declare_functions();
    lowering.declare_objects();
    let declared = lowering.declare_memory();
    lowering.report(declared);
    lowering.declare_held();
    let declared = lowering.declare_handles();
    lowering.report(declared);
    lowering.hand_out_initially();
    if options.compared {
        lowering.fix_addresses();
    }
    lowering.share_objects();
    let declared = lowering.declare_own_calls();
    lowering.report(declared);
    lowering.find_silent();
    // Bodies need every cell and every type.
    if lowering.diagnostics.is_empty() {
        program.functions().for_each(|(id, _)| lowering.define(id));
        crate::closed::main(program, options).into_iter().for_each(|main| lowering.start(main));
    }
    match lowering.diagnostics.is_empty() {
        true => {
            let Lowering {
                module,
                functions,
                signatures,
                shared_imports: shared,
                outputs,
                unseen,
                memory,
                handed,
                foreign,
                exposed,
                held,
                ..
            } = lowering;
            let reuse =
                module.imports().find(|(_, import)| import.choice && import.name.starts_with(storage::REUSE));
            let reuse = reuse.map(|(id, _)| id);
            let memory = MemoryUse {
                allocates: !memory.analysis.heaps.is_empty(),
                hands_out: !handed.is_empty(),
                pools: held.is_some(),
                exposed,
                foreign: !foreign.is_empty(),
            };
            Ok(Lowered { module, functions, signatures, shared, outputs, unseen, reuse, memory })
        }
        false => Err(lowering.diagnostics),
    }
}

struct Lowering<'a> {
    program: &'a Program,
    options: &'a Options,
    effects: Arc<Effects>,
    memory: Arc<Memory>,
    module: Module,
    /// The cells of each object, one for each scalar.
    objects: Vec<Vec<CellId>>,
    /// The cells that nobody may write.
    constants: BTreeSet<CellId>,
    signatures: Vec<(SignatureId, FunctionType)>,
    functions: Vec<Option<CoreFunction>>,
    /// What functions call that the environment calls as well: the same without what is done when the environment is to move.
    inner: Vec<Option<CoreFunction>>,
    shared: BTreeMap<CellId, SharedCell>,
    shared_imports: Vec<SharedImport>,
    outputs: Vec<OutputImport>,
    /// The cells of variables that do not live in their activations, and of allocated memory.
    stored: BTreeMap<Owner, storage::Stored>,
    /// The bits that say whether cells of the module were written.
    set_bits: BTreeMap<CellId, CellId>,
    /// The bits that say whether lent variables live, if their blocks may end before their bodies.
    alive: BTreeMap<(FunctionId, VariableId), CellId>,
    /// The bits that say whether the environment was given pointers into a target.
    handed: BTreeMap<TargetId, CellId>,
    /// The objects of the environment that pointers are followed to, by their types: cells that are never read.
    foreign: Vec<(Type, Vec<CellId>)>,
    /// Whether the environment looks into objects of the module that it has pointers to.
    exposed: bool,
    /// Whether a number of a pool is held back.
    held: Option<CellId>,
    /// Memory that variables of functions point to that wait for others.
    holding: BTreeMap<Owner, CellId>,
    /// Whether the module calls a function of its own by a pointer.
    own_call: Option<CellId>,
    /// The cells for the structures that functions give.
    results: BTreeMap<FunctionId, Vec<CellId>>,
    /// The scalars of unions, each with those of other members.
    unions: BTreeMap<CellId, Vec<(CellId, Sibling)>>,
    /// What tells the structures that functions give to the environment.
    told_results: BTreeMap<FunctionId, Vec<versions::Told>>,
    /// The kinds of mutexes.
    locks: BTreeMap<CellId, locks::Lock>,
    /// The owners of mutexes that are not of the normal kind, if there are several threads.
    owned: BTreeMap<CellId, locks::Owned>,
    /// The cells for the kinds of mutexes, if attributes give them.
    kinds: BTreeMap<CellId, CellId>,
    unseen: BTreeSet<String>,
    given: given::Given,
    body: Body,
    diagnostics: Vec<Diagnostic>,
}

/// The body that is being lowered.
#[derive(Default)]
struct Body {
    function: Option<FunctionId>,
    locals: Vec<Local>,
    statements: Vec<(Statement, Span)>,
    /// The cells of each variable, one for each scalar.
    variables: Vec<Vec<LocalId>>,
    types: Vec<Type>,
    result: Option<Sort>,
    /// Where the labels of the function are.
    labels: Vec<Option<Label>>,
    /// Jumps to labels that are not known yet.
    wanted: Vec<(usize, LabelId)>,
    /// Jumps out of the innermost loops and switches, outermost first.
    breaks: Vec<Vec<Hole>>,
    continues: Vec<Vec<Hole>>,
    kept: regions::Kept,
    /// The bits of locals that may be read before they are written.
    bits: BTreeMap<LocalId, LocalId>,
    /// The scalars of unions, each with those of other members.
    unions: BTreeMap<LocalId, Vec<(LocalId, Sibling)>>,
    /// Whether the environment is to move after the body.
    yields: bool,
    /// What the body gives to the environment, if the environment calls it.
    gives: Option<Type>,
    /// Whether the module has called the body itself, if both may be.
    own: Option<LocalId>,
    /// The objects of pools that variables are, and whether there is one now.
    wheres: BTreeMap<VariableId, LocalId>,
    pooled: BTreeMap<VariableId, LocalId>,
    /// Cells of lent variables, and what they held before.
    lent: Vec<(CellId, Option<LocalId>)>,
    /// The bits that say whether variables live whose blocks may end before the body.
    alive: BTreeMap<VariableId, LocalId>,
    /// The variables that are in scope.
    scope: BTreeSet<VariableId>,
}

/// A jump whose place is not known yet: the statement, and which of its labels.
type Hole = (usize, bool);

impl Lowering<'_> {
    fn report<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                if !self.diagnostics.contains(&diagnostic) {
                    self.diagnostics.push(diagnostic);
                }
                None
            }
        }
    }

    fn local(&mut self, name: Option<String>, sort: Sort, length: Option<u64>, span: Span) -> LocalId {
        let id = LocalId(u32::try_from(self.body.locals.len()).expect("a source text is shorter than 4 GiB"));
        self.body.locals.push(Local { name: name.map(Into::into), sort, length, span });
        id
    }

    /// Adds a statement, and gives its place.
    fn emit(&mut self, statement: Statement, span: Span) -> usize {
        self.body.statements.push((statement, span));
        self.body.statements.len() - 1
    }

    fn here(&self) -> Label {
        Label(u32::try_from(self.body.statements.len()).expect("a source text is shorter than 4 GiB"))
    }

    /// The jumps lead here.
    fn patch(&mut self, holes: &[Hole]) {
        let here = self.here();
        for (at, which) in holes {
            match (&mut self.body.statements[*at].0, which) {
                (Statement::Branch(_, to, _), true) | (Statement::Branch(_, _, to), false) => *to = here,
                (Statement::Jump(to), _) => *to = here,
                _ => {}
            }
        }
    }

    fn jump(&mut self, span: Span) -> Hole {
        (self.emit(Statement::Jump(Label(0)), span), true)
    }

    fn add(&mut self, expression: Expression, span: Span) -> ExpressionId {
        self.module.add(expression, span)
    }

    fn number(&mut self, n: Int, span: Span) -> ExpressionId {
        self.add(Expression::Number(n), span)
    }

    /// A value is kept in a cell of its own.
    fn kept(&mut self, value: ExpressionId, sort: Sort, span: Span) -> LocalId {
        let local = self.local(None, sort, None, span);
        self.emit(Statement::Set(Base::Local(local).whole(), value), span);
        local
    }

    fn read(&mut self, local: LocalId, span: Span) -> ExpressionId {
        self.add(Expression::Load(Base::Local(local).whole()), span)
    }

    fn cells(&self, id: ObjectId) -> &[CellId] {
        &self.objects[id.index()]
    }

    fn locals(&self, id: VariableId) -> &[LocalId] {
        &self.body.variables[id.index()]
    }
}
