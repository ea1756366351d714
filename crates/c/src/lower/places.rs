//! Places: objects and their parts, as cells and indices.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::checks::Kind;
use agon_core::module::{Base, Expression, ExpressionId, Place as CorePlace, Statement};
use agon_core::term::Operator;

use super::Lowering;
use crate::layout::Leaf;
use crate::memory::Storage;
use crate::points::Owner;
use crate::tree::{Expr, ExprKind, ObjectId, Place, VariableId};
use crate::types::Type;

/// An object or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    Object(ObjectId),
    Variable(VariableId),
    Stored(Owner),
    /// An object of the environment, by the number of its type, with the pointer to it.
    Foreign(usize, ExpressionId),
}

/// A part of an object: its first scalar, and its number among the parts with the same path, if arrays enclose it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub root: Root,
    pub leaf: usize,
    pub row: Option<ExpressionId>,
    pub ty: Type,
}

impl Lowering<'_> {
    /// The part that a place denotes, if there is one only.
    pub(super) fn part(&mut self, place: &Place) -> Result<Part, Diagnostic> {
        let mut found = None;
        self.each(place, &mut |_, part| {
            found = Some(part);
            Ok(())
        })?;
        found.ok_or_else(|| {
            let message = "this pointer never points to an object";
            Diagnostic::error(Code::Dereference, message, place.span, "follows a pointer")
        })
    }

    /// An element of a part.
    pub(super) fn element(
        &mut self,
        part: Part,
        index: &Expr,
        value: ExpressionId,
        ty: &Type,
        span: Span,
    ) -> Part {
        let length = match &part.ty {
            Type::Array(_, length) => length.unwrap_or(0),
            _ => unreachable!("elements are those of arrays"),
        };
        // An index into one of several rows must not lead into another one. The last check of a single index is that of the
        // array itself.
        let inner_arrays = self.program.leaves(ty).iter().any(|leaf| leaf.array);
        if part.row.is_some() || inner_arrays {
            self.in_bounds(index, value, length, span);
        }
        let row = match part.row {
            None => value,
            Some(outer) => {
                let length = self.number(Int::from(length), span);
                let first = self.binary(Operator::Multiply, outer, length, span);
                self.binary(Operator::Add, first, value, span)
            }
        };
        Part { row: Some(row), ty: ty.clone(), ..part }
    }

    /// Fails if an index is out of bounds.
    fn in_bounds(&mut self, index: &Expr, value: ExpressionId, length: u64, span: Span) {
        if let ExprKind::Number(n) = &index.kind
            && n.to_u64().is_some_and(|n| n < length)
        {
            return;
        }
        let length = self.number(Int::from(length), span);
        let mut inside = self.binary(Operator::Less, value, length, span);
        if index.ty.integer().is_none_or(|integer| integer.signed) {
            let zero = self.number(Int::ZERO, span);
            let above = self.binary(Operator::LessEqual, zero, value, span);
            inside = self.binary(Operator::Both, above, inside, span);
        }
        self.emit(Statement::Assert(inside, Kind::Index), span);
    }

    pub(super) fn binary(
        &mut self,
        operator: Operator,
        a: ExpressionId,
        b: ExpressionId,
        span: Span,
    ) -> ExpressionId {
        self.add(Expression::Binary(operator, a, b), span)
    }

    /// The objects of a root.
    fn storage_of(&self, root: Root) -> Storage {
        match root {
            Root::Object(id) => Storage { ty: self.program.object(id).ty.clone(), objects: None },
            Root::Variable(id) => Storage { ty: self.body.types[id.index()].clone(), objects: None },
            Root::Stored(owner) => self.memory.storage(self.program, owner),
            Root::Foreign(n, _) => Storage { ty: self.foreign[n].0.clone(), objects: None },
        }
    }

    /// The scalars of a whole object.
    pub(super) fn leaves_of(&self, root: Root) -> Vec<Leaf> {
        self.stored_leaves(&self.storage_of(root))
    }

    pub(super) fn base(&self, root: Root, leaf: usize) -> Base {
        match root {
            Root::Object(id) => Base::Module(self.cells(id)[leaf]),
            Root::Variable(id) => Base::Local(self.locals(id)[leaf]),
            Root::Stored(owner) => Base::Module(self.stored[&owner].cells[leaf]),
            Root::Foreign(n, _) => Base::Module(self.foreign[n].1[leaf]),
        }
    }

    /// The place in the core of a scalar.
    pub(super) fn scalar(&self, part: &Part) -> CorePlace {
        CorePlace { base: self.base(part.root, part.leaf), index: part.row }
    }

    /// The places in the core of all scalars of a part, in the order of the layout.
    pub(super) fn all(&mut self, part: &Part, span: Span) -> Vec<(CorePlace, Type)> {
        let whole = self.leaves_of(part.root);
        let mut places = Vec::new();
        for (n, leaf) in self.program.leaves(&part.ty).into_iter().enumerate() {
            let base = self.base(part.root, part.leaf + n);
            if !whole[part.leaf + n].array {
                places.push((base.whole(), leaf.ty));
                continue;
            }
            for element in 0..leaf.count {
                let mut index = self.number(Int::from(element), span);
                if let Some(row) = part.row {
                    let count = self.number(Int::from(leaf.count), span);
                    let first = self.binary(Operator::Multiply, row, count, span);
                    index = self.binary(Operator::Add, first, index, span);
                }
                places.push((CorePlace { base, index: Some(index) }, leaf.ty.clone()));
            }
        }
        places
    }

    /// The part of an object that an item of an initialiser names.
    pub(super) fn item(&mut self, whole: &Part, leaf: usize, row: u64, ty: &Type, span: Span) -> Part {
        let shape = self.storage_of(whole.root).shape(self.program, leaf, ty);
        let array = shape.is_some_and(|shape| shape.enclosed);
        // The row of a structure in an array counts structures; that of a scalar counts scalars.
        let mut at = array.then(|| self.number(Int::from(row), span));
        if let (Some(object), Some(within)) = (whole.row, at) {
            let inside = self.program.leaves(ty).first().map_or(1, |leaf| leaf.count).max(1);
            let each = self.program.leaves(&whole.ty).get(leaf).map_or(1, |leaf| leaf.count) / inside;
            let each = self.number(Int::from(each), span);
            let first = self.binary(Operator::Multiply, object, each, span);
            at = Some(self.binary(Operator::Add, first, within, span));
        }
        Part { root: whole.root, leaf, row: at, ty: ty.clone() }
    }
}
