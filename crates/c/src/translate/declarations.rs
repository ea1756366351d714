//! Declarations: specifiers and declarators make types; names are declared with them.

use std::sync::Arc;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{
    ArraySize, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis,
    EnumType, Extension, FunctionSpecifier, Initializer, ParameterDeclaration, PointerQualifier,
    SpecifierQualifier, StaticAssert, StorageClassSpecifier, StructDeclaration, StructKind, StructType,
    TypeName, TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;

use super::attributes::Shape;
use super::names::count;
use super::{Binding, Checked, Tag, Translator};
use crate::layout::MOST_CELLS;
use crate::tree::{Member, Struct};
use crate::types::{FunctionType, Integer, Rank, StructId, Type, Unsupported};

/// The qualifiers of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Qualifiers {
    pub constant: bool,
    pub volatile: bool,
}

impl Qualifiers {
    fn add(&mut self, others: Qualifiers) {
        self.constant |= others.constant;
        self.volatile |= others.volatile;
    }
}

/// What stands before the declarators of a declaration.
#[derive(Clone, Debug)]
pub(super) struct Specified {
    pub ty: Type,
    pub storage: Option<StorageClassSpecifier>,
    pub ends: bool,
    pub qualifiers: Qualifiers,
    pub inline: bool,
    /// The place of an attribute that makes a function run before or after `main`.
    pub constructor: Option<Span>,
    /// What attributes say of the type.
    pub shape: Shape,
}

/// A declared name.
pub(super) struct Declared {
    pub name: String,
    pub ty: Type,
    pub span: Span,
    /// The declared name's own qualifiers: those of the type, unless it is a pointer.
    pub qualifiers: Qualifiers,
    pub ends: bool,
    pub shape: Shape,
}

