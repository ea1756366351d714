//! Effects: which objects a function reads and writes, and whether the environment may move while it is called.

use std::collections::BTreeSet;

use crate::library::Known;
use crate::lower::{is_shared, is_visible};
use crate::memory::Memory;
use crate::options::Options;
use crate::points::{Analysis, Owner, World};
use crate::tree::{
    Argument, Callee, Expr, ExprKind, FunctionId, Item, Linkage, Place, PlaceKind, Program, Stmt, StmtKind,
};

/// What a call may do to objects that exist outside of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The objects that it may read.
    pub reads: BTreeSet<Owner>,
    /// The objects that it may write.
    pub writes: BTreeSet<Owner>,
    /// Whether it may come to a move that the environment sees, or call back.
    pub moves: bool,
}

/// The effects of all functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    functions: Vec<Summary>,
    /// What may happen while the environment has control.
    world: Summary,
    /// The functions that calls name.
    called: BTreeSet<FunctionId>,
    /// The functions whose names are values.
    values: BTreeSet<FunctionId>,
    /// The functions that may call themselves, directly or through others of the program.
    recursive: BTreeSet<FunctionId>,
}

impl Effects {
    /// Finds the effects of all functions, through the functions that they call.
    pub fn new(program: &Program, options: &Options, memory: &Memory) -> Effects {
        let closed = crate::closed::main(program, options).is_some();
        let mut direct: Vec<Direct<'_>> = Vec::new();
        for (_, function) in program.functions() {
            let mut found = Direct::new(Some(&memory.analysis));
            match &function.body {
                Some(body) => body.statements.iter().for_each(|statement| found.statement(statement)),
                None => {
                    let leaf = options.leaf.contains(&function.name) || closed;
                    let fails = crate::closed::fails(program, options, &function.name);
                    found.summary.moves = !leaf || function.ends || fails;
                }
            }
            direct.push(found);
        }
        let mut functions: Vec<Summary> = direct.iter().map(|direct| direct.summary.clone()).collect();
        let mut world = Summary { moves: true, ..Summary::default() };
        functions.iter().for_each(|summary| world.include(summary));
        // What is shared may change whenever the environment has control.
        let touched = |owner: &Owner| world.reads.contains(owner) || world.writes.contains(owner);
        let shared = program.objects().map(|(id, _)| id).filter(|id| is_shared(program, options, *id));
        let shared: Vec<Owner> = shared.map(Owner::Object).filter(touched).collect();
        // A function of the environment's has control even if it calls nothing.
        for (n, _) in program.functions.iter().enumerate().filter(|(_, function)| function.body.is_none()) {
            functions[n].writes.extend(&shared);
        }
        world.writes.extend(shared);
        let called = direct.iter().flat_map(|direct| direct.calls.iter().copied()).collect();
        let values = named(program);
        let recursive = recursive(&direct);
        loop {
            let mut changed = false;
            for (n, direct) in direct.iter().enumerate() {
                let mut summary = functions[n].clone();
                let called = direct.calls.iter().chain(&direct.pointed);
                called.for_each(|id| summary.include(&functions[id.index()]));
                if summary.moves {
                    summary.include(&world);
                }
                changed |= summary != functions[n];
                functions[n] = summary;
            }
            if !changed {
                return Effects { functions, world, called, values, recursive };
            }
        }
    }

    /// Whether a function of the program reads or writes an object.
    pub fn touches(&self, owner: Owner) -> bool {
        self.world.reads.contains(&owner) || self.world.writes.contains(&owner)
    }

    /// Whether the environment may move while a function is called.
    pub fn moves(&self, id: FunctionId) -> bool {
        self.functions[id.index()].moves
    }

    /// Whether a call names a function.
    pub fn is_called(&self, id: FunctionId) -> bool {
        self.called.contains(&id)
    }

    /// Whether the name of a function is a value.
    pub fn is_value(&self, id: FunctionId) -> bool {
        self.values.contains(&id)
    }

    /// Whether a function may call itself, directly or through others of the program.
    pub fn is_recursive(&self, id: Option<FunctionId>) -> bool {
        id.is_some_and(|id| self.recursive.contains(&id))
    }

