//! Reading and writing: cells that must have been written before, and cells that the environment may change.
//!
//! A local that may be read before it is written has a bit that says whether it was written. An object with external linkage
//! belongs to the environment as much as to the module: it has a bit that says whether its value is known since the
//! environment was last to move. If it is not, the environment is asked for it, by an import that calls nothing.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Callee, Calls, CellId, CellKind, Expression, ExpressionId, Import, ImportId, Label, LocalId, Place,
    Share, Signature, Sort, Statement,
};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::Lowering;
use super::places::Part;
use crate::layout::Leaf;
use crate::tree::{FunctionId, Linkage, ObjectId};
use crate::types::Type;

/// A cell that the environment may change.
#[derive(Clone, Debug)]
pub(super) struct SharedCell {
    /// Asks for the value. If the cell is an array it takes the index.
    ask: ImportId,
    /// Tells the environment a function that is stored there; if two versions are compared, any value.
    pub tell: Option<ImportId>,
    /// Whether the value is known. Nothing if it may change at any moment.
    pub known: Option<CellId>,
    /// Whether it is chosen once and for all.
    once: bool,
    array: bool,
    ty: Type,
}

/// How the environment and the module share an object: which import stands for what is done to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedImport {
    /// The import.
    pub import: ImportId,
    /// The object or its part, as C writes it.
    pub place: String,
    /// The same, as a play names it.
    pub shown: String,
    /// Its type.
    pub ty: Type,
    /// Whether it is an element of an array, whose index is the argument.
    pub element: bool,
    /// Whether the import tells the environment what was stored; otherwise it asks the environment for the value.
    pub tells: bool,
    /// The cell that says whether the value is known, if there is one.
    pub known: Option<CellId>,
    /// The function whose result it is a part of, if it is no object.
    pub result_of: Option<FunctionId>,
}

/// The number of the last error, which functions of the environment set.
pub(crate) const ERRNO: &str = "errno";

