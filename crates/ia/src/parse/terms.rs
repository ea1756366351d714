//! Terms, from sequences down to atoms.

use agon_base::int::Int;
use agon_base::source::Span;

use super::Parser;
use super::foreign::Meant;
use super::types::starts_data;
use crate::token::Token;
use crate::tree::{Binary, DataNode, Declarator, DeclareKind, Ident, Node, NodeId, Parameter, TypeNode};

/// A number of more digits is a slip of the pen.
const LONGEST_NUMBER: usize = 10_000;

/// What is open for the rest of its block.
enum Opened {
    Declare(DeclareKind, Vec<Declarator>),
    New(DataNode, Declarator),
    Let(Definition),
}

struct Definition {
    ident: Ident,
    parameters: Vec<Parameter>,
    result: Option<TypeNode>,
    definition: NodeId,
}

impl Opened {
    /// The node, around the rest of the block.
    fn with(self, body: NodeId) -> Node {
        match self {
            Opened::Declare(kind, variables) => Node::Declare { kind, variables, body },
            Opened::New(data, variable) => Node::New { data, variable, body },
            Opened::Let(Definition { ident, parameters, result, definition }) => {
                Node::Let { ident, parameters, result, definition, body }
            }
        }
    }
}

impl Parser<'_> {
    /// A sequence, up to the end of the block.
    pub(super) fn term(&mut self) -> NodeId {
        self.deeper(Self::block, Self::missing)
    }

    /// Declarations and definitions nest to the right, one for the rest of the block; they are read in a loop and nested
    /// after.
    fn block(&mut self) -> NodeId {
        // Each open declaration, with the statements that stand before it in its own block.
        let mut open: Vec<(Vec<NodeId>, Span, Opened)> = Vec::new();
        let mut parts: Vec<NodeId> = Vec::new();
        loop {
            if matches!(self.peek(), Token::Let | Token::New) {
                let start = self.span();
                let opened = if self.peek() == Token::Let { self.definition() } else { self.new_variable() };
                open.push((std::mem::take(&mut parts), start, opened));
                continue;
            }
            let declares = starts_data(self.peek()) || self.peek() == Token::Sem;
            if declares || self.at_function_type() || self.declares_foreign() {
                let start = self.span();
                let (kind, variables) = self.declaration();
                open.push((std::mem::take(&mut parts), start, Opened::Declare(kind, variables)));
                self.expect(Token::Semicolon, "after a declaration");
                if self.ends_block() {
                    self.unexpected_with(
                        "expected a statement",
                        Some("a declaration reaches to the end of its block, which needs something in it"),
                    );
                    parts.push(self.missing());
                    break;
                }
                continue;
            }
            let before = self.at;
            parts.push(self.parallel());
            if self.eat(Token::Semicolon) {
                if self.ends_block() {
                    break;
                }
                continue;
            }
            // After a mistake, go on behind the next semicolon of this block.
            if self.at < self.quiet_until && self.at > before && self.resume() {
                continue;
            }
            break;
        }
        let mut body = self.sequence(parts);
        while let Some((mut before, start, opened)) = open.pop() {
            let span = match opened {
                Opened::Declare(..) => start.to(self.tree.span(body)),
                _ => self.span_from(start),
            };
            before.push(self.tree.add(opened.with(body), span));
            body = self.sequence(before);
        }
        body
    }

    /// Skips to behind the next semicolon that belongs to this block, if there is one.
    fn resume(&mut self) -> bool {
        let mut open = 0usize;
        let mut n = 0;
        loop {
            match self.peek_after(n) {
                Token::LeftParen | Token::LeftBrace | Token::LeftBracket => open += 1,
                Token::RightParen | Token::RightBrace | Token::RightBracket if open == 0 => return false,
                Token::RightParen | Token::RightBrace | Token::RightBracket => open -= 1,
                Token::Semicolon if open == 0 => {
                    self.at += n + 1;
                    return !self.ends_block();
                }
                Token::In if open == 0 => return false,
                Token::End => return false,
                _ => {}
            }
            n += 1;
        }
    }

    fn ends_block(&self) -> bool {
        matches!(
            self.peek(),
            Token::End
                | Token::RightParen
                | Token::RightBrace
                | Token::RightBracket
                | Token::In
                | Token::Comma
        )
    }

    fn sequence(&mut self, mut parts: Vec<NodeId>) -> NodeId {
        match parts.len() {
            0 => self.missing(),
            1 => parts.remove(0),
            _ => {
                let span = self.tree.span(parts[0]).to(self.tree.span(parts[parts.len() - 1]));
                // A sequence written in braces is no different from one written without.
                let flat = parts
                    .into_iter()
                    .flat_map(|part| match self.tree.node(part) {
                        Node::Sequence(inner) => inner.clone(),
                        _ => vec![part],
                    })
                    .collect();
                self.tree.add(Node::Sequence(flat), span)
            }
        }
    }

    pub(super) fn declaration(&mut self) -> (DeclareKind, Vec<Declarator>) {
        let kind = if self.eat(Token::Sem) {
            DeclareKind::Sem(self.places())
        } else {
            DeclareKind::Data(self.data())
        };
        let mut variables = vec![self.declarator(&kind)];
        while self.eat(Token::Comma) {
            variables.push(self.declarator(&kind));
        }
        (kind, variables)
    }

    fn declarator(&mut self, kind: &DeclareKind) -> Declarator {
        let ident = self.ident("to declare");
        let (length, initial) = match kind {
            DeclareKind::Sem(_) => (None, self.eat(Token::Equal).then(|| self.constant())),
            DeclareKind::Data(_) => {
                let length = self.length();
                let initial = (self.eat(Token::Assign) || self.eat(Token::Equal))
                    .then(|| if self.at_list() { self.list() } else { self.statement() });
                (length, initial)
            }
        };
        Declarator { ident, length, initial }
    }

    fn parallel(&mut self) -> NodeId {
        let start = self.span();
        let first = self.statement();
        if self.peek() != Token::Parallel {
            return first;
        }
        let mut parts = vec![first];
        while self.eat(Token::Parallel) {
            parts.push(self.statement());
        }
        let span = self.span_from(start);
        self.tree.add(Node::Parallel(parts), span)
    }

    pub(super) fn statement(&mut self) -> NodeId {
        self.deeper(Self::statement_here, Self::missing)
    }

    fn statement_here(&mut self) -> NodeId {
        let start = self.span();
        let node = match self.peek() {
            Token::If => {
                self.bump();
                let guard = self.statement();
                if !self.eat(Token::Then) {
                    self.unexpected_with(
                        "expected `then` after the condition",
                        Some("`if condition then statement`; what follows a condition is taken for its argument"),
                    );
                }
                let yes = self.statement();
                let no = self.eat(Token::Else).then(|| self.statement());
                Node::If(guard, yes, no)
            }
            Token::While => {
                self.bump();
                let guard = self.statement();
                if !self.eat(Token::Do) {
                    self.unexpected_with(
                        "expected `do` after the condition of a loop",
                        Some("`while condition do statement`; what follows a condition is taken for its argument"),
                    );
                }
                Node::While(guard, self.statement())
            }
            // The rest of the block belongs to it.
            Token::New | Token::Let => return self.block(),
            Token::Fun => {
                self.bump();
                let mut parameters = vec![self.parameter()];
                while self.eat(Token::Comma) && !self.too_many(parameters.len()) {
                    parameters.push(self.parameter());
                }
                self.expect(Token::Dot, "before the body of a function");
                Node::Fun(parameters, self.statement())
            }
            Token::Par => {
                self.bump();
                let ident = self.ident("for the copies' number");
                self.expect(Token::Assign, "after the copies' name");
                let from = self.constant();
                self.expect(Token::DotDot, "between the first and the last value");
                let to = self.constant();
                self.expect(Token::Do, "before what is copied");
                Node::Copies { ident, from, to, body: self.statement() }
            }
            Token::Break => {
                self.bump();
                let label = self.labelled();
                Node::Break(label, self.statement())
            }
            Token::Cont => {
                self.bump();
                let label = self.labelled();
                Node::Continue(label, self.statement())
            }
            Token::Goto => {
                self.bump();
                if self.eat(Token::Abort) { Node::Abort } else { Node::Goto(self.ident("for the label")) }
            }
            Token::Letp => {
                self.bump();
                let predicate = self.statement();
                self.expect(Token::In, "after a predicate");
                Node::WithPredicate(predicate, self.term())
            }
            Token::Newp => {
                self.bump();
                Node::BeginPredicate(self.statement())
            }
            Token::Endp => {
                self.bump();
                Node::EndPredicate(self.statement())
            }
            _ => {
                if let Some((Meant::Statement, help)) = self.foreign() {
                    return self.foreign_statement(help);
                }
                let left = self.expression();
                if !self.eat(Token::Assign) {
                    return left;
                }
                Node::Assign(left, self.statement())
            }
        };
        let span = self.span_from(start);
        self.tree.add(node, span)
    }

    fn labelled(&mut self) -> Ident {
        let label = self.ident("for a label");
        self.expect(Token::Dot, "after a label");
        label
    }

    /// `new D x := M in`.
    fn new_variable(&mut self) -> Opened {
        self.bump();
        let data = self.data();
        let ident = self.ident("for the new variable");
        let length = self.length();
        let initial = (self.eat(Token::Assign) || self.eat(Token::Equal)).then(|| self.statement());
        self.expect(Token::In, "after a new variable");
        Opened::New(data, Declarator { ident, length, initial })
    }

    /// `let f(x : A) : B = M in`.
    fn definition(&mut self) -> Opened {
        self.bump();
        let ident = self.ident("to define");
        let mut parameters = Vec::new();
        let open = self.span();
        if self.eat(Token::LeftParen) {
            parameters.push(self.parameter());
            while self.eat(Token::Comma) && !self.too_many(parameters.len()) {
                parameters.push(self.parameter());
            }
            self.expect_close(open, Token::RightParen, "after the parameters");
        }
        let result = self.eat(Token::Colon).then(|| self.ty());
        self.expect(Token::Equal, "before what is defined");
        let definition = self.statement();
        if !self.eat(Token::In) {
            let help = (self.peek() == Token::Semicolon)
                .then_some("a definition ends with `in`; if it has several statements, put them in `{ … }`");
            self.unexpected_with("expected `in` after a definition", help);
        }
        Opened::Let(Definition { ident, parameters, result, definition })
    }

    fn expression(&mut self) -> NodeId {
        self.binary_from(1, Self::prefix)
    }

    /// Binary operators that bind at least as tightly as `lowest`, all left-associative.
    pub(super) fn binary_from(&mut self, lowest: u8, operand: fn(&mut Self) -> NodeId) -> NodeId {
        let mut left = operand(self);
        // The operators to the left that still wait for their right side, loosest first.
        let mut waiting: Vec<(NodeId, Binary)> = Vec::new();
        loop {
            let next = self.operator().filter(|operator| operator.precedence() >= lowest);
            while let Some((_, operator)) = waiting.last() {
                if next.is_some_and(|next| next.precedence() > operator.precedence()) {
                    break;
                }
                let Some((first, operator)) = waiting.pop() else { break };
                let span = self.tree.span(first).to(self.tree.span(left));
                left = self.tree.add(Node::Binary(operator, first, left), span);
            }
            let Some(next) = next else { return left };
            if self.peek() == Token::Turnstile {
                // `x |-1`: inside a term the bar and the minus are two words.
                let span = self.span();
                self.tokens[self.at] = (Token::Minus, Span { start: span.end - 1, end: span.end });
            } else {
                self.bump();
            }
            waiting.push((left, next));
            left = operand(self);
        }
    }

    fn operator(&self) -> Option<Binary> {
        Some(match self.peek() {
            Token::Or => Binary::Or,
            Token::And => Binary::And,
            Token::Bar => Binary::Either,
            Token::Turnstile if self.text[self.span().start as usize..].starts_with("|-") => Binary::Either,
            Token::Ampersand => Binary::Both,
            Token::Equal => Binary::Equal,
            Token::NotEqual => Binary::NotEqual,
            Token::Less => Binary::Less,
            Token::LessEqual => Binary::LessEqual,
            Token::Greater => Binary::Greater,
            Token::GreaterEqual => Binary::GreaterEqual,
            Token::Plus => Binary::Add,
            Token::Minus => Binary::Subtract,
            Token::Star => Binary::Multiply,
            Token::Slash => Binary::Divide,
            Token::Mod | Token::Percent => Binary::Modulo,
            _ => return None,
        })
    }

    fn prefix(&mut self) -> NodeId {
        let start = self.span();
        let make: fn(NodeId) -> Node = match self.peek() {
            Token::Minus => Node::Negate,
            Token::Not => Node::Not,
            Token::Bang => Node::Deref,
            _ => return self.application(),
        };
        self.bump();
        let inner = self.deeper(Self::prefix, Self::missing);
        let span = self.span_from(start);
        self.tree.add(make(inner), span)
    }

    /// An atom followed by arguments and indices.
    fn application(&mut self) -> NodeId {
        let start = self.span();
        let mut head = self.indexed();
        let mut arguments = Vec::new();
        loop {
            let open = self.span();
            if self.in_module && self.peek() == Token::LeftParen && self.peek_after(1) == Token::RightParen {
                head = self.applied(head, std::mem::take(&mut arguments), start);
                self.bump();
                self.bump();
                let span = self.span_from(start);
                head = self.tree.add(Node::Apply(head, vec![]), span);
                head = self.indices(head, start);
            } else if self.eat(Token::LeftParen) {
                arguments.push(self.term());
                while self.eat(Token::Comma) {
                    arguments.push(self.term());
                }
                self.expect_close(open, Token::RightParen, "after the arguments");
                if self.peek() == Token::LeftBracket {
                    head = self.applied(head, std::mem::take(&mut arguments), start);
                    head = self.indices(head, start);
                }
            } else if starts_atom(self.peek()) {
                arguments.push(self.indexed());
            } else {
                return self.applied(head, arguments, start);
            }
        }
    }

    fn applied(&mut self, head: NodeId, arguments: Vec<NodeId>, start: Span) -> NodeId {
        if arguments.is_empty() {
            return head;
        }
        let span = self.span_from(start);
        let node = match self.tree.node(head) {
            Node::Apply(inner, before) if !before.is_empty() => {
                Node::Apply(*inner, [before.clone(), arguments].concat())
            }
            _ => Node::Apply(head, arguments),
        };
        self.tree.add(node, span)
    }

    fn indexed(&mut self) -> NodeId {
        let start = self.span();
        let head = self.atom();
        self.indices(head, start)
    }

    fn indices(&mut self, mut head: NodeId, start: Span) -> NodeId {
        while self.peek() == Token::LeftBracket {
            let open = self.bump();
            let index = self.term();
            self.expect_close(open, Token::RightBracket, "after an index");
            let span = self.span_from(start);
            head = self.tree.add(Node::Index(head, index), span);
        }
        head
    }

    pub(super) fn atom(&mut self) -> NodeId {
        let start = self.span();
        let text = &self.text[start.range()];
        let node = match self.peek() {
            Token::Name => Node::Name(text.into()),
            Token::Number if text.len() > LONGEST_NUMBER => {
                self.unexpected(&format!("expected a number of at most {LONGEST_NUMBER} digits"));
                self.bump();
                return self.missing();
            }
            Token::Number if self.at_foreign_number() => return self.foreign_number(),
            Token::Number => Node::Number(Int::parse(text).unwrap_or_default()),
            Token::True => Node::Truth(true),
            Token::False => Node::Truth(false),
            Token::Skip => Node::Skip,
            Token::Abort => Node::Abort,
            Token::Diverge => Node::Diverge,
            Token::Assert => return self.keyword_call(Node::Assert, Self::term),
            Token::Grab => return self.keyword_call(Node::Grab, Self::statement),
            Token::Release => return self.keyword_call(Node::Release, Self::statement),
            Token::LeftParen => return self.group(Token::RightParen),
            Token::LeftBrace => return self.group(Token::RightBrace),
            _ => {
                let help = match self.peek() {
                    Token::If | Token::While | Token::Let | Token::New | Token::Fun | Token::Goto => {
                        Some("put it in parentheses to use it inside an expression")
                    }
                    Token::Else if self.before() == Some(Token::Semicolon) => {
                        Some("no `;` stands before `else`; put several statements in `{ … }`")
                    }
                    Token::Ampersand => Some("write `and`, or a single `&` to evaluate both sides"),
                    Token::Plus if self.before() == Some(Token::Plus) => Some("write `x := x + 1`"),
                    Token::Equal if self.before().is_some_and(is_arithmetic) => {
                        Some("an assignment is written `x := x + 1`")
                    }
                    Token::RightParen if self.before() == Some(Token::LeftParen) => {
                        Some("a procedure without arguments is used by its name alone, without `()`")
                    }
                    Token::RightBrace if self.before() == Some(Token::LeftBrace) => {
                        Some("the command that does nothing is `skip`")
                    }
                    _ => None,
                };
                self.unexpected_with("expected a term", help);
                // Leave what closes or separates to the construct around it.
                let leave = self.ends_block()
                    || matches!(
                        self.peek(),
                        Token::Semicolon
                            | Token::Then
                            | Token::Else
                            | Token::Do
                            | Token::Parallel
                            | Token::Turnstile
                    );
                let missing = self.missing();
                if !leave {
                    self.bump();
                    self.quiet_until = self.quiet_until.max(self.at + 1);
                }
                return missing;
            }
        };
        self.bump();
        self.tree.add(node, start)
    }

    fn keyword_call(&mut self, make: fn(NodeId) -> Node, inner: fn(&mut Self) -> NodeId) -> NodeId {
        let start = self.bump();
        let open = self.span();
        let opened = self.expect(Token::LeftParen, "here");
        let inner = inner(self);
        match opened {
            true => self.expect_close(open, Token::RightParen, "here"),
            false => _ = self.expect(Token::RightParen, "here"),
        }
        let span = self.span_from(start);
        self.tree.add(make(inner), span)
    }

    fn group(&mut self, close: Token) -> NodeId {
        let open = self.bump();
        let inner = self.term();
        self.expect_close(open, close, "");
        inner
    }
}

/// Whether an assignment such as `+=` of other languages starts with the token.
fn is_arithmetic(token: Token) -> bool {
    use Token::*;
    matches!(token, Plus | Minus | Star | Slash | Percent | Ampersand | Bar)
}

fn starts_atom(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Name | Number
            | True
            | False
            | Skip
            | Abort
            | Diverge
            | Assert
            | Grab
            | Release
            | LeftParen
            | LeftBrace
    )
}
