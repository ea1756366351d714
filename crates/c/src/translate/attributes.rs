//! Attributes: what they say of types, and which are refused because they change what a program does.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::Span;
use lang_c::ast::{Extension, StorageClassSpecifier};
use lang_c::span::Node;

use super::declarations::{Declared, Qualifiers, Specified};
use super::{Checked, Translator};
use crate::types::{DataModel, Rank, Type, Unsupported};

/// What attributes say of how a type lies in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Whether nothing lies between its members.
    pub packed: bool,
    /// On multiples of how many bytes it stands, at least.
    pub align: Option<u64>,
    /// The integer type that it is instead.
    pub mode: Option<String>,
    /// Whether it is a vector, or something else that is not known.
    pub other: bool,
}

impl Declared {
    /// A name with a type.
    pub(super) fn plain(name: String, ty: Type, span: Span) -> Declared {
        Declared { name, ty, span, qualifiers: Qualifiers::default(), ends: false, shape: Shape::default() }
    }

    /// The type gets what attributes say of it.
    pub(super) fn shape(&mut self, translator: &Translator<'_>, specified: &Specified) {
        let ty = std::mem::replace(&mut self.ty, Type::Void);
        let own = std::mem::take(&mut self.shape);
        self.ty = translator.declared_type(ty, specified, &own);
    }
}

impl Translator<'_> {
    pub(super) fn attributes(&mut self, list: &[Node<Extension>], specified: &mut Specified) -> Checked<()> {
        for extension in list {
            let Extension::Attribute(attribute) = &extension.node else { continue };
            match attribute.name.node.trim_matches('_') {
                "noreturn" => specified.ends = true,
                "constructor" | "destructor" => specified.constructor = Some(self.span(&extension.span)),
                _ => self.shape(extension, &mut specified.shape)?,
            }
        }
        Ok(())
    }

    /// What an attribute says of a type. Refuses those that change what a program does in ways that are not followed.
    pub(super) fn shape(&mut self, extension: &Node<Extension>, shape: &mut Shape) -> Checked<()> {
        let attribute = match &extension.node {
            Extension::Attribute(attribute) => attribute,
            // Another name for what is declared matters if something here has that name.
            Extension::AsmLabel(label) => {
                let span = self.span(&extension.span);
                let text = String::from_utf8_lossy(&self.text(&label.node, span)?).into_owned();
                return match self.definitions.contains_key(&text) {
                    true => Err(super::expressions::refused("another name for a function of the file", span)),
                    false => Ok(()),
                };
            }
            _ => return Ok(()),
        };
        let name = attribute.name.node.trim_matches('_');
        match name {
            "packed" => shape.packed = true,
            "aligned" => {
                let align = match attribute.arguments.first() {
                    Some(argument) => self.constant(argument)?.to_u64(),
                    None => Some(16),
                };
                let align = align.filter(|align| align.is_power_of_two());
                shape.other |= align.is_none();
                shape.align = shape.align.max(align);
            }
            "mode" => {
                let name = attribute.arguments.first().and_then(|argument| match &argument.node {
                    lang_c::ast::Expression::Identifier(name) => Some(name.node.name.clone()),
                    _ => None,
                });
                shape.other |= name.is_none();
                shape.mode = name;
            }
            "vector_size" | "ext_vector_type" | "address_space" => shape.other = true,
            "alias"
            | "ifunc"
            | "weakref"
            | "cleanup"
            | "scalar_storage_order"
            | "transparent_union"
            | "naked" => {
                let message = format!("the attribute `{name}` is not supported");
                let span = self.span(&extension.span);
                let diagnostic = Diagnostic::error(Code::NotInC, message, span, "changes what is declared");
                return Err(diagnostic.help("say it with functions and statements"));
            }
            _ => {}
        }
        Ok(())
    }

    /// A type with what attributes say of it. Where that is not known, the type is refused where it is used.
    pub(super) fn shaped(&self, ty: Type, shape: &Shape) -> Type {
        let model = self.program.model;
        let ty = match (&ty, shape.mode.as_deref().map(|mode| mode.trim_matches('_'))) {
            (_, None) => ty,
            (Type::Integer(integer), Some(mode)) => {
                let rank = match mode {
                    "QI" | "byte" => Some(Rank::Char),
                    "HI" => Some(Rank::Short),
                    "SI" => Some(Rank::Int),
                    "DI" => Some(if model == DataModel::Lp64 { Rank::Long } else { Rank::LongLong }),
                    "word" | "pointer" | "unwind_word" => Some(model.size().rank),
                    _ => None,
                };
                match rank {
                    Some(rank) => Type::Integer(model.integer(rank, integer.signed)),
                    None => Type::Unsupported(Unsupported::Other),
                }
            }
            (_, Some(_)) => Type::Unsupported(Unsupported::Other),
        };
        let natural = self.program.size(&ty).map(|(_, align)| align);
        let moved = shape.align.is_some_and(|align| natural.is_none_or(|natural| align > natural));
        let smaller = shape.packed && natural != Some(1);
        match shape.other || moved || smaller {
            true => Type::Unsupported(Unsupported::Other),
            false => ty,
        }
    }

    /// The type that a declaration gives to a name. On what multiples of bytes a single object stands does not matter.
    pub(super) fn declared_type(&self, ty: Type, specified: &Specified, own: &Shape) -> Type {
        let is_type = specified.storage == Some(StorageClassSpecifier::Typedef);
        [&specified.shape, own].into_iter().fold(ty, |ty, shape| {
            let align = shape.align.filter(|_| is_type);
            // A structure has its own attributes; those of a name for it do not pack it.
            self.shaped(ty, &Shape { align, packed: false, ..shape.clone() })
        })
    }
}
