//! Names for what an environment declares, which keep clear of those in some programs.

use std::collections::HashSet;

use agon_core::language::Language;
use agon_core::term::{Judgement, Name, VarId};
use agon_core::types::Argument;

use crate::verify::Subject;

/// The names that are taken.
pub(crate) struct Names(HashSet<Name>);

impl Names {
    /// All names of two programs are taken.
    pub(crate) fn new(program: Subject<'_>, other: Subject<'_>) -> Names {
        let mut names = program.language.names();
        names.extend(other.language.names());
        Names(names)
    }

    /// All names of a text are taken.
    pub(crate) fn of(language: &dyn Language) -> Names {
        Names(language.names())
    }

    /// All names of another text are taken as well.
    pub(crate) fn and(mut self, language: &dyn Language) -> Names {
        self.0.extend(language.names());
        self
    }

    /// The name, or one like it that nothing else has.
    pub(crate) fn fresh(&mut self, name: &str) -> Name {
        let mut fresh = Name::from(name);
        let mut n = 2;
        while !self.0.insert(fresh.clone()) {
            fresh = Name::from(format!("{name}_{n}"));
            n += 1;
        }
        fresh
    }

    /// What the environment calls something that is free in a program. The program's own arguments have numbers, which are
    /// no names; they get some, which are listed.
    pub(crate) fn identifier(
        &mut self,
        judgement: &Judgement,
        var: VarId,
        arguments: &mut Vec<Name>,
    ) -> Name {
        let name = &judgement.terms.variable(var).name;
        if !judgement.arguments.contains(&var) {
            return name.clone();
        }
        let fresh = self.fresh(&format!("argument{name}"));
        arguments.push(fresh.clone());
        fresh
    }

    /// Names for the parameters of a procedure.
    pub(crate) fn parameters(&mut self, name: &str, parameters: &[&Argument]) -> Vec<(Name, Argument)> {
        let numbered = parameters.iter().enumerate();
        numbered
            .map(|(n, argument)| (self.fresh(&format!("{name}_{}", n + 1)), Argument::clone(argument)))
            .collect()
    }
}
