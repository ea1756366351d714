//! Memory: where the objects live that pointers point into, and which numbers pointers are.
//!
//! 0 is the null pointer. Every target has a range of numbers, one for each of its parts and, where the program computes with
//! such pointers, one for the end of each array. Numbers behind all ranges are the environment's.
//!
//! A local variable whose address stays in its activation is a cell of the activation. If the address is passed to functions that
//! are called, the variable is a cell of the module while the activation lasts; the activation keeps what the cell held before, so
//! activations may nest. If the address may outlive that, may come to another activation of the same function, or may be kept
//! while the block of the variable begins anew, the variable is an object of a pool, as allocated memory is. With several threads
//! there are no cells that activations share in turn: such variables are objects of pools, too.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::module::Addresses;

use crate::points::{Analysis, Holder, Owner, Target, TargetId};
use crate::tree::{Body, FunctionId, Member, Program, Stmt, StmtKind, VariableId};
use crate::types::{StructId, Type};

/// Where a local variable lives whose address is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// In its activation.
    Own,
    /// In a cell of the module while its activation lasts.
    Lent,
    /// In a pool of the module.
    Pooled,
}

/// The objects of an owner.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Storage {
    /// The type of one object.
    pub ty: Type,
    /// How many objects there are, of a pool.
    pub objects: Option<u64>,
}

/// The numbers of pointers into a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// The first number.
    pub first: u64,
    /// How many parts lie in a row, so that a pointer can be moved from one to another.
    pub inner: u64,
    /// How many such rows there are.
    pub rows: u64,
    /// Whether the end of a row has a number.
    pub ends: bool,
    /// Whether the parts are elements of arrays or of a pool, or lie in such elements.
    pub enclosed: bool,
}

/// What is known of memory.
pub struct Memory {
    /// What pointers may point into.
    pub analysis: Analysis,
    lives: BTreeMap<(FunctionId, VariableId), Life>,
    ranges: Vec<Range>,
    limit: u64,
    elements: Vec<u64>,
    objects: u64,
}

/// How functions of the program call each other.
pub struct Calls<'a> {
    /// Whether a function may call itself, directly or through others, without the environment.
    pub recursive: &'a dyn Fn(FunctionId) -> bool,
    /// Whether a call of the first function may lead to one of the second, also through the environment.
    pub reaches: &'a dyn Fn(FunctionId, FunctionId) -> bool,
}

impl Range {
    /// How many parts there are.
    pub fn parts(self) -> u64 {
        self.inner.saturating_mul(self.rows)
    }

    /// The part that a number is the address of, if it is one.
    pub fn part(self, number: u64) -> Option<u64> {
        let at = number.checked_sub(self.first).filter(|at| *at < self.numbers())?;
        let (row, within) = (at / self.row(), at % self.row());
        (within < self.inner).then_some(row * self.inner + within)
    }

    /// How many numbers a row has.
    pub fn row(self) -> u64 {
        self.inner + u64::from(self.ends)
    }

    /// How many numbers there are.
    pub fn numbers(self) -> u64 {
        self.row().saturating_mul(self.rows)
    }
}

impl Memory {
    /// Finds out where objects live, and numbers pointers. A pool has this many objects; and there may be several threads.
    pub fn new(
        program: &Program,
        analysis: Analysis,
        calls: &Calls<'_>,
        (objects, several): (u64, bool),
    ) -> Memory {
        let mut lives = BTreeMap::new();
        let variables: BTreeSet<(FunctionId, VariableId)> = analysis
            .targets()
            .filter_map(|(_, target)| match target.owner {
                Owner::Variable(function, variable) => Some((function, variable)),
                _ => None,
            })
            .collect();
        for variable in &variables {
            let life = match life(program, &analysis, calls, &variables, *variable) {
                // Several threads may be in the function at once.
                Life::Lent if several => Life::Pooled,
                life => life,
            };
            lives.insert(*variable, life);
        }
        let elements = (0..analysis.heaps.len()).map(|n| analysis.elements(n)).collect();
        let mut memory = Memory { analysis, lives, ranges: vec![], limit: 1, elements, objects };
        let targets: Vec<Target> = memory.analysis.targets().map(|(_, target)| target.clone()).collect();
        for target in targets {
            let storage = memory.storage(program, target.owner);
            let shape = storage.shape(program, target.leaf, &target.ty);
            let Shape { inner, rows, enclosed } =
                shape.unwrap_or(Shape { inner: 1, rows: 1, enclosed: false });
            let ends = memory.analysis.moves(program, &target.ty);
            let range = Range { first: memory.limit, inner, rows, ends, enclosed };
            memory.limit = memory.limit.saturating_add(range.numbers());
            memory.ranges.push(range);
        }
        memory
    }

