//! Reading: from translation units to a module, or to what is wrong with them.

use std::collections::HashSet;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::source::{Source, Span};
use agon_core::language::{Closed, Language, ModuleLanguage};
use agon_core::module::environment::{Environment, threads};
use agon_core::module::threads::replay::Replayed;
use agon_core::module::{Function, ImportId, Module, SignatureId};
use agon_core::term::Name;

pub use crate::environment::threads::ThreadedEnvironment;
use crate::lower::{Lowered, lower};
pub use crate::lower::{OutputImport, SharedImport, Word};
use crate::options::{Options, PrivateData};
use crate::parse::{STACK, parse};
use crate::positions::Positions;
use crate::token::words;
use crate::translate::translate;
use crate::tree::{Linkage, Program};
use crate::types::FunctionType;
use crate::{assumptions, closed, environment};

/// A translation unit after preprocessing.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name of the file.
    pub name: String,
    /// Its text, with line markers.
    pub text: String,
}

/// C files as they were written.
#[derive(Clone, Debug)]
pub struct Document {
    /// The original files.
    pub source: Source,
    /// What they mean in C.
    pub program: Program,
    /// The functions of the module that the functions of the program became.
    pub functions: Vec<Option<Function>>,
    /// The types of functions that signatures come from.
    pub signatures: Vec<(SignatureId, FunctionType)>,
    /// The imports that stand for what is done to objects that the environment may change.
    pub shared: Vec<SharedImport>,
    /// If two versions are compared: the imports that stand for what functions of the C library write.
    pub outputs: Vec<OutputImport>,
    /// Whether it is a closed program: `main` is called once.
    pub closed: bool,
    /// What the environment sees and plays do not show: modules that have such things cannot be compared by their plays.
    pub unseen: Vec<String>,
    /// The choice whether the address of an object that has died comes again.
    pub reuse: Option<ImportId>,
    /// How it was read, if it has objects that are allocated or count as such.
    pools: Option<Options>,
    /// The words behind the preprocessor, one in each line.
    words: String,
}

/// C files that are a module.
#[derive(Clone, Debug)]
pub struct Reading {
    /// What was written.
    pub document: Document,
    /// What it means.
    pub module: Module,
    /// What the reader may want to know.
    pub warnings: Vec<Diagnostic>,
    /// What is assumed of the environment and of the machine.
    pub assumptions: Vec<String>,
}

impl Language for Document {
    fn text(&self, span: Span) -> Option<&str> {
        self.source.text.get(span.start as usize..span.end as usize)
    }

    fn line(&self, offset: u32) -> usize {
        self.source.line_column(offset).0
    }

    fn names(&self) -> HashSet<Name> {
        let text = &self.source.text;
        words(text).map(|(start, end)| Name::from(&text[start..end])).collect()
    }
}

impl ModuleLanguage for Document {
    fn close_module(&self, module: &Module, environment: &Environment) -> Closed {
        environment::close(self, module, environment)
    }

    fn close_with_threads(&self, _: &Module, _: &threads::Environment) -> Option<Closed> {
        None
    }
}

/// Reads translation units as one module. `originals` gives the texts of the files that line markers name.
pub fn read(
    units: &[Unit],
    originals: &dyn Fn(&str) -> Option<String>,
    options: &Options,
) -> Result<Reading, (Source, Vec<Diagnostic>)> {
    // Trees are as deep as the texts are nested, and are forgotten on the same stack.
    stacker::grow(STACK, || read_here(units, originals, options))
}

fn read_here(
    units: &[Unit],
    originals: &dyn Fn(&str) -> Option<String>,
    options: &Options,
) -> Result<Reading, (Source, Vec<Diagnostic>)> {
    let (positions, source) = Positions::new(units, originals);
    let mut parsed = Vec::new();
    let mut diagnostics = Vec::new();
    for (n, unit) in units.iter().enumerate() {
        diagnostics.extend(packs(&unit.text, |start, end| positions.span(n, start, end)));
        match parse(&unit.text, |start, end| positions.span(n, start, end)) {
            Ok(unit) => parsed.push(unit),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if !diagnostics.is_empty() {
        return Err((source, diagnostics));
    }
    let (mut program, mut diagnostics) = translate(&parsed, &positions, options.data_model);
    for structure in program.structs.iter_mut().filter(|structure| structure.members.is_some()) {
        structure.private = !source.file(structure.span.start).name.ends_with(".h");
    }
    diagnostics.extend(misnamed(&program, options));
    if diagnostics.is_empty() {
        diagnostics.extend(no_library(&program, options));
    }
    if !diagnostics.is_empty() {
        return Err((source, sorted(diagnostics)));
    }
    let closed = closed::main(&program, options).is_some();
    crate::wrappers::give_types(&mut program, closed);
    let reading = meaning(source, program, options)?;
    let words = units.iter().map(|unit| words_of(&unit.text)).collect();
    Ok(Reading { document: Document { words, ..reading.document }, ..reading })
}

/// The words of a text behind the preprocessor, without line markers.
fn words_of(text: &str) -> String {
    let mut found = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        words(line).for_each(|(start, end)| {
            found += &line[start..end];
            found.push('\n');
        });
    }
    found
}

/// Refuses `#pragma pack`, which changes how structures lie in memory.
fn packs(text: &str, place: impl Fn(usize, usize) -> Span) -> Option<Diagnostic> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.trim_start().strip_prefix('#').unwrap_or_default().split([' ', '\t', '(']);
        let mut next = || words.find(|word| !word.is_empty());
        if next() == Some("pragma") && matches!(next().map(str::trim), Some("pack" | "scalar_storage_order"))
        {
            let span = place(start, start + line.trim_end().len());
            let diagnostic =
                Diagnostic::error(Code::NotInC, "`#pragma pack` is not supported", span, "not supported");
            return Some(
                diagnostic.help("write `__attribute__((packed))` behind the members of the structure"),
            );
        }
        start += line.len();
    }
    None
}

