//! A page on which an environment is written: lines, names that are still free, the program's constants.

use std::collections::HashSet;
use std::fmt::Write;

use agon_base::int::Int;
use agon_ia::constant::Constants;
use agon_ia::token::{Token, tokenize};

use crate::verify::Subject;

/// A text under construction that keeps clear of the names of some programs.
pub(crate) struct Page {
    pub(crate) text: String,
    taken: HashSet<String>,
}

impl Page {
    /// A page that starts with a program's constants.
    pub(crate) fn new(subject: Subject<'_>, other: Subject<'_>) -> Page {
        let taken = words(subject.source).chain(words(other.source)).collect();
        let mut page = Page { text: String::new(), taken };
        let constants = Constants::evaluate(subject.program, subject.overrides, &mut Vec::new());
        for constant in &subject.program.constants {
            if let Some(value) = constants.get(&constant.ident.name) {
                let _ = writeln!(page.text, "const {} = {value};", constant.ident.name);
            }
        }
        page
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The name, or one like it that nothing else has.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let mut fresh = name.to_string();
        let mut n = 2;
        while !self.taken.insert(fresh.clone()) {
            fresh = format!("{name}_{n}");
            n += 1;
        }
        fresh
    }
}

/// All names in a source text.
fn words(source: &str) -> impl Iterator<Item = String> {
    tokenize(source, &mut Vec::new())
        .into_iter()
        .filter(|(token, _)| *token == Token::Name)
        .map(|(_, span)| source[span.start as usize..span.end as usize].to_string())
}

/// A number as the language reads it.
pub(crate) fn number(n: &Int) -> String {
    if n.is_negative() { format!("({n})") } else { n.to_string() }
}