impl Translator<'_> {
    pub(super) fn static_assert(&mut self, claim: &StaticAssert) -> Checked<()> {
        let value = self.constant(&claim.expression)?;
        if !value.is_zero() {
            return Ok(());
        }
        let span = self.span(&claim.expression.span);
        Err(Diagnostic::error(Code::CConstant, "a static assertion does not hold", span, "this is 0"))
    }

    pub(super) fn specifiers(
        &mut self,
        list: &[Node<DeclarationSpecifier>],
        span: Span,
    ) -> Checked<Specified> {
        let mut specified = Specified {
            ty: Type::Void,
            storage: None,
            ends: false,
            qualifiers: Qualifiers::default(),
            inline: false,
            constructor: None,
            shape: Shape::default(),
        };
        let mut types = Vec::new();
        for specifier in list {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(storage) => match storage.node {
                    StorageClassSpecifier::ThreadLocal => {
                        return Err(super::unsupported(Unsupported::Atomic, self.span(&storage.span)));
                    }
                    _ => specified.storage = Some(storage.node.clone()),
                },
                DeclarationSpecifier::TypeSpecifier(specifier) => {
                    if let TypeSpecifier::TypedefName(name) = &specifier.node {
                        specified.qualifiers.add(self.qualifiers_of(&name.node.name));
                    }
                    types.push(specifier);
                }
                DeclarationSpecifier::TypeQualifier(qualifier) => {
                    self.qualifier(qualifier, &mut specified)?
                }
                DeclarationSpecifier::Function(function) => match function.node {
                    FunctionSpecifier::Noreturn => specified.ends = true,
                    FunctionSpecifier::Inline => specified.inline = true,
                },
                DeclarationSpecifier::Alignment(_) => {}
                DeclarationSpecifier::Extension(list) => self.attributes(list, &mut specified)?,
            }
        }
        specified.ty = self.base_type(&types, span)?;
        // Behind the members of a structure, attributes are those of the structure.
        let defines = types.iter().any(|specifier| {
            matches!(&specifier.node, TypeSpecifier::Struct(node) if node.node.declarations.is_some())
        });
        if let (true, Type::Struct(id)) = (defines, &specified.ty) {
            let shape = std::mem::take(&mut specified.shape);
            let structure = &mut self.program.structs[id.0 as usize];
            if structure.size.is_some() && (shape.packed || shape.align.is_some()) {
                return Err(super::expressions::refused("an attribute of a structure with bit fields", span));
            }
            (structure.packed, structure.align) = (shape.packed, shape.align);
            specified.shape.other = shape.other;
        }
        Ok(specified)
    }

    fn qualifier(&self, qualifier: &Node<TypeQualifier>, specified: &mut Specified) -> Checked<()> {
        match qualifier.node {
            TypeQualifier::Const => specified.qualifiers.constant = true,
            TypeQualifier::Volatile => specified.qualifiers.volatile = true,
            TypeQualifier::Atomic => {
                return Err(super::unsupported(Unsupported::Atomic, self.span(&qualifier.span)));
            }
            _ => {}
        }
        Ok(())
    }

    /// The type that words such as `unsigned`, `long` and `int` make together.
    fn base_type(&mut self, list: &[&Node<TypeSpecifier>], span: Span) -> Checked<Type> {
        let (mut longs, mut signed, mut rank) = (0, None, None);
        let mut plain = list.is_empty();
        for specifier in list {
            match &specifier.node {
                TypeSpecifier::Void => return Ok(Type::Void),
                TypeSpecifier::Bool => rank = Some(Rank::Bool),
                TypeSpecifier::Char => rank = Some(Rank::Char),
                TypeSpecifier::Short => rank = Some(Rank::Short),
                TypeSpecifier::Int => plain = true,
                TypeSpecifier::Long => longs += 1,
                TypeSpecifier::Signed => signed = Some(true),
                TypeSpecifier::Unsigned => signed = Some(false),
                TypeSpecifier::Float
                | TypeSpecifier::Double
                | TypeSpecifier::Complex
                | TypeSpecifier::TS18661Float(_) => return Ok(Type::Unsupported(Unsupported::Floating)),
                TypeSpecifier::Atomic(_) => return Ok(Type::Unsupported(Unsupported::Atomic)),
                TypeSpecifier::Struct(node) => return self.structure(&node.node),
                TypeSpecifier::Enum(node) => return self.enumeration(&node.node, span),
                TypeSpecifier::TypedefName(name) => return self.typedef(&name.node.name, span),
                TypeSpecifier::TypeOf(node) => {
                    return match &node.node {
                        lang_c::ast::TypeOf::Type(name) => self.type_name(&name.node),
                        lang_c::ast::TypeOf::Expression(expression) => self.type_of(expression),
                    };
                }
            }
        }
        let rank = match (rank, longs) {
            (Some(rank), _) => rank,
            (None, 0) if !plain && signed.is_none() => return Ok(Type::Unsupported(Unsupported::Other)),
            (None, 0) => Rank::Int,
            (None, 1) => Rank::Long,
            (None, _) => Rank::LongLong,
        };
        Ok(Type::Integer(self.program.model.integer(rank, signed.unwrap_or(true))))
    }

    fn typedef(&self, name: &str, span: Span) -> Checked<Type> {
        match self.lookup(name) {
            Some(Binding::Type(ty)) => Ok(ty.clone()),
            _ if name == "__builtin_va_list" => Ok(Type::Unsupported(Unsupported::VariableArguments)),
            _ => Err(Diagnostic::error(Code::CName, format!("`{name}` is no type"), span, "not a type")),
        }
    }

    fn structure(&mut self, node: &StructType) -> Checked<Type> {
        let name = node.identifier.as_ref().map(|identifier| identifier.node.name.clone());
        let is_union = node.kind.node == StructKind::Union;
        let known = name.as_deref().and_then(|name| match node.declarations {
            // A definition is of this scope; a mention may be of an outer one.
            Some(_) => self.tag_here(name),
            None => self.tag(name),
        });
        let id = match known {
            Some(Tag::Struct(id)) if self.program.structs[id.0 as usize].union == is_union => *id,
            None => {
                let id = StructId(count(&self.program.structs));
                self.program.structs.push(Struct {
                    name: name.clone(),
                    members: None,
                    span: Span::default(),
                    private: false,
                    packed: false,
                    align: None,
                    union: is_union,
                    size: None,
                });
                name.iter().for_each(|name| self.bind_tag(name, Tag::Struct(id)));
                id
            }
            Some(_) => {
                let span = node.identifier.as_ref().map_or(Span::default(), |name| self.span(&name.span));
                let message = "a tag stands for another kind of type already";
                return Err(Diagnostic::error(Code::CLinkage, message, span, "another kind of type"));
            }
        };
        let Some(declarations) = &node.declarations else { return Ok(Type::Struct(id)) };
        if self.program.structs[id.0 as usize].members.is_some() {
            let span = node.identifier.as_ref().map_or(Span::default(), |name| self.span(&name.span));
            let message = "a structure is defined twice";
            return Err(Diagnostic::error(Code::CLinkage, message, span, "defined again here"));
        }
        let mut members = Vec::new();
        let mut layout = Bits { union: is_union, ..Bits::default() };
        for declaration in declarations {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let span = self.span(&field.span);
            let (base, qualifiers) = self.qualified(&field.node.specifiers, span)?;
            let mut shape = Shape::default();
            for specifier in &field.node.specifiers {
                if let SpecifierQualifier::Extension(list) = &specifier.node {
                    for extension in list {
                        self.shape(extension, &mut shape)?;
                    }
                }
            }
            let base = self.shaped(base, &shape);
            if field.node.declarators.is_empty() && matches!(base, Type::Struct(_) | Type::Unsupported(_)) {
                members.push(Member {
                    name: None,
                    ty: base.clone(),
                    field: None,
                    constant: qualifiers.constant,
                    volatile: qualifiers.volatile,
                });
                layout.member(self.program.size(&base));
            }
            for declarator in &field.node.declarators {
                if let Some(width) = &declarator.node.bit_width {
                    let width = self.constant(width)?;
                    let name = match &declarator.node.declarator {
                        Some(declarator) => {
                            Some(self.declarator(&declarator.node, base.clone(), Qualifiers::default())?.name)
                        }
                        None => None,
                    };
                    let field = self.bit_field(&base, name, &width, &mut layout, span)?;
                    let Qualifiers { constant, volatile } = qualifiers;
                    members.extend(field.map(|field| Member { constant, volatile, ..field }));
                    continue;
                }
                let Some(declarator) = &declarator.node.declarator else { continue };
                let declared = self.declarator(&declarator.node, base.clone(), qualifiers)?;
                let Qualifiers { constant, volatile } = declared.qualifiers;
                if !self.program.is_complete(&declared.ty) {
                    let message = format!("the member `{}` has an incomplete type", declared.name);
                    return Err(Diagnostic::error(Code::CType, message, declared.span, "incomplete"));
                }
                let ty = self.shaped(declared.ty, &declared.shape);
                layout.member(self.program.size(&ty));
                members.push(Member { name: Some(declared.name), ty, field: None, constant, volatile });
            }
        }
        let span = match (declarations.first(), declarations.last()) {
            (Some(first), Some(last)) => self.span(&first.span).to(self.span(&last.span)),
            _ => Span::default(),
        };
        let structure = &mut self.program.structs[id.0 as usize];
        (structure.members, structure.span) = (Some(members), span);
        structure.size = layout.size();
        if is_union && self.program.leaves(&Type::Struct(id)).iter().any(|leaf| leaf.ty == Type::Mutex) {
            let message = "a mutex in a union is not supported";
            return Err(Diagnostic::error(Code::UnionType, message, span, "a union"));
        }
        Ok(Type::Struct(id))
    }

    /// A bit field; nothing if it has no name.
    fn bit_field(
        &self,
        base: &Type,
        name: Option<String>,
        width: &Int,
        layout: &mut Bits,
        span: Span,
    ) -> Checked<Option<Member>> {
        let wrong = |message: &str| Diagnostic::error(Code::BitField, message, span, "a bit field");
        let Type::Integer(declared) = *base else {
            return Err(wrong("a bit field has an integer type"));
        };
        if declared.rank > Rank::Int {
            let diagnostic = wrong("bit fields of types wider than `int` are not supported");
            return Err(diagnostic.help("use `unsigned` or `int`"));
        }
        let most = if declared.rank == Rank::Bool { 1 } else { declared.bits };
        let bits = width.to_u64().and_then(|bits| u32::try_from(bits).ok()).filter(|bits| *bits <= most);
        let Some(bits) = bits.filter(|bits| *bits > 0 || name.is_none()) else {
            return Err(wrong("a bit field has at least one bit, and no more than its type"));
        };
        layout.field(u64::from(declared.bits / 8), u64::from(bits), name.is_some());
        let bits = if declared.rank == Rank::Bool { declared.bits } else { bits };
        let ty = Type::Integer(Integer { bits, ..declared });
        Ok(name.map(|name| Member {
            name: Some(name),
            ty,
            field: Some(declared),
            constant: false,
            volatile: false,
        }))
    }

    fn enumeration(&mut self, node: &EnumType, span: Span) -> Checked<Type> {
        let name = node.identifier.as_ref().map(|identifier| identifier.node.name.clone());
        if node.enumerators.is_empty() {
            let known = name.as_deref().and_then(|name| self.tag(name));
            return match known {
                Some(Tag::Enum(integer)) => Ok(Type::Integer(*integer)),
                _ => Err(Diagnostic::error(
                    Code::CName,
                    "this enumeration is not defined",
                    span,
                    "not defined",
                )),
            };
        }
        let model = self.program.model;
        let mut values = Vec::new();
        let mut next = Int::ZERO;
        for enumerator in &node.enumerators {
            let name = &enumerator.node.identifier.node.name;
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant(expression)?;
            }
            let held = [model.int(), model.integer(Rank::Long, true), model.integer(Rank::LongLong, false)];
            let ty = held.into_iter().find(|ty| ty.holds(&next)).unwrap_or(held[2]);
            self.bind(name, Binding::Constant(next.clone(), ty));
            values.push(next.clone());
            next = next.add(&Int::ONE);
        }
        let integer = model.enumeration(&values);
        name.iter().for_each(|name| self.bind_tag(name, Tag::Enum(integer)));
        Ok(Type::Integer(integer))
    }

    /// The qualifiers that the name of a type stands for.
    fn qualifiers_of(&self, name: &str) -> Qualifiers {
        self.qualified_types.get(name).copied().unwrap_or_default()
    }

    /// A type with qualifiers, as it stands before members and in casts.
    fn qualified(&mut self, list: &[Node<SpecifierQualifier>], span: Span) -> Checked<(Type, Qualifiers)> {
        let mut types = Vec::new();
        let mut qualifiers = Qualifiers::default();
        for specifier in list {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(specifier) => {
                    if let TypeSpecifier::TypedefName(name) = &specifier.node {
                        qualifiers.add(self.qualifiers_of(&name.node.name));
                    }
                    types.push(specifier);
                }
                SpecifierQualifier::TypeQualifier(qualifier) => match qualifier.node {
                    TypeQualifier::Const => qualifiers.constant = true,
                    TypeQualifier::Volatile => qualifiers.volatile = true,
                    TypeQualifier::Atomic => return Ok((Type::Unsupported(Unsupported::Atomic), qualifiers)),
                    _ => {}
                },
                SpecifierQualifier::Extension(_) => {}
            }
        }
        Ok((self.base_type(&types, span)?, qualifiers))
    }

    pub(super) fn type_name(&mut self, node: &TypeName) -> Checked<Type> {
        let span = node.specifiers.first().map_or(Span::default(), |first| self.span(&first.span));
        let (base, _) = self.qualified(&node.specifiers, span)?;
        match &node.declarator {
            Some(declarator) => Ok(self.declarator(&declarator.node, base, Qualifiers::default())?.ty),
            None => Ok(base),
        }
    }

    /// The name and the type that a declarator declares.
    pub(super) fn declarator(
        &mut self,
        node: &Declarator,
        base: Type,
        qualifiers: Qualifiers,
    ) -> Checked<Declared> {
        let (mut ty, mut qualifiers) = (base, qualifiers);
        let (pointers, others): (Vec<_>, Vec<_>) =
            node.derived.iter().partition(|derived| matches!(derived.node, DerivedDeclarator::Pointer(_)));
        for pointer in pointers {
            let DerivedDeclarator::Pointer(list) = &pointer.node else { continue };
            let has = |wanted: TypeQualifier| {
                list.iter().any(|qualifier| matches!(&qualifier.node, PointerQualifier::TypeQualifier(q) if q.node == wanted))
            };
            qualifiers =
                Qualifiers { constant: has(TypeQualifier::Const), volatile: has(TypeQualifier::Volatile) };
            ty = ty.pointer();
        }
        for derived in others.into_iter().rev() {
            let span = self.span(&derived.span);
            ty = match &derived.node {
                DerivedDeclarator::Pointer(_) => ty,
                DerivedDeclarator::Array(array) => {
                    let length = match &array.node.size {
                        ArraySize::Unknown => None,
                        ArraySize::VariableUnknown => {
                            return Err(super::unsupported(Unsupported::VariableLength, span));
                        }
                        ArraySize::VariableExpression(length) | ArraySize::StaticExpression(length) => {
                            Some(self.length(length, span)?)
                        }
                    };
                    Type::Array(Arc::new(ty), length)
                }
                DerivedDeclarator::Function(function) => {
                    let parameters = self.parameters(&function.node.parameters)?;
                    Type::Function(Arc::new(FunctionType {
                        parameters: parameters.into_iter().map(|declared| declared.ty).collect(),
                        variadic: function.node.ellipsis == Ellipsis::Some,
                        prototype: true,
                        result: ty,
                    }))
                }
                // What a definition says of the parameters is read with its body.
                DerivedDeclarator::KRFunction(_) => {
                    let (parameters, variadic) = (vec![], false);
                    Type::Function(Arc::new(FunctionType {
                        parameters,
                        variadic,
                        prototype: false,
                        result: ty,
                    }))
                }
                DerivedDeclarator::Block(_) => {
                    return Err(super::unsupported(Unsupported::Other, span));
                }
            };
        }
        let (mut ends, mut shape) = (false, Shape::default());
        for extension in &node.extensions {
            if let Extension::Attribute(attribute) = &extension.node {
                ends |= attribute.name.node.trim_matches('_') == "noreturn";
            }
            self.shape(extension, &mut shape)?;
        }
        let (name, span) = match &node.kind.node {
            DeclaratorKind::Abstract => (String::new(), self.span(&node.kind.span)),
            DeclaratorKind::Identifier(name) => (name.node.name.clone(), self.span(&name.span)),
            DeclaratorKind::Declarator(inner) => {
                let inner = self.declarator(&inner.node, ty, qualifiers)?;
                return Ok(Declared { ends: ends || inner.ends, ..inner });
            }
        };
        Ok(Declared { name, ty, span, qualifiers, ends, shape })
    }

    fn length(&mut self, node: &Node<lang_c::ast::Expression>, span: Span) -> Checked<u64> {
        let value = self.value(node)?;
        // The length is constant, too, if it is that of a constant variable.
        let Some(n) = self.settled(&value) else {
            return Err(super::unsupported(Unsupported::VariableLength, span));
        };
        n.to_u64().filter(|n| *n <= MOST_CELLS).ok_or_else(|| {
            let message = format!("an array has {n} elements");
            let diagnostic =
                Diagnostic::error(Code::CTooLarge, message, span, "not a length that is supported");
            diagnostic.help(format!("arrays have at most {MOST_CELLS} elements"))
        })
    }

    pub(super) fn parameters(&mut self, list: &[Node<ParameterDeclaration>]) -> Checked<Vec<Declared>> {
        let mut parameters = Vec::new();
        for parameter in list {
            let span = self.span(&parameter.span);
            let specified = self.specifiers(&parameter.node.specifiers, span)?;
            let declared = match &parameter.node.declarator {
                Some(declarator) => {
                    // An array is a pointer, so how long it is does not matter.
                    let mut declarator = declarator.node.clone();
                    let outer = declarator.derived.iter_mut().find_map(|derived| match &mut derived.node {
                        DerivedDeclarator::Array(array) => Some(Some(array)),
                        DerivedDeclarator::Pointer(_) => None,
                        _ => Some(None),
                    });
                    if let (Some(Some(array)), DeclaratorKind::Identifier(_) | DeclaratorKind::Abstract) =
                        (outer, &declarator.kind.node)
                    {
                        array.node.size = ArraySize::Unknown;
                    }
                    self.declarator(&declarator, specified.ty, Qualifiers::default())?
                }
                None => Declared::plain(String::new(), specified.ty, span),
            };
            parameters.push(Declared { ty: declared.ty.decayed(), ..declared });
        }
        if let [only] = &parameters[..]
            && only.ty == Type::Void
            && only.name.is_empty()
        {
            return Ok(vec![]);
        }
        Ok(parameters)
    }

    /// A declaration at file level.
    pub(super) fn global(&mut self, node: &Declaration) -> Checked<()> {
        let first = node.specifiers.first().map_or(Span::default(), |first| self.span(&first.span));
        let specified = self.specifiers(&node.specifiers, first)?;
        for item in &node.declarators {
            let declared =
                self.declarator(&item.node.declarator.node, specified.ty.clone(), specified.qualifiers)?;
            let done = self.declare_global(&specified, declared, item.node.initializer.as_ref());
            self.keep(done);
        }
        Ok(())
    }

    pub(super) fn declare_global(
        &mut self,
        specified: &Specified,
        declared: Declared,
        initial: Option<&Node<Initializer>>,
    ) -> Checked<()> {
        let Declared { name, ty, span, qualifiers, ends, shape } = declared;
        let storage = specified.storage.clone();
        let mut ty = self.declared_type(ty, specified, &shape);
        if storage == Some(StorageClassSpecifier::Typedef) {
            // A mutex is one, whatever the header makes it of.
            let ty = if name == "pthread_mutex_t" { Type::Mutex } else { ty };
            self.qualified_types.insert(name.clone(), qualifiers);
            self.bind(&name, Binding::Type(ty));
            return Ok(());
        }
        let is_static = storage == Some(StorageClassSpecifier::Static);
        if let Type::Function(function) = &ty {
            if let Some(span) = specified.constructor {
                return Err(constructor(span));
            }
            let id = self.declare_function(&name, function, is_static, span)?;
            self.program.functions[id.index()].ends |= specified.ends || ends;
            return Ok(());
        }
        let is_extern = storage == Some(StorageClassSpecifier::Extern);
        // The length of an array may come from its initialiser, so that is read once the object is known.
        let id = self.declare_object(&name, &ty, is_static, span)?;
        let mut items = Vec::new();
        if let Some(initial) = initial {
            self.supported(&ty, span)?;
            items = self.initializer(&mut ty, &initial.node, true)?;
            self.program.objects[id.index()].ty = ty.clone();
        }
        let object = &mut self.program.objects[id.index()];
        if initial.is_some() && object.defined && !object.initial.is_empty() {
            let message = format!("`{name}` is defined twice");
            let diagnostic = Diagnostic::error(Code::CLinkage, message, span, "defined again here");
            return Err(diagnostic.also(object.span, "first declared here"));
        }
        object.defined |= !is_extern || initial.is_some();
        object.constant |= qualifiers.constant;
        object.volatile |= qualifiers.volatile;
        if initial.is_some() {
            object.initial = items;
            object.span = span;
        }
        Ok(())
    }
}