impl Lowering<'_> {
    /// Whether the environment may change an object.
    pub(super) fn is_shared(&self, id: ObjectId) -> bool {
        is_shared(self.program, self.options, id)
    }

    /// Whether the environment can name an object.
    pub(super) fn is_visible(&self, id: ObjectId) -> bool {
        is_visible(self.program, self.options, id)
    }

    /// Makes the cells of an object shared.
    pub(super) fn share(&mut self, id: ObjectId) -> Result<(), Diagnostic> {
        let object = self.program.object(id);
        if self.program.has_union(&object.ty) {
            let message = "a union that the environment may change is not supported";
            let diagnostic = Diagnostic::error(Code::UnionType, message, object.span, "has external linkage");
            return Err(diagnostic.help("make the object `static`, or say `--private-data`"));
        }
        let closed = self.main().is_some();
        if object.name == ERRNO && (closed || self.several()) {
            let message = match closed {
                true => "`errno` in a whole program is not supported",
                false => "with several threads, `errno` is not supported",
            };
            let diagnostic =
                Diagnostic::error(Code::AtomicObject, message, object.span, "one for each thread");
            return Err(diagnostic.help("look at what functions give instead"));
        }
        for (n, leaf) in self.program.leaves(&object.ty).into_iter().enumerate() {
            let Some(cell) = self.objects[id.index()].get(n).copied() else { continue };
            if leaf.ty == Type::Mutex && (closed || !self.shares_lock(id, &leaf.path)?) {
                continue;
            }
            let length = leaf.array.then_some(leaf.count.max(1));
            // A constant member keeps what it holds at first.
            if leaf.constant && object.defined {
                if self.options.compared && !closed {
                    let sort = self.sort(&leaf.ty, object.span)?;
                    self.show_data(id, cell, &format!("{}{}", object.name, leaf.path), sort, length);
                }
                continue;
            }
            let always = !closed && (object.volatile || leaf.volatile || self.options.threads > 1);
            if closed && leaf.ty.pointed_function().is_some() {
                return Err(super::closed::function_given(&object.name, object.span));
            }
            let sort = match (&leaf.ty, &self.module.cell(cell).kind) {
                (Type::Mutex, CellKind::Value(sort)) => sort.clone(),
                (ty, _) => self.sort(ty, object.span)?,
            };
            let index = Sort::Data(Data::Machine { signed: false, bits: 64 });
            let parameters: Vec<Sort> = leaf.array.then_some(index).into_iter().collect();
            let name = format!("{}{}", object.name, leaf.path);
            let asks = Signature { parameters: parameters.clone(), result: Some(sort.clone()) };
            let ask = self.leaf_import(&name, asks, object.span);
            let known = (!always).then(|| {
                self.hidden_cell(format!("{name} is known"), Sort::Data(Data::Bool), length, object.span)
            });
            let shared = |import, tells| SharedImport {
                import,
                place: name.clone(),
                shown: if leaf.ty == Type::Mutex { format!("locks on {name}") } else { name.clone() },
                ty: leaf.ty.clone(),
                element: leaf.array,
                tells,
                known,
                result_of: None,
            };
            self.shared_imports.push(shared(ask, false));
            let mut tell = None;
            let once = object.constant || leaf.constant || closed;
            let compared = self.options.compared && !closed;
            if leaf.ty.pointed_function().is_some() || (compared && !once) {
                let import = self.telling(&name, sort.clone(), leaf.array, object.span);
                self.shared_imports.push(shared(import, true));
                tell = Some(import);
            }
            if compared {
                let data = self.show_data(id, cell, &name, sort, length);
                // Every access to what may change at any moment is a move.
                if !always {
                    self.module.share(ask, Share::Asks { data, once });
                    tell.into_iter().for_each(|tell| self.module.share(tell, Share::Tells(data)));
                }
            }
            self.shared.insert(cell, SharedCell { ask, tell, known, once, array: leaf.array, ty: leaf.ty });
        }
        Ok(())
    }

    /// Makes a cell one that the environment may change at any moment: every read is an answer of the environment's.
    pub(super) fn expose_cell(
        &mut self,
        cell: CellId,
        leaf: &Leaf,
        name: &str,
        span: Span,
    ) -> Result<(), Diagnostic> {
        if leaf.ty == Type::Mutex || self.shared.contains_key(&cell) {
            return Ok(());
        }
        if self.main().is_some() && leaf.ty.pointed_function().is_some() {
            return Err(super::closed::function_given(name, span));
        }
        let sort = self.sort(&leaf.ty, span)?;
        let index = Sort::Data(Data::Machine { signed: false, bits: 64 });
        let parameters: Vec<Sort> = leaf.array.then_some(index).into_iter().collect();
        let place = format!("{name}{}", leaf.path);
        let asks = Signature { parameters, result: Some(sort.clone()) };
        let ask = self.leaf_import(&place, asks, span);
        let shared = |import, tells| SharedImport {
            import,
            place: place.clone(),
            shown: place.clone(),
            ty: leaf.ty.clone(),
            element: leaf.array,
            tells,
            known: None,
            result_of: None,
        };
        self.shared_imports.push(shared(ask, false));
        let mut tell = None;
        if leaf.ty.pointed_function().is_some() {
            let import = self.telling(&place, sort, leaf.array, span);
            self.shared_imports.push(shared(import, true));
            tell = Some(import);
        }
        self.set_bits.remove(&cell);
        let shared =
            SharedCell { ask, tell, known: None, once: false, array: leaf.array, ty: leaf.ty.clone() };
        self.shared.insert(cell, shared);
        Ok(())
    }

    pub(super) fn leaf_import(&mut self, name: &str, signature: Signature, span: Span) -> ImportId {
        let signature = self.module.add_signature(signature);
        let import = Import::new(name.into(), signature, span);
        self.module.add_import(Import { calls: Calls::Nothing, ..import })
    }

    /// What a place holds.
    pub(super) fn fetch(&mut self, place: Place, span: Span) -> ExpressionId {
        if let Some(bit) = self.set_bit(place.base).filter(|_| self.is_in_union(place.base)) {
            self.is_current(place, bit, span);
        } else if let Some(bit) = self.set_bit(place.base) {
            let bit = Place { base: bit, index: place.index };
            let written = self.add(Expression::Load(bit), span);
            self.emit(Statement::Assert(written, Kind::Uninitialised), span);
        }
        if let Base::Module(cell) = place.base
            && let Some(shared) = self.shared.get(&cell).cloned()
        {
            return self.asked_for(place, cell, &shared, span);
        }
        self.add(Expression::Load(place), span)
    }

    /// What a cell holds that the environment may change.
    fn asked_for(&mut self, place: Place, cell: CellId, shared: &SharedCell, span: Span) -> ExpressionId {
        let arguments: Vec<ExpressionId> = place.index.into_iter().filter(|_| shared.array).collect();
        let result = match &self.module.cell(cell).kind {
            CellKind::Value(sort) => sort.clone(),
            CellKind::Mutex | CellKind::Semaphore(_) => Sort::Data(Data::Bool),
        };
        let answer = self.local(None, result, None, span);
        let ask = Statement::Call(Callee::Import(shared.ask), arguments, Some(answer));
        let Some(known) = shared.known else {
            // The index is looked at, whatever the answer is.
            if place.index.is_some() {
                let looked = self.add(Expression::Load(place), span);
                self.emit(Statement::Set(Base::Local(answer).whole(), looked), span);
            }
            self.emit(ask, span);
            if self.admit_or_left(answer, place, &shared.ty, span) {
                // What is there now may be there later.
                let value = self.read(answer, span);
                self.emit(Statement::Set(place, value), span);
            }
            return self.read(answer, span);
        };
        let bit = Place { base: Base::Module(known), index: place.index };
        let is_known = self.add(Expression::Load(bit), span);
        let at = self.emit(Statement::Branch(is_known, Label(0), Label(self.here().0 + 1)), span);
        self.emit(ask, span);
        self.admit_or_left(answer, place, &shared.ty, span);
        let value = self.read(answer, span);
        self.emit(Statement::Set(place, value), span);
        let yes = self.number(Int::ONE, span);
        self.emit(Statement::Set(bit, yes), span);
        self.patch(&[(at, true)]);
        self.add(Expression::Load(place), span)
    }

    /// The environment says what a cell holds. It gives a handle while its object lives; but it need not write to the cell at all, and
    /// what was there stays, even if the object has died. Says whether it may have died.
    fn admit_or_left(&mut self, answer: LocalId, place: Place, ty: &Type, span: Span) -> bool {
        let dangles = self.may_dangle(ty);
        let mut left = vec![];
        if dangles {
            let (value, held) = (self.read(answer, span), self.add(Expression::Load(place), span));
            let same = self.binary(Operator::Equal, value, held, span);
            let here = self.here();
            left.push((self.emit(Statement::Branch(same, here, Label(here.0 + 1)), span), true));
        }
        self.admit(answer, ty, span);
        self.patch(&left);
        dangles
    }

    /// Whether shared data of a type may hold a pointer to an object that has died, though the environment writes none there. Two
    /// versions that are compared use no such objects.
    fn may_dangle(&self, ty: &Type) -> bool {
        !self.options.exposed && !self.options.compared && self.may_die(ty)
    }

    /// What a place holds that is a part of what is copied as a whole. Parts may be copied that were never written; where they would
    /// have to be remembered as such and cannot be, a bound is met.
    pub(super) fn fetch_part(&mut self, place: Place, span: Span) -> ExpressionId {
        let Some(bit) = self.set_bit(place.base) else { return self.fetch(place, span) };
        let bit = Place { base: bit, index: place.index };
        let written = self.add(Expression::Load(bit), span);
        let bound =
            self.module.add_bound("structures all of whose members are set where they are copied".into());
        self.emit(Statement::Assert(written, Kind::Bound(bound)), span);
        self.add(Expression::Load(place), span)
    }

    /// Stores a value. Of a union, it is the member that counts from here on.
    pub(super) fn store(&mut self, place: Place, value: ExpressionId, span: Span) {
        self.store_part(place, value, span);
        self.replaces(place, span);
    }

    /// Stores a value as a part of what is stored as a whole.
    pub(super) fn store_part(&mut self, place: Place, value: ExpressionId, span: Span) {
        if self.is_constant(place.base) {
            self.emit(Statement::Fail(Kind::Constant), span);
            return;
        }
        self.emit(Statement::Set(place, value), span);
        if let Some(bit) = self.bit_of(place.base) {
            let yes = self.number(Int::ONE, span);
            self.emit(Statement::Set(Place { base: bit, index: place.index }, yes), span);
        }
        self.tell(place, span);
    }

    /// The environment gets to know a function that is stored where it can read it. What may change at any moment it reads at once.
    fn tell(&mut self, place: Place, span: Span) {
        if let Base::Module(cell) = place.base
            && let Some(shared) = self.shared.get(&cell).cloned()
            && shared.known.is_none()
        {
            let value = self.add(Expression::Load(place), span);
            self.hand_out(value, &shared.ty, span);
        }
        if let Base::Module(cell) = place.base
            && let Some(SharedCell { tell: Some(tell), known, .. }) = self.shared.get(&cell).cloned()
            && (!self.options.compared || known.is_none())
        {
            let value = self.add(Expression::Load(place), span);
            let arguments = place.index.into_iter().chain([value]).collect();
            self.emit(Statement::Call(Callee::Import(tell), arguments, None), span);
        }
    }

    /// Whether a cell is that of a string literal, or of an object that is declared constant. A pointer may lead there that does not
    /// say so, and what is written then is undefined.
    fn is_constant(&self, base: Base) -> bool {
        matches!(base, Base::Module(cell) if self.constants.contains(&cell))
    }

    /// Stores a value in all elements of an array.
    pub(super) fn store_all(&mut self, base: Base, value: ExpressionId, span: Span) {
        if self.is_constant(base) {
            self.emit(Statement::Fail(Kind::Constant), span);
            return;
        }
        self.emit(Statement::Fill(base, value), span);
        if let Some(bit) = self.bit_of(base) {
            let yes = self.number(Int::ONE, span);
            self.emit(Statement::Fill(bit, yes), span);
        }
    }

    /// Copies a value, and with it whether it was written.
    pub(super) fn copy(&mut self, to: Place, from: Place, span: Span) {
        if self.is_constant(to.base) {
            self.emit(Statement::Fail(Kind::Constant), span);
            return;
        }
        let (Some(to_bit), Some(from_bit)) = (self.set_bit(to.base), self.set_bit(from.base)) else {
            let value = self.fetch_part(from, span);
            return self.store_part(to, value, span);
        };
        let value = self.add(Expression::Load(from), span);
        self.emit(Statement::Set(to, value), span);
        let written = self.add(Expression::Load(Place { base: from_bit, index: from.index }), span);
        self.emit(Statement::Set(Place { base: to_bit, index: to.index }, written), span);
    }

    /// The bit that says whether a cell was written.
    pub(super) fn set_bit(&self, base: Base) -> Option<Base> {
        match base {
            Base::Local(local) => self.body.bits.get(&local).map(|bit| Base::Local(*bit)),
            Base::Module(cell) => self.set_bits.get(&cell).map(|bit| Base::Module(*bit)),
        }
    }

    /// The bit that is set when a cell is written.
    fn bit_of(&self, base: Base) -> Option<Base> {
        self.set_bit(base).or_else(|| match base {
            Base::Local(_) => None,
            Base::Module(cell) => self.shared.get(&cell).and_then(|shared| shared.known).map(Base::Module),
        })
    }

    /// A variable begins to live: nothing was written to it.
    pub(super) fn unwritten(&mut self, part: &Part, span: Span) {
        let places = match part.row {
            // A new object of a pool counts as not written.
            Some(_) => return,
            None => 0..self.program.leaf_count(&part.ty),
        };
        for n in places {
            if let Some(bit) = self.set_bit(self.base(part.root, part.leaf + n)) {
                self.zero(bit, span);
            }
        }
    }

    /// The environment is about to read an object: it has the pointers that the module has stored there.
    fn hand_out_stored(&mut self, cell: CellId, shared: &SharedCell, span: Span) {
        let Some(known) = shared.known.filter(|_| self.is_handle(&shared.ty)) else { return };
        let length = self.module.cell(cell).length;
        self.through(length.unwrap_or(1), span, |this, n| {
            let index = length.map(|_| n);
            let known = this.add(Expression::Load(Place { base: Base::Module(known), index }), span);
            let here = this.here();
            let at = this.emit(Statement::Branch(known, Label(here.0 + 1), here), span);
            let value = this.add(Expression::Load(Place { base: Base::Module(cell), index }), span);
            this.hand_out(value, &shared.ty, span);
            this.patch(&[(at, false)]);
        });
    }

    /// The environment is to move: what it may change is not known any more.
    pub(super) fn yields(&mut self, span: Span) {
        for (cell, shared) in self.shared.clone() {
            self.hand_out_stored(cell, &shared, span);
        }
        let mut cells: Vec<(CellId, bool)> = Vec::new();
        for (cell, shared) in &self.shared {
            if let Some(known) = shared.known.filter(|_| !shared.once) {
                // What may stay there is kept.
                cells.extend((!self.may_dangle(&shared.ty)).then_some((*cell, shared.array)));
                cells.push((known, shared.array));
            }
        }
        if self.options.compared {
            for (cell, shared) in self.shared.clone() {
                if !shared.once {
                    self.tell_data(cell, &shared, span);
                }
            }
        }
        for (cell, array) in cells {
            let (base, zero) = (Base::Module(cell), self.number(Int::ZERO, span));
            match array {
                true => self.emit(Statement::Fill(base, zero), span),
                false => self.emit(Statement::Set(base.whole(), zero), span),
            };
        }
    }

    /// Whether something is forgotten when the environment is to move.
    pub(super) fn forgets(&self) -> bool {
        self.shared.values().any(|shared| shared.known.is_some() && !shared.once)
    }
}

/// Whether the environment can name an object: it may read it, and give its address.
pub(crate) fn is_visible(
    program: &crate::tree::Program,
    options: &crate::options::Options,
    id: ObjectId,
) -> bool {
    let object = program.object(id);
    // Nobody else is there beside a closed program; objects that it does not define hold anything at first.
    let foreign = crate::closed::main(program, options).is_none() || !object.defined;
    object.linkage == Linkage::External && foreign && !options.private_data.contains(&object.name)
}

/// Whether the environment may change an object.
pub(crate) fn is_shared(
    program: &crate::tree::Program,
    options: &crate::options::Options,
    id: ObjectId,
) -> bool {
    let object = program.object(id);
    is_visible(program, options, id) && !(object.constant && object.defined)
}
