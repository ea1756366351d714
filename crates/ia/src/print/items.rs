//! Modules, one item after the other.

use super::Printer;
use crate::tree::{FunctionNode, Item, Items, ResultNode};

impl Printer<'_> {
    pub(super) fn items(&mut self, module: &Items) {
        self.word("module");
        if let Some(threads) = module.threads {
            self.word("{");
            self.expression(threads, 6);
            self.word("}");
        }
        self.word("\n");
        for item in &module.items {
            self.item(item);
            self.word(";\n");
        }
    }

    pub(super) fn item(&mut self, item: &Item) {
        match item {
            Item::Import(ident, function) => {
                self.word("import ");
                self.word(&ident.name);
                self.function_type(function);
            }
            Item::Cells(kind, variables) => self.declaration(kind, variables),
            Item::Mutexes(idents) => {
                for (n, ident) in idents.iter().enumerate() {
                    self.word(if n == 0 { "mutex " } else { ", " });
                    self.word(&ident.name);
                }
            }
            Item::Procedure(procedure) => {
                self.word(if procedure.exported { "export " } else { "let " });
                self.word(&procedure.ident.name);
                self.word("(");
                for (n, (ident, data)) in procedure.parameters.iter().enumerate() {
                    if n > 0 {
                        self.word(", ");
                    }
                    self.word(&ident.name);
                    self.word(" : ");
                    self.data(data);
                }
                self.word(")");
                match &procedure.result {
                    None => {}
                    Some(ResultNode::Com) => self.word(" : com"),
                    Some(ResultNode::Data(data)) => {
                        self.word(" : ");
                        self.data(data);
                    }
                }
                self.word(" =");
                self.hang(procedure.body);
            }
        }
    }

    /// `(D, …) : D`
    pub(super) fn function_type(&mut self, function: &FunctionNode) {
        self.word("(");
        for (n, data) in function.parameters.iter().enumerate() {
            if n > 0 {
                self.word(", ");
            }
            self.data(data);
        }
        self.word(") : ");
        match &function.result {
            Some(data) => self.data(data),
            None => self.word("com"),
        }
    }
}
