//! Effects: which objects a function reads and writes, and whether the environment may move while it is called.

use std::collections::BTreeSet;

use crate::library::Known;
use crate::lower::is_shared;
use crate::options::Options;
use crate::tree::{
    Argument, Callee, Expr, ExprKind, FunctionId, Item, ObjectId, Place, PlaceKind, Program, Stmt, StmtKind,
};

/// What a call may do to objects with static storage.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The objects that it may read.
    pub reads: BTreeSet<ObjectId>,
    /// The objects that it may write.
    pub writes: BTreeSet<ObjectId>,
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
}

impl Effects {
    /// Finds the effects of all functions, through the functions that they call.
    pub fn new(program: &Program, options: &Options) -> Effects {
        let mut direct: Vec<Direct> = Vec::new();
        for (_, function) in program.functions() {
            let mut found = Direct::default();
            match &function.body {
                Some(body) => body.statements.iter().for_each(|statement| found.statement(statement)),
                None => found.summary.moves = !options.leaf.contains(&function.name),
            }
            direct.push(found);
        }
        let mut functions: Vec<Summary> = direct.iter().map(|direct| direct.summary.clone()).collect();
        let mut world = Summary { moves: true, ..Summary::default() };
        functions.iter().for_each(|summary| world.include(summary));
        // What is shared may change whenever the environment has control.
        let touched = |id: &ObjectId| world.reads.contains(id) || world.writes.contains(id);
        let shared = program.objects().map(|(id, _)| id).filter(|id| is_shared(program, options, *id));
        let shared: Vec<ObjectId> = shared.filter(touched).collect();
        // A function of the environment's has control even if it calls nothing.
        for (n, _) in program.functions.iter().enumerate().filter(|(_, function)| function.body.is_none()) {
            functions[n].writes.extend(&shared);
        }
        world.writes.extend(shared);
        let called = direct.iter().flat_map(|direct| direct.calls.iter().copied()).collect();
        let mut initial = Direct::default();
        program.objects().flat_map(|(_, object)| &object.initial).for_each(|item| initial.expr(&item.value));
        let values =
            direct.iter().chain([&initial]).flat_map(|direct| direct.values.iter().copied()).collect();
        loop {
            let mut changed = false;
            for (n, direct) in direct.iter().enumerate() {
                let mut summary = functions[n].clone();
                direct.calls.iter().for_each(|id| summary.include(&functions[id.index()]));
                if summary.moves {
                    summary.include(&world);
                }
                changed |= summary != functions[n];
                functions[n] = summary;
            }
            if !changed {
                return Effects { functions, world, called, values };
            }
        }
    }

    /// Whether a function of the program reads or writes an object.
    pub fn touches(&self, id: ObjectId) -> bool {
        self.world.reads.contains(&id) || self.world.writes.contains(&id)
    }

    /// Whether a call names a function.
    pub fn is_called(&self, id: FunctionId) -> bool {
        self.called.contains(&id)
    }

    /// Whether the name of a function is a value.
    pub fn is_value(&self, id: FunctionId) -> bool {
        self.values.contains(&id)
    }

    /// What a call may do.
    pub fn call(&self, callee: &Callee) -> &Summary {
        match callee {
            Callee::Function(id) => &self.functions[id.index()],
            Callee::Pointer(_) => &self.world,
        }
    }
}

/// What a call of a function of the C library does to objects.
pub fn library(known: Known, arguments: &[Argument]) -> Summary {
    let mut summary = Summary { moves: matches!(known, Known::Exit | Known::Abort), ..Summary::default() };
    for (n, argument) in arguments.iter().enumerate() {
        if let Argument::Object(place) = argument
            && let Some(id) = object(place)
        {
            let read = matches!(known, Known::Output) || (known == Known::Copy && n == 1);
            if read {
                summary.reads.insert(id)
            } else {
                summary.writes.insert(id)
            };
        }
    }
    summary
}

/// The object with static storage that a place is in.
pub fn object(place: &Place) -> Option<ObjectId> {
    match &place.kind {
        PlaceKind::Object(id) => Some(*id),
        PlaceKind::Variable(_) => None,
        PlaceKind::Member(inner, _) | PlaceKind::Element(inner, _) => object(inner),
    }
}

impl Summary {
    fn include(&mut self, other: &Summary) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.moves |= other.moves;
    }
}

/// What a function does itself, and which functions it calls.
#[derive(Default)]
struct Direct {
    summary: Summary,
    calls: BTreeSet<FunctionId>,
    values: BTreeSet<FunctionId>,
}

impl Direct {
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
            ExprKind::Number(_) | ExprKind::Text(_) => {}
            ExprKind::Function(id) => _ = self.values.insert(*id),
            ExprKind::Load(place) => {
                self.summary.reads.extend(object(place));
                self.place(place);
            }
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.expr(a),
            ExprKind::Binary(_, a, b) | ExprKind::Logical(_, a, b) | ExprKind::Comma(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Assign(place, value) => {
                self.summary.writes.extend(object(place));
                self.place(place);
                self.expr(value);
            }
            ExprKind::Update(update) => {
                self.summary.reads.extend(object(&update.place));
                self.summary.writes.extend(object(&update.place));
                self.place(&update.place);
                self.expr(&update.operand);
            }
            ExprKind::Call(callee, arguments) => {
                match callee {
                    Callee::Function(id) => _ = self.calls.insert(*id),
                    Callee::Pointer(pointer) => {
                        self.expr(pointer);
                        self.summary.moves = true;
                    }
                }
                arguments.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Compound(_, items) => items.iter().for_each(|item| self.expr(&item.value)),
            ExprKind::Library(known, _, arguments) => {
                self.summary.include(&library(*known, arguments));
                for argument in arguments {
                    match argument {
                        Argument::Value(e) => self.expr(e),
                        Argument::Object(place) => self.place(place),
                    }
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
        }
    }
}
