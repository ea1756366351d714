//! Expressions: values and places, with their types.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, Expression, MemberExpression, MemberOperator, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::Node;

use super::operators::{mistyped, number};
use super::temporaries::Temporary;
use super::{Binding, Checked, Translator};
use crate::tree::{Binary, Expr, ExprKind, Item, Place, PlaceKind, Unary, Update};
use crate::types::{Type, Unsupported};

/// What an expression denotes.
pub(super) enum Operand {
    Value(Expr),
    Place(Place),
    /// A part of a variable without a name, which is given its value first.
    Temporary(Temporary),
}

impl Operand {
    /// Its type.
    pub(super) fn ty(&self) -> &Type {
        match self {
            Operand::Value(value) => &value.ty,
            Operand::Place(place) | Operand::Temporary(Temporary { place, .. }) => &place.ty,
        }
    }
}

impl Translator<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        let operand = self.operand(node)?;
        self.value_of(operand)
    }

    /// The value of what an expression denotes.
    pub(super) fn value_of(&self, operand: Operand) -> Checked<Expr> {
        match operand {
            Operand::Value(value) => Ok(value),
            Operand::Place(place) => self.load(place),
            Operand::Temporary(Temporary { place, is_object: false, .. })
                if matches!(place.ty, Type::Array(..)) =>
            {
                Err(refused("an array in a structure that is no object, used as a pointer,", place.span))
            }
            Operand::Temporary(Temporary { first, place, .. }) => {
                let loaded = self.load(place)?;
                Ok(after(first, loaded))
            }
        }
    }

    /// What a place holds.
    pub(super) fn load(&self, place: Place) -> Checked<Expr> {
        self.supported(&place.ty, place.span)?;
        match &place.ty {
            Type::Array(..) => self.decayed(place),
            Type::Mutex => Err(mistyped("a mutex is used as a value", place.span, "a mutex")),
            ty => {
                let (ty, span) = (ty.clone(), place.span);
                Ok(Expr { kind: ExprKind::Load(place), ty, span })
            }
        }
    }

    /// The place that an expression denotes.
    pub(super) fn place(&mut self, node: &Node<Expression>) -> Checked<Place> {
        match self.operand(node)? {
            Operand::Place(place) => Ok(place),
            Operand::Temporary(Temporary { first, place, is_object: true }) => {
                // An assignment to a compound literal is one to what its address points to.
                let pointer = after(first, self.address_of(place, self.span(&node.span))?);
                self.target(pointer, self.span(&node.span))
            }
            Operand::Value(Expr { span, .. })
            | Operand::Temporary(Temporary { place: Place { span, .. }, .. }) => {
                Err(mistyped("this is no object that could be changed", span, "a value"))
            }
        }
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, node: &Node<Expression>) -> Checked<Type> {
        if let Expression::StringLiteral(parts) = &node.node {
            let length = self.text(&parts.node, self.span(&node.span))?.len() as u64 + 1;
            let char_ = self.program.model.integer(crate::types::Rank::Char, true);
            return Ok(Type::Array(Type::Integer(char_).into(), Some(length)));
        }
        // What is only looked at is not used.
        let used: Vec<bool> = self.program.functions.iter().map(|function| function.used).collect();
        let operand = self.operand(node);
        self.program.functions.iter_mut().zip(used).for_each(|(function, used)| function.used = used);
        Ok(operand?.ty().clone())
    }

    pub(super) fn operand(&mut self, node: &Node<Expression>) -> Checked<Operand> {
        let span = self.span(&node.span);
        let value = match &node.node {
            Expression::Identifier(name) => return self.name(&name.node.name, span),
            Expression::Member(member) => return self.member(&member.node, span),
            Expression::BinaryOperator(binary) if binary.node.operator.node == BinaryOperator::Index => {
                return self.element(&binary.node, span);
            }
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                return self.indirection(&unary.node, span);
            }
            Expression::Constant(literal) => self.literal(&literal.node, span)?,
            Expression::StringLiteral(parts) => {
                let bytes = self.text(&parts.node, span)?;
                self.string_literal(bytes, span)?
            }
            Expression::Call(call) => self.call(&call.node, span)?,
            Expression::SizeOfTy(node) => {
                let ty = self.type_name(&node.node.0.node)?;
                self.size_of(&ty, span, false)?
            }
            Expression::SizeOfVal(node) => {
                let ty = self.type_of(&node.node.0)?;
                self.size_of(&ty, span, false)?
            }
            Expression::AlignOf(node) => {
                let ty = self.type_name(&node.node.0.node)?;
                self.size_of(&ty, span, true)?
            }
            Expression::UnaryOperator(unary) => self.unary_expression(&unary.node, span)?,
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name.node)?;
                if ty == Type::Void {
                    let inner = Box::new(self.effect(&cast.node.expression)?);
                    return Ok(Operand::Value(Expr { kind: ExprKind::Convert(inner), ty, span }));
                }
                let value = self.value(&cast.node.expression)?;
                let value = self.converted(value, &ty, true)?;
                Expr { span, ..value }
            }
            Expression::BinaryOperator(binary) => self.binary_expression(&binary.node, span)?,
            Expression::Conditional(node) => {
                let condition = self.value(&node.node.condition)?;
                let condition = self.scalar(condition)?;
                let yes = self.value(&node.node.then_expression)?;
                let no = self.value(&node.node.else_expression)?;
                let ty = self.joined(&yes, &no)?;
                let (yes, no) = (self.converted(yes, &ty, true)?, self.converted(no, &ty, true)?);
                match &condition.kind {
                    ExprKind::Number(n) => Expr { span, ..if n.is_zero() { no } else { yes } },
                    _ => {
                        let (condition, yes, no) = (Box::new(condition), Box::new(yes), Box::new(no));
                        Expr { kind: ExprKind::Conditional(condition, yes, no), ty, span }
                    }
                }
            }
            Expression::Comma(list) => {
                let mut values = Vec::new();
                for (n, node) in list.iter().enumerate() {
                    let last = n + 1 == list.len();
                    values.push(if last { self.value(node)? } else { self.effect(node)? });
                }
                let last = values.pop().expect("a comma has operands");
                values.into_iter().rev().fold(last, |rest, first| {
                    let ty = rest.ty.clone();
                    Expr { kind: ExprKind::Comma(Box::new(first), Box::new(rest)), ty, span }
                })
            }
            Expression::GenericSelection(node) => return self.generic(&node.node, span),
            Expression::CompoundLiteral(literal) => return self.compound(&literal.node, span),
            Expression::OffsetOf(node) => self.offset_of(&node.node, span)?,
            Expression::VaArg(_) => return Err(super::unsupported(Unsupported::VariableArguments, span)),
            Expression::Statement(statement) => self.block_value(statement, span)?,
        };
        Ok(Operand::Value(value))
    }

    /// An expression whose value nobody uses.
    pub(super) fn effect(&mut self, node: &Node<Expression>) -> Checked<Expr> {
        match self.operand(node)? {
            Operand::Value(value) => Ok(value),
            Operand::Temporary(temporary) => Ok(temporary.first),
            Operand::Place(place) if place.ty.is_scalar() => self.load(place),
            Operand::Place(place) => {
                let zero = Box::new(number(Int::ZERO, self.int(), place.span));
                Ok(Expr { kind: ExprKind::Convert(zero), ty: Type::Void, span: place.span })
            }
        }
    }

    /// The type in which both branches of `?:` meet.
    fn joined(&self, yes: &Expr, no: &Expr) -> Checked<Type> {
        Ok(match (&yes.ty, &no.ty) {
            (Type::Integer(a), Type::Integer(b)) => Type::Integer(self.program.model.common(*a, *b)),
            (a, b) if a == b => a.clone(),
            (Type::Void, _) | (_, Type::Void) => Type::Void,
            (pointer @ Type::Pointer(_), Type::Integer(_))
            | (Type::Integer(_), pointer @ Type::Pointer(_)) => pointer.clone(),
            (pointer @ Type::Pointer(a), Type::Pointer(b)) => match **a == Type::Void {
                true => Type::Pointer(b.clone()),
                false => pointer.clone(),
            },
            (_, other) => {
                return Err(mistyped(
                    "the branches of `?:` have different types",
                    no.span,
                    &self.words(other),
                ));
            }
        })
    }

    fn name(&mut self, name: &str, span: Span) -> Checked<Operand> {
        let place = |kind, ty: &Type| Operand::Place(Place { kind, ty: ty.clone(), span });
        if let Some(Binding::Object(id)) = self.lookup(name) {
            self.supported(&self.program.object(*id).ty, span)?;
        }
        Ok(match self.lookup(name).cloned() {
            Some(Binding::Object(id)) => place(PlaceKind::Object(id), &self.program.object(id).ty),
            Some(Binding::Variable(id)) => {
                let ty = self.current().variables[id.index()].ty.clone();
                place(PlaceKind::Variable(id), &ty)
            }
            Some(Binding::Constant(n, ty)) => Operand::Value(number(n, Type::Integer(ty), span)),
            Some(Binding::Function(id)) => {
                let function = &mut self.program.functions[id.index()];
                function.used = true;
                let ty = Type::Function(function.ty.clone().into()).pointer();
                Operand::Value(Expr { kind: ExprKind::Function(id), ty, span })
            }
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
                && self.current.is_some() =>
            {
                let text = self.current().name.clone().into_bytes();
                Operand::Place(self.text_object(text, span))
            }
            Some(Binding::Type(_)) | None => {
                let diagnostic =
                    Diagnostic::error(Code::CName, format!("`{name}` is not declared"), span, "not declared");
                return Err(diagnostic.help("declare it, or include the header that does"));
            }
        })
    }

    fn member(&mut self, node: &MemberExpression, span: Span) -> Checked<Operand> {
        let name = &node.identifier.node.name;
        let (mut kept, base) = match node.operator.node {
            MemberOperator::Direct => match self.operand(&node.expression)? {
                Operand::Place(place) => (None, place),
                Operand::Temporary(Temporary { first, place, is_object }) => {
                    (Some((first, is_object)), place)
                }
                Operand::Value(value) if self.current.is_some() && matches!(value.ty, Type::Struct(_)) => {
                    let (ty, span) = (value.ty.clone(), value.span);
                    let place =
                        Place { kind: PlaceKind::Variable(self.temporary(&ty, span)), ty: ty.clone(), span };
                    let kind = ExprKind::Assign(place.clone(), Box::new(value));
                    (Some((Expr { kind, ty, span }, false)), place)
                }
                Operand::Value(value) => {
                    let message = format!("{} has no member `{name}`", self.words(&value.ty));
                    return Err(mistyped(message, span, "no such member"));
                }
            },
            MemberOperator::Indirect => {
                let pointer = self.value(&node.expression)?;
                (None, self.target(pointer, span)?)
            }
        };
        let path = self.find_member(&base.ty, name).ok_or_else(|| {
            mistyped(format!("{} has no member `{name}`", self.words(&base.ty)), span, "no such member")
        })?;
        let place = path.into_iter().fold(base, |place, (at, ty)| Place {
            kind: PlaceKind::Member(Box::new(place), at),
            ty,
            span,
        });
        Ok(match kept.take() {
            Some((first, is_object)) => Operand::Temporary(Temporary { first, place, is_object }),
            None => Operand::Place(place),
        })
    }

    /// The way to a member, through structures without a name.
    pub(super) fn find_member(&self, ty: &Type, name: &str) -> Option<Vec<(usize, Type)>> {
        let Type::Struct(id) = ty else { return None };
        for (n, member) in self.program.members(*id).iter().enumerate() {
            match &member.name {
                Some(own) if own == name => return Some(vec![(n, member.ty.clone())]),
                Some(_) => {}
                None => {
                    if let Some(rest) = self.find_member(&member.ty, name) {
                        return Some([vec![(n, member.ty.clone())], rest].concat());
                    }
                }
            }
        }
        None
    }

    fn element(&mut self, node: &BinaryOperatorExpression, span: Span) -> Checked<Operand> {
        let (mut array, mut index) = (&node.lhs, &node.rhs);
        let mut base = self.operand(array)?;
        if matches!(base.ty(), Type::Integer(_)) {
            (array, index) = (index, array);
            base = self.operand(array)?;
        }
        let (kept, place) = match base {
            Operand::Place(place) if matches!(place.ty, Type::Array(..)) => (None, place),
            Operand::Temporary(Temporary { first, place, is_object })
                if matches!(place.ty, Type::Array(..)) =>
            {
                (Some((first, is_object)), place)
            }
            base => {
                let pointer = self.value_of(base)?;
                let index = self.value(index)?;
                let moved = self.moved(pointer, index, false, span)?;
                return self.target(moved, span).map(Operand::Place);
            }
        };
        let Type::Array(element, length) = &place.ty else { unreachable!("it is an array") };
        if length.is_none() {
            let help = "declare the array with its length";
            return Err(
                mistyped("the length of this array is not known", span, "an incomplete array").help(help)
            );
        }
        let ty = (**element).clone();
        let index = self.value(index)?;
        let index = self.promoted(index)?;
        let place = Place { kind: PlaceKind::Element(Box::new(place), Box::new(index)), ty, span };
        Ok(match kept {
            Some((first, is_object)) => Operand::Temporary(Temporary { first, place, is_object }),
            None => Operand::Place(place),
        })
    }

    /// `*f` of a function is the function.
    fn indirection(&mut self, node: &UnaryOperatorExpression, span: Span) -> Checked<Operand> {
        let operand = self.operand(&node.operand)?;
        let pointer = self.value_of(operand)?;
        match pointer.ty.pointed_function().is_some() {
            true => Ok(Operand::Value(pointer)),
            false => self.target(pointer, span).map(Operand::Place),
        }
    }

    /// What a pointer points to.
    fn target(&self, pointer: Expr, span: Span) -> Checked<Place> {
        let Some(ty) = pointer.ty.pointed_data().cloned() else {
            let message = format!("{} is followed as if it were a pointer", self.words(&pointer.ty));
            return Err(mistyped(message, span, "not a pointer to an object"));
        };
        if !self.program.is_complete(&ty) {
            let message = "what this pointer points to has an incomplete type";
            return Err(mistyped(message, span, "incomplete"));
        }
        self.supported(&ty, span)?;
        if let ExprKind::Address(place) = pointer.kind {
            return Ok(Place { span, ..*place });
        }
        Ok(Place { kind: PlaceKind::Target(Box::new(pointer)), ty, span })
    }

    /// The address of an object.
    fn address_of(&self, place: Place, span: Span) -> Checked<Expr> {
        self.supported(&place.ty, span)?;
        self.has_address(&place, span)?;
        let ty = place.ty.clone().pointer();
        match place.kind {
            PlaceKind::Target(pointer) => Ok(Expr { ty, span, ..*pointer }),
            // The address behind the last element is an address, too.
            PlaceKind::Element(array, index) if !is_inside(&array.ty, &index) => {
                let first = self.decayed(*array)?;
                self.moved(first, *index, false, span)
            }
            _ => Ok(Expr { kind: ExprKind::Address(Box::new(place)), ty, span }),
        }
    }

    /// Whether an object has an address: bit fields have none, and of the members of a union the first one only is supported.
    fn has_address(&self, place: &Place, span: Span) -> Checked<()> {
        let mut at = place;
        loop {
            at = match &at.kind {
                PlaceKind::Member(inner, n) => {
                    let Type::Struct(id) = inner.ty else { return Ok(()) };
                    if self.program.members(id)[*n].field.is_some() {
                        return Err(mistyped("a bit field has no address", span, "a bit field"));
                    }
                    if self.program.structs[id.0 as usize].union && *n > 0 {
                        let message =
                            "the address of a member of a union is not supported, but for the first one";
                        let diagnostic =
                            Diagnostic::error(Code::UnionType, message, span, "a member of a union");
                        return Err(diagnostic.help("use the member by its name"));
                    }
                    inner
                }
                PlaceKind::Element(inner, _) => inner,
                PlaceKind::Object(_) | PlaceKind::Variable(_) | PlaceKind::Target(_) => return Ok(()),
            };
        }
    }

    /// An array as the address of its first element.
    fn decayed(&self, array: Place) -> Checked<Expr> {
        self.has_address(&array, array.span)?;
        let Type::Array(element, length) = &array.ty else { unreachable!("arrays decay") };
        if length.is_none() {
            let help = "declare the array with its length";
            let diagnostic =
                mistyped("the length of this array is not known", array.span, "an incomplete array");
            return Err(diagnostic.help(help));
        }
        let (element, span) = ((**element).clone(), array.span);
        let zero = Box::new(number(Int::ZERO, self.int(), span));
        let ty = element.clone().pointer();
        let place = Place { kind: PlaceKind::Element(Box::new(array), zero), ty: element, span };
        Ok(Expr { kind: ExprKind::Address(Box::new(place)), ty, span })
    }

    /// A pointer moved by a number of elements.
    pub(super) fn moved(&self, pointer: Expr, by: Expr, back: bool, span: Span) -> Checked<Expr> {
        let ty = pointer.ty.clone();
        if ty.pointed_data().is_none_or(|to| !self.program.is_complete(to)) {
            let message = "arithmetic needs a pointer to objects of a known size";
            return Err(mistyped(message, span, "not such a pointer"));
        }
        let by = self.promoted(by)?;
        if matches!(&by.kind, ExprKind::Number(n) if n.is_zero()) {
            return Ok(Expr { span, ..pointer });
        }
        Ok(Expr { kind: ExprKind::Offset(Box::new(pointer), Box::new(by), back), ty, span })
    }

    /// A string literal, as the address of its first character.
    fn string_literal(&mut self, bytes: Vec<u8>, span: Span) -> Checked<Expr> {
        let object = self.text_object(bytes, span);
        self.decayed(object)
    }

    /// The object of a string literal.
    fn text_object(&mut self, bytes: Vec<u8>, span: Span) -> Place {
        let char_ = self.program.model.integer(crate::types::Rank::Char, true);
        let ty = Type::Array(Type::Integer(char_).into(), Some(bytes.len() as u64 + 1));
        let id = match self.texts.get(&bytes) {
            Some(id) => *id,
            None => {
                let name = format!("\"{}\"", bytes.escape_ascii());
                let id = self.add_object(name, &ty, true, span);
                let object = &mut self.program.objects[id.index()];
                (object.defined, object.constant, object.text) = (true, true, true);
                object.initial = (0..)
                    .zip(&bytes)
                    .map(|(row, byte)| {
                        let n = char_.convert(&Int::from(u64::from(*byte)));
                        Item { leaf: 0, row, value: number(n, Type::Integer(char_), span) }
                    })
                    .collect();
                self.texts.insert(bytes, id);
                id
            }
        };
        Place { kind: PlaceKind::Object(id), ty, span }
    }

    fn size_of(&self, ty: &Type, span: Span, align: bool) -> Checked<Expr> {
        self.supported(ty, span)?;
        let (size, alignment) = self
            .program
            .size(ty)
            .ok_or_else(|| mistyped("the size of this type is not known", span, &self.words(ty)))?;
        let size_t = Type::Integer(self.program.model.size());
        Ok(number(Int::from(if align { alignment } else { size }), size_t, span))
    }

    fn unary_expression(&mut self, node: &UnaryOperatorExpression, span: Span) -> Checked<Expr> {
        let operator = match node.operator.node {
            UnaryOperator::PostIncrement => return self.step(node, Binary::Add, true, span),
            UnaryOperator::PostDecrement => return self.step(node, Binary::Subtract, true, span),
            UnaryOperator::PreIncrement => return self.step(node, Binary::Add, false, span),
            UnaryOperator::PreDecrement => return self.step(node, Binary::Subtract, false, span),
            UnaryOperator::Address => {
                return match self.operand(&node.operand)? {
                    Operand::Value(value) if matches!(value.kind, ExprKind::Function(_)) => Ok(value),
                    Operand::Place(place) => self.address_of(place, span),
                    Operand::Temporary(Temporary { first, place, is_object: true }) => {
                        Ok(after(first, self.address_of(place, span)?))
                    }
                    Operand::Value(_) | Operand::Temporary(_) => {
                        Err(mistyped("this is no object that has an address", span, "a value"))
                    }
                };
            }
            UnaryOperator::Indirection => unreachable!("what a pointer points to is a place"),
            UnaryOperator::Plus => {
                let value = self.value(&node.operand)?;
                return self.promoted(value);
            }
            UnaryOperator::Minus => Unary::Negate,
            UnaryOperator::Complement => Unary::Complement,
            UnaryOperator::Negate => Unary::Not,
        };
        let value = self.value(&node.operand)?;
        self.unary(operator, value, span)
    }

    fn step(
        &mut self,
        node: &UnaryOperatorExpression,
        operator: Binary,
        old: bool,
        span: Span,
    ) -> Checked<Expr> {
        let place = self.assignable(&node.operand)?;
        let one = number(Int::ONE, self.int(), span);
        self.update(place, operator, one, old, span)
    }

    fn update(
        &mut self,
        place: Place,
        operator: Binary,
        operand: Expr,
        old: bool,
        span: Span,
    ) -> Checked<Expr> {
        let (within, operand) = self.within(operator, &place.ty, operand, span)?;
        let ty = place.ty.clone();
        Ok(Expr {
            kind: ExprKind::Update(Box::new(Update { place, operator, operand, within, old })),
            ty,
            span,
        })
    }

    /// A place that may be changed.
    fn assignable(&mut self, node: &Node<Expression>) -> Checked<Place> {
        let place = self.place(node)?;
        self.supported(&place.ty, place.span)?;
        if matches!(place.ty, Type::Array(..) | Type::Mutex) {
            let message = format!("{} cannot be assigned to", self.words(&place.ty));
            return Err(mistyped(message, place.span, "not assignable"));
        }
        let mut root = &place;
        while let PlaceKind::Member(inner, _) | PlaceKind::Element(inner, _) = &root.kind {
            root = inner;
        }
        if let PlaceKind::Object(id) = root.kind
            && self.program.object(id).constant
        {
            let message = format!("`{}` is constant", self.program.object(id).name);
            return Err(mistyped(message, place.span, "changed here"));
        }
        Ok(place)
    }

    fn binary_expression(&mut self, node: &BinaryOperatorExpression, span: Span) -> Checked<Expr> {
        use BinaryOperator as B;
        let operator = match node.operator.node {
            B::Assign => {
                let place = self.assignable(&node.lhs)?;
                let value = self.value(&node.rhs)?;
                let value = self.converted(value, &place.ty, false)?;
                let ty = place.ty.clone();
                return Ok(Expr { kind: ExprKind::Assign(place, Box::new(value)), ty, span });
            }
            B::LogicalAnd | B::LogicalOr => {
                let is_and = node.operator.node == B::LogicalAnd;
                let left = self.value(&node.lhs)?;
                let left = self.scalar(left)?;
                let right = self.value(&node.rhs)?;
                let right = self.scalar(right)?;
                return Ok(match (&left.kind, &right.kind) {
                    (ExprKind::Number(n), _) if n.is_zero() == is_and => {
                        number(Int::truth(!is_and), self.int(), span)
                    }
                    (ExprKind::Number(_), _) => Expr { span, ..self.truth(right) },
                    _ => {
                        let kind = ExprKind::Logical(is_and, Box::new(left), Box::new(right));
                        Expr { kind, ty: self.int(), span }
                    }
                });
            }
            B::Index => unreachable!("an element is a place"),
            B::Multiply | B::AssignMultiply => Binary::Multiply,
            B::Divide | B::AssignDivide => Binary::Divide,
            B::Modulo | B::AssignModulo => Binary::Remainder,
            B::Plus | B::AssignPlus => Binary::Add,
            B::Minus | B::AssignMinus => Binary::Subtract,
            B::ShiftLeft | B::AssignShiftLeft => Binary::ShiftLeft,
            B::ShiftRight | B::AssignShiftRight => Binary::ShiftRight,
            B::BitwiseAnd | B::AssignBitwiseAnd => Binary::And,
            B::BitwiseXor | B::AssignBitwiseXor => Binary::Xor,
            B::BitwiseOr | B::AssignBitwiseOr => Binary::Or,
            B::Less => Binary::Less,
            B::Greater => Binary::Greater,
            B::LessOrEqual => Binary::LessEqual,
            B::GreaterOrEqual => Binary::GreaterEqual,
            B::Equals => Binary::Equal,
            B::NotEquals => Binary::NotEqual,
        };
        let assigns = matches!(
            node.operator.node,
            B::AssignMultiply
                | B::AssignDivide
                | B::AssignModulo
                | B::AssignPlus
                | B::AssignMinus
                | B::AssignShiftLeft
                | B::AssignShiftRight
                | B::AssignBitwiseAnd
                | B::AssignBitwiseXor
                | B::AssignBitwiseOr
        );
        if assigns {
            let place = self.assignable(&node.lhs)?;
            let operand = self.value(&node.rhs)?;
            return self.update(place, operator, operand, false, span);
        }
        let (left, right) = (self.value(&node.lhs)?, self.value(&node.rhs)?);
        self.binary(operator, left, right, span)
    }
}

/// A value after an effect.
pub(super) fn after(first: Expr, rest: Expr) -> Expr {
    let (ty, span) = (rest.ty.clone(), rest.span);
    Expr { kind: ExprKind::Comma(Box::new(first), Box::new(rest)), ty, span }
}

/// Whether an index is a constant inside an array.
fn is_inside(array: &Type, index: &Expr) -> bool {
    match (array, &index.kind) {
        (Type::Array(_, Some(length)), ExprKind::Number(n)) => n.to_u64().is_some_and(|n| n < *length),
        _ => false,
    }
}

pub(super) fn refused(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(Code::NotInC, format!("{what} is not supported"), span, "not supported")
        .help("write it with statements and variables of its own")
}
