//! Reading and calling small C files.

use agon_base::diagnostic::Code;
use agon_base::int::Int;
use agon_c::options::Options;
use agon_c::read::{Reading, Unit, read};
use agon_core::checks::Kind;
use agon_core::module::eval::{Client, Exit, Library};
use agon_core::module::{Function, Module, ProcedureId};

/// Reads one file that needs no preprocessing.
pub fn reading(text: &str) -> Reading {
    reading_with(text, &Options::default())
}

/// Reads one file with options.
pub fn reading_with(text: &str, options: &Options) -> Reading {
    let unit = Unit { name: "test.c".into(), text: text.into() };
    read(&[unit], &|_| None, options).unwrap_or_else(|(source, wrong)| {
        let place = |span: agon_base::source::Span| (source.place(span.start).1, source.excerpt(span));
        let said = wrong
            .iter()
            .map(|d| format!("{} {} {:?}", d.code, d.message, d.primary.as_ref().map(|(s, _)| place(*s))));
        panic!("{}\n{text}", said.collect::<Vec<_>>().join("\n"))
    })
}

/// The codes for which a file is refused.
#[allow(dead_code, reason = "not every test refuses something")]
pub fn refused(text: &str) -> Vec<Code> {
    refused_with(text, &Options::default())
}

/// The codes for which a file is refused with options.
#[allow(dead_code, reason = "not every test refuses something")]
pub fn refused_with(text: &str, options: &Options) -> Vec<Code> {
    let unit = Unit { name: "test.c".into(), text: text.into() };
    match read(&[unit], &|_| None, options) {
        Ok(_) => vec![],
        Err((_, wrong)) => wrong.into_iter().map(|diagnostic| diagnostic.code).collect(),
    }
}

/// An environment that answers every question with the next number of a list, and with 0 when the list is over.
pub struct Answers(pub Vec<i64>);

impl Client for Answers {
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: Function,
        _: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let module = library.module();
        let result = &module.signature(module.type_of(function)).result;
        Ok(result.as_ref().map(|_| Int::from(if self.0.is_empty() { 0 } else { self.0.remove(0) })))
    }
}

/// The procedure of a name.
pub fn procedure(module: &Module, name: &str) -> ProcedureId {
    let found = module.procedures().find(|(_, procedure)| *procedure.name == *name);
    found.unwrap_or_else(|| panic!("there is no {name}")).0
}

/// What a function of a file gives.
#[allow(dead_code, reason = "not every test calls something")]
pub fn call(module: &Module, name: &str, arguments: &[i64]) -> Result<Option<i64>, Exit> {
    let arguments: Vec<Int> = arguments.iter().map(|n| Int::from(*n)).collect();
    let mut library = Library::new(module, 100_000);
    let value = library.call(&mut Answers(vec![]), procedure(module, name), &arguments)?;
    Ok(value.map(|value| value.to_i64().unwrap_or_else(|| panic!("{value} is large"))))
}

/// What `f` of a file gives.
#[allow(dead_code, reason = "not every test calls something")]
pub fn result(text: &str, arguments: &[i64]) -> i64 {
    match call(&reading(text).module, "f", arguments) {
        Ok(Some(value)) => value,
        other => panic!("{other:?}\n{text}"),
    }
}

/// Why `f` of a file fails.
#[allow(dead_code, reason = "not every test fails")]
pub fn failure(text: &str, arguments: &[i64]) -> Option<Kind> {
    match call(&reading(text).module, "f", arguments) {
        Err(Exit::Fails(failure)) => Some(failure.check.kind),
        _ => None,
    }
}
