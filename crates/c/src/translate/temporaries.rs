//! Variables without a name: compound literals, and structures that are no objects but have members.

use agon_base::source::Span;
use lang_c::ast::{CompoundLiteral, Initializer};

use super::expressions::Operand;
use super::{Checked, Translator};
use crate::tree::{Expr, ExprKind, Place, PlaceKind, Variable, VariableId};
use crate::types::Type;

/// What a structure that is no object is kept in, or a compound literal.
pub(super) struct Temporary {
    /// Gives the variable its value.
    pub first: Expr,
    /// The part of the variable.
    pub place: Place,
    /// Whether the program may take its address, as that of a compound literal.
    pub is_object: bool,
}

impl Translator<'_> {
    /// A compound literal: a variable without a name is given a value. Outside of functions it is an object with static storage.
    pub(super) fn compound(&mut self, node: &CompoundLiteral, span: Span) -> Checked<Operand> {
        let mut ty = self.type_name(&node.type_name.node)?;
        self.supported(&ty, span)?;
        let list = Initializer::List(node.initializer_list.clone());
        if self.current.is_none() {
            let items = self.initializer(&mut ty, &list, true)?;
            let id = self.add_object("(literal)".into(), &ty, true, span);
            let object = &mut self.program.objects[id.index()];
            (object.defined, object.initial) = (true, items);
            return Ok(Operand::Place(Place { kind: PlaceKind::Object(id), ty, span }));
        }
        let items = self.initializer(&mut ty, &list, false)?;
        let id = self.temporary(&ty, span);
        self.current().literals.push(id);
        let first = Expr { kind: ExprKind::Compound(id, items), ty: ty.clone(), span };
        let place = Place { kind: PlaceKind::Variable(id), ty, span };
        Ok(Operand::Temporary(Temporary { first, place, is_object: true }))
    }

    /// A variable without a name.
    pub(super) fn temporary(&mut self, ty: &Type, span: Span) -> VariableId {
        let variables = &mut self.current().variables;
        variables.push(Variable { name: String::new(), ty: ty.clone(), span });
        VariableId(super::names::count(variables) - 1)
    }
}
