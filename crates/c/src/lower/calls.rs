//! Calls: of procedures, imports and pointers, and of functions of the C library that have a meaning.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{
    Base, Callee as CoreCallee, Calls, Expression, ExpressionId, Function, Import, Label, Signature,
    Statement,
};
use agon_core::term::{Operator, Unary};

use super::Lowering;
use super::handles::{has_pointers, takes_pointers};
use super::lost::Moment;
use super::places::Part;
use crate::closed::ANY;
use crate::library::Known;
use crate::tree::{Argument, Callee, Expr, ExprKind, Place, Unary as TreeUnary};
use crate::types::{FunctionType, Rank, Type};

type Lowered<T> = Result<T, Diagnostic>;

/// The status of a program that ends by `abort`, as a shell shows it.
const ABORTED: i64 = 134;

/// What `isalpha` and its like give for a character of the class, where it is one number.
const IN_CLASS: i64 = 1024;

impl Lowering<'_> {
    /// A call; gives the result if it is wanted and there is one.
    pub(super) fn call(
        &mut self,
        callee: &Callee,
        arguments: &[Expr],
        wanted: Option<&Type>,
        span: Span,
    ) -> Lowered<Option<ExpressionId>> {
        if let Callee::Function(id) = callee
            && self.fails(&self.program.function(*id).name)
        {
            for argument in arguments {
                self.effect(argument)?;
            }
            self.emit(Statement::Fail(Kind::Abort), span);
            return Ok(wanted.map(|_| self.number(Int::ZERO, span)));
        }
        let mut target = match callee {
            Callee::Function(id) => match self.inner[id.index()].or(self.functions[id.index()]) {
                Some(Function::Procedure(id)) => CoreCallee::Procedure(id),
                Some(Function::Import(id)) => CoreCallee::Import(id),
                // Its type was refused, and that was said.
                Some(Function::Foreign(_)) | None => return Ok(None),
            },
            Callee::Pointer(pointer) => {
                let Some(ty) = pointer.ty.pointed_function().cloned() else { return Ok(None) };
                let signature = self.signature(&ty, span)?;
                CoreCallee::Value(self.value(pointer)?, signature)
            }
        };
        let mut values = Vec::new();
        for argument in arguments {
            match argument.ty.is_scalar() {
                true => values.push(self.value(argument)?),
                false => values.extend(self.structure(argument)?),
            }
        }
        let ty = match callee {
            Callee::Function(id) => Some(self.program.function(*id).ty.clone()),
            Callee::Pointer(pointer) => pointer.ty.pointed_function().map(|ty| (**ty).clone()),
        };
        let pointers = ty
            .as_ref()
            .is_some_and(|ty| takes_pointers(self.program, ty) || has_pointers(self.program, &ty.result));
        let pointers = pointers && !matches!(target, CoreCallee::Procedure(_));
        let mut own = None;
        if (pointers || self.forgets()) && !matches!(target, CoreCallee::Procedure(_)) {
            own = self.before_move(&mut target, &mut values, ty.as_ref(), span)?;
        }
        let result = match wanted {
            Some(Type::Void) | None => None,
            Some(ty) => {
                let sort = self.sort(ty, span)?;
                Some(self.local(None, sort, None, span))
            }
        };
        let atomic =
            matches!(callee, Callee::Function(id) if self.is_atomic(&self.program.function(*id).name));
        if atomic {
            self.atomic(true, span);
        }
        if let (CoreCallee::Import(id), true) = (target, self.main().is_some())
            && self.module.import(id).ends
        {
            self.nothing_lost(Moment::Ends, span);
        }
        let held = match target {
            CoreCallee::Import(_) => vec![],
            CoreCallee::Procedure(_) | CoreCallee::Value(..) => self.hold(span),
        };
        self.emit(Statement::Call(target, values, result), span);
        self.let_go(held, span);
        if atomic {
            self.atomic(false, span);
        }
        if let (true, Some(local), Some(ty)) = (pointers, result, &ty) {
            let skip = own.map(|value| {
                let own = self.names_own(value, span);
                let here = self.here();
                (self.emit(Statement::Branch(own, here, Label(here.0 + 1)), span), true)
            });
            self.admit(local, &ty.result, span);
            self.patch(&skip.into_iter().collect::<Vec<_>>());
        }
        self.after_call(callee, result.is_some(), span);
        Ok(result.map(|result| self.read(result, span)))
    }

    /// The environment gets the arguments of a call, and may change what it shares, unless a pointer leads to a function of the
    /// module. Gives that pointer.
    fn before_move(
        &mut self,
        target: &mut CoreCallee,
        values: &mut [ExpressionId],
        ty: Option<&FunctionType>,
        span: Span,
    ) -> Lowered<Option<ExpressionId>> {
        let mut scalars = Vec::new();
        for parameter in ty.iter().flat_map(|ty| &ty.parameters) {
            scalars.extend(self.parts(parameter, span)?);
        }
        if self.forgets() {
            for (value, scalar) in values.iter_mut().zip(&scalars) {
                let sort = self.sort(scalar, span)?;
                *value = self.stable(*value, sort, span);
            }
        }
        let mut skip = vec![];
        let mut own = None;
        if let CoreCallee::Value(value, signature) = *target {
            let sort = self.module.function_sort(signature);
            let kept = self.kept(value, sort, span);
            let value = self.read(kept, span);
            *target = CoreCallee::Value(value, signature);
            own = Some(value);
            let is_own = self.names_own(value, span);
            let here = self.here();
            let at = self.emit(Statement::Branch(is_own, Label(here.0 + 1), here), span);
            if let Some(flag) = self.own_call {
                let yes = self.number(Int::ONE, span);
                self.emit(Statement::Set(Base::Module(flag).whole(), yes), span);
            }
            skip.push(self.jump(span));
            self.patch(&[(at, false)]);
        }
        for (value, scalar) in values.iter().zip(&scalars) {
            self.hand_out(*value, scalar, span);
        }
        if self.forgets() {
            self.yields(span);
        }
        self.patch(&skip);
        Ok(own)
    }

    /// A call of a function of the C library.
    pub(super) fn library(
        &mut self,
        (known, name): (Known, &str),
        arguments: &[Argument],
        ty: &Type,
        used: bool,
        span: Span,
    ) -> Lowered<Option<ExpressionId>> {
        if self.fails(name) {
            self.arguments(arguments)?;
            self.emit(Statement::Fail(Kind::Abort), span);
            return Ok(None);
        }
        match known {
            Known::Assert => {
                if let Some(Argument::Value(condition)) = arguments.first() {
                    let condition = claim(condition);
                    let value = self.value(condition)?;
                    self.emit(Statement::Assert(value, Kind::Assertion), span);
                }
                Ok(None)
            }
            Known::AssertionFails => {
                self.arguments(arguments)?;
                self.emit(Statement::Fail(Kind::Assertion), span);
                Ok(None)
            }
            Known::Assume => {
                if let Some(Argument::Value(condition)) = arguments.first() {
                    let value = self.value(condition)?;
                    let here = self.here();
                    self.emit(Statement::Branch(value, Label(here.0 + 2), Label(here.0 + 1)), span);
                    self.emit(Statement::Diverge, span);
                }
                Ok(None)
            }
            Known::Nothing => {
                self.arguments(arguments)?;
                Ok(None)
            }
            Known::Atomic(begins) => {
                self.atomic(begins, span);
                Ok(None)
            }
            Known::BeginThread
            | Known::JoinThread
            | Known::DetachThread
            | Known::EndThread
            | Known::OwnThread
            | Known::SameThread
            | Known::Wait
            | Known::Succeeds => self.thread_call((known, name), arguments, ty, span),
            Known::Exit => {
                let values = self.arguments(arguments)?;
                let status = values.first().copied().unwrap_or_else(|| self.number(Int::ZERO, span));
                self.no_leak(span);
                self.nothing_lost(Moment::Ends, span);
                self.emit(Statement::Exit(status), span);
                Ok(None)
            }
            Known::Abort => {
                self.nothing_lost(Moment::Ends, span);
                let status = self.number(Int::from(ABORTED), span);
                self.emit(Statement::Exit(status), span);
                Ok(None)
            }
            Known::Output if self.options.compared => self.output(name, arguments, ty, used, span),
            Known::Output | Known::Number(..) | Known::AnyNumber => {
                self.arguments(arguments)?;
                if *ty == Type::Void || (!used && known == Known::Output) {
                    return Ok(None);
                }
                if let (true, Type::Pointer(_)) = (name.starts_with(ANY), ty) {
                    let message = format!("`{name}` gives any pointer, and that is not supported");
                    return Err(Diagnostic::error(Code::LibraryFunction, message, span, "called here"));
                }
                let range = match known {
                    Known::Number(low, high) => Some((Int::from(low), Int::from(high))),
                    _ => None,
                };
                self.asked(name, ty, range, span).map(Some)
            }
            Known::Stream | Known::First => Ok(self.arguments(arguments)?.first().copied()),
            Known::Absolute => {
                let values = self.arguments(arguments)?;
                let value = values.first().copied().unwrap_or_else(|| self.number(Int::ZERO, span));
                self.absolute(value, ty, span).map(Some)
            }
            Known::Class(ranges) => {
                let inside = self.class(ranges, arguments, span)?;
                if !used {
                    return Ok(None);
                }
                // Two versions are given the same number, which is none that a module should expect.
                if self.options.compared {
                    let number = self.number(Int::from(IN_CLASS), span);
                    return Ok(Some(self.binary(Operator::Multiply, inside, number, span)));
                }
                // The number is any but 0 if the character is in the class.
                let given = self.asked(name, ty, None, span)?;
                let zero = self.number(Int::ZERO, span);
                let is_zero = self.binary(Operator::Equal, given, zero, span);
                let other = self.binary(Operator::Add, given, is_zero, span);
                Ok(Some(self.binary(Operator::Multiply, inside, other, span)))
            }
            Known::Shifted(range, by) => {
                let values = self.arguments(arguments)?;
                let value = values.first().copied().unwrap_or_else(|| self.number(Int::ZERO, span));
                let inside = self.within_bytes(value, range, span);
                let by = self.number(Int::from(i64::from(by)), span);
                let change = self.binary(Operator::Multiply, inside, by, span);
                Ok(Some(self.binary(Operator::Add, value, change, span)))
            }
            Known::Fill => {
                if let [Argument::Object(place), Argument::Value(byte), _] = arguments
                    && let ExprKind::Number(byte) = &byte.kind
                {
                    self.fill(place, byte, span)?;
                }
                self.first_address(arguments, used)
            }
            Known::Copy => {
                if let [Argument::Object(to), Argument::Object(from), _] = arguments {
                    self.parts(&to.ty, span)?;
                    self.each(to, &mut |this, to| {
                        this.each(from, &mut |this, from| {
                            let (to, from) = (this.all(&to, span), this.all(&from, span));
                            for ((to, _), (from, _)) in to.into_iter().zip(from) {
                                this.copy(to, from, span);
                            }
                            Ok(())
                        })
                    })?;
                }
                self.first_address(arguments, used)
            }
            Known::Length => match arguments.first() {
                Some(Argument::Value(pointer)) => self.length(pointer, span).map(Some),
                _ => Ok(None),
            },
            Known::Before => {
                let values = self.arguments(arguments)?;
                let [a, b] = values[..] else { return Ok(None) };
                Ok(Some(self.binary(Operator::Less, a, b, span)))
            }
            Known::Apart => {
                if let [Argument::Value(a), Argument::Value(b)] = arguments {
                    self.apart(a, b, span)?;
                }
                Ok(None)
            }
            Known::Any => {
                let sort = self.sort(ty, span)?;
                let import =
                    self.module.imports().find(|(_, import)| *import.name == *name).map(|(id, _)| id);
                let import = import.unwrap_or_else(|| {
                    let result = Some(sort.clone());
                    let signature = self.module.add_signature(Signature { parameters: vec![], result });
                    let import = Import::new(name.into(), signature, span);
                    self.module.add_import(Import { calls: Calls::Nothing, choice: true, ..import })
                });
                let result = self.local(None, sort, None, span);
                self.emit(Statement::Call(CoreCallee::Import(import), vec![], Some(result)), span);
                Ok(Some(self.read(result, span)))
            }
            Known::Allocate(_) | Known::Elements => {
                let message = "the memory that is allocated here never gets a type";
                let diagnostic = Diagnostic::error(Code::LibraryFunction, message, span, "allocated here");
                Err(diagnostic.help("convert the result to a pointer to what it is for"))
            }
            Known::Free => {
                if let Some(Argument::Value(pointer)) = arguments.first() {
                    self.free(pointer, span)?;
                }
                Ok(None)
            }
            Known::MutexInit | Known::Lock | Known::Unlock | Known::TryLock => {
                let Some(Argument::Object(place)) = arguments.first() else {
                    unreachable!("mutexes are looked at when the call is read")
                };
                let kind = match arguments.get(1) {
                    Some(Argument::Value(kind)) if kind.ty.integer().is_some() => Some(self.value(kind)?),
                    _ => None,
                };
                self.lock_at(known, place, kind, span).map(Some)
            }
        }
    }

    /// Fails if two pointers are the same.
    fn apart(&mut self, a: &Expr, b: &Expr, span: Span) -> Lowered<()> {
        let analysis = &self.memory.analysis;
        let (ours, theirs) = (analysis.points(a), analysis.points(b));
        let values = [self.value(a)?, self.value(b)?];
        if (ours.foreign && theirs.foreign) || !ours.targets.is_disjoint(&theirs.targets) {
            let apart = self.binary(Operator::NotEqual, values[0], values[1], span);
            self.emit(Statement::Assert(apart, Kind::Overlap), span);
        }
        Ok(())
    }

    /// Whether the character that is given is in one of the ranges.
    pub(super) fn class(
        &mut self,
        ranges: &[(u8, u8)],
        arguments: &[Argument],
        span: Span,
    ) -> Lowered<ExpressionId> {
        let values = self.arguments(arguments)?;
        let zero = self.number(Int::ZERO, span);
        let value = values.first().copied().unwrap_or(zero);
        let inside: Vec<_> = ranges.iter().map(|range| self.within_bytes(value, *range, span)).collect();
        Ok(inside.into_iter().reduce(|a, b| self.binary(Operator::Either, a, b, span)).unwrap_or(zero))
    }

    /// The values of arguments; addresses of objects have none.
    pub(super) fn arguments(&mut self, arguments: &[Argument]) -> Lowered<Vec<ExpressionId>> {
        let mut values = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(e) if e.ty.is_scalar() => values.push(self.value(e)?),
                Argument::Value(e) => self.effect(e)?,
                Argument::Object(place) => self.each(place, &mut |_, _| Ok(()))?,
            }
        }
        Ok(values)
    }

    /// A number that the environment gives, as the result of a function of the C library.
    fn asked(
        &mut self,
        name: &str,
        ty: &Type,
        range: Option<(Int, Int)>,
        span: Span,
    ) -> Lowered<ExpressionId> {
        let sort = self.sort(ty, span)?;
        let known = self.module.imports().find(|(_, import)| *import.name == *name).map(|(id, _)| id);
        let id = match known {
            Some(id) => id,
            None => {
                let signature =
                    self.module.add_signature(Signature { parameters: vec![], result: Some(sort.clone()) });
                let id = self.module.add_import(Import::new(name.into(), signature, span));
                self.module.restrict(id, range, Calls::Nothing, false);
                id
            }
        };
        let result = self.local(None, sort, None, span);
        self.emit(Statement::Call(CoreCallee::Import(id), vec![], Some(result)), span);
        Ok(self.read(result, span))
    }

    fn absolute(&mut self, value: ExpressionId, ty: &Type, span: Span) -> Lowered<ExpressionId> {
        let sort = self.sort(ty, span)?;
        let local = self.kept(value, sort, span);
        let value = self.read(local, span);
        let zero = self.number(Int::ZERO, span);
        let negative = self.binary(Operator::Less, value, zero, span);
        let here = self.here();
        let at = self.emit(Statement::Branch(negative, Label(here.0 + 1), here), span);
        let minus = self.add(Expression::Unary(Unary::Negate, value), span);
        let minus = self.ranged(minus, ty, true, span);
        self.emit(Statement::Set(Base::Local(local).whole(), minus), span);
        self.patch(&[(at, false)]);
        Ok(self.read(local, span))
    }

    fn within_bytes(&mut self, value: ExpressionId, (low, high): (u8, u8), span: Span) -> ExpressionId {
        let low = self.number(Int::from(u64::from(low)), span);
        let high = self.number(Int::from(u64::from(high)), span);
        let above = self.binary(Operator::LessEqual, low, value, span);
        let below = self.binary(Operator::LessEqual, value, high, span);
        self.binary(Operator::Both, above, below, span)
    }

    /// Fills an object with a byte.
    fn fill(&mut self, place: &Place, byte: &Int, span: Span) -> Lowered<()> {
        let byte = byte.rem(&Int::from(256i64)).unwrap_or_default();
        self.parts(&place.ty, span)?;
        self.each(place, &mut |this, part| {
            this.fill_part(&part, &byte, span);
            Ok(())
        })
    }

    /// Fills a part of an object with a byte.
    pub(super) fn fill_part(&mut self, part: &Part, byte: &Int, span: Span) {
        if part.row.is_some() {
            for (to, ty) in self.all(part, span) {
                let value = self.number(repeated(byte, &ty), span);
                self.store_part(to, value, span);
            }
            return;
        }
        for (n, leaf) in self.program.leaves(&part.ty).iter().enumerate() {
            let value = self.number(repeated(byte, &leaf.ty), span);
            let base = self.base(part.root, part.leaf + n);
            match leaf.array {
                true => self.store_all(base, value, span),
                false => self.store_part(base.whole(), value, span),
            }
            if !byte.is_zero() {
                self.replaces_all(base, span);
            }
        }
    }

    /// The address of the first argument, if it is used.
    fn first_address(&mut self, arguments: &[Argument], used: bool) -> Lowered<Option<ExpressionId>> {
        match arguments.first() {
            Some(Argument::Object(place)) if used => self.address(place).map(Some),
            Some(Argument::Value(value)) if used => self.value(value).map(Some),
            _ => Ok(None),
        }
    }
}

/// A number all of whose bytes are the same.
fn repeated(byte: &Int, ty: &Type) -> Int {
    let Type::Integer(integer) = ty else { return Int::ZERO };
    if integer.rank == Rank::Bool {
        return integer.convert(byte);
    }
    let bytes = (0..integer.bits / 8).fold(Int::ZERO, |n, _| n.mul(&Int::from(256i64)).add(byte));
    integer.convert(&bytes)
}

/// What an assertion claims: `!!` around it says nothing.
fn claim(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Unary(TreeUnary::Not, inner) => match &inner.kind {
            ExprKind::Unary(TreeUnary::Not, claim) => claim,
            _ => e,
        },
        ExprKind::Convert(inner) => claim(inner),
        _ => e,
    }
}
