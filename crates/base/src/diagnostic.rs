//! Diagnostics: what is wrong with a program, as data; the tool renders them.

use std::fmt;

use crate::source::Span;

/// One message about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind of mistake it is; each kind has a page in `docs/diagnostics`.
    pub code: Code,
    /// Whether the program is refused for it.
    pub severity: Severity,
    /// The message itself.
    pub message: String,
    /// The place it speaks of, with what to say there. Messages about the call have none.
    pub primary: Option<(Span, String)>,
    /// Other places that explain it.
    pub secondary: Vec<(Span, String)>,
    /// What else there is to know.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
}

/// How much a diagnostic weighs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is taken, but the reader may want to know.
    Warning,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: Code, message: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Some((span, label.into())),
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// An error that no place in the program is to blame for.
    pub fn general(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic { primary: None, ..Diagnostic::error(code, message, Span::default(), "") }
    }

    /// A warning at a place.
    pub fn warning(
        code: Code,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message, span, label) }
    }

    /// Points at another place too.
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Diagnostic {
        self.secondary.push((span, label.into()));
        self
    }

    /// Adds something to know.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Whether the program is refused for it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

macro_rules! codes {
    ($($name:ident = $text:literal: $doc:literal,)*) => {
        /// The kinds of diagnostics.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Code { $(#[doc = $doc] $name,)* }

        impl Code {
            /// All kinds, in order of their numbers.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The number under which the kind is documented.
            pub fn number(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }
        }
    };
}

codes! {
    UnknownCharacter = "E0001": "A character that begins no word of the language.",
    UnexpectedToken = "E0002": "A word that does not fit where it stands.",
    TooDeep = "E0003": "Nesting beyond what any reader or this parser follows.",
    UnclosedComment = "E0004": "A comment that never ends.",
    EmptyProgram = "E0005": "A file without a program in it.",
    NotText = "E0006": "A file that is not UTF-8 text.",
    Unreadable = "E0007": "A file that cannot be read.",
    UnknownName = "E0101": "A name that nothing declares.",
    Recursion = "E0102": "A definition that mentions itself.",
    UnknownLabel = "E0103": "A jump to a label that no enclosing construct declares.",
    DuplicateName = "E0104": "A name declared twice at one level.",
    UnknownConstant = "E0105": "A name that is no constant where a constant is needed.",
    OverrideOfNothing = "E0106": "A `-D` for a name that no `const` declares.",
    ConstantArithmetic = "E0107": "Constant arithmetic without a result.",
    EmptyType = "E0108": "A type without values, or an array without elements.",
    TypeTooLarge = "E0109": "A type with more values, or an array with more elements, than are supported.",
    Mismatch = "E0201": "A term of one type where another is needed.",
    NotAFunction = "E0202": "Arguments given to a term that takes none, or too many of them.",
    NotAVariable = "E0203": "An assignment to something that is not a variable.",
    NotAnArray = "E0204": "An index into something that is not an array.",
    Branches = "E0205": "Branches whose types do not go together.",
    NotAProgram = "E0206": "A program whose type no environment can open.",
    OrderTooHigh = "E0301": "An identifier of too high an order for a sequential program.",
    SequentialConflict = "E0302": "Concurrency in a program declared sequential.",
    BoundExceeded = "E0303": "A use in more threads at once than the bound that was written allows.",
    NoBounds = "E0304": "A program that no bounds fit.",
    ShadowedDefinition = "W0401": "A definition that uses an outer definition of the same name.",
    MissingArgument = "W0402": "A program that is a procedure because an argument is missing.",
    Unreached = "W0403": "A check that no play comes to.",
    NoEngine = "E0501": "A construct that no engine of this version can run.",
    BadTarget = "E0502": "A target that is no move of the program's game.",
    Incomparable = "E0503": "Two programs whose types or contexts differ.",
    BadAssumption = "E0504": "An assumption that is none, or that nothing satisfies.",
    CSyntax = "E0601": "C that the parser does not take.",
    NoPreprocessor = "E0602": "A C file that cannot be preprocessed.",
    Floating = "E0603": "C: a floating-point number.",
    UnionType = "E0604": "C: a union.",
    VariableArguments = "E0605": "C: a definition of a function with a variable number of arguments.",
    VariableLength = "E0606": "C: an array whose length is no constant.",
    Assembly = "E0607": "C: assembly.",
    LibraryFunction = "E0608": "C: a function of the C library that has no meaning here.",
    PointerConversion = "E0609": "C: a conversion of a pointer to something else.",
    AddressTaken = "E0610": "C: the address of an object that the environment could look into.",
    Dereference = "E0611": "C: a use of what a pointer of the environment points to.",
    NotInC = "E0612": "C: a construct that is not supported.",
    AtomicObject = "E0613": "C: an atomic or thread-local object.",
    BitField = "E0614": "C: a bit field.",
    Unsequenced = "E0615": "C: two effects on one object in no order, which is undefined.",
    EvaluationOrder = "E0616": "C: an expression whose value depends on the order of evaluation.",
    CType = "E0617": "C: an operand of the wrong type.",
    CName = "E0618": "C: a name that is not declared, or that is declared as something else.",
    CLinkage = "E0619": "C: two definitions or declarations that do not go together.",
    CConstant = "E0620": "C: an expression that is no constant where one is needed.",
    WholeProgram = "E0621": "C: a whole program that reads the arguments of `main`, or is given an environment.",
    NoSuchFunction = "E0622": "C: an option that names what the module does not have.",
    CTooLarge = "E0623": "C: an object that is too large.",
    Constructor = "E0624": "C: a function that runs before `main`, or after it.",
    NotInModules = "E0701": "A construct that modules do not have.",
    ArgumentCount = "E0702": "A call with more or fewer arguments than the procedure has parameters.",
    BodyTooLarge = "E0703": "A procedure of a module that unfolds to too many statements.",
    NotConstant = "E0704": "An initial value of a module's cell that is not a constant.",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}