    /// Where a variable lives.
    pub fn life(&self, function: FunctionId, variable: VariableId) -> Life {
        self.lives.get(&(function, variable)).copied().unwrap_or(Life::Own)
    }

    /// Whether the address of a variable is taken.
    pub fn is_addressed(&self, function: FunctionId, variable: VariableId) -> bool {
        self.lives.contains_key(&(function, variable))
    }

    /// The variables that do not live in their activations.
    pub fn moved(&self) -> impl Iterator<Item = (FunctionId, VariableId, Life)> {
        let moved = self.lives.iter().filter(|(_, life)| **life != Life::Own);
        moved.map(|((function, variable), life)| (*function, *variable, *life))
    }

    /// The numbers of pointers into a target.
    pub fn range(&self, id: TargetId) -> Range {
        self.ranges[id.index()]
    }

    /// The least number that is the environment's.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The objects of an owner.
    pub fn storage(&self, program: &Program, owner: Owner) -> Storage {
        match owner {
            Owner::Object(id) => Storage { ty: program.object(id).ty.clone(), objects: None },
            Owner::Variable(function, variable) => {
                let body = program.function(function).body.as_ref();
                let ty = body.map_or(Type::Void, |body| body.variables[variable.index()].ty.clone());
                let pooled = self.life(function, variable) == Life::Pooled;
                Storage { ty, objects: pooled.then_some(self.objects) }
            }
            Owner::Heap(id) => {
                let element = self.analysis.heaps[id.index()].clone();
                let ty = match self.elements[id.index()] {
                    1 => element,
                    elements => Type::Array(element.into(), Some(elements)),
                };
                Storage { ty, objects: Some(self.objects) }
            }
        }
    }

    /// The name of an owner.
    pub fn name(&self, program: &Program, owner: Owner) -> String {
        match owner {
            Owner::Object(id) => program.object(id).name.clone(),
            Owner::Variable(function, variable) => {
                let body = program.function(function).body.as_ref();
                body.map_or(String::new(), |body| body.variables[variable.index()].name.clone())
            }
            Owner::Heap(id) => {
                let name = crate::declare::declare(program, &self.analysis.heaps[id.index()], "");
                name.strip_prefix("struct ").unwrap_or(&name).to_string()
            }
        }
    }

    /// The names of addresses.
    pub fn addresses(&self, program: &Program) -> Vec<Addresses> {
        let mut all = Vec::new();
        for (id, target) in self.analysis.targets() {
            let (storage, range) = (self.storage(program, target.owner), self.range(id));
            let name = self.name(program, target.owner);
            let mut path = vec![(name, storage.objects)];
            spell(program, &storage.ty, target, &mut path);
            let Range { first, inner, rows, ends, .. } = range;
            all.push(Addresses { first, inner, rows, ends, path, pool: storage.objects.is_some() });
        }
        all
    }

    /// The names of the elements of an owner's scalar.
    pub fn elements_of(&self, program: &Program, owner: Owner, name: &str, leaf: usize) -> Option<Addresses> {
        let storage = self.storage(program, owner);
        let ty = program.leaves(&storage.ty).get(leaf)?.ty.clone();
        let mut path = vec![(name.to_string(), storage.objects)];
        spell(program, &storage.ty, &Target { owner, leaf, ty }, &mut path);
        let inner = path.iter().filter_map(|(_, length)| *length).fold(1, u64::saturating_mul);
        Some(Addresses { first: 0, inner, rows: 1, ends: false, path, pool: storage.objects.is_some() })
    }

    /// How many elements an allocated object has at most.
    pub fn elements(&self, heap: crate::points::HeapId) -> u64 {
        self.elements[heap.index()]
    }
}

/// Where a variable lives. These variables have addresses that are taken.
fn life(
    program: &Program,
    analysis: &Analysis,
    calls: &Calls<'_>,
    addressed: &BTreeSet<(FunctionId, VariableId)>,
    (function, variable): (FunctionId, VariableId),
) -> Life {
    let recursive = (calls.recursive)(function);
    let body = program.function(function).body.as_ref();
    let parameters = body.map_or(0, |body| body.parameters);
    let blocks = body.map(Blocks::new).unwrap_or_default();
    let mut lent = analysis.is_named_elsewhere(function, variable);
    for holder in analysis.holders(Owner::Variable(function, variable)) {
        match holder {
            Holder::Owner(Owner::Variable(other, holder)) if other == function => {
                // Another activation gets the address as an argument, or where it lets others write.
                let passed = holder.index() < parameters || addressed.contains(&(other, holder));
                if (recursive && passed) || blocks.is_outlived(variable, holder) {
                    return Life::Pooled;
                }
            }
            Holder::Owner(Owner::Variable(other, holder)) => {
                // A caller may keep the address that it finds in such a variable.
                if addressed.contains(&(other, holder)) && (calls.reaches)(other, function) {
                    return Life::Pooled;
                }
                lent = true;
            }
            Holder::Result(other) if other != function => lent = true,
            Holder::Owner(Owner::Object(_) | Owner::Heap(_)) | Holder::Result(_) | Holder::World => {
                return Life::Pooled;
            }
        }
    }
    match (lent, recursive) {
        (false, _) => Life::Own,
        (true, false) => Life::Lent,
        (true, true) => Life::Pooled,
    }
}

