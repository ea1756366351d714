//! Types, bounds and constants.

use agon_base::source::Span;

use super::Parser;
use super::foreign::Meant;
use crate::token::Token;
use crate::tree::{
    ArgumentNode, Binding, DataKind, DataNode, FunctionNode, Node, NodeId, Parameter, TypeKind, TypeNode,
};

impl Parser<'_> {
    pub(super) fn binding(&mut self) -> Binding {
        let ident = self.ident("for a free identifier");
        let mut arguments = Vec::new();
        let open = self.span();
        if self.eat(Token::LeftParen) {
            arguments.push(self.argument());
            while self.eat(Token::Comma) && !self.too_many(arguments.len()) {
                arguments.push(self.argument());
            }
            self.expect_close(open, Token::RightParen, "after the types of the arguments");
        }
        let mut argument = match self.peek() {
            Token::Comma | Token::Turnstile => {
                let of = if arguments.is_empty() { "" } else { "(…)" };
                let help = format!("a free identifier has a type, as in `{}{of} : com`", ident.name);
                self.unexpected_with("expected `:` and a type", Some(&help));
                ArgumentNode { ty: TypeNode { kind: TypeKind::Missing, span: self.span() }, bound: None }
            }
            _ => {
                self.expect(Token::Colon, "before the type");
                self.argument()
            }
        };
        let listed = arguments.len();
        for before in arguments.into_iter().rev() {
            let span = before.ty.span.to(argument.ty.span);
            argument.ty = TypeNode { kind: TypeKind::Fun(Box::new(before), Box::new(argument.ty)), span };
        }
        Binding { ident, listed, argument }
    }

    pub(super) fn parameter(&mut self) -> Parameter {
        let ident = self.ident("for a parameter");
        self.expect(Token::Colon, "before the parameter's type");
        Parameter { ident, argument: self.argument() }
    }

    /// A type, with the bound behind it if there is one.
    pub(super) fn argument(&mut self) -> ArgumentNode {
        let ty = self.ty();
        let bound = self.bound();
        if bound.is_none() || self.peek() != Token::Arrow {
            return ArgumentNode { ty, bound };
        }
        // `com{2} -> com`: the bound belongs to the argument.
        self.bump();
        let result = self.argument();
        let span = ty.span.to(result.ty.span);
        let kind = TypeKind::Fun(Box::new(ArgumentNode { ty, bound }), Box::new(result.ty));
        ArgumentNode { ty: TypeNode { kind, span }, bound: result.bound }
    }

    fn bound(&mut self) -> Option<NodeId> {
        let open = self.span();
        if !self.eat(Token::LeftBrace) {
            return None;
        }
        let bound = self.constant();
        self.expect_close(open, Token::RightBrace, "after a bound");
        Some(bound)
    }

    /// A type; a bound in front of an arrow is the argument's.
    pub(super) fn ty(&mut self) -> TypeNode {
        // Types are small; what is deeper than any procedure is a slip of the pen.
        self.type_depth += 1;
        let ty = self.ty_within_reason();
        self.type_depth -= 1;
        ty
    }

    fn ty_within_reason(&mut self) -> TypeNode {
        if self.too_many(self.type_depth) {
            return TypeNode { kind: TypeKind::Missing, span: self.span() };
        }
        self.deeper(Self::ty_here, |parser| TypeNode { kind: TypeKind::Missing, span: parser.span() })
    }

    fn ty_here(&mut self) -> TypeNode {
        let start = self.span();
        let left = self.base_type();
        if self.peek() == Token::Arrow {
            self.bump();
            return self.arrow(start, ArgumentNode { ty: left, bound: None });
        }
        // `com{2} -> com`, but not the outermost bound of `x : com{2}`.
        if self.peek() == Token::LeftBrace && self.bound_before_arrow() {
            let bound = self.bound();
            self.expect(Token::Arrow, "after a bounded argument");
            return self.arrow(start, ArgumentNode { ty: left, bound });
        }
        left
    }

    fn bound_before_arrow(&self) -> bool {
        let mut n = 1;
        loop {
            match self.peek_after(n) {
                Token::RightBrace => return self.peek_after(n + 1) == Token::Arrow,
                Token::End | Token::LeftBrace | Token::Semicolon => return false,
                _ => n += 1,
            }
        }
    }

    fn arrow(&mut self, start: Span, argument: ArgumentNode) -> TypeNode {
        let result = self.ty();
        let kind = TypeKind::Fun(Box::new(argument), Box::new(result));
        TypeNode { kind, span: self.span_from(start) }
    }

    fn base_type(&mut self) -> TypeNode {
        let start = self.span();
        let kind = match self.peek() {
            Token::Com => {
                self.bump();
                TypeKind::Com
            }
            Token::Exp => {
                self.bump();
                TypeKind::Exp(self.data())
            }
            Token::Var => {
                self.bump();
                let data = self.data();
                let length = self.length();
                TypeKind::Var(data, length)
            }
            Token::Sem => {
                self.bump();
                TypeKind::Sem(self.places())
            }
            token if starts_data(token) || self.at_function_type() => {
                let data = self.data();
                if self.peek() == Token::LeftBracket {
                    self.unexpected_with(
                        "expected the end of an expression's type",
                        Some("an array is written `var int%4[8]`: a variable for each index"),
                    );
                    self.length();
                }
                TypeKind::Exp(data)
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.ty();
                self.expect_close(start, Token::RightParen, "after a type");
                return TypeNode { kind: inner.kind, span: self.span_from(start) };
            }
            _ => match self.foreign() {
                Some((meant, help)) if meant != Meant::Statement => self.foreign_type(help, meant),
                _ => {
                    self.unexpected("expected a type");
                    TypeKind::Missing
                }
            },
        };
        TypeNode { kind, span: self.span_from(start) }
    }

    pub(super) fn length(&mut self) -> Option<NodeId> {
        let open = self.span();
        if !self.eat(Token::LeftBracket) {
            return None;
        }
        let length = self.constant();
        self.expect_close(open, Token::RightBracket, "after an array's length");
        Some(length)
    }

    pub(super) fn places(&mut self) -> Option<NodeId> {
        self.eat(Token::Dollar).then(|| self.constant())
    }

    pub(super) fn data(&mut self) -> DataNode {
        let start = self.span();
        let kind = match self.peek() {
            Token::Name if self.at_function_type() => {
                self.bump();
                self.type_depth += 1;
                let function = match self.too_many(self.type_depth) {
                    true => FunctionNode::default(),
                    false => self.deeper(Self::function_type, |_| FunctionNode::default()),
                };
                self.type_depth -= 1;
                DataKind::Function(function)
            }
            Token::Bool => {
                self.bump();
                DataKind::Bool
            }
            Token::Machine => {
                let span = self.bump();
                let text = &self.text[span.range()];
                DataKind::Machine { signed: text.starts_with('i'), bits: text[1..].parse().unwrap_or(64) }
            }
            Token::Int | Token::Nat => {
                let natural = self.peek() == Token::Nat;
                self.bump();
                match self.peek() {
                    Token::Percent => {
                        self.bump();
                        DataKind::Mod(self.constant())
                    }
                    Token::Dollar if !natural => {
                        self.bump();
                        DataKind::Mod(self.constant())
                    }
                    _ if natural => {
                        self.unexpected_with(
                            "expected `%` after `nat`",
                            Some("`nat%k` has the values 0 … k-1; `int` has all integers"),
                        );
                        DataKind::Int
                    }
                    _ => DataKind::Int,
                }
            }
            _ => match self.foreign() {
                Some((meant, help)) if meant != Meant::Statement => self.foreign_data(help, meant),
                _ => {
                    self.unexpected("expected a data type");
                    DataKind::Int
                }
            },
        };
        DataNode { kind, span: self.span_from(start) }
    }

    /// Constant arithmetic: sums of products of numbers, names and groups.
    pub(super) fn constant(&mut self) -> NodeId {
        self.deeper(|parser| parser.binary_from(6, Self::constant_atom), Self::missing)
    }

    fn constant_atom(&mut self) -> NodeId {
        let start = self.span();
        match self.peek() {
            Token::Number | Token::Name => self.atom(),
            Token::Minus => {
                self.bump();
                let inner = self.deeper(Self::constant_atom, Self::missing);
                let span = self.span_from(start);
                self.tree.add(Node::Negate(inner), span)
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.constant();
                self.expect_close(start, Token::RightParen, "after constant arithmetic");
                inner
            }
            _ => {
                self.unexpected("expected a number or the name of a constant");
                self.missing()
            }
        }
    }
}

/// Whether a data type starts with the token.
pub(super) fn starts_data(token: Token) -> bool {
    matches!(token, Token::Bool | Token::Int | Token::Nat | Token::Machine)
}
