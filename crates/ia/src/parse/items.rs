//! Modules: their items, and the words that stand only there.

use super::Parser;
use super::types::starts_data;
use crate::token::Token;
use crate::tree::{
    Constant, DataNode, FunctionNode, Ident, Item, Items, Node, NodeId, ProcedureNode, ResultNode,
};

impl Parser<'_> {
    /// Whether the next token is this word, which is a name everywhere else.
    fn at_word(&self, word: &str) -> bool {
        let span = self.span();
        self.peek() == Token::Name && &self.text[span.range()] == word
    }

    /// Whether a module starts here. No term and no context starts with a name and one of these tokens, unless the name is a
    /// constant.
    pub(super) fn at_module(&self, constants: &[Constant]) -> bool {
        let next = self.peek_after(1);
        let begins = starts_data(next)
            || matches!(next, Token::Name | Token::Let | Token::Sem | Token::LeftBrace | Token::End);
        begins && self.at_word("module") && constants.iter().all(|constant| &*constant.ident.name != "module")
    }

    /// Whether a type of functions starts here: `fn(…)` and a colon. A call of something that is called `fn` has no colon behind it.
    pub(super) fn at_function_type(&self) -> bool {
        if !self.in_module || !self.at_word("fn") || self.peek_after(1) != Token::LeftParen {
            return false;
        }
        let mut open = 0usize;
        for n in 1.. {
            match self.peek_after(n) {
                Token::LeftParen => open += 1,
                Token::RightParen if open == 1 => return self.peek_after(n + 1) == Token::Colon,
                Token::RightParen => open -= 1,
                Token::End | Token::Semicolon => return false,
                _ => {}
            }
        }
        false
    }

    /// `(D, …) : D`, behind `fn` and behind the name of an import.
    pub(super) fn function_type(&mut self) -> FunctionNode {
        let open = self.span();
        self.expect(Token::LeftParen, "before the types of the arguments");
        let mut parameters = Vec::new();
        if self.peek() != Token::RightParen {
            parameters.push(self.data());
            while self.eat(Token::Comma) && !self.too_many(parameters.len()) {
                parameters.push(self.data());
            }
        }
        self.expect_close(open, Token::RightParen, "after the types of the arguments");
        self.expect(Token::Colon, "before the type of the result");
        let result = match self.result() {
            ResultNode::Com => None,
            ResultNode::Data(data) => Some(Box::new(data)),
        };
        FunctionNode { parameters, result }
    }

    /// A type of values, or `com`.
    fn result(&mut self) -> ResultNode {
        if self.eat(Token::Com) { ResultNode::Com } else { ResultNode::Data(self.data()) }
    }

    /// Everything from `module` on.
    pub(super) fn items(&mut self) -> Items {
        self.in_module = true;
        let span = self.bump();
        let open = self.span();
        let threads = self.eat(Token::LeftBrace).then(|| {
            let threads = self.constant();
            self.expect_close(open, Token::RightBrace, "after the number of threads");
            threads
        });
        let mut items = Vec::new();
        while self.peek() != Token::End || items.is_empty() {
            let before = self.at;
            items.extend(self.item());
            if self.peek() != Token::End && !self.eat(Token::Semicolon) {
                self.unexpected("expected `;` after an item of the module");
                self.next_item();
            }
            if self.at == before {
                break;
            }
        }
        Items { span, threads, items }
    }

    /// After a mistake, goes on behind the next semicolon that stands in no block.
    fn next_item(&mut self) {
        let mut open = 0usize;
        while self.peek() != Token::End {
            match self.peek() {
                Token::LeftParen | Token::LeftBrace | Token::LeftBracket => open += 1,
                Token::RightParen | Token::RightBrace | Token::RightBracket => open = open.saturating_sub(1),
                Token::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                _ => {}
            }
            self.bump();
        }
    }

    fn item(&mut self) -> Option<Item> {
        if self.peek() == Token::Let {
            self.bump();
            return Some(Item::Procedure(self.procedure(false)));
        }
        if starts_data(self.peek()) || self.peek() == Token::Sem || self.at_function_type() {
            let (kind, variables) = self.declaration();
            return Some(Item::Cells(kind, variables));
        }
        if self.at_word("import") {
            self.bump();
            let ident = self.ident("for the import");
            return Some(Item::Import(ident, self.function_type()));
        }
        if self.at_word("export") {
            self.bump();
            return Some(Item::Procedure(self.procedure(true)));
        }
        if self.at_word("mutex") {
            self.bump();
            let mut idents = vec![self.ident("for a mutex")];
            while self.eat(Token::Comma) {
                idents.push(self.ident("for a mutex"));
            }
            return Some(Item::Mutexes(idents));
        }
        self.unexpected_with(
            "expected an item of the module",
            Some("items start with `import`, `export`, `let`, `mutex`, `sem` or a type of data"),
        );
        None
    }

    fn procedure(&mut self, exported: bool) -> ProcedureNode {
        let ident = self.ident("for the procedure");
        let open = self.span();
        let mut parameters = Vec::new();
        if self.eat(Token::LeftParen) {
            if self.peek() != Token::RightParen {
                parameters.push(self.value_parameter());
                while self.eat(Token::Comma) && !self.too_many(parameters.len()) {
                    parameters.push(self.value_parameter());
                }
            }
            self.expect_close(open, Token::RightParen, "after the parameters");
        } else {
            self.unexpected_with(
                "expected `(` after the name of a procedure",
                Some("a procedure of a module has parentheses, also without parameters: `let f() = …;`"),
            );
        }
        let result = self.eat(Token::Colon).then(|| self.result());
        self.expect(Token::Equal, "before what the procedure does");
        let body = self.statement();
        ProcedureNode { exported, ident, parameters, result, body }
    }

    fn value_parameter(&mut self) -> (Ident, DataNode) {
        let ident = self.ident("for a parameter");
        self.expect(Token::Colon, "before the parameter's type");
        (ident, self.data())
    }

    /// Whether a list of initial values starts here.
    pub(super) fn at_list(&self) -> bool {
        self.in_module && self.peek() == Token::LeftBracket
    }

    /// `[1, 2, 3]`
    pub(super) fn list(&mut self) -> NodeId {
        let open = self.bump();
        let mut values = vec![self.statement()];
        while self.eat(Token::Comma) {
            values.push(self.statement());
        }
        self.expect_close(open, Token::RightBracket, "after the initial values");
        let span = self.span_from(open);
        self.tree.add(Node::List(values), span)
    }
}