    /// What a call may do.
    pub fn call(&self, callee: &Callee, analysis: &Analysis) -> Summary {
        match callee {
            Callee::Function(id) => self.functions[id.index()].clone(),
            Callee::Pointer(pointer) => {
                let points = analysis.points(pointer);
                if points.foreign {
                    return self.world.clone();
                }
                let mut summary = Summary::default();
                points.functions.iter().for_each(|id| summary.include(&self.functions[id.index()]));
                summary
            }
        }
    }
}

/// What a call of a function of the C library does to objects.
pub fn library(known: Known, arguments: &[Argument], analysis: Option<&Analysis>) -> Summary {
    let mut summary = Summary {
        moves: matches!(known, Known::Exit | Known::Abort | Known::Assume | Known::EndThread),
        ..Summary::default()
    };
    for (n, argument) in arguments.iter().enumerate() {
        if let Argument::Object(place) = argument {
            let read = matches!(known, Known::Output) || (known == Known::Copy && n == 1);
            let set = if read { &mut summary.reads } else { &mut summary.writes };
            set.extend(owners(place, analysis));
        }
    }
    summary
}

/// The objects that a place may be in; variables by their names do not count.
pub fn owners(place: &Place, analysis: Option<&Analysis>) -> Vec<Owner> {
    match &place.kind {
        PlaceKind::Object(id) => vec![Owner::Object(*id)],
        PlaceKind::Variable(_) => vec![],
        PlaceKind::Member(inner, _) | PlaceKind::Element(inner, _) => owners(inner, analysis),
        PlaceKind::Target(pointer) => {
            let Some(analysis) = analysis else { return vec![] };
            let points = analysis.points(pointer);
            points.targets.iter().map(|id| analysis.target(*id).owner).collect()
        }
    }
}

/// The functions that may call themselves.
fn recursive(direct: &[Direct<'_>]) -> BTreeSet<FunctionId> {
    let called = |id: FunctionId| direct[id.index()].calls.iter().chain(&direct[id.index()].pointed).copied();
    let calls_itself = |id: &FunctionId| {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<FunctionId> = called(*id).collect();
        while let Some(next) = waiting.pop() {
            if seen.insert(next) {
                waiting.extend(called(next));
            }
        }
        seen.contains(id)
    };
    (0..direct.len()).map(|n| FunctionId(u32::try_from(n).unwrap_or(u32::MAX))).filter(calls_itself).collect()
}

/// The functions whose names are values.
fn named(program: &Program) -> BTreeSet<FunctionId> {
    let mut found = Direct::new(None);
    program.objects().flat_map(|(_, object)| &object.initial).for_each(|item| found.expr(&item.value));
    for body in program.functions.iter().filter_map(|function| function.body.as_ref()) {
        body.statements.iter().for_each(|statement| found.statement(statement));
    }
    found.values
}

/// What pointers may point into, and where it lives.
pub fn memory(program: &Program, options: &Options) -> Memory {
    let world = World {
        calls: &|id| is_export(program, options, id),
        names: &|id| is_visible(program, options, id),
        shares: &|id| is_shared(program, options, id),
        is_private: &|ty| program.is_private(ty),
        compared: options.compared,
        exposed: options.exposed,
    };
    let analysis = Analysis::new(program, &world);
    let mut called: Vec<BTreeSet<FunctionId>> = Vec::new();
    // The environment calls whatever it can when it has control.
    let mut back: Vec<BTreeSet<FunctionId>> = Vec::new();
    let ids = analysis.given().functions.clone();
    for function in &program.functions {
        let mut found = Direct::new(Some(&analysis));
        let statements = function.body.iter().flat_map(|body| &body.statements);
        statements.for_each(|statement| found.statement(statement));
        let leaves = found.summary.moves || function.body.is_none();
        back.push(if leaves { ids.clone() } else { BTreeSet::new() });
        called.push(found.calls.union(&found.pointed).copied().collect());
    }
    let reaches = |from: FunctionId, to: FunctionId, through: bool| {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(next) = waiting.pop() {
            let back = back[next.index()].iter().filter(|_| through);
            for callee in called[next.index()].iter().chain(back) {
                if *callee == to {
                    return true;
                }
                if seen.insert(*callee) {
                    waiting.push(*callee);
                }
            }
        }
        false
    };
    let calls = crate::memory::Calls {
        recursive: &|id| reaches(id, id, false),
        reaches: &|from, to| reaches(from, to, true),
    };
    let several = options.threads > 1 || program.threads.begin;
    Memory::new(program, analysis, &calls, (options.objects() + 1, several))
}

/// Whether the environment calls a function by its name.
pub fn is_export(program: &Program, options: &Options, id: FunctionId) -> bool {
    let function = program.function(id);
    function.body.is_some()
        && function.linkage == Linkage::External
        && crate::closed::main(program, options).is_none()
        && (options.entry.is_empty() || options.entry.contains(&function.name))
        && !options.private.contains(&function.name)
}

impl Summary {
    fn include(&mut self, other: &Summary) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.moves |= other.moves;
    }
}

