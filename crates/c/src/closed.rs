//! Closed programs: a program with `main` is called once, and nobody else calls its functions or changes its data.

use agon_base::diagnostic::{Code, Diagnostic};

use crate::options::Options;
use crate::tree::{FunctionId, Program};

/// The beginning of the names of functions that give any value of a type.
pub(crate) const ANY: &str = "__VERIFIER_nondet_";

/// `main`, if the program is closed. Options that name entry points make it a library.
pub(crate) fn main(program: &Program, options: &Options) -> Option<FunctionId> {
    let library =
        options.library || !options.entry.is_empty() || options.private.iter().any(|name| name == "main");
    let is_main = |name: &str| name == "main" && !library;
    program
        .functions()
        .find(|(_, function)| is_main(&function.name) && function.body.is_some())
        .map(|(id, _)| id)
}

/// Whether a call of a function is the failure that a closed program is asked about.
pub(crate) fn fails(program: &Program, options: &Options, name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error") && main(program, options).is_some()
}

/// What a definition in C does of a function that has a meaning in closed programs and that the program only declares.
pub(crate) fn body(name: &str) -> Option<&'static str> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" => "abort();",
        "__VERIFIER_assert" | "assert" | "__CPROVER_assert" | "__ESBMC_assert" => "if (!agon_0) abort();",
        "__VERIFIER_assume" | "__CPROVER_assume" | "__ESBMC_assume" => "if (!agon_0) exit(0);",
        "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => "",
        _ => return None,
    })
}

/// A closed program is not called from threads of an environment.
pub(crate) fn threads(program: &Program, options: &Options) -> Option<Diagnostic> {
    let main = program.function(main(program, options).filter(|_| options.threads > 1)?);
    let message = "this is a whole program, with `main`; it has no environment that could have threads";
    let diagnostic = Diagnostic::error(Code::WholeProgram, message, main.span, "`main` is defined here");
    Some(
        diagnostic.help(
            "to look at its functions as a library, say `--library`, or which are called with `--entry f`",
        ),
    )
}
