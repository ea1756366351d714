//! Translation: from lang-c's syntax tree to a tree of ours, with names resolved and types known.
//!
//! All units go into one program, linked as C links: what has external linkage and one name is one thing.

mod attributes;
mod blocks;
mod constants;
mod declarations;
mod expressions;
mod functions;
mod initial;
mod locks;
mod names;
mod old_style;
mod operators;
mod prelude;
mod selections;
mod statements;
mod temporaries;

use std::collections::HashMap;

use agon_base::diagnostic::{Code, Diagnostic};
use agon_base::int::Int;
use agon_base::source::Span;
use lang_c::ast::{ExternalDeclaration, FunctionDefinition, TranslationUnit};

use crate::positions::Positions;
use crate::tree::{Function, FunctionId, LabelId, ObjectId, Program, Stmt, Variable, VariableId};
use crate::types::{DataModel, Integer, StructId, Type, Unsupported};

/// A result, or what is wrong.
pub(crate) type Checked<T> = Result<T, Diagnostic>;

/// Translates all units.
pub fn translate<'a>(
    units: &'a [TranslationUnit],
    positions: &'a Positions,
    model: DataModel,
) -> (Program, Vec<Diagnostic>) {
    let program = Program { model, ..Program::default() };
    let mut translator = Translator {
        program,
        positions: Some(positions),
        prelude: None,
        unit: 0,
        linked: HashMap::new(),
        definitions: HashMap::new(),
        scopes: vec![Scope::default()],
        qualified_types: HashMap::new(),
        current: None,
        texts: HashMap::new(),
        diagnostics: vec![],
    };
    for (n, unit) in units.iter().enumerate() {
        translator.unit = n;
        translator.definitions = old_style::definitions(unit);
        translator.scopes = vec![Scope::default()];
        for item in &unit.0 {
            let done = match &item.node {
                ExternalDeclaration::Declaration(declaration) => translator.global(&declaration.node),
                ExternalDeclaration::StaticAssert(claim) => translator.static_assert(&claim.node),
                ExternalDeclaration::FunctionDefinition(function) => translator.function(&function.node),
            };
            translator.keep(done);
        }
    }
    (translator.program, translator.diagnostics)
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Binding {
    Object(ObjectId),
    Function(FunctionId),
    Variable(VariableId),
    Constant(Int, Integer),
    Type(Type),
}

/// What a tag stands for.
#[derive(Clone, Debug)]
enum Tag {
    Struct(StructId),
    Enum(Integer),
}

#[derive(Default)]
struct Scope {
    names: HashMap<String, Binding>,
    tags: HashMap<String, Tag>,
}

struct Translator<'a> {
    program: Program,
    /// Where the text comes from; nothing where that does not matter.
    positions: Option<&'a Positions>,
    unit: usize,
    /// What has external linkage.
    linked: HashMap<String, Binding>,
    /// The functions that the unit defines, also further down.
    definitions: HashMap<String, &'a FunctionDefinition>,
    scopes: Vec<Scope>,
    /// The qualifiers of types that have names, outside of functions.
    qualified_types: HashMap<String, declarations::Qualifiers>,
    /// The function whose body is read.
    current: Option<Current>,
    /// The objects of string literals.
    texts: HashMap<Vec<u8>, ObjectId>,
    /// The functions of the C library that are written in C, once one is called.
    prelude: Option<HashMap<String, Function>>,
    diagnostics: Vec<Diagnostic>,
}

/// A function whose body is read.
struct Current {
    name: String,
    result: Type,
    variables: Vec<Variable>,
    labels: Vec<Option<Span>>,
    named: HashMap<String, LabelId>,
    /// Labels that `goto` names and nothing declares yet.
    wanted: Vec<(String, Span)>,
    switches: Vec<Switch>,
    loops: usize,
    /// Whether `break` leaves a loop or a switch.
    breakable: usize,
    /// The variables of compound literals whose block is not known yet.
    literals: Vec<VariableId>,
    /// Variables that are constant, and whose values are known.
    constants: HashMap<VariableId, Int>,
}

/// A `switch` whose body is read.
struct Switch {
    ty: Integer,
    cases: Vec<(Int, Int, LabelId)>,
    default: Option<LabelId>,
}

impl Translator<'_> {
    fn span(&self, span: &lang_c::span::Span) -> Span {
        self.positions.map_or(Span::default(), |positions| positions.span(self.unit, span.start, span.end))
    }

    /// Keeps what is wrong, and goes on.
    fn keep<T>(&mut self, result: Checked<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(diagnostic) => {
                if !self.diagnostics.contains(&diagnostic) {
                    self.diagnostics.push(diagnostic);
                }
                None
            }
        }
    }

    fn int(&self) -> Type {
        Type::Integer(self.program.model.int())
    }

    fn current(&mut self) -> &mut Current {
        self.current.as_mut().expect("statements stand in functions")
    }

    /// Refuses types that nothing can be done with.
    fn supported(&self, ty: &Type, span: Span) -> Checked<()> {
        match self.refusal(ty) {
            None => Ok(()),
            Some(what) => Err(unsupported(what, span)),
        }
    }

    fn refusal(&self, ty: &Type) -> Option<Unsupported> {
        match ty {
            Type::Unsupported(what) => Some(*what),
            Type::Array(element, _) => self.refusal(element),
            Type::Struct(id) => self.program.members(*id).iter().find_map(|member| self.refusal(&member.ty)),
            _ => None,
        }
    }

    /// Reads something in a scope of its own.
    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.scopes.push(Scope::default());
        let done = read(self);
        self.scopes.pop();
        done
    }

    fn is_global(&self) -> bool {
        self.scopes.len() == 1
    }

    fn block(statements: Vec<Stmt>, span: Span) -> Stmt {
        Stmt { kind: crate::tree::StmtKind::Block(statements), span }
    }
}

/// What is said about types that nothing can be done with.
fn unsupported(what: Unsupported, span: Span) -> Diagnostic {
    let (code, help) = match what {
        Unsupported::Floating => (Code::Floating, "use integers, for instance a number of hundredths"),
        Unsupported::Atomic => (Code::AtomicObject, "use an ordinary object, guarded by a mutex"),
        Unsupported::VariableLength => (Code::VariableLength, "give the array a constant length"),
        Unsupported::VariableArguments => {
            (Code::VariableArguments, "give the function as many parameters as it needs")
        }
        Unsupported::Other => (Code::NotInC, "use integers, structures and arrays"),
    };
    Diagnostic::error(code, format!("{} is not supported", what.words()), span, "not supported").help(help)
}
