//! What our interpreter does with a random program and its script.

use agon_base::diagnostic::Diagnostic;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_c::options::Options;
use agon_c::read::{Reading, Unit, read};
use agon_core::checks::Kind;
use agon_core::module::eval::{Client, Exit, Library};
use agon_core::module::{Function, Module, ProcedureId, Sort};

use crate::batches::Ran;
use crate::random::types::{int, raw};
use crate::random::{Program, Signature, Step};

/// More steps than any random program takes.
const STEPS: u64 = 20_000_000;

/// What is said instead of a check if a program never does anything again.
pub const DIVERGES: &str = "diverges";

/// The module that a text is read as.
#[track_caller]
pub fn module(name: &str, text: &str, options: &Options) -> Reading {
    let unit = Unit { name: name.into(), text: text.into() };
    match read(&[unit], &|_| Some(text.to_string()), options) {
        Ok(reading) => {
            assert_eq!(reading.module.validate(), Ok(()), "{name}\n{text}");
            reading
        }
        Err((source, diagnostics)) => {
            panic!("{name} is refused: {:#?}\n{text}", shown(&source, &diagnostics))
        }
    }
}

/// Diagnostics with their places.
pub fn shown(source: &Source, diagnostics: &[Diagnostic]) -> Vec<String> {
    let place = |found: &Diagnostic| found.primary.as_ref().map(|(span, _)| source.place(span.start));
    diagnostics.iter().map(|found| format!("{:?} {}", place(found), found.message)).collect()
}

/// A procedure by its name.
#[track_caller]
pub fn procedure(module: &Module, name: &str) -> ProcedureId {
    let found = module.procedures().find(|(_, procedure)| *procedure.name == *name);
    found.unwrap_or_else(|| panic!("there is no `{name}`")).0
}

/// An environment that follows a script.
struct Player<'a> {
    program: &'a Program,
    at: usize,
    moves: Vec<String>,
    /// The ways to go where the language leaves a choice, each with how many there are.
    choices: Vec<(u64, u64)>,
    chosen: usize,
}

impl Player<'_> {
    /// The environment has the control. Gives what it returns.
    fn turn(&mut self, library: &mut Library<'_>, open: bool) -> Result<u64, Exit> {
        while let Some(step) = self.program.script.0.get(self.at) {
            self.at += 1;
            match step {
                Step::Return(value) if open => return Ok(*value),
                Step::Return(_) => {}
                Step::Call(export, values) => self.call(library, &self.program.exports[*export], values)?,
            }
        }
        Ok(0)
    }

    /// The next choice: the first way, unless another one is asked for.
    fn choose(&mut self, module: &Module, function: Function) -> Int {
        let ways = match &module.signature(module.type_of(function)).result {
            Some(Sort::Data(data)) => data.size().and_then(|size| size.to_u64()),
            _ => None,
        };
        if self.chosen == self.choices.len() {
            self.choices.push((0, ways.expect("there are finitely many ways")));
        }
        self.chosen += 1;
        Int::from(self.choices[self.chosen - 1].0)
    }

    fn call(&mut self, library: &mut Library<'_>, export: &Signature, values: &[u64]) -> Result<(), Exit> {
        let values = export.parameters.iter().zip(values).map(|(ty, value)| int(ty.convert(*value)));
        let values: Vec<Int> = values.collect();
        let procedure = procedure(library.module(), &export.name);
        let result = library.call(self, procedure, &values)?;
        let result: String = result.iter().map(|value| format!(" {}", raw(value))).collect();
        self.moves.push(format!("ret {}{result}", export.name));
        Ok(())
    }
}

impl Client for Player<'_> {
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: Function,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let name = library.module().show_function(function);
        if let Function::Import(id) = function
            && library.module().import(id).choice
        {
            return Ok(Some(self.choose(library.module(), function)));
        }
        let import = self.program.imports.iter().find(|import| import.name == name);
        let import = import.unwrap_or_else(|| panic!("`{name}` is no import"));
        let arguments: String = arguments.iter().map(|value| format!(" {}", raw(value))).collect();
        self.moves.push(format!("{name}{arguments}"));
        let value = self.turn(library, true)?;
        Ok(import.result.map(|ty| int(ty.convert(value))))
    }
}

/// Runs a random program with its script. Where the language leaves a choice, the first way is gone.
pub fn run(program: &Program, options: &Options) -> Ran {
    let reading = module(&format!("p{}.c", program.tag), &program.text, options);
    run_with(program, &reading.module, vec![]).0
}

/// All that a random program may do, if that is not more than so many things.
pub fn all_runs(program: &Program, module: &Module, most: usize) -> Option<Vec<Ran>> {
    let mut found = Vec::new();
    let mut choices = vec![];
    loop {
        let (ran, mut made) = run_with(program, module, choices);
        found.push(ran);
        while made.pop_if(|(way, ways)| *way + 1 == *ways).is_some() {}
        match made.last_mut() {
            None => return Some(found),
            Some(_) if found.len() == most => return None,
            Some((way, _)) => *way += 1,
        }
        choices = made;
    }
}

fn run_with(program: &Program, module: &Module, choices: Vec<(u64, u64)>) -> (Ran, Vec<(u64, u64)>) {
    let mut library = Library::new(module, STEPS);
    let mut player = Player { program, at: 0, moves: vec![], choices, chosen: 0 };
    let dump = program.exports.last().expect("a program has an export that dumps its data");
    let ended = player.turn(&mut library, false).and_then(|_| player.call(&mut library, dump, &[]));
    let failure = match ended {
        Ok(()) => None,
        Err(Exit::Fails(failure)) => {
            let line = 1 + program.text[..failure.check.span.start as usize].matches('\n').count();
            Some((Some(line), format!("{:?}", failure.check.kind)))
        }
        // There is no room for one more object.
        Err(Exit::Diverges) => Some((None, DIVERGES.into())),
        Err(other) => panic!("{other:?}\n{}", program.text),
    };
    (Ran { moves: player.moves, failure }, player.choices)
}

/// Whether a message of gcc's is about a check.
pub fn is_about(message: &str, kind: &str) -> bool {
    // The processor says no more, and gcc's sanitizer overlooks some divisions by what a function gives.
    if message.starts_with("signal 8") {
        return [Kind::Division, Kind::Overflow].iter().any(|expected| format!("{expected:?}") == kind);
    }
    let expected = if message.starts_with("index") {
        Kind::Index
    } else if message.starts_with("division by zero") {
        Kind::Division
    } else if message.starts_with("shift exponent") {
        Kind::Shift
    } else if message.starts_with("signal 11") {
        Kind::Null
    } else {
        Kind::Overflow
    };
    format!("{expected:?}") == kind
}
