//! Sorts: what cells hold and functions take, of the types of C.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use agon_core::module::{Base, LocalId, Place, Signature, SignatureId, Sort, Statement};

use super::Lowering;
use crate::tree::Body;
use crate::types::{FunctionType, Type};

/// Structures with more scalars than this are not passed or assigned as a whole.
const MOST_PARTS: u64 = 4096;

impl Lowering<'_> {
    /// What a cell of a scalar type holds. A pointer to data is a number.
    pub(super) fn sort(&mut self, ty: &Type, span: Span) -> Result<Sort, Diagnostic> {
        Ok(match ty {
            Type::Integer(integer) => Sort::Data(integer.data()),
            Type::Pointer(to) => match &**to {
                Type::Function(function) => {
                    let signature = self.signature(function, span)?;
                    self.module.function_sort(signature)
                }
                to => self.pointer_sort(to),
            },
            _ => return Err(self.no_value(ty, span)),
        })
    }

    fn no_value(&self, ty: &Type, span: Span) -> Diagnostic {
        let what = match ty {
            Type::Unsupported(what) => what.words(),
            Type::Mutex => "a mutex as a value",
            _ => "a value of this type",
        };
        Diagnostic::error(Code::NotInC, format!("{what} is not supported"), span, "not supported")
    }

    /// The type of a function that the environment supplies, or that a pointer points to.
    pub(super) fn signature(&mut self, ty: &FunctionType, span: Span) -> Result<SignatureId, Diagnostic> {
        if let Type::Struct(_) = ty.result {
            let message = "only functions of the module itself can give structures";
            let diagnostic = Diagnostic::error(Code::NotInC, message, span, "gives a structure");
            return Err(diagnostic.help("give its parts by several functions"));
        }
        self.own_signature(ty, span)
    }

    /// The type of a function of the module. A structure is passed as its scalars, and given in cells of its own.
    pub(super) fn own_signature(&mut self, ty: &FunctionType, span: Span) -> Result<SignatureId, Diagnostic> {
        if ty.parameters.iter().chain([&ty.result]).any(|ty| self.program.has_union(ty)) {
            let message = "a union that is passed or given as a whole is not supported";
            let diagnostic = Diagnostic::error(Code::UnionType, message, span, "takes or gives a union");
            return Err(diagnostic.help("pass a pointer to the union"));
        }
        let mut parameters = Vec::new();
        for parameter in &ty.parameters {
            for scalar in self.parts(parameter, span)? {
                parameters.push(self.sort(&scalar, span)?);
            }
        }
        let result = match &ty.result {
            Type::Void | Type::Struct(_) => None,
            result => Some(self.sort(result, span)?),
        };
        let id = self.module.add_signature(Signature { parameters, result });
        if !self.signatures.iter().any(|(known, _)| *known == id) {
            self.signatures.push((id, ty.clone()));
        }
        Ok(id)
    }

    /// The scalars of a value, elements of arrays one by one.
    pub(super) fn parts(&self, ty: &Type, span: Span) -> Result<Vec<Type>, Diagnostic> {
        if let Type::Unsupported(_) | Type::Void | Type::Function(_) = ty {
            return Err(self.no_value(ty, span));
        }
        let leaves = self.program.leaves(ty);
        if leaves.iter().fold(0u64, |sum, leaf| sum.saturating_add(leaf.count)) > MOST_PARTS {
            let message =
                format!("a structure with more than {MOST_PARTS} numbers is passed or assigned as a whole");
            return Err(Diagnostic::error(Code::CTooLarge, message, span, "too large"));
        }
        Ok(self.scalars(ty))
    }

    /// The types of the scalars of a value, elements of arrays one by one.
    pub(super) fn scalars(&self, ty: &Type) -> Vec<Type> {
        let leaves = self.program.leaves(ty);
        leaves.iter().flat_map(|leaf| (0..leaf.count).map(|_| leaf.ty.clone())).collect()
    }

    /// The first cells of a body, which are its parameters, and their types.
    pub(super) fn parameters(&self, body: &Body) -> Vec<(LocalId, Type)> {
        let variables = &body.variables[..body.parameters];
        let scalars = variables.iter().flat_map(|variable| self.scalars(&variable.ty));
        (0..).map(LocalId).zip(scalars).collect()
    }

    /// The cells of parameters and local variables. Parameters come first; arrays in them are filled at the start.
    pub(super) fn variables(&mut self, body: &Body) -> Result<(), Diagnostic> {
        let mut passed = Vec::new();
        for variable in &body.variables[..body.parameters] {
            let mut locals = Vec::new();
            for leaf in &self.program.leaves(&variable.ty) {
                for n in 0..leaf.count {
                    let index = if leaf.array { format!("[{n}]") } else { String::new() };
                    let name = format!("{}{}{index}", variable.name, leaf.path);
                    let sort = self.sort(&leaf.ty, variable.span)?;
                    let name = (!variable.name.is_empty()).then_some(name);
                    locals.push(self.local(name, sort, None, variable.span));
                }
            }
            passed.push(locals);
        }
        for (n, variable) in body.variables.iter().enumerate() {
            let mut own = Vec::new();
            let mut given = passed.get(n).into_iter().flatten();
            for leaf in self.program.leaves(&variable.ty) {
                if n < body.parameters && !leaf.array {
                    own.extend(given.next().copied());
                    continue;
                }
                if n >= body.parameters && self.is_stored(n) {
                    continue;
                }
                let sort = self.sort(&leaf.ty, variable.span)?;
                let name = Some(format!("{}{}", variable.name, leaf.path));
                let length = leaf.array.then_some(leaf.count.max(1));
                let local = self.local(name, sort, length, variable.span);
                own.push(local);
                for element in 0..leaf.count {
                    let Some(from) = given.next() else { break };
                    let value = self.read(*from, variable.span);
                    let index = self.number(element.into(), variable.span);
                    let place = Place { base: Base::Local(local), index: Some(index) };
                    self.emit(Statement::Set(place, value), variable.span);
                }
            }
            if self.program.has_union(&variable.ty) && own.len() == self.program.leaf_count(&variable.ty) {
                let siblings = self.program.siblings(&variable.ty);
                for (local, list) in own.iter().zip(siblings).filter(|(_, list)| !list.is_empty()) {
                    let list = list.into_iter().map(|sibling| (own[sibling.leaf], sibling)).collect();
                    self.body.unions.insert(*local, list);
                }
            }
            self.body.variables.push(own);
            self.body.types.push(variable.ty.clone());
        }
        Ok(())
    }
}