/// Where bit fields lie, as the x86-64 ABI has it.
#[derive(Default)]
struct Bits {
    union: bool,
    /// Whether there are bit fields.
    fields: bool,
    /// How many bits there are so far; nothing if that is not known.
    bits: u64,
    align: u64,
    unknown: bool,
}

impl Bits {
    fn member(&mut self, size: Option<(u64, u64)>) {
        let Some((size, align)) = size else {
            self.unknown = true;
            return;
        };
        self.align = self.align.max(align);
        match self.union {
            true => self.bits = self.bits.max(size.saturating_mul(8)),
            false => {
                self.stands_on(8 * align.max(1));
                self.bits = self.bits.saturating_add(size.saturating_mul(8));
            }
        }
    }

    /// What follows stands on a multiple of a number of bits.
    fn stands_on(&mut self, unit: u64) {
        match self.bits.checked_next_multiple_of(unit) {
            Some(bits) => self.bits = bits,
            None => self.unknown = true,
        }
    }

    fn field(&mut self, bytes: u64, bits: u64, named: bool) {
        self.fields = true;
        let unit = 8 * bytes.max(1);
        if named {
            self.align = self.align.max(bytes);
        }
        if self.union {
            self.bits = self.bits.max(bits);
            return;
        }
        if bits == 0 || self.bits / unit != (self.bits.saturating_add(bits - 1)) / unit {
            self.stands_on(unit);
        }
        self.bits = self.bits.saturating_add(bits);
    }

    /// The size and the alignment, if there are bit fields.
    fn size(&self) -> Option<(u64, u64)> {
        let align = self.align.max(1);
        (self.fields && !self.unknown).then(|| (self.bits.div_ceil(8).next_multiple_of(align), align))
    }
}

pub(super) fn constructor(span: Span) -> Diagnostic {
    let message = "a function that runs by itself before or after `main` is not supported";
    let diagnostic = Diagnostic::error(Code::Constructor, message, span, "runs by itself");
    diagnostic.help("leave the attribute out, and have the client call the function")
}
