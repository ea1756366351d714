//! Constants: literals with their types, and expressions that must be known.

use std::iter::Peekable;
use std::str::Chars;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{Constant, Expression, Integer as Literal, IntegerBase, IntegerSize};
use lang_c::span::Node;

use super::{Checked, Translator};
use crate::tree::{Expr, ExprKind};
use crate::types::{Rank, Type, Unsupported};

impl Translator<'_> {
    /// The value of an integer constant expression.
    pub(super) fn constant(&mut self, node: &Node<Expression>) -> Checked<Int> {
        let value = self.value(node)?;
        match value.kind {
            ExprKind::Number(n) => Ok(n),
            _ => {
                let message = "an integer constant is needed here";
                Err(Diagnostic::error(Code::CConstant, message, value.span, "not a constant"))
            }
        }
    }

    pub(super) fn literal(&mut self, node: &Constant, span: Span) -> Checked<Expr> {
        match node {
            Constant::Integer(literal) => self.integer_literal(literal, span),
            Constant::Float(_) => Err(super::unsupported(Unsupported::Floating, span)),
            Constant::Character(text) => {
                let wide = text.strip_prefix('L').filter(|rest| rest.len() == 3 && rest.is_ascii());
                let bytes = characters(wide.unwrap_or(text), '\'').unwrap_or_default();
                // A `char` is signed, and its value becomes an `int`. Several are the bytes of an `int`, as compilers have it.
                let n = match &bytes[..] {
                    [byte] => i64::from(byte.cast_signed()),
                    [_, _] | [_, _, _] | [_, _, _, _] => {
                        let n = bytes.iter().fold(0u32, |n, byte| n << 8 | u32::from(*byte));
                        i64::from(n.cast_signed())
                    }
                    _ => {
                        let message = "this character constant is not supported";
                        return Err(Diagnostic::error(Code::NotInC, message, span, "not a few bytes"));
                    }
                };
                Ok(Expr { kind: ExprKind::Number(Int::from(n)), ty: self.int(), span })
            }
        }
    }

    /// The first type of a list that holds the number, as the standard says.
    fn integer_literal(&self, literal: &Literal, span: Span) -> Checked<Expr> {
        if literal.suffix.imaginary {
            return Err(super::unsupported(Unsupported::Floating, span));
        }
        let base: i64 = match literal.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let mut n = Int::ZERO;
        for digit in literal.number.chars().filter_map(|c| c.to_digit(16)) {
            n = n.mul(&Int::from(base)).add(&Int::from(i64::from(digit)));
        }
        let least = match literal.suffix.size {
            IntegerSize::Int => Rank::Int,
            IntegerSize::Long => Rank::Long,
            IntegerSize::LongLong => Rank::LongLong,
        };
        let model = self.program.model;
        let decimal = literal.base == IntegerBase::Decimal;
        let ranks = [Rank::Int, Rank::Long, Rank::LongLong].into_iter().filter(|rank| *rank >= least);
        let types = ranks.flat_map(|rank| [true, false].map(|signed| model.integer(rank, signed)));
        let mut allowed = types.filter(|ty| match literal.suffix.unsigned {
            true => !ty.signed,
            false => ty.signed || !decimal,
        });
        match allowed.find(|ty| ty.holds(&n)) {
            Some(ty) => Ok(Expr { kind: ExprKind::Number(n), ty: Type::Integer(ty), span }),
            None => {
                let message = format!("{n} is too large for every integer type");
                Err(Diagnostic::error(Code::CConstant, message, span, "too large"))
            }
        }
    }

    /// The bytes of a string literal, without the zero at the end.
    pub(super) fn text(&self, parts: &[String], span: Span) -> Checked<Vec<u8>> {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend(characters(part, '"').ok_or_else(|| {
                let message = "this string literal is not supported";
                Diagnostic::error(Code::NotInC, message, span, "with a prefix or an unknown escape")
            })?);
        }
        Ok(bytes)
    }
}

/// The bytes between two quotes; nothing if there is a prefix, or an escape that has no byte.
fn characters(text: &str, quote: char) -> Option<Vec<u8>> {
    let inner = text.strip_prefix("u8").unwrap_or(text).strip_prefix(quote)?.strip_suffix(quote)?;
    let mut bytes = Vec::new();
    let mut letters = inner.chars().peekable();
    while let Some(c) = letters.next() {
        if c != '\\' {
            bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        let number = |letters: &mut Peekable<Chars<'_>>, radix: u32, most: usize| {
            let (mut n, mut read) = (0u32, 0);
            while let Some(digit) = letters.peek().and_then(|c| c.to_digit(radix)).filter(|_| read < most) {
                n = n.checked_mul(radix)?.checked_add(digit)?;
                read += 1;
                letters.next();
            }
            u8::try_from(n).ok().filter(|_| read > 0)
        };
        if letters.peek().is_some_and(|c| c.is_digit(8)) {
            bytes.push(number(&mut letters, 8, 3)?);
            continue;
        }
        bytes.push(match letters.next()? {
            'n' => b'\n',
            't' => b'\t',
            'r' => b'\r',
            'a' => 7,
            'b' => 8,
            'e' => 27,
            'f' => 12,
            'v' => 11,
            'x' => number(&mut letters, 16, usize::MAX)?,
            c @ ('\\' | '\'' | '"' | '?') => c as u8,
            _ => return None,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::characters;

    #[test]
    fn escapes_are_bytes() {
        assert_eq!(characters("\"a\\n\\x41\\0101\\\\\"", '"'), Some(vec![b'a', 10, 0x41, 8, b'1', b'\\']));
        assert_eq!(characters("'\\377'", '\''), Some(vec![255]));
        assert_eq!(characters("L'a'", '\''), None);
        assert_eq!(characters("\"\\q\"", '"'), None);
    }
}
