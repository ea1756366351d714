//! Handles: pointers that the environment is given, keeps, and gives back.
//!
//! A pointer to a structure that only the module knows is a handle for the environment. It may give back what it was given, as
//! long as the object lives, and null. Where other pointers are asked for, it may also give pointers to objects of its own.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::module::{Base, Expression, ExpressionId, Label, LocalId, Place, Sort, Statement};
use agon_core::term::Operator;
use agon_core::types::Data;

use super::{Hole, Lowering};
use crate::memory::Range;
use crate::points::{Owner, TargetId};
use crate::tree::{Expr, ExprKind, FunctionId, Linkage, Object, ObjectId, Place as CPlace, PlaceKind};
use crate::types::{FunctionType, Type};

type Lowered<T> = Result<T, Diagnostic>;

impl Lowering<'_> {
    /// Declares what says which handles the environment has. Refuses pointers to what the environment could look into.
    pub(super) fn declare_handles(&mut self) -> Lowered<()> {
        let given: Vec<TargetId> = self.memory.analysis.given().targets.iter().copied().collect();
        for id in given {
            let target = self.memory.analysis.target(id).clone();
            let span = self.span_of(target.owner);
            if let Owner::Object(object) = target.owner {
                // It has the addresses of what it can name anyway.
                if self.is_visible(object) {
                    continue;
                }
                if self.program.object(object).constant && !self.is_private(&target.ty) {
                    self.declare_open(id, object)?;
                    continue;
                }
            }
            let open = !self.is_private(&target.ty);
            if open && self.options.exposed {
                self.expose(target.owner, span)?;
            } else if open {
                let message = format!(
                    "the environment gets a pointer to {}, and could look into it or change it",
                    self.words_of(target.owner)
                );
                let diagnostic =
                    Diagnostic::error(Code::AddressTaken, message, span, "its address is handed out");
                return Err(
                    diagnostic.help("hand out pointers to structures that only the source file declares")
                );
            }
            if self.options.threads > 1 && !matches!(target.owner, Owner::Object(_)) {
                let message = "with several threads, pointers to objects that may die cannot be handed out";
                let diagnostic = Diagnostic::error(Code::NotInC, message, span, "handed out");
                return Err(diagnostic.help("hand out pointers to objects with static storage"));
            }
            let parts = self.memory.range(id).parts();
            let length = (parts > 1).then_some(parts);
            let name = format!("{} was handed out", self.words_of(target.owner).replace('`', ""));
            let cell = self.hidden_cell(name, Sort::Data(Data::Bool), length, span);
            self.handed.insert(id, cell);
        }
        Ok(())
    }

    /// Declares what says that the module itself calls, through a pointer, a function that the environment may call, too. Nothing
    /// crosses to the environment then, and nothing is forgotten.
    pub(super) fn declare_own_calls(&mut self) -> Lowered<()> {
        let both = |id: FunctionId| self.is_called_by_environment(id) && self.effects.is_value(id);
        let types = self.program.functions().filter(|(id, _)| both(*id)).map(|(_, function)| &function.ty);
        let types: Vec<&FunctionType> = types.collect();
        let takes = types.iter().any(|ty| takes_pointers(self.program, ty));
        if self.options.threads > 1 {
            let message =
                "with several threads, functions that take pointers cannot be both handed out and called";
            return if takes { Err(Diagnostic::general(Code::NotInC, message)) } else { Ok(()) };
        }
        let gives = types.iter().any(|ty| has_pointers(self.program, &ty.result));
        if takes || gives || (self.forgets() && !types.is_empty()) {
            let sort = Sort::Data(Data::Bool);
            self.own_call =
                Some(self.hidden_cell("the module calls itself".into(), sort, None, Span::default()));
        }
        Ok(())
    }

    /// Declares what says whether the environment has a pointer into a constant that it may look into. From one part it comes to all others.
    fn declare_open(&mut self, id: TargetId, object: ObjectId) -> Lowered<()> {
        let Object { name, span, .. } = self.program.object(object);
        if let Some(found) = self.leads_to(object) {
            let message = format!("the environment gets a pointer to `{name}`, which leads it to {found}");
            let diagnostic =
                Diagnostic::error(Code::AddressTaken, message, *span, "its address is handed out");
            return Err(diagnostic
                .help("give the object external linkage, so that the environment knows it from the start"));
        }
        if !self.memory.analysis.is_asked_for(self.program, &self.memory.analysis.target(id).ty) {
            return Ok(());
        }
        let part = |other: &TargetId| self.memory.analysis.target(*other).owner == Owner::Object(object);
        let known = self.handed.iter().find(|(other, _)| part(other)).map(|(_, cell)| *cell);
        let cell = known.unwrap_or_else(|| {
            self.hidden_cell(format!("{name} was handed out"), Sort::Data(Data::Bool), None, *span)
        });
        self.handed.insert(id, cell);
        Ok(())
    }

    /// What the environment finds in a constant that it may look into, and could call, change or give back: in words.
    fn leads_to(&self, object: ObjectId) -> Option<String> {
        self.program.object(object).initial.iter().find_map(|item| match &constant(&item.value).kind {
            ExprKind::Function(id) => {
                let function = self.program.function(*id);
                (function.linkage == Linkage::Internal).then(|| format!("`{}`", function.name))
            }
            ExprKind::Address(place) => {
                let object = root(place)?;
                let private = !self.is_visible(object) && !self.program.object(object).text;
                private.then(|| format!("`{}`", self.program.object(object).name))
            }
            _ => None,
        })
    }

    /// The environment has what objects that it can name hold at first.
    pub(super) fn hand_out_initially(&mut self) {
        for (id, object) in self.program.objects() {
            if !self.is_visible(id) {
                continue;
            }
            let leaves = self.program.leaves(&object.ty);
            for item in &object.initial {
                let Some(to) = leaves[item.leaf].ty.pointed_data() else { continue };
                let Some(address) = self.initial(&item.value).to_u64() else { continue };
                for target in self.handles(to) {
                    let range = self.memory.range(target);
                    let Some(part) = range.part(address) else { continue };
                    let cell = self.handed[&target];
                    let part = self.module.cell(cell).length.map_or(0, |_| part);
                    let mut bits = self.module.cell(cell).initial.clone();
                    let last = bits.last().cloned().unwrap_or_default();
                    let part = usize::try_from(part).unwrap_or(usize::MAX);
                    if bits.len() <= part + 1 {
                        bits.resize(part + 2, last);
                    }
                    bits[part] = Int::ONE;
                    if self.module.cell(cell).length.is_none() {
                        bits.truncate(1);
                    }
                    self.module.initialise(cell, bits);
                }
            }
        }
    }

    pub(super) fn span_of(&self, owner: Owner) -> Span {
        match owner {
            Owner::Object(id) => self.program.object(id).span,
            Owner::Variable(function, variable) => {
                let body = self.program.function(function).body.as_ref();
                body.map_or(Span::default(), |body| body.variables[variable.index()].span)
            }
            Owner::Heap(id) => match &self.memory.analysis.heaps[id.index()] {
                Type::Struct(id) => self.program.structs[id.0 as usize].span,
                _ => Span::default(),
            },
        }
    }

    fn words_of(&self, owner: Owner) -> String {
        match owner {
            Owner::Object(id) => format!("`{}`", self.program.object(id).name),
            Owner::Variable(function, variable) => {
                let body = self.program.function(function).body.as_ref();
                body.map_or(String::new(), |body| format!("`{}`", body.variables[variable.index()].name))
            }
            Owner::Heap(_) => "allocated memory".into(),
        }
    }

    /// The targets that the environment may be given and that fit a pointer to a type.
    fn handles(&self, to: &Type) -> Vec<TargetId> {
        self.handed.keys().copied().filter(|id| self.fits(*id, to)).collect()
    }

    /// Whether pointers of a type may be handles.
    pub(super) fn is_handle(&self, ty: &Type) -> bool {
        ty.pointed_data().is_some_and(|to| !self.handles(to).is_empty())
    }

    /// Whether pointers of a type may be handles of objects that die.
    pub(super) fn may_die(&self, ty: &Type) -> bool {
        let handles = ty.pointed_data().map(|to| self.handles(to)).unwrap_or_default();
        handles.iter().any(|id| !matches!(self.memory.analysis.target(*id).owner, Owner::Object(_)))
    }

    /// The targets in objects that the environment can name and that fit a pointer to a type.
    fn named(&self, to: &Type) -> Vec<TargetId> {
        let analysis = &self.memory.analysis;
        let visible = |id: &TargetId| match analysis.target(*id).owner {
            Owner::Object(object) => self.is_visible(object),
            Owner::Variable(..) | Owner::Heap(_) => false,
        };
        let given = analysis.given().targets.iter().copied();
        given.filter(|id| visible(id) && self.fits(*id, to)).collect()
    }

    fn fits(&self, id: TargetId, to: &Type) -> bool {
        *to == Type::Void || self.program.alike(&self.memory.analysis.target(id).ty, to)
    }

    /// The environment gets a value of a type. If it is a pointer, the environment may give it back from now on.
    pub(super) fn hand_out(&mut self, value: ExpressionId, ty: &Type, span: Span) {
        let Some(to) = ty.pointed_data() else { return };
        for target in self.handles(to) {
            let range = self.memory.range(target);
            let inside = self.is_part(value, range, span);
            let here = self.here();
            let mut skip = vec![(self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span), false)];
            let place = self.bit_of_handle(target, value, span);
            // The environment knows which objects are dead.
            if let Some(alive) = self.says_living(target, place.index, span) {
                let here = self.here();
                skip.push((self.emit(Statement::Branch(alive, Label(here.0 + 1), here), span), false));
            }
            let yes = self.number(Int::ONE, span);
            self.emit(Statement::Set(place, yes), span);
            self.patch(&skip);
        }
    }

    /// An object of a pool dies. The environment does not give pointers into it any more.
    pub(super) fn take_back(&mut self, owner: Owner, object: ExpressionId, span: Span) {
        if self.options.stale_handles {
            return;
        }
        let objects = self.memory.storage(self.program, owner).objects.unwrap_or(1).max(1);
        for (target, cell) in self.handed.clone() {
            if self.memory.analysis.target(target).owner != owner {
                continue;
            }
            let each = self.memory.range(target).parts() / objects;
            self.through(each, span, |this, n| {
                let each = this.number(Int::from(each), span);
                let first = this.binary(Operator::Multiply, object, each, span);
                let index = this.binary(Operator::Add, first, n, span);
                let bit = Place { base: Base::Module(cell), index: Some(index) };
                if this.options.compared {
                    let given = this.add(Expression::Load(bit), span);
                    let here = this.here();
                    let at = this.emit(Statement::Branch(given, Label(here.0 + 1), here), span);
                    let address = this.number_at(this.memory.range(target), index, span);
                    this.tell_end(address, span);
                    this.patch(&[(at, false)]);
                }
                let no = this.number(Int::ZERO, span);
                this.emit(Statement::Set(bit, no), span);
            });
        }
    }

    /// Whether a number is that of a pointer to a part, and not to the end of a row.
    pub(super) fn is_part(&mut self, number: ExpressionId, range: Range, span: Span) -> ExpressionId {
        if range.rows == 1 || !range.ends {
            return self.within(number, Range { inner: range.parts(), rows: 1, ends: false, ..range }, span);
        }
        let inside = self.within(number, range, span);
        let first = self.number(Int::from(range.first), span);
        let at = self.binary(Operator::Subtract, number, first, span);
        let width = self.number(Int::from(range.row()), span);
        let within = self.binary(Operator::Remainder, at, width, span);
        let end = self.number(Int::from(range.inner), span);
        let other = self.binary(Operator::NotEqual, within, end, span);
        self.binary(Operator::Both, inside, other, span)
    }

    /// Whether the object of a pool lives that a part belongs to.
    fn says_living(
        &mut self,
        target: TargetId,
        part: Option<ExpressionId>,
        span: Span,
    ) -> Option<ExpressionId> {
        let owner = self.memory.analysis.target(target).owner;
        let live = self.stored.get(&owner)?.live.filter(|_| !self.options.stale_handles)?;
        let objects = self.memory.storage(self.program, owner).objects?.max(1);
        let each = self.memory.range(target).parts() / objects;
        let mut object = part.unwrap_or_else(|| self.number(Int::ZERO, span));
        if each > 1 {
            let each = self.number(Int::from(each), span);
            object = self.binary(Operator::Quotient, object, each, span);
        }
        let state = Place { base: Base::Module(live), index: Some(object) };
        let state = self.add(Expression::Load(state), span);
        let one = self.number(Int::ONE, span);
        Some(self.binary(Operator::Equal, state, one, span))
    }

    /// The bit that says whether the environment has a handle.
    fn bit_of_handle(&mut self, target: TargetId, number: ExpressionId, span: Span) -> Place {
        let (range, cell) = (self.memory.range(target), self.handed[&target]);
        if self.module.cell(cell).length.is_none() {
            return Base::Module(cell).whole();
        }
        let at = self.part_of(number, range, span);
        Place { base: Base::Module(cell), index: Some(at) }
    }

    /// The environment gives a value of a type. Pointers that it does not have it cannot give: then nothing more happens.
    pub(super) fn admit(&mut self, value: LocalId, ty: &Type, span: Span) {
        let Some(to) = ty.pointed_data().cloned() else { return };
        let value = self.read(value, span);
        let mut allowed = Vec::new();
        let here = self.here();
        let at = self.emit(Statement::Branch(value, Label(here.0 + 1), here), span);
        allowed.push((at, false));
        if !self.is_private(&to) {
            let limit = self.number(Int::from(self.memory.limit()), span);
            let foreign = self.binary(Operator::LessEqual, limit, value, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(foreign, here, Label(here.0 + 1)), span);
            allowed.push((at, true));
        }
        for target in self.named(&to) {
            let inside = self.is_part(value, self.memory.range(target), span);
            let here = self.here();
            allowed.push((self.emit(Statement::Branch(inside, here, Label(here.0 + 1)), span), true));
        }
        for target in self.handles(&to) {
            let range = self.memory.range(target);
            let inside = self.is_part(value, range, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(inside, Label(here.0 + 1), here), span);
            let place = self.bit_of_handle(target, value, span);
            let known = self.add(Expression::Load(place), span);
            let here = self.here();
            let known = self.emit(Statement::Branch(known, here, Label(here.0 + 1)), span);
            allowed.push((known, true));
            self.patch(&[(at, false)]);
        }
        self.emit(Statement::Diverge, span);
        self.patch(&allowed);
    }

    /// Parameters arrive, from the environment or from the module itself.
    pub(super) fn arrive(&mut self, id: FunctionId, parameters: &[(LocalId, Type)], span: Span) {
        if let Some(flag) = self.own_call.filter(|_| self.effects.is_value(id)) {
            let called = self.add(Expression::Load(Base::Module(flag).whole()), span);
            self.body.own = Some(self.kept(called, Sort::Data(Data::Bool), span));
            self.zero(Base::Module(flag), span);
        }
        let pointers = parameters.iter().filter(|(_, ty)| ty.pointed_data().is_some());
        let pointers: Vec<&(LocalId, Type)> = pointers.collect();
        if pointers.is_empty() {
            return;
        }
        let own = self.unless_own(span);
        for (local, ty) in pointers {
            self.admit(*local, ty, span);
        }
        self.patch(&own);
    }

    /// Jumps, if the module has called the body itself, to a place that is not known yet.
    pub(super) fn unless_own(&mut self, span: Span) -> Vec<Hole> {
        let Some(own) = self.body.own else { return Vec::new() };
        let own = self.read(own, span);
        let here = self.here();
        vec![(self.emit(Statement::Branch(own, here, Label(here.0 + 1)), span), true)]
    }

    /// Whether a value names a function of the module.
    pub(super) fn names_own(&mut self, value: ExpressionId, span: Span) -> ExpressionId {
        let count = self.module.procedures().count() as u64;
        let last = self.number(Int::from(count), span);
        self.binary(Operator::LessEqual, value, last, span)
    }
}

/// A constant behind conversions.
fn constant(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) => constant(inner),
        ExprKind::Offset(pointer, ..) => constant(pointer),
        _ => e,
    }
}

/// The object that a constant address points into.
fn root(place: &CPlace) -> Option<ObjectId> {
    match &place.kind {
        PlaceKind::Object(id) => Some(*id),
        PlaceKind::Member(inner, _) | PlaceKind::Element(inner, _) => root(inner),
        PlaceKind::Variable(_) | PlaceKind::Target(_) => None,
    }
}

/// Whether a function takes pointers to data.
pub(super) fn takes_pointers(program: &crate::tree::Program, ty: &FunctionType) -> bool {
    ty.parameters.iter().any(|parameter| has_pointers(program, parameter))
}

/// Whether values of a type have pointers to data in them.
pub(super) fn has_pointers(program: &crate::tree::Program, ty: &Type) -> bool {
    ty.pointed_data().is_some()
        || (!ty.is_scalar() && program.leaves(ty).iter().any(|leaf| leaf.ty.pointed_data().is_some()))
}
