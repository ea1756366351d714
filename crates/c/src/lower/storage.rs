//! Storage: cells of the module for variables that outlive their activations or are lent, and for allocated memory.
//!
//! A pool has a number of objects, each of which is free, alive, or held back. An object that dies may be held back for good, once
//! in a play: then its number does not come again, and a later use of it is noticed. One object suffices, since the first
//! wrong use concerns one object.

use std::collections::BTreeSet;

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Callee, Cell, CellId, CellKind, Expression, ExpressionId, Label, LocalId, Place, Sort, Statement,
};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::functions::{declarations, early};
use super::places::{Part, Root};
use crate::memory::{Life, Range, Storage};
use crate::points::{HeapId, Owner};
use crate::tree::{FunctionId, VariableId};
use crate::types::Type;

type Lowered<T> = Result<T, Diagnostic>;

/// The choice whether the address of an object that has died comes again.
pub(super) const REUSE: &str = "reuse";

const FREE: i64 = 0;
const ALIVE: i64 = 1;
const HELD: i64 = 2;

/// Arrays with more elements than this are gone through in a loop.
const UNROLLED: u64 = 8;

/// The cells of an owner.
#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    /// One for each scalar.
    pub cells: Vec<CellId>,
    /// Whether the objects are alive, of a pool.
    pub live: Option<CellId>,
    /// How many elements the objects have, if that differs.
    pub lengths: Option<CellId>,
}