/// What a function does itself, and which functions it calls.
struct Direct<'a> {
    analysis: Option<&'a Analysis>,
    summary: Summary,
    calls: BTreeSet<FunctionId>,
    /// The functions that it may call by pointers.
    pointed: BTreeSet<FunctionId>,
    values: BTreeSet<FunctionId>,
}

impl<'a> Direct<'a> {
    fn new(analysis: Option<&'a Analysis>) -> Direct<'a> {
        Direct {
            analysis,
            summary: Summary::default(),
            calls: BTreeSet::new(),
            pointed: BTreeSet::new(),
            values: BTreeSet::new(),
        }
    }

    fn owners(&self, place: &Place) -> Vec<Owner> {
        owners(place, self.analysis)
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Declare(_, items) => {
                items.iter().flatten().for_each(|Item { value, .. }| self.expr(value));
            }
            StmtKind::Block(statements) => statements.iter().for_each(|statement| self.statement(statement)),
            StmtKind::If(condition, yes, no) => {
                self.expr(condition);
                self.statement(yes);
                no.iter().for_each(|no| self.statement(no));
            }
            StmtKind::While(condition, body, step) => {
                condition.iter().chain(step).for_each(|e| self.expr(e));
                self.statement(body);
            }
            StmtKind::Do(body, condition) => {
                self.statement(body);
                self.expr(condition);
            }
            StmtKind::Switch(value, _, _, body) => {
                self.expr(value);
                self.statement(body);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(_) => {}
            ExprKind::Address(place) => self.place(place),
            ExprKind::Function(id) => _ = self.values.insert(*id),
            ExprKind::Load(place) => {
                self.summary.reads.extend(self.owners(place));
                self.place(place);
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.expr(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Logical(_, a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Difference(a, b)
            | ExprKind::Offset(a, b, _) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Assign(place, value) => {
                self.summary.writes.extend(self.owners(place));
                self.place(place);
                self.expr(value);
            }
            ExprKind::Update(update) => {
                self.summary.reads.extend(self.owners(&update.place));
                self.summary.writes.extend(self.owners(&update.place));
                self.place(&update.place);
                self.expr(&update.operand);
            }
            ExprKind::Call(callee, arguments) => {
                match callee {
                    Callee::Function(id) => _ = self.calls.insert(*id),
                    Callee::Pointer(pointer) => {
                        self.expr(pointer);
                        let points = self.analysis.map(|analysis| analysis.points(pointer));
                        self.summary.moves |= points.as_ref().is_none_or(|points| points.foreign);
                        self.pointed.extend(points.into_iter().flat_map(|points| points.functions));
                    }
                }
                arguments.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Compound(_, items) => items.iter().for_each(|item| self.expr(&item.value)),
            ExprKind::Library(known, _, arguments) => {
                self.summary.include(&library(*known, arguments, self.analysis));
                for argument in arguments {
                    match argument {
                        Argument::Value(e) => self.expr(e),
                        Argument::Object(place) => self.place(place),
                    }
                }
                // What a thread does counts as done by the function that begins it.
                if let (Known::BeginThread, Some(Argument::Value(start))) = (known, arguments.get(1)) {
                    let points = self.analysis.map(|analysis| analysis.points(start));
                    self.pointed.extend(points.into_iter().flat_map(|points| points.functions));
                }
            }
        }
    }

    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Object(_) | PlaceKind::Variable(_) => {}
            PlaceKind::Member(inner, _) => self.place(inner),
            PlaceKind::Element(inner, index) => {
                self.place(inner);
                self.expr(index);
            }
            PlaceKind::Target(pointer) => self.expr(pointer),
        }
    }
}
