//! Random C programs in the subset, each with a script of its environment.
//!
//! What a program does is determined: where C leaves the order of evaluation open, no order can be told from another. Loops
//! end, recursion ends. Everything at file level carries the number of the program in its name, so that many programs are
//! compiled at once. Every statement stands on a line of its own, so that a line tells which one fails.

mod aliases;
mod declarations;
mod expressions;
mod orders;
mod pointers;
mod script;
mod statements;
pub mod types;

use agon_base::random::Random;
pub use script::{Script, Step};
use types::{TYPES, Type};

/// A program that is being written, or is written.
pub struct Program {
    random: Random,
    /// The number that names carry.
    pub tag: u64,
    /// Its text.
    pub text: String,
    globals: Vec<Variable>,
    structs: Vec<(String, Shape)>,
    /// Functions that depend on their arguments alone and never fail, with the number of arguments.
    pure: Vec<(String, usize)>,
    /// Private functions, which may do anything, with the number of arguments and whether they give a value.
    private: Vec<(String, usize, bool)>,
    /// Functions of one type, for tables of functions.
    alike: Vec<String>,
    pub imports: Vec<Signature>,
    pub exports: Vec<Signature>,
    pub script: Script,
    /// Whether constants are small, so that it gets far before something overflows.
    small: bool,
    /// Whether the next index may be out of bounds. What may fail stands alone: gcc drops operands that do not matter.
    risk: bool,
    /// Whether what is read next must have a size.
    sized: bool,
    /// Whether something may be read that was never set.
    pub partial: bool,
    /// Whether it has pointers.
    pointed: bool,
    /// Whether pointers to numbers may point to elements of arrays.
    same: bool,
    /// Private functions that take pointers, with what their parameters point to.
    by_pointer: Vec<(String, Vec<pointers::To>)>,
    names: usize,
    indentation: usize,
}

/// A function that the environment sees.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: String,
    pub result: Option<Type>,
    pub parameters: Vec<Type>,
}

/// An object that expressions mention.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    shape: Shape,
    /// It is not assigned to.
    fixed: bool,
}

/// How scalars lie in an object.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Shape {
    Scalar,
    /// A bit field, which has no size and no address.
    Bits,
    Array(usize, Box<Shape>),
    Struct(Vec<(String, Shape)>),
}

/// Where a statement stands.
#[derive(Clone, Default)]
struct Scope {
    variables: Vec<Variable>,
    /// Locals whose addresses may be taken, with what a pointer to them points to.
    owned: Vec<(String, pointers::To)>,
    /// Pointers without static storage.
    pointers: Vec<pointers::Pointer>,
    /// Names that may not be mentioned, because a part of the same expression changes them.
    excluded: Vec<String>,
    in_loop: bool,
    in_switch: bool,
    /// Only arguments and locals are used, and nothing fails.
    pure: bool,
    /// What `return` gives.
    result: Option<Option<Type>>,
    /// A label at the end of the function.
    out: Option<String>,
    /// How deep loops nest.
    loops: usize,
}

impl Signature {
    /// The declaration, without a semicolon.
    pub fn declaration(&self) -> String {
        let result = self.result.map_or("void", |ty| ty.name);
        let parameter = |(n, ty): (usize, &Type)| format!("{} p{n}", ty.name);
        let parameters: Vec<String> = self.parameters.iter().enumerate().map(parameter).collect();
        let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
        format!("{result} {}({parameters})", self.name)
    }
}

impl Program {
    /// The program of a seed.
    pub fn new(seed: u64) -> Program {
        let mut program = Program::empty(seed);
        program.file();
        program.script = Script::random(&mut program.random, program.exports.len() - 1, 14);
        program
    }

    /// No program yet.
    fn empty(seed: u64) -> Program {
        Program {
            random: Random::new(seed),
            tag: seed,
            text: String::new(),
            globals: vec![],
            structs: vec![],
            pure: vec![],
            private: vec![],
            alike: vec![],
            imports: vec![],
            exports: vec![],
            script: Script::default(),
            small: seed % 4 == 3,
            risk: false,
            sized: false,
            partial: false,
            pointed: false,
            same: false,
            by_pointer: vec![],
            names: 0,
            indentation: 0,
        }
    }

    /// A name at file level.
    fn named(&self, name: &str) -> String {
        format!("{name}_{}", self.tag)
    }

    /// A name that was not used before.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Any integer type.
    fn ty(&mut self) -> Type {
        TYPES[self.random.below(TYPES.len())]
    }

    /// The name of any type that a scalar may have, enumerations too.
    fn type_name(&mut self) -> String {
        match self.random.below(14) {
            0 => format!("enum {}", self.named("e")),
            1 => format!("enum {}", self.named("s")),
            2 => self.named("word"),
            _ => self.ty().name.into(),
        }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(&"    ".repeat(self.indentation));
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indentation += 1;
    }

    fn close(&mut self, text: impl AsRef<str>) {
        self.indentation -= 1;
        self.line(text);
    }
}
