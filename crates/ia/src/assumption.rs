//! Assumptions about the numbers that the environment gives, as they are written: `e >= 0`, `take.k <= 3 and take.k % 2 = 0`.
//!
//! The grammar is that of conditions in programs. A name is that of something that the environment gives: a free identifier or an
//! import stands for its value, and `take.k` for the parameter `k` of the export `take`. Arithmetic is that of integers of any size.

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::term::{Operator, Unary};

use crate::token::{Token, tokenize};

/// Conditions nest so deeply at most.
const DEEPEST: usize = 200;

/// A condition as it is written, or an expression in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Written {
    /// A number.
    Number(Int),
    /// `true` or `false`.
    Truth(bool),
    /// Something that the environment gives.
    Place(String, Span),
    /// An operator of one operand.
    Unary(Unary, Box<Written>, Span),
    /// An operator of two operands, and where it stands.
    Binary(Operator, Box<Written>, Box<Written>, Span),
}

impl Written {
    /// The conditions that must all hold.
    pub fn conjuncts(self) -> Vec<Written> {
        match self {
            Written::Binary(Operator::Both, a, b, _) => [a.conjuncts(), b.conjuncts()].concat(),
            other => vec![other],
        }
    }

    /// The places that it speaks about, in order.
    pub fn places(&self) -> Vec<(&str, Span)> {
        match self {
            Written::Number(_) | Written::Truth(_) => Vec::new(),
            Written::Place(name, span) => vec![(name, *span)],
            Written::Unary(_, a, _) => a.places(),
            Written::Binary(_, a, b, _) => [a.places(), b.places()].concat(),
        }
    }

    /// Where it stands, as far as that is known.
    pub fn span(&self) -> Option<Span> {
        match self {
            Written::Number(_) | Written::Truth(_) => None,
            Written::Place(_, span) => Some(*span),
            Written::Unary(_, a, span) => Some(a.span().map_or(*span, |inner| span.to(inner))),
            Written::Binary(_, a, b, span) => {
                Some([a, b].iter().filter_map(|side| side.span()).fold(*span, Span::to))
            }
        }
    }
}

/// Reads an assumption.
pub fn parse(text: &str) -> Result<Written, Diagnostic> {
    let mut diagnostics = Vec::new();
    let tokens = tokenize(text, &mut diagnostics);
    if let Some(diagnostic) = diagnostics.into_iter().next() {
        return Err(diagnostic);
    }
    let mut reader = Reader { text, tokens, at: 0, depth: 0 };
    let condition = reader.either()?;
    match reader.peek() {
        Token::End => Ok(condition),
        _ => Err(reader.wrong("this does not belong to the condition")),
    }
}

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
}

type Result<T, E = Diagnostic> = std::result::Result<T, E>;

