//! Expressions that the types alone decide: `_Generic` and `offsetof`.

use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{GenericAssociation, GenericSelection, OffsetMember, OffsetOfExpression};

use super::expressions::{Operand, refused};
use super::operators::{mistyped, number};
use super::{Checked, Translator};
use crate::tree::Expr;
use crate::types::{Rank, Type};

impl Translator<'_> {
    /// `_Generic`: the expression for the type of the first one, which is not evaluated.
    pub(super) fn generic(&mut self, node: &GenericSelection, span: Span) -> Checked<Operand> {
        let ty = self.type_of(&node.expression)?.decayed();
        // Of plain and signed characters, and of qualified types, no difference is kept.
        let mut inner = &ty;
        while let Type::Pointer(to) = inner {
            inner = to;
        }
        if matches!(inner, Type::Integer(integer) if integer.rank == Rank::Char && integer.signed) {
            return Err(refused("`_Generic` for characters", span));
        }
        let (mut chosen, mut other) = (vec![], None);
        for association in &node.associations {
            match &association.node {
                GenericAssociation::Default(expression) => other = Some(expression),
                GenericAssociation::Type(case) => {
                    if self.type_name(&case.node.type_name.node)? == ty {
                        chosen.push(&case.node.expression);
                    }
                }
            }
        }
        match (&chosen[..], other) {
            ([one], _) => self.operand(one),
            ([], Some(one)) => self.operand(one),
            ([], None) => Err(mistyped("no type of `_Generic` fits", span, "no such type")),
            _ => Err(refused("`_Generic` with types that differ in qualifiers only", span)),
        }
    }

    /// `offsetof`: how many bytes of a structure come before a part of it.
    pub(super) fn offset_of(&mut self, node: &OffsetOfExpression, span: Span) -> Checked<Expr> {
        let mut ty = self.type_name(&node.type_name.node)?;
        let mut bytes = 0u64;
        let unknown = || mistyped("the place of this member is not known", span, "no such member");
        let designator = &node.designator.node;
        let first = OffsetMember::Member(designator.base.clone());
        for member in std::iter::once(&first).chain(designator.members.iter().map(|member| &member.node)) {
            match member {
                OffsetMember::Member(name) => {
                    for (at, inner) in self.find_member(&ty, &name.node.name).ok_or_else(unknown)? {
                        let Type::Struct(id) = ty else { return Err(unknown()) };
                        bytes += self.program.offset(id, at).ok_or_else(unknown)?;
                        ty = inner;
                    }
                }
                OffsetMember::Index(index) => {
                    let n = self.constant(index)?.to_u64().ok_or_else(unknown)?;
                    let Type::Array(element, _) = &ty else { return Err(unknown()) };
                    let element = (**element).clone();
                    let (size, _) = self.program.size(&element).ok_or_else(unknown)?;
                    bytes = n.checked_mul(size).and_then(|n| n.checked_add(bytes)).ok_or_else(unknown)?;
                    ty = element;
                }
                OffsetMember::IndirectMember(_) => return Err(unknown()),
            }
        }
        Ok(number(Int::from(bytes), Type::Integer(self.program.model.size()), span))
    }
}
