//! Functions of the C library that are written in C: each call has a copy, with the type of its elements, at its place.

use std::collections::HashMap;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{CallExpression, ExternalDeclaration};

use super::names::count;
use super::operators::{integer, number};
use super::{Checked, Scope, Translator};
use crate::library::{Known, Written};
use crate::parse::parse;
use crate::tree::{
    Argument, Binary, Body, Callee, Expr, ExprKind, Function, FunctionId, Item, Linkage, Place, PlaceKind,
    Program, Stmt, StmtKind,
};
use crate::types::{DataModel, Integer, Rank, StructId, Type};

const TEXT: &str = include_str!("../prelude.c");

/// The structure that stands for the type of elements.
const ELEMENT: Type = Type::Struct(StructId(0));

/// The functions of the C library that are written in C, by their names.
pub(super) fn functions(model: DataModel) -> HashMap<String, Function> {
    let code = TEXT.split_once("*/").map_or(TEXT, |(_, code)| code);
    let text = code.replace("__SIZE_TYPE__", &model.size().to_string());
    let unit = parse(&text, |_, _| Span::default()).expect("the library is written in C");
    let mut translator = Translator {
        program: Program { model, ..Program::default() },
        positions: None,
        unit: 0,
        linked: HashMap::new(),
        definitions: HashMap::new(),
        scopes: vec![Scope::default()],
        qualified_types: HashMap::new(),
        current: None,
        texts: HashMap::new(),
        prelude: None,
        diagnostics: vec![],
    };
    for item in &unit.0 {
        let done = match &item.node {
            ExternalDeclaration::Declaration(declaration) => translator.global(&declaration.node),
            ExternalDeclaration::StaticAssert(claim) => translator.static_assert(&claim.node),
            ExternalDeclaration::FunctionDefinition(function) => translator.function(&function.node),
        };
        translator.keep(done);
    }
    assert!(translator.diagnostics.is_empty(), "{:?}", translator.diagnostics);
    let functions = translator.program.functions.into_iter().filter(|function| function.body.is_some());
    functions.map(|function| (function.name.clone(), function)).collect()
}

