//! Functions in the old style: parameters without types in the parentheses, and calls of functions whose parameters are not declared.

use std::collections::HashMap;

use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{
    CallExpression, Declarator, DeclaratorKind, DerivedDeclarator, ExternalDeclaration, FunctionDefinition,
    StorageClassSpecifier, TranslationUnit,
};

use super::declarations::{Declared, Qualifiers};
use super::expressions::refused;
use super::operators::{integer, mistyped};
use super::{Checked, Translator};
use crate::closed::ANY;
use crate::tree::{Callee, Expr, ExprKind, FunctionId, Place, PlaceKind};
use crate::types::{FunctionType, Rank, Type};

/// The functions that a unit defines, by their names.
pub(super) fn definitions(unit: &TranslationUnit) -> HashMap<String, &FunctionDefinition> {
    let mut known = HashMap::new();
    for item in &unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &item.node
            && let Some(name) = name(&function.node.declarator.node)
        {
            known.insert(name.to_string(), &function.node);
        }
    }
    known
}

fn name(node: &Declarator) -> Option<&str> {
    match &node.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => name(&inner.node),
    }
}

/// The names of the parameters of a definition in the old style.
fn parameter_names(node: &Declarator) -> Option<Vec<String>> {
    if let DeclaratorKind::Declarator(inner) = &node.kind.node
        && let Some(names) = parameter_names(&inner.node)
    {
        return Some(names);
    }
    node.derived.iter().find_map(|derived| match &derived.node {
        DerivedDeclarator::KRFunction(names) if !names.is_empty() => {
            Some(names.iter().map(|name| name.node.name.clone()).collect())
        }
        _ => None,
    })
}

impl<'a> Translator<'a> {
    /// The parameters of a definition in the old style; nothing if it is in the new one.
    pub(super) fn old_parameters(&mut self, node: &FunctionDefinition) -> Checked<Option<Vec<Declared>>> {
        let Some(names) = parameter_names(&node.declarator.node) else { return Ok(None) };
        let span = self.span(&node.declarator.span);
        let mut declared: HashMap<String, Declared> = HashMap::new();
        for declaration in &node.declarations {
            let place = self.span(&declaration.span);
            let specified = self.specifiers(&declaration.node.specifiers, place)?;
            for item in &declaration.node.declarators {
                let one =
                    self.declarator(&item.node.declarator.node, specified.ty.clone(), Qualifiers::default())?;
                if !names.contains(&one.name) {
                    let message = format!("`{}` is no parameter", one.name);
                    return Err(mistyped(message, one.span, "not among the parameters"));
                }
                declared.insert(one.name.clone(), Declared { ty: one.ty.clone().decayed(), ..one });
            }
        }
        let plain = |name: String| Declared::plain(name, Type::Integer(self.program.model.int()), span);
        Ok(Some(
            names.into_iter().map(|name| declared.remove(&name).unwrap_or_else(|| plain(name))).collect(),
        ))
    }

    /// The type of a function that the unit defines, perhaps further down, and whether it is private.
    fn defined_type(&mut self, name: &str) -> Checked<Option<(FunctionType, bool)>> {
        let Some(node) = self.definitions.get(name).copied() else { return Ok(None) };
        // The definition stands outside of all functions.
        let inner = self.scopes.split_off(1);
        let span = self.span(&node.declarator.span);
        let found = self.specifiers(&node.specifiers, span).and_then(|specified| {
            let declared = self.declarator(&node.declarator.node, specified.ty, Qualifiers::default())?;
            let parameters = self.old_parameters(node)?;
            let is_static = specified.storage == Some(StorageClassSpecifier::Static);
            let Type::Function(ty) = declared.ty else { return Ok(None) };
            let mut ty = (*ty).clone();
            match parameters {
                Some(list) => ty.parameters = list.into_iter().map(|parameter| parameter.ty).collect(),
                None => ty.prototype = true,
            }
            Ok(Some((ty, is_static)))
        });
        self.scopes.extend(inner);
        found
    }

    /// A function that is called and was never declared: it gives an `int`, and its parameters are not known.
    pub(super) fn implicit(&mut self, name: &str, span: Span) -> Checked<FunctionId> {
        let known = self.defined_type(name)?;
        let (result, is_static) = known.map_or((self.int(), false), |(ty, is_static)| (ty.result, is_static));
        let ty = FunctionType { parameters: vec![], variadic: false, prototype: false, result };
        let inner = self.scopes.split_off(1);
        let declared = self.declare_function(name, &ty, is_static, span);
        self.scopes.extend(inner);
        declared
    }