impl Reader<'_> {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).map_or(Token::End, |(token, _)| *token)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).map_or(Span::new(self.text.len(), self.text.len()), |(_, span)| *span)
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    fn wrong(&self, label: &str) -> Diagnostic {
        Diagnostic::error(Code::BadAssumption, "this is not an assumption", self.span(), label).help(
            "an assumption is a condition on what the environment gives, such as `e >= 0` or `take.k <= 3`",
        )
    }

    /// Eats `and`, or `&&`; `or`, or `||`.
    fn eat(&mut self, word: Token, sign: Token) -> Option<Span> {
        if self.peek() == word || (self.peek() == sign && sign == Token::Parallel) {
            return Some(self.bump());
        }
        let twice = self.tokens.get(self.at + 1).is_some_and(|(token, _)| *token == sign);
        (self.peek() == sign && twice).then(|| self.bump().to(self.bump()))
    }

    fn either(&mut self) -> Result<Written> {
        let mut left = self.both()?;
        while let Some(span) = self.eat(Token::Or, Token::Parallel) {
            let right = self.both()?;
            left = Written::Binary(Operator::Either, Box::new(left), Box::new(right), span);
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Written> {
        let mut left = self.negated()?;
        while let Some(span) = self.eat(Token::And, Token::Ampersand) {
            let right = self.negated()?;
            left = Written::Binary(Operator::Both, Box::new(left), Box::new(right), span);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Result<Written> {
        if !matches!(self.peek(), Token::Not | Token::Bang) {
            return self.comparison();
        }
        let span = self.bump();
        let inner = self.deeper(Self::negated)?;
        Ok(Written::Unary(Unary::Not, Box::new(inner), span))
    }

    fn comparison(&mut self) -> Result<Written> {
        let left = self.sum()?;
        let operator = match self.peek() {
            Token::Equal => Operator::Equal,
            Token::NotEqual => Operator::NotEqual,
            Token::Less => Operator::Less,
            Token::LessEqual => Operator::LessEqual,
            Token::Greater => Operator::Greater,
            Token::GreaterEqual => Operator::GreaterEqual,
            _ => return Ok(left),
        };
        let span = self.bump();
        let right = self.sum()?;
        Ok(Written::Binary(operator, Box::new(left), Box::new(right), span))
    }

    fn sum(&mut self) -> Result<Written> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Token::Plus => Operator::Add,
                Token::Minus => Operator::Subtract,
                _ => return Ok(left),
            };
            let span = self.bump();
            let right = self.product()?;
            left = Written::Binary(operator, Box::new(left), Box::new(right), span);
        }
    }

    fn product(&mut self) -> Result<Written> {
        let mut left = self.factor()?;
        loop {
            let operator = match self.peek() {
                Token::Star => Operator::Multiply,
                Token::Slash => Operator::Divide,
                Token::Percent | Token::Mod => Operator::Modulo,
                _ => return Ok(left),
            };
            let span = self.bump();
            let start = self.span();
            let right = self.factor()?;
            let zero = matches!(&right, Written::Number(n) if n.is_zero());
            if operator.divides() && (zero || !matches!(right, Written::Number(_))) {
                return Err(Diagnostic::error(
                    Code::BadAssumption,
                    "an assumption divides by numbers other than 0 only",
                    start,
                    "the divisor",
                ));
            }
            left = Written::Binary(operator, Box::new(left), Box::new(right), span);
        }
    }

    fn factor(&mut self) -> Result<Written> {
        let span = self.span();
        match self.peek() {
            Token::Minus => {
                self.bump();
                Ok(match self.deeper(Self::factor)? {
                    Written::Number(n) => Written::Number(n.neg()),
                    inner => Written::Unary(Unary::Negate, Box::new(inner), span),
                })
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.deeper(Self::either)?;
                if self.peek() != Token::RightParen {
                    return Err(self.wrong("expected `)`"));
                }
                self.bump();
                Ok(inner)
            }
            Token::Number => {
                self.bump();
                let digits = self.text.get(span.range()).unwrap_or_default();
                Int::parse(digits).map(Written::Number).ok_or_else(|| self.wrong("this is no number"))
            }
            Token::True | Token::False => {
                let truth = self.peek() == Token::True;
                self.bump();
                Ok(Written::Truth(truth))
            }
            _ => self.place(),
        }
    }

    /// A name, with dots in it. Words of the language are names too: C has functions that are called so.
    fn place(&mut self) -> Result<Written> {
        let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let word = |reader: &Self, span: Span| {
            reader.text.get(span.range()).filter(|text| is_word(text)).map(String::from)
        };
        let start = self.span();
        let Some(mut name) = word(self, start) else {
            return Err(self.wrong("expected a name or a number"));
        };
        let mut span = self.bump();
        while self.peek() == Token::Dot {
            self.bump();
            let next = self.span();
            let part = match self.peek() {
                Token::Number => self.text.get(next.range()).map(String::from),
                _ => word(self, next),
            };
            let Some(part) = part else {
                return Err(self.wrong("expected a name or a number behind the dot"));
            };
            name = format!("{name}.{part}");
            span = span.to(self.bump());
        }
        Ok(Written::Place(name, span))
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<Written>) -> Result<Written> {
        if self.depth == DEEPEST {
            return Err(self.wrong("this is nested too deeply"));
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_none_is_refused() {
        for wrong in
            ["", "e >=", "e >= 0)", "(e >= 0", "e >= 0 e", "e / 0 = 1", "e % e = 1", "3.", "f. >= 0", "$"]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        let deep = "(".repeat(10_000);
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn names_have_dots_and_may_be_words_of_the_language() {
        let read = parse("release.n + 2 * -1 < f.1 && !(new = 3)").expect("it is one");
        let places: Vec<&str> = read.places().into_iter().map(|(name, _)| name).collect();
        assert_eq!(places, ["release.n", "f.1", "new"]);
        assert_eq!(read.conjuncts().len(), 2);
    }
}
