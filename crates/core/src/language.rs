//! The language of a program, as far as answers about the program are written in it.

use std::collections::HashSet;

use agon_base::source::{Span, on_one_line};

use crate::environment::Environment;
use crate::module::{self, Module};
use crate::term::Name;

/// A program as it was written: what a front end knows of it beside what it means.
pub trait Language: Sync {
    /// The text at a place, as it stands there.
    fn text(&self, span: Span) -> Option<&str>;

    /// The text at a place, on one line, cut to a length that fits a message.
    fn excerpt(&self, span: Span) -> String {
        on_one_line(self.text(span).unwrap_or(""))
    }

    /// The number of the line that a byte is in, from 1.
    fn line(&self, offset: u32) -> usize;

    /// All names in it, which an environment keeps clear of.
    fn names(&self) -> HashSet<Name>;
}

/// A language that has terms.
pub trait TermLanguage: Language {
    /// The program in an environment.
    fn close(&self, environment: &Environment) -> Closed;

    /// The program with predicates written into it, each at the places where it is part of the abstraction; nothing if
    /// that is no program.
    fn annotate(&self, scopes: &[(String, Span)]) -> Option<String>;
}

/// A language that has modules.
pub trait ModuleLanguage: Language {
    /// The module in an environment: a module that needs nothing from outside.
    fn close_module(&self, module: &Module, environment: &module::environment::Environment) -> Closed;

    /// The same for an environment with several threads, if the language can say that.
    fn close_with_threads(
        &self,
        module: &Module,
        environment: &module::environment::threads::Environment,
    ) -> Option<Closed>;
}

/// A program in an environment, as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closed {
    /// The text of the whole.
    pub text: String,
    /// Where the environment ends and the program begins, in bytes. Of a module, where the environment begins.
    pub term: usize,
}