    /// What a known function gives that is called and was never declared.
    pub(super) fn implicit_result(&self, name: &str) -> Type {
        let model = self.program.model;
        let (rank, signed) = match name.strip_prefix(ANY) {
            _ if matches!(name, "malloc" | "calloc") => return Type::Void.pointer(),
            Some("bool" | "_Bool") => (Rank::Bool, false),
            Some("char") => (Rank::Char, true),
            Some("uchar") => (Rank::Char, false),
            Some("short") => (Rank::Short, true),
            Some("ushort") => (Rank::Short, false),
            Some("uint" | "unsigned" | "u32") => (Rank::Int, false),
            Some("long") => (Rank::Long, true),
            Some("ulong") => (Rank::Long, false),
            Some("longlong") => (Rank::LongLong, true),
            Some("ulonglong") => (Rank::LongLong, false),
            Some("size_t") => (model.size().rank, false),
            _ => (Rank::Int, true),
        };
        Type::Integer(model.integer(rank, signed))
    }

    /// A call of a function whose parameters were not declared before it.
    pub(super) fn old_call(
        &mut self,
        id: FunctionId,
        ty: &FunctionType,
        node: &CallExpression,
        span: Span,
    ) -> Checked<Expr> {
        let name = self.program.function(id).name.clone();
        let mut parameters = Some(ty.parameters.clone()).filter(|list| !list.is_empty());
        if parameters.is_none() {
            parameters = self.defined_type(&name)?.map(|(ty, _)| ty.parameters);
        }
        let mut arguments = Vec::new();
        for argument in &node.arguments {
            let value = self.value(argument)?;
            arguments.push(if value.ty.integer().is_some() { self.promoted(value)? } else { value });
        }
        let result = ty.result.clone();
        let Some(parameters) = parameters else {
            // Nobody knows what the environment makes of the arguments. They have no effects, so they can be left out.
            return match arguments.iter().all(|value| value.ty.integer().is_some() && is_pure(value)) {
                true => Ok(Expr { kind: ExprKind::Call(Callee::Function(id), vec![]), ty: result, span }),
                false => Err(refused("a call of a function whose parameters are not declared", span)
                    .help("declare the parameters of the function")),
            };
        };
        if parameters.len() != arguments.len() {
            let message =
                format!("{} arguments are given, but {} are taken", arguments.len(), parameters.len());
            return Err(mistyped(message, span, "another number of arguments"));
        }
        let mut passed = Vec::new();
        for (value, parameter) in arguments.into_iter().zip(&parameters) {
            passed.push(match (value.ty.integer(), parameter.integer()) {
                (Some(given), Some(taken)) => {
                    // What is passed must have the promoted type of the parameter; then it is converted.
                    if given.bits != self.program.model.promote(taken).bits {
                        let message =
                            "an argument has another type than the parameter, which is not declared";
                        return Err(mistyped(message, value.span, "not converted"));
                    }
                    integer(value, taken)
                }
                _ => self.converted(value, parameter, false)?,
            });
        }
        Ok(Expr { kind: ExprKind::Call(Callee::Function(id), passed), ty: result, span })
    }

    /// The value of an expression that is a constant, or computes with constant variables.
    pub(super) fn settled(&self, e: &Expr) -> Option<Int> {
        let within = e.ty.integer()?;
        match &e.kind {
            ExprKind::Number(n) => Some(n.clone()),
            ExprKind::Convert(inner) => Some(within.convert(&self.settled(inner)?)),
            ExprKind::Load(Place { kind: PlaceKind::Variable(id), .. }) => {
                self.current.as_ref()?.constants.get(id).cloned()
            }
            ExprKind::Load(Place { kind: PlaceKind::Object(id), .. }) => {
                let object = self.program.object(*id);
                match &object.initial[..] {
                    [item] if object.constant && object.defined => self.settled(&item.value),
                    _ => None,
                }
            }
            ExprKind::Binary(operator, a, b) if !operator.shifts() => {
                let n = operator.operator().apply(&self.settled(a)?, &self.settled(b)?)?;
                within.holds(&n).then_some(n)
            }
            _ => None,
        }
    }
}

/// Whether evaluating an expression does nothing.
fn is_pure(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Number(_) => true,
        ExprKind::Load(Place { kind: PlaceKind::Object(_) | PlaceKind::Variable(_), .. }) => true,
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => is_pure(a),
        ExprKind::Binary(operator, a, b) => {
            use crate::tree::Binary;
            let fails = matches!(
                operator,
                Binary::Divide | Binary::Remainder | Binary::ShiftLeft | Binary::ShiftRight
            );
            !fails && is_pure(a) && is_pure(b)
        }
        _ => false,
    }
}
