//! Names: what they stand for, and how declarations of one name go together.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;

use super::{Binding, Checked, Tag, Translator};
use crate::tree::{Function, FunctionId, Linkage, Object, ObjectId};
use crate::types::{FunctionType, Type};

impl Translator<'_> {
    pub(super) fn lookup(&self, name: &str) -> Option<&Binding> {
        self.scopes.iter().rev().find_map(|scope| scope.names.get(name))
    }

    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.names.insert(name.to_string(), binding);
        }
    }

    pub(super) fn tag(&self, name: &str) -> Option<&Tag> {
        self.scopes.iter().rev().find_map(|scope| scope.tags.get(name))
    }

    pub(super) fn tag_here(&self, name: &str) -> Option<&Tag> {
        self.scopes.last().and_then(|scope| scope.tags.get(name))
    }

    pub(super) fn bind_tag(&mut self, name: &str, tag: Tag) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.tags.insert(name.to_string(), tag);
        }
    }

    /// A function is declared. All declarations of it in a unit, and of one with external linkage in all units, are one function.
    pub(super) fn declare_function(
        &mut self,
        name: &str,
        ty: &FunctionType,
        is_static: bool,
        span: Span,
    ) -> Checked<FunctionId> {
        let here = match self.scopes[0].names.get(name) {
            Some(Binding::Function(id)) => Some(*id),
            Some(_) => return Err(clash(name, span)),
            None => None,
        };
        let known = match self.linked.get(name) {
            _ if here.is_some() || is_static => here,
            Some(Binding::Function(id)) => Some(*id),
            Some(_) => return Err(clash(name, span)),
            None => None,
        };
        let id = match known {
            Some(id) => {
                let function = &mut self.program.functions[id.index()];
                if !compatible(&function.ty, ty) {
                    let message = format!("`{name}` is declared with two types");
                    let diagnostic =
                        Diagnostic::error(Code::CLinkage, message, span, "another type than before");
                    return Err(diagnostic.also(function.span, "first declared here"));
                }
                if !function.ty.prototype {
                    function.ty = ty.clone();
                }
                id
            }
            None => {
                let linkage = if is_static { Linkage::Internal } else { Linkage::External };
                let id = FunctionId(count(&self.program.functions));
                self.program.functions.push(Function {
                    name: name.to_string(),
                    ty: ty.clone(),
                    linkage,
                    ends: false,
                    used: false,
                    body: None,
                    span,
                });
                id
            }
        };
        if self.program.function(id).linkage == Linkage::External {
            self.linked.insert(name.to_string(), Binding::Function(id));
        }
        self.scopes[0].names.insert(name.to_string(), Binding::Function(id));
        if !self.is_global() {
            self.bind(name, Binding::Function(id));
        }
        Ok(id)
    }

    /// An object with static storage is declared at file level, or by `extern` in a block.
    pub(super) fn declare_object(
        &mut self,
        name: &str,
        ty: &Type,
        is_static: bool,
        span: Span,
    ) -> Checked<ObjectId> {
        let here = match self.scopes[0].names.get(name) {
            Some(Binding::Object(id)) => Some(*id),
            Some(_) => return Err(clash(name, span)),
            None => None,
        };
        let known = match self.linked.get(name) {
            _ if here.is_some() || is_static => here,
            Some(Binding::Object(id)) => Some(*id),
            Some(_) => return Err(clash(name, span)),
            None => None,
        };
        let id = match known {
            Some(id) => {
                let old = self.program.object(id);
                let merged = match (&old.ty, ty) {
                    (Type::Array(a, None), Type::Array(b, Some(_))) if a == b => ty.clone(),
                    (Type::Array(a, Some(_)), Type::Array(b, None)) if a == b => old.ty.clone(),
                    (a, b) if a == b || self.program.alike(a, b) => a.clone(),
                    _ => {
                        let message = format!("`{name}` is declared with two types");
                        let diagnostic =
                            Diagnostic::error(Code::CLinkage, message, span, "another type than before");
                        return Err(diagnostic.also(old.span, "first declared here"));
                    }
                };
                self.program.objects[id.index()].ty = merged;
                id
            }
            None => self.add_object(name.to_string(), ty, is_static, span),
        };
        if self.program.object(id).linkage == Linkage::External {
            self.linked.insert(name.to_string(), Binding::Object(id));
        }
        self.scopes[0].names.insert(name.to_string(), Binding::Object(id));
        if !self.is_global() {
            self.bind(name, Binding::Object(id));
        }
        Ok(id)
    }

    pub(super) fn add_object(&mut self, name: String, ty: &Type, is_static: bool, span: Span) -> ObjectId {
        let linkage = if is_static { Linkage::Internal } else { Linkage::External };
        self.program.objects.push(Object {
            name,
            ty: ty.clone(),
            linkage,
            defined: false,
            constant: false,
            volatile: false,
            text: false,
            initial: vec![],
            span,
        });
        ObjectId(count(&self.program.objects) - 1)
    }
}

/// Whether two declarations of a function go together. Structures of two units are compared where they are used.
fn compatible(a: &FunctionType, b: &FunctionType) -> bool {
    let same = |a: &Type, b: &Type| match (a, b) {
        (Type::Struct(_), Type::Struct(_)) | (Type::Pointer(_), Type::Pointer(_)) => true,
        _ => a == b,
    };
    let parameters = !a.prototype
        || !b.prototype
        || (a.variadic == b.variadic
            && a.parameters.len() == b.parameters.len()
            && a.parameters.iter().zip(&b.parameters).all(|(a, b)| same(a, b)));
    parameters && same(&a.result, &b.result)
}

fn clash(name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` is declared as something else already");
    Diagnostic::error(Code::CLinkage, message, span, "declared as another kind of thing")
}

pub(super) fn count<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).expect("a source text is shorter than 4 GiB")
}