/// The blocks of a body: for each variable those around its declaration, and whether they may be entered again.
#[derive(Default)]
struct Blocks(BTreeMap<VariableId, (Vec<usize>, bool)>);

impl Blocks {
    fn new(body: &Body) -> Blocks {
        let mut found = BTreeMap::new();
        let mut blocks = 0;
        let mut waiting: Vec<(&Stmt, Vec<usize>, bool)> =
            body.statements.iter().map(|statement| (statement, vec![], body.labels > 0)).collect();
        while let Some((statement, path, again)) = waiting.pop() {
            let repeats = matches!(statement.kind, StmtKind::While(..) | StmtKind::Do(..));
            match &statement.kind {
                StmtKind::Declare(id, _) => _ = found.insert(*id, (path, again)),
                StmtKind::Block(inner) => {
                    blocks += 1;
                    let path = [path, vec![blocks]].concat();
                    waiting.extend(inner.iter().map(|inner| (inner, path.clone(), again)));
                }
                StmtKind::If(_, yes, no) => {
                    waiting.push((yes, path.clone(), again));
                    waiting.extend(no.iter().map(|no| (&**no, path.clone(), again)));
                }
                StmtKind::While(_, inner, _) | StmtKind::Do(inner, _) | StmtKind::Switch(_, _, _, inner) => {
                    waiting.push((inner, path, again || repeats));
                }
                _ => {}
            }
        }
        Blocks(found)
    }

    /// Whether the block of a variable may end and begin anew while another variable lives on.
    fn is_outlived(&self, variable: VariableId, other: VariableId) -> bool {
        let Some((path, again)) = self.0.get(&variable) else { return false };
        let outer = self.0.get(&other).map_or(&[][..], |(path, _)| path);
        *again && !outer.starts_with(path)
    }
}

/// How the parts with one path and one type lie in an owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// How many of them lie in a row.
    pub inner: u64,
    /// How many rows there are.
    pub rows: u64,
    /// Whether they are elements of arrays or of a pool, or lie in such elements.
    pub enclosed: bool,
}

impl Storage {
    /// How the parts of a type lie that begin with a scalar. Nothing if there are none.
    pub fn shape(&self, program: &Program, first: usize, part: &Type) -> Option<Shape> {
        let (mut ty, mut leaf) = (self.ty.clone(), 0);
        let (mut inner, mut rows) = (1, self.objects.unwrap_or(1));
        let mut enclosed = self.objects.is_some();
        loop {
            if leaf == first && program.alike(&ty, part) {
                return Some(Shape { inner, rows, enclosed });
            }
            match ty {
                Type::Array(element, length) => {
                    (inner, rows) = (length.unwrap_or(0), inner.saturating_mul(rows));
                    enclosed = true;
                    ty = (*element).clone();
                }
                Type::Struct(id) => {
                    rows = inner.saturating_mul(rows);
                    inner = 1;
                    let (member, at) = member(program, id, leaf, first)?;
                    (ty, leaf) = (member.ty.clone(), at);
                }
                _ => return None,
            }
        }
    }
}

/// The way from an object to a part: words, each with how many parts follow it, if an index does.
fn spell(program: &Program, ty: &Type, target: &Target, path: &mut Vec<(String, Option<u64>)>) {
    let (mut ty, mut leaf) = (ty.clone(), 0);
    while leaf != target.leaf || !program.alike(&ty, &target.ty) {
        match ty {
            Type::Array(element, length) => {
                match path.last_mut() {
                    Some((_, free @ None)) => *free = Some(length.unwrap_or(0)),
                    _ => path.push((String::new(), Some(length.unwrap_or(0)))),
                }
                ty = (*element).clone();
            }
            Type::Struct(id) => {
                let Some((member, at)) = member(program, id, leaf, target.leaf) else { return };
                let name = member.name.as_ref().map_or(String::new(), |name| format!(".{name}"));
                path.push((name, None));
                (ty, leaf) = (member.ty.clone(), at);
            }
            _ => return,
        }
    }
}

/// The member of a structure that a scalar belongs to, and its first scalar.
fn member(program: &Program, id: StructId, first: usize, leaf: usize) -> Option<(&Member, usize)> {
    let mut at = first;
    for member in program.members(id) {
        let count = program.leaf_count(&member.ty);
        if at <= leaf && leaf < at + count {
            return Some((member, at));
        }
        at += count;
    }
    None
}