impl Lowering<'_> {
    /// Declares the cells of variables that do not live in their activations, and of allocated memory.
    pub(super) fn declare_memory(&mut self) -> Lowered<()> {
        let moved: Vec<(FunctionId, VariableId, Life)> = self.memory.moved().collect();
        for (function, variable, life) in moved {
            let owner = Owner::Variable(function, variable);
            let definition = self.program.function(function);
            let Some(body) = &definition.body else { continue };
            let declared = &body.variables[variable.index()];
            let name = format!("{}.{}", definition.name, declared.name);
            self.declare_stored(owner, &name, early(body).contains(&variable), declared.span)?;
            let inner = declarations(body).into_iter().any(|(id, _, outer)| id == variable && !outer);
            if inner && life == Life::Lent {
                let sort = Sort::Data(Data::Bool);
                let bit = self.hidden_cell(format!("{name} is alive"), sort, None, declared.span);
                self.alive.insert((function, variable), bit);
            }
        }
        for n in 0..self.memory.analysis.heaps.len() {
            let id = HeapId(u32::try_from(n).unwrap_or(u32::MAX));
            let name = format!("heap of {}", self.type_name(&self.memory.analysis.heaps[n]));
            self.declare_stored(Owner::Heap(id), &name, true, Span::default())?;
        }
        Ok(())
    }

    fn declare_stored(&mut self, owner: Owner, name: &str, unset: bool, span: Span) -> Lowered<()> {
        let storage = self.memory.storage(self.program, owner);
        let unset = unset || self.program.has_union(&storage.ty);
        let mut stored = Stored::default();
        for leaf in self.stored_leaves(&storage) {
            let (sort, lock) = match &leaf.ty {
                Type::Mutex => {
                    self.stored_lock(self.span_of(owner)).map(|(sort, lock)| (sort, Some(lock)))?
                }
                ty => (self.sort(ty, span)?, None),
            };
            let length = leaf.array.then_some(leaf.count.max(1));
            let cell = self.add_cell(format!("{name}{}", leaf.path), sort, length, span);
            if let Some(lock) = lock {
                self.locks.insert(cell, lock);
                self.declare_kind(cell, lock, Int::ZERO);
            }
            if unset {
                let sort = Sort::Data(Data::Bool);
                let bit = self.hidden_cell(format!("{name}{} is set", leaf.path), sort, length, span);
                self.set_bits.insert(cell, bit);
            }
            let shown = self.memory.name(self.program, owner);
            let names = self.memory.elements_of(self.program, owner, &shown, stored.cells.len());
            names.into_iter().for_each(|names| self.module.name_elements(cell, names));
            stored.cells.push(cell);
        }
        self.note_unions(&storage.ty, &stored.cells);
        if let Some(objects) = storage.objects {
            let states = Sort::Data(Data::Mod(Int::from(3i64)));
            stored.live = Some(self.hidden_cell(format!("{name} is alive"), states, Some(objects), span));
            if let Owner::Heap(id) = owner
                && (self.memory.elements(id) > 1 || self.memory.analysis.allocates_nothing(id.index()))
            {
                let sort = Sort::Data(Data::Mod(Int::from(self.memory.elements(id) + 1)));
                stored.lengths =
                    Some(self.hidden_cell(format!("{name} has length"), sort, Some(objects), span));
            }
            if self.held.is_none() {
                let sort = Sort::Data(Data::Bool);
                self.held = Some(self.hidden_cell("a number is held back".into(), sort, None, span));
            }
        }
        self.stored.insert(owner, stored);
        Ok(())
    }

    pub(super) fn add_cell(&mut self, name: String, sort: Sort, length: Option<u64>, span: Span) -> CellId {
        let kind = CellKind::Value(sort);
        self.module.add_cell(Cell { name: name.into(), kind, length, initial: vec![Int::ZERO], span })
    }

    /// A cell that stands in no text.
    pub(super) fn hidden_cell(
        &mut self,
        name: String,
        sort: Sort,
        length: Option<u64>,
        span: Span,
    ) -> CellId {
        let cell = self.add_cell(name, sort, length, span);
        self.module.hide(cell);
        cell
    }

    /// The scalars of an owner, all objects of a pool together.
    pub(super) fn stored_leaves(&self, storage: &Storage) -> Vec<crate::layout::Leaf> {
        let mut leaves = self.program.leaves(&storage.ty);
        if let Some(objects) = storage.objects {
            for leaf in &mut leaves {
                (leaf.array, leaf.count) = (true, leaf.count.saturating_mul(objects));
            }
        }
        leaves
    }

    fn type_name(&self, ty: &Type) -> String {
        crate::declare::declare(self.program, ty, "")
    }

    /// Whether a variable of the body does not live in the activation.
    pub(super) fn is_stored(&self, variable: usize) -> bool {
        let variable = VariableId(u32::try_from(variable).unwrap_or(u32::MAX));
        self.body.function.is_some_and(|function| self.memory.life(function, variable) != Life::Own)
    }

    /// A variable of the body that is lowered.
    pub(super) fn variable(&mut self, id: VariableId) -> Part {
        let ty = self.body.types[id.index()].clone();
        let Some(function) = self.body.function else {
            return Part { root: Root::Variable(id), leaf: 0, row: None, ty };
        };
        let owner = Owner::Variable(function, id);
        match self.memory.life(function, id) {
            Life::Own => Part { root: Root::Variable(id), leaf: 0, row: None, ty },
            Life::Lent => Part { root: Root::Stored(owner), leaf: 0, row: None, ty },
            Life::Pooled => {
                let row = self.body.wheres.get(&id).copied().map(|local| self.read(local, Span::default()));
                Part { root: Root::Stored(owner), leaf: 0, row, ty }
            }
        }
    }

    /// Fails if the object does not live that a part belongs to.
    pub(super) fn is_alive(&mut self, owner: Owner, part: ExpressionId, range: Range, span: Span) {
        if let Owner::Variable(function, variable) = owner
            && let Some(bit) = self.alive.get(&(function, variable)).copied()
        {
            let alive = self.add(Expression::Load(Base::Module(bit).whole()), span);
            self.emit(Statement::Assert(alive, Kind::Dead), span);
        }
        if let Some(bit) = self.own_alive(owner) {
            let alive = self.add(Expression::Load(bit.whole()), span);
            self.emit(Statement::Assert(alive, Kind::Dead), span);
        }
        let Some(Stored { live: Some(live), lengths, .. }) = self.stored.get(&owner).cloned() else { return };
        let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1);
        let each = (range.parts() / objects.max(1)).max(1);
        let mut object = part;
        if each > 1 {
            let each = self.number(Int::from(each), span);
            object = self.binary(Operator::Quotient, part, each, span);
        }
        let state = self.add(Expression::Load(Place { base: Base::Module(live), index: Some(object) }), span);
        let one = self.number(Int::from(ALIVE), span);
        let alive = self.binary(Operator::Equal, state, one, span);
        self.emit(Statement::Assert(alive, Kind::Dead), span);
        if let Some(lengths) = lengths {
            let length = Place { base: Base::Module(lengths), index: Some(object) };
            let length = self.add(Expression::Load(length), span);
            let each = self.number(Int::from(each), span);
            let at = self.binary(Operator::Remainder, part, each, span);
            let inside = self.binary(Operator::Less, at, length, span);
            self.emit(Statement::Assert(inside, Kind::Pointer), span);
        }
    }

    /// The bit that says whether a variable of this body lives, if its block may end before the body.
    fn own_alive(&self, owner: Owner) -> Option<Base> {
        match owner {
            Owner::Variable(function, variable) if Some(function) == self.body.function => {
                self.body.alive.get(&variable).map(|bit| Base::Local(*bit))
            }
            _ => None,
        }
    }

    /// The objects of a pool, in words.
    fn objects_in_words(&self, owner: Owner) -> String {
        match owner {
            Owner::Heap(id) => {
                format!(
                    "allocated objects of type `{}`",
                    self.type_name(&self.memory.analysis.heaps[id.index()])
                )
            }
            Owner::Variable(function, variable) => {
                let definition = self.program.function(function);
                let name = definition.body.as_ref().map(|body| &body.variables[variable.index()].name);
                format!("variables `{}` of `{}`", name.map_or("", |name| name), definition.name)
            }
            Owner::Object(_) => "objects".into(),
        }
    }

    /// Takes a free object of a pool; gives its number.
    pub(super) fn allocate(&mut self, owner: Owner, span: Span) -> LocalId {
        let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1);
        let taken = self.local(None, Sort::Data(Data::Mod(Int::from(objects))), None, span);
        let Some(live) = self.stored.get(&owner).and_then(|stored| stored.live) else { return taken };
        let mut ends = Vec::new();
        for n in 0..objects {
            let index = self.number(Int::from(n), span);
            let place = Place { base: Base::Module(live), index: Some(index) };
            let state = self.add(Expression::Load(place), span);
            let here = self.here();
            let at = self.emit(Statement::Branch(state, here, Label(here.0 + 1)), span);
            let alive = self.number(Int::from(ALIVE), span);
            self.emit(Statement::Set(place, alive), span);
            self.emit(Statement::Set(Base::Local(taken).whole(), index), span);
            ends.push(self.jump(span));
            self.patch(&[(at, true)]);
        }
        // One object more than that is there for the one that is held back.
        let words = format!("{} {} at once", objects - 1, self.objects_in_words(owner));
        let bound = self.module.add_bound(words);
        self.emit(Statement::Fail(Kind::Bound(bound)), span);
        self.patch(&ends);
        taken
    }

    /// An object of a pool dies.
    pub(super) fn release(&mut self, owner: Owner, object: ExpressionId, span: Span) {
        let Some(Stored { live: Some(live), lengths, .. }) = self.stored.get(&owner).cloned() else { return };
        let Some(held) = self.held else { return };
        let place = Place { base: Base::Module(live), index: Some(object) };
        self.atomic(true, span);
        self.clear(owner, Some(object), span);
        self.take_back(owner, object, span);
        let zero = self.number(Int::ZERO, span);
        if let Some(lengths) = lengths {
            self.emit(Statement::Set(Place { base: Base::Module(lengths), index: Some(object) }, zero), span);
        }
        let free = self.number(Int::from(FREE), span);
        self.emit(Statement::Set(place, free), span);
        if self.options.reused {
            self.atomic(false, span);
            return;
        }
        // The number may be held back, once in a play.
        let known = self.add(Expression::Load(Base::Module(held).whole()), span);
        let here = self.here();
        let at = self.emit(Statement::Branch(known, here, Label(here.0 + 1)), span);
        let choice = self.module.choice(REUSE, 2);
        let chosen = self.local(None, Sort::Data(Data::Bool), None, span);
        self.emit(Statement::Call(Callee::Import(choice), vec![], Some(chosen)), span);
        let chosen = self.read(chosen, span);
        let here = self.here();
        let no = self.emit(Statement::Branch(chosen, Label(here.0 + 1), here), span);
        let back = self.number(Int::from(HELD), span);
        self.emit(Statement::Set(place, back), span);
        let yes = self.number(Int::ONE, span);
        self.emit(Statement::Set(Base::Module(held).whole(), yes), span);
        self.patch(&[(at, true), (no, false)]);
        self.atomic(false, span);
    }

    /// All scalars of an owner, or of one object of a pool, are 0 and count as not set.
    pub(super) fn clear(&mut self, owner: Owner, object: Option<ExpressionId>, span: Span) {
        let storage = self.memory.storage(self.program, owner);
        let leaves = self.program.leaves(&storage.ty);
        let cells = self.stored.get(&owner).map(|stored| stored.cells.clone()).unwrap_or_default();
        for (leaf, cell) in leaves.iter().zip(cells) {
            let bases = [Some(cell), self.set_bits.get(&cell).copied()];
            for base in bases.into_iter().flatten().map(Base::Module) {
                let zero = self.number(Int::ZERO, span);
                match (object, leaf.array) {
                    (None, false) => _ = self.emit(Statement::Set(base.whole(), zero), span),
                    (None, true) => _ = self.emit(Statement::Fill(base, zero), span),
                    (Some(object), _) => self.through(leaf.count, span, |this, n| {
                        let count = this.number(Int::from(leaf.count), span);
                        let first = this.binary(Operator::Multiply, object, count, span);
                        let index = this.binary(Operator::Add, first, n, span);
                        let zero = this.number(Int::ZERO, span);
                        this.emit(Statement::Set(Place { base, index: Some(index) }, zero), span);
                    }),
                }
            }
        }
    }

    /// Does something for all numbers below a count.
    pub(super) fn through(
        &mut self,
        count: u64,
        span: Span,
        mut action: impl FnMut(&mut Self, ExpressionId),
    ) {
        if count <= UNROLLED {
            for n in 0..count {
                let n = self.number(Int::from(n), span);
                action(self, n);
            }
            return;
        }
        let counter = self.local(None, Sort::Data(Data::Mod(Int::from(count + 1))), None, span);
        let zero = self.number(Int::ZERO, span);
        self.emit(Statement::Set(Base::Local(counter).whole(), zero), span);
        let start = self.here();
        let n = self.read(counter, span);
        let end = self.number(Int::from(count), span);
        let more = self.binary(Operator::Less, n, end, span);
        let at = self.emit(Statement::Branch(more, Label(start.0 + 1), start), span);
        action(self, n);
        let one = self.number(Int::ONE, span);
        let next = self.binary(Operator::Add, n, one, span);
        self.emit(Statement::Set(Base::Local(counter).whole(), next), span);
        self.emit(Statement::Jump(start), span);
        self.patch(&[(at, false)]);
        let zero = self.number(Int::ZERO, span);
        self.emit(Statement::Set(Base::Local(counter).whole(), zero), span);
    }

    /// The body begins: what its lent variables held for another activation is kept, and parameters are copied.
    pub(super) fn enter(&mut self, parameters: usize, span: Span) {
        let Some(function) = self.body.function else { return };
        let moved: Vec<(VariableId, Life)> = self
            .memory
            .moved()
            .filter(|(owner, ..)| *owner == function)
            .map(|(_, variable, life)| (variable, life))
            .collect();
        let again = self.effects.moves(function);
        for (variable, life) in moved {
            let owner = Owner::Variable(function, variable);
            let Some(stored) = self.stored.get(&owner).cloned() else { continue };
            match life {
                Life::Lent => {
                    let bits: Vec<CellId> =
                        stored.cells.iter().filter_map(|cell| self.set_bits.get(cell).copied()).collect();
                    let alive = self.alive.get(&(function, variable)).copied();
                    for cell in stored.cells.into_iter().chain(bits).chain(alive) {
                        let saved = again.then(|| self.saved(cell, span));
                        self.body.lent.push((cell, saved));
                        self.zero(Base::Module(cell), span);
                    }
                }
                Life::Pooled => {
                    let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1);
                    let sort = Sort::Data(Data::Mod(Int::from(objects)));
                    let place = self.local(None, sort, None, span);
                    let lives = self.local(None, Sort::Data(Data::Bool), None, span);
                    self.body.wheres.insert(variable, place);
                    self.body.pooled.insert(variable, lives);
                }
                Life::Own => {}
            }
            if variable.index() < parameters {
                self.begins(variable, span);
                let part = self.variable(variable);
                let passed = self.locals(variable).to_vec();
                let places = self.all(&part, span);
                for ((to, _), from) in places.into_iter().zip(self.passed(&passed, span)) {
                    self.store(to, from, span);
                }
            }
        }
    }

    /// The values of the scalars of a parameter, elements of arrays one by one.
    fn passed(&mut self, locals: &[LocalId], span: Span) -> Vec<ExpressionId> {
        let mut values = Vec::new();
        for local in locals {
            match self.body.locals[local.index()].length {
                None => values.push(self.read(*local, span)),
                Some(length) => {
                    for n in 0..length {
                        let index = Some(self.number(Int::from(n), span));
                        let place = Place { base: Base::Local(*local), index };
                        values.push(self.add(Expression::Load(place), span));
                    }
                }
            }
        }
        values
    }

    pub(super) fn zero(&mut self, base: Base, span: Span) {
        let zero = self.number(Int::ZERO, span);
        let array = match base {
            Base::Module(cell) => self.module.cell(cell).length.is_some(),
            Base::Local(local) => self.body.locals[local.index()].length.is_some(),
        };
        match array {
            true => self.emit(Statement::Fill(base, zero), span),
            false => self.emit(Statement::Set(base.whole(), zero), span),
        };
    }

    /// A copy of a cell of the module in the activation.
    pub(super) fn saved(&mut self, cell: CellId, span: Span) -> LocalId {
        let Cell { kind, length, .. } = self.module.cell(cell).clone();
        let CellKind::Value(sort) = kind else { unreachable!("it holds values") };
        let local = self.local(None, sort, length, span);
        self.copied(Base::Local(local), Base::Module(cell), length, span);
        local
    }

    pub(super) fn copied(&mut self, to: Base, from: Base, length: Option<u64>, span: Span) {
        match length {
            None => {
                let value = self.add(Expression::Load(from.whole()), span);
                self.emit(Statement::Set(to.whole(), value), span);
            }
            Some(length) => self.through(length, span, |this, n| {
                let value = this.add(Expression::Load(Place { base: from, index: Some(n) }), span);
                this.emit(Statement::Set(Place { base: to, index: Some(n) }, value), span);
            }),
        }
    }

    /// The body ends: variables die, and lent cells hold again what they held before.
    pub(super) fn leave(&mut self, span: Span) {
        let pooled: Vec<VariableId> = self.body.pooled.keys().copied().collect();
        for variable in pooled {
            self.dies(variable, span);
        }
        for (cell, saved) in self.body.lent.clone() {
            match saved {
                Some(local) => {
                    let length = self.module.cell(cell).length;
                    self.copied(Base::Module(cell), Base::Local(local), length, span);
                }
                None => self.zero(Base::Module(cell), span),
            }
        }
    }

    /// Whether something is to be done when the body ends.
    pub(super) fn leaves(&self) -> bool {
        !self.body.pooled.is_empty() || !self.body.lent.is_empty()
    }

    /// A variable begins to live.
    pub(super) fn begins(&mut self, variable: VariableId, span: Span) {
        if let (Some(place), Some(lives), Some(function)) = (
            self.body.wheres.get(&variable).copied(),
            self.body.pooled.get(&variable).copied(),
            self.body.function,
        ) {
            self.dies(variable, span);
            let taken = self.allocate(Owner::Variable(function, variable), span);
            let taken = self.read(taken, span);
            self.emit(Statement::Set(Base::Local(place).whole(), taken), span);
            let yes = self.number(Int::ONE, span);
            self.emit(Statement::Set(Base::Local(lives).whole(), yes), span);
        }
        self.says_alive(variable, true, span);
    }

    /// A jump may have led into blocks, past declarations: the variables of the blocks live.
    pub(super) fn entered(&mut self, span: Span) {
        let inside: Vec<VariableId> = self.tracked().intersection(&self.body.scope).copied().collect();
        for variable in inside {
            let Some(lives) = self.body.pooled.get(&variable).copied() else {
                self.says_alive(variable, true, span);
                continue;
            };
            let lives = self.read(lives, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(lives, here, Label(here.0 + 1)), span);
            self.begins(variable, span);
            self.patch(&[(at, true)]);
        }
    }

    /// A variable whose block has ended does not live any more.
    fn dies(&mut self, variable: VariableId, span: Span) {
        self.says_alive(variable, false, span);
        let (Some(place), Some(lives), Some(function)) = (
            self.body.wheres.get(&variable).copied(),
            self.body.pooled.get(&variable).copied(),
            self.body.function,
        ) else {
            return;
        };
        let alive = self.read(lives, span);
        let here = self.here();
        let at = self.emit(Statement::Branch(alive, Label(here.0 + 1), here), span);
        let object = self.read(place, span);
        self.release(Owner::Variable(function, variable), object, span);
        self.zero(Base::Local(place), span);
        self.zero(Base::Local(lives), span);
        self.patch(&[(at, false)]);
    }

    fn says_alive(&mut self, variable: VariableId, alive: bool, span: Span) {
        let Some(function) = self.body.function else { return };
        let lent = self.alive.get(&(function, variable)).copied().map(Base::Module);
        let own = self.body.alive.get(&variable).map(|bit| Base::Local(*bit));
        for bit in [lent, own].into_iter().flatten() {
            let value = self.number(Int::truth(alive), span);
            self.emit(Statement::Set(bit.whole(), value), span);
        }
    }

    /// The variables of this body whose lives are followed.
    pub(super) fn tracked(&self) -> BTreeSet<VariableId> {
        let lent = self.alive.keys().filter(|(owner, _)| Some(*owner) == self.body.function);
        let own = self.body.alive.keys().chain(self.body.pooled.keys()).copied();
        own.chain(lent.map(|(_, variable)| *variable)).collect()
    }

    /// The blocks of variables have ended.
    pub(super) fn ends(&mut self, variables: &BTreeSet<VariableId>, span: Span) {
        for variable in self.tracked().intersection(variables) {
            self.dies(*variable, span);
        }
    }
}