/// What a program means.
fn meaning(
    source: Source,
    program: Program,
    options: &Options,
) -> Result<Reading, (Source, Vec<Diagnostic>)> {
    let Lowered { module, functions, signatures, shared, outputs, unseen, reuse, memory } =
        match lower(&program, options) {
            Ok(lowered) => lowered,
            Err(diagnostics) => return Err((source, sorted(diagnostics))),
        };
    if let Err(invalid) = module.validate() {
        let message = format!("this was read wrongly: {} of the module is not valid", invalid.what);
        let diagnostic = Diagnostic::error(Code::NotInC, message, invalid.span, "here");
        return Err((source, vec![diagnostic.help("please report this file")]));
    }
    let assumptions = assumptions::assumptions(&program, &module, options, memory);
    let closed = closed::main(&program, options).is_some();
    let unseen = unseen.into_iter().collect();
    let pools = memory.pools.then(|| options.clone());
    let document = Document {
        source,
        program,
        functions,
        signatures,
        shared,
        outputs,
        closed,
        unseen,
        reuse,
        pools,
        words: String::new(),
    };
    Ok(Reading { document, module, warnings: vec![], assumptions })
}

impl Document {
    /// The C file of an environment that plays its part of a play with several threads; nothing if no file can.
    pub fn close_threads(&self, module: &Module, played: &Replayed) -> Option<ThreadedEnvironment> {
        crate::environment::threads::close(self, module, played)
    }

    /// The same files with fewer objects alive at once; nothing if that makes no difference.
    pub fn with_objects(&self, objects: u64) -> Option<Reading> {
        let options = self.pools.as_ref().filter(|options| objects < options.objects())?;
        let options = Options { objects, ..options.clone() };
        let fewer = stacker::grow(STACK, || meaning(self.source.clone(), self.program.clone(), &options));
        let mut fewer = fewer.ok()?;
        fewer.document.words.clone_from(&self.words);
        Some(fewer)
    }

    /// Whether two files are the same behind the preprocessor, but for layout and comments.
    pub fn has_same_words(&self, other: &Document) -> bool {
        self.words == other.words
    }

    /// How many objects of one kind are alive at once, at most; nothing if there are none.
    pub fn objects(&self) -> Option<u64> {
        self.pools.as_ref().map(Options::objects)
    }
}

fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|(span, _)| (span.start, span.end)));
    diagnostics
}

/// Options that name what is not there.
fn misnamed(program: &Program, options: &Options) -> Vec<Diagnostic> {
    let defined = |name: &str| program.functions.iter().any(|f| f.name == name && f.body.is_some());
    let declared = |name: &str| program.functions.iter().any(|f| f.name == name && f.body.is_none());
    let data = |name: &str| program.objects.iter().any(|o| o.name == name && o.linkage == Linkage::External);
    let mut wrong = Vec::new();
    let mut require = |holds: bool, option: &str, name: &str, what: &str| {
        if !holds {
            let message = format!("`{option} {name}`: the module has no {what} `{name}`");
            wrong.push(Diagnostic::general(Code::NoSuchFunction, message));
        }
    };
    for (option, list) in [("--entry", &options.entry), ("--private", &options.private)] {
        list.iter().for_each(|name| require(defined(name), option, name, "function"));
    }
    options.leaf.iter().for_each(|name| require(declared(name), "--leaf", name, "import"));
    options.returns.iter().for_each(|(name, ..)| require(declared(name), "--returns", name, "import"));
    for (name, called) in &options.may_call {
        require(declared(name), "--may-call", name, "import");
        called.iter().for_each(|called| require(defined(called), "--may-call", called, "function"));
    }
    let known = |name: &str| declared(name) || defined(name) || crate::library::meaning(name).is_some();
    options.fails.iter().for_each(|name| require(known(name), "--fails", name, "function"));
    if let PrivateData::Named(names) = &options.private_data {
        names
            .iter()
            .for_each(|name| require(data(name), "--private-data", name, "object with external linkage"));
    }
    wrong
}

/// Nothing can be called, or what can be called is no library.
fn no_library(program: &Program, options: &Options) -> Option<Diagnostic> {
    if closed::main(program, options).is_some() {
        return closed::threads(program, options);
    }
    let exports = program.functions.iter().any(|f| f.body.is_some() && f.linkage == Linkage::External);
    let shared = program.objects.iter().any(|object| object.linkage == Linkage::External);
    (!exports && !shared).then(|| {
        let message = "no function has external linkage, so no environment can call the module";
        Diagnostic::general(Code::NotAProgram, message).help("leave `static` out where clients call")
    })
}