impl Translator<'_> {
    /// A call of a function that is written in C.
    pub(super) fn written_call(
        &mut self,
        written: Written,
        name: &str,
        node: &CallExpression,
        span: Span,
    ) -> Checked<Expr> {
        let mut arguments = Vec::new();
        for argument in &node.arguments {
            arguments.push(self.value(argument)?);
        }
        if arguments.len() < written.arguments || (!written.variadic && arguments.len() > written.arguments) {
            let message = format!("`{name}` takes {} arguments", written.arguments);
            return Err(super::operators::mistyped(message, span, "another number of arguments"));
        }
        // A null pointer that is made larger is allocated.
        if let ("realloc", ExprKind::Number(_)) = (name, &arguments[0].kind) {
            let size =
                self.converted(arguments.remove(1), &Type::Integer(self.program.model.size()), false)?;
            let kind =
                ExprKind::Library(Known::Allocate(false), "malloc".into(), vec![Argument::Value(size)]);
            return Ok(Expr { kind, ty: Type::Void.pointer(), span });
        }
        // What is formatted is not looked at; it is evaluated.
        let rest = arguments.split_off(written.arguments);
        let comparison = matches!(name, "memcmp" | "bcmp").then(|| self.comparison(&arguments)).flatten();
        let cannot = |why: &str| {
            let message = format!("this call of `{name}` cannot be carried out: {why}");
            Diagnostic::error(Code::LibraryFunction, message, span, "called here")
        };
        let mut element = Type::Void;
        for at in written.elements {
            let to = without_conversions(&arguments[*at]).ty.pointed_data().cloned();
            match to.filter(|to| self.program.is_complete(to)) {
                Some(to) if element == Type::Void => element = to,
                Some(to) if self.program.alike(&element, &to) => {}
                Some(_) => return Err(cannot("its pointers point to objects of different types")),
                // A null pointer has any type.
                None if matches!(arguments[*at].kind, ExprKind::Number(_)) => {}
                None => return Err(cannot("what its pointer points to has no known type")),
            }
        }
        if element == Type::Void && !written.elements.is_empty() {
            return Err(cannot("what its pointer points to has no known type"));
        }
        let structure = |e: &Expr| matches!(without_conversions(e).ty.pointed_data(), Some(Type::Struct(_)));
        if matches!(name, "memcmp" | "bcmp") && arguments.iter().take(2).any(structure) {
            return Err(
                cannot("bytes between the members of a structure have no value").help("compare the members")
            );
        }
        if let Some((integer, _)) = comparison {
            element = Type::Integer(integer);
        }
        if written.result_element {
            element = Type::Integer(self.program.model.integer(Rank::Char, true));
        }
        self.supported(&element, span)?;
        let size_t = self.program.model.size();
        if let Some((count, size)) = written.count {
            let bytes = self.program.size(&element).map_or(1, |(bytes, _)| bytes).max(1);
            let counted = match size {
                // A count of elements, and their size.
                Some(size) => match &arguments[size].kind {
                    ExprKind::Number(n) if n.to_u64() == Some(bytes) => Some(arguments[count].clone()),
                    _ => None,
                },
                None => elements(&arguments[count], bytes),
            };
            let Some(counted) = counted else {
                return Err(cannot("the size is no number of whole elements")
                    .help("give it as `n * sizeof(T)`, where `T` is what the pointer points to"));
            };
            arguments[count] = integer(counted, size_t);
            size.into_iter().for_each(|size| _ = arguments.remove(size));
        }
        let mut byte = None;
        let mut template = match (name, comparison) {
            (_, Some((_, template))) => template,
            ("bcmp", None) => "memcmp",
            _ => name,
        };
        if name == "memset" {
            let bytes = matches!(element, Type::Integer(integer) if integer.bits == 8);
            match (&arguments[1].kind, bytes) {
                (ExprKind::Number(n), _) => (byte, template) = (Some(n.clone()), "agon_fill"),
                (_, true) => template = "agon_set",
                (_, false) => return Err(cannot("the byte must be a constant")),
            }
            let whole = |leaf: &crate::layout::Leaf| leaf.ty.integer().is_some_and(|ty| ty.bits % 8 == 0);
            let integers = self.program.leaves(&element).iter().all(whole);
            if byte.as_ref().is_some_and(|byte| !byte.is_zero()) && !integers {
                return Err(cannot("pointers and bit fields can be filled with 0 only"));
            }
        }
        let id = self.copy_of(name, template, &element, byte.as_ref(), span);
        let ty = self.program.function(id).ty.clone();
        let mut passed = Vec::new();
        for (argument, parameter) in arguments.into_iter().zip(&ty.parameters) {
            let argument = match parameter.pointed_data() {
                Some(_) => self.converted(stripped(argument), parameter, true)?,
                None => self.converted(argument, parameter, false)?,
            };
            passed.push(argument);
        }
        let call = ExprKind::Call(Callee::Function(id), passed);
        let call = Expr { kind: call, ty: ty.result.clone(), span };
        let call = match written.gives_void {
            true => self.converted(call, &Type::Void.pointer(), true)?,
            false => call,
        };
        Ok(rest.into_iter().rev().fold(call, |call, argument| {
            let ty = call.ty.clone();
            Expr { kind: ExprKind::Comma(Box::new(argument), Box::new(call)), ty, span }
        }))
    }

    /// How integers that are wider than characters are compared, if two pointers point to some.
    fn comparison(&self, arguments: &[Expr]) -> Option<(Integer, &'static str)> {
        let integer = |e: &Expr| without_conversions(e).ty.pointed_data().and_then(Type::integer);
        let (a, b) = (integer(arguments.first()?)?, integer(arguments.get(1)?)?);
        let template = match a.rank {
            Rank::Bool | Rank::Char => return None,
            Rank::Short => "agon_compare_short",
            Rank::Int => "agon_compare_int",
            Rank::Long => "agon_compare_long",
            Rank::LongLong => "agon_compare_longer",
        };
        (a.rank == b.rank).then_some((a, template))
    }

    /// A copy of a function at the place of a call.
    fn copy_of(
        &mut self,
        name: &str,
        template: &str,
        element: &Type,
        byte: Option<&Int>,
        span: Span,
    ) -> FunctionId {
        let model = self.program.model;
        let known = self.prelude.get_or_insert_with(|| functions(model));
        let mut function = known[template].clone();
        let copy = Copy { name, element, byte, span };
        function.name = name.to_string();
        (function.linkage, function.used, function.span) = (Linkage::Internal, true, span);
        function.ty.parameters.iter_mut().for_each(|ty| copy.ty(ty));
        copy.ty(&mut function.ty.result);
        function.body.iter_mut().for_each(|body| copy.body(body));
        self.program.functions.push(function);
        FunctionId(count(&self.program.functions) - 1)
    }
}

/// How many elements of a size a number of bytes is; nothing if that is not known.
fn elements(bytes: &Expr, size: u64) -> Option<Expr> {
    let is_size = |e: &Expr| matches!(&e.kind, ExprKind::Number(n) if n.to_u64() == Some(size));
    match &bytes.kind {
        ExprKind::Number(n) => {
            let n = n.to_u64().filter(|n| n.is_multiple_of(size))?;
            Some(number(Int::from(n / size), bytes.ty.clone(), bytes.span))
        }
        _ if size == 1 => Some(bytes.clone()),
        ExprKind::Binary(Binary::Multiply, a, b) if is_size(b) => Some((**a).clone()),
        ExprKind::Binary(Binary::Multiply, a, b) if is_size(a) => Some((**b).clone()),
        ExprKind::Convert(inner) => elements(inner, size),
        _ => None,
    }
}

fn without_conversions(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Convert(inner) if inner.ty.pointed_data().is_some() => without_conversions(inner),
        _ => e,
    }
}

fn stripped(e: Expr) -> Expr {
    match e.kind {
        ExprKind::Convert(inner) if inner.ty.pointed_data().is_some() => stripped(*inner),
        kind => Expr { kind, ..e },
    }
}

/// How a copy differs from the function as it is written.
struct Copy<'a> {
    name: &'a str,
    element: &'a Type,
    byte: Option<&'a Int>,
    span: Span,
}

impl Copy<'_> {
    fn ty(&self, ty: &mut Type) {
        match ty {
            ty if *ty == ELEMENT => *ty = self.element.clone(),
            Type::Pointer(to) => {
                let mut inner = (**to).clone();
                self.ty(&mut inner);
                *to = inner.into();
            }
            _ => {}
        }
    }

    fn body(&self, body: &mut Body) {
        for variable in &mut body.variables {
            variable.span = self.span;
            self.ty(&mut variable.ty);
        }
        body.end = self.span;
        body.statements.iter_mut().for_each(|statement| self.statement(statement));
    }

    fn statement(&self, statement: &mut Stmt) {
        statement.span = self.span;
        match &mut statement.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Declare(_, items) => items.iter_mut().flatten().for_each(|item| self.item(item)),
            StmtKind::Block(statements) => statements.iter_mut().for_each(|inner| self.statement(inner)),
            StmtKind::If(condition, yes, no) => {
                self.expr(condition);
                self.statement(yes);
                no.iter_mut().for_each(|no| self.statement(no));
            }
            StmtKind::While(condition, body, step) => {
                condition.iter_mut().chain(step).for_each(|e| self.expr(e));
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
            StmtKind::Return(value) => value.iter_mut().for_each(|value| self.expr(value)),
            StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn item(&self, item: &mut Item) {
        self.expr(&mut item.value);
    }

    fn expr(&self, e: &mut Expr) {
        e.span = self.span;
        self.ty(&mut e.ty);
        match &mut e.kind {
            ExprKind::Number(_) | ExprKind::Function(_) => {}
            ExprKind::Address(place) => self.place(place),
            ExprKind::Load(place) => self.place(place),
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
                self.place(place);
                self.expr(value);
            }
            ExprKind::Update(update) => {
                self.place(&mut update.place);
                self.expr(&mut update.operand);
                self.ty(&mut update.within);
            }
            ExprKind::Call(callee, arguments) => {
                if let Callee::Pointer(pointer) = callee {
                    self.expr(pointer);
                }
                arguments.iter_mut().for_each(|argument| self.expr(argument));
            }
            ExprKind::Compound(_, items) => items.iter_mut().for_each(|item| self.item(item)),
            ExprKind::Library(known, name, arguments) => {
                if let Known::Any = known {
                    *name = name
                        .replace("agon_number", self.name)
                        .replace("agon_character", &format!("{} writes", self.name));
                }
                for (n, argument) in arguments.iter_mut().enumerate() {
                    match argument {
                        Argument::Object(place) => self.place(place),
                        Argument::Value(value) => {
                            self.expr(value);
                            if let (Known::Fill, 1, Some(byte)) = (&known, n, self.byte) {
                                value.kind = ExprKind::Number(byte.clone());
                            }
                        }
                    }
                }
            }
        }
    }

    fn place(&self, place: &mut Place) {
        place.span = self.span;
        self.ty(&mut place.ty);
        match &mut place.kind {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_can_be_read() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let functions = stacker::grow(crate::parse::STACK, || functions(model));
            assert!(functions.contains_key("strlen") && functions.contains_key("qsort"));
        }
    }
}
