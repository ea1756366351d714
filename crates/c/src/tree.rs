//! C programs after names are resolved and types are known: every conversion is written out.

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::term::Operator;

use crate::library::Known;
use crate::types::{DataModel, FunctionType, Integer, StructId, Type};

agon_base::id! {
    /// An object with static storage.
    pub ObjectId;
    /// A function.
    pub FunctionId;
    /// A parameter or local variable of a function.
    pub VariableId;
    /// A place in a function that can be jumped to.
    pub LabelId;
}

/// All translation units, linked.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// How many bits the integers have.
    pub model: DataModel,
    /// Structures, by their ids.
    pub structs: Vec<Struct>,
    /// Objects with static storage, by their ids.
    pub objects: Vec<Object>,
    /// Functions, by their ids.
    pub functions: Vec<Function>,
    /// How it uses threads of its own.
    pub threads: Threads,
    /// Whether mutexes get their kinds from attributes.
    pub kinds_are_given: bool,
    /// Whether mutexes are made anew, so that they lose the kinds that their initialisers say.
    pub kinds_are_reset: bool,
}

/// How a program uses threads of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Threads {
    /// Whether it begins some.
    pub begin: bool,
    /// Whether it looks at what they give.
    pub give: bool,
}

/// A structure type.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its tag.
    pub name: Option<String>,
    /// Its members; nothing while it is incomplete.
    pub members: Option<Vec<Member>>,
    /// Where its members are declared.
    pub span: Span,
    /// Whether that is a source file, which only the module knows, and not a header.
    pub private: bool,
    /// Whether its members follow each other without a gap.
    pub packed: bool,
    /// On multiples of how many bytes it stands, if an attribute says more than its members.
    pub align: Option<u64>,
    /// Whether it is a union: its members begin at one place.
    pub union: bool,
    /// How many bytes it has, and on multiples of how many it stands, if it has bit fields.
    pub size: Option<(u64, u64)>,
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; a structure without a name has members that are found through it.
    pub name: Option<String>,
    /// Its type. That of a bit field has as many bits as the field.
    pub ty: Type,
    /// The type that a bit field is declared with.
    pub field: Option<Integer>,
    /// Whether nobody may change it.
    pub constant: bool,
    /// Whether every access to it is seen.
    pub volatile: bool,
}

/// Who can name an object or a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// The translation unit alone.
    Internal,
    /// Everybody.
    External,
}

/// An object with static storage.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name; of a static local with the name of the function before it.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Who can name it.
    pub linkage: Linkage,
    /// Whether it is defined here, or only declared.
    pub defined: bool,
    /// Whether it is `const`.
    pub constant: bool,
    /// Whether it is `volatile`.
    pub volatile: bool,
    /// Whether it is a string literal.
    pub text: bool,
    /// What it holds at first; everything else is 0.
    pub initial: Vec<Item>,
    /// Where it is declared.
    pub span: Span,
}

/// A part of an object, and what it holds at first.
#[derive(Clone, Debug)]
pub struct Item {
    /// The first scalar of the part, in the order of the layout.
    pub leaf: usize,
    /// The number of the part among those with the same path.
    pub row: u64,
    /// Its value.
    pub value: Expr,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: FunctionType,
    /// Who can name it.
    pub linkage: Linkage,
    /// Whether it never returns.
    pub ends: bool,
    /// Whether it is called, or its name is used as a value.
    pub used: bool,
    /// Its definition.
    pub body: Option<Body>,
    /// Where its name stands.
    pub span: Span,
}

/// The definition of a function.
#[derive(Clone, Debug)]
pub struct Body {
    /// Parameters and local variables, in the order of their ids; parameters come first.
    pub variables: Vec<Variable>,
    /// How many of them are parameters.
    pub parameters: usize,
    /// What it does.
    pub statements: Vec<Stmt>,
    /// How many labels it has.
    pub labels: usize,
    /// Where it ends.
    pub end: Span,
}

/// A parameter or a local variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// An expression, for its effects.
    Expr(Expr),
    /// A local variable begins to live, with these values or with none.
    Declare(VariableId, Option<Vec<Item>>),
    /// Statements in order.
    Block(Vec<Stmt>),
    /// `if`.
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while`, and `for` with what is done after each turn.
    While(Option<Expr>, Box<Stmt>, Option<Expr>),
    /// `do`.
    Do(Box<Stmt>, Expr),
    /// `switch`: ranges of values with the labels they lead to, then that of `default`.
    Switch(Expr, Vec<(Int, Int, LabelId)>, Option<LabelId>, Box<Stmt>),
    /// A place to jump to.
    Label(LabelId),
    /// `goto`.
    Goto(LabelId),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Option<Expr>),
}

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Number(Int),
    /// The address of a function.
    Function(FunctionId),
    /// The address of an object, or of a part of one.
    Address(Box<Place>),
    /// A pointer moved by a number of elements: forward, or back if the flag is set.
    Offset(Box<Expr>, Box<Expr>, bool),
    /// How many elements lie between two pointers.
    Difference(Box<Expr>, Box<Expr>),
    /// What a place holds.
    Load(Place),
    /// An operator of one operand, of the type of the result.
    Unary(Unary, Box<Expr>),
    /// An operator whose operands have one type; only shifts have operands of two.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `&&`, or `||` if the flag is not set.
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `?:`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `,`.
    Comma(Box<Expr>, Box<Expr>),
    /// A conversion to the type of the whole; to `void`, the value is not used.
    Convert(Box<Expr>),
    /// `=`; the value has the type of the place.
    Assign(Place, Box<Expr>),
    /// An assignment that computes with the old value.
    Update(Box<Update>),
    /// A call.
    Call(Callee, Vec<Expr>),
    /// A compound literal: what a variable without a name is given, and holds.
    Compound(VariableId, Vec<Item>),
    /// A call of a function of the C library that has a meaning, with its name.
    Library(Known, String, Vec<Argument>),
}

/// An assignment that computes with the old value: `+=` and its like, `++` and `--`.
#[derive(Clone, Debug)]
pub struct Update {
    /// What is assigned to.
    pub place: Place,
    /// How.
    pub operator: Binary,
    /// The other operand.
    pub operand: Expr,
    /// The type in which it is computed.
    pub within: Type,
    /// Whether the old value is the value of the whole.
    pub old: bool,
}

/// What is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function by its name.
    Function(FunctionId),
    /// The function that a pointer points to.
    Pointer(Box<Expr>),
}

/// An argument of a function of the C library.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A value.
    Value(Expr),
    /// The address of an object.
    Object(Place),
}

/// An operator of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Negate,
    Complement,
    Not,
}

/// An operator of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Binary {
    /// Whether the result is 0 or 1.
    pub fn compares(self) -> bool {
        use Binary::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    /// The operator of the core, over integers of any size.
    pub fn operator(self) -> Operator {
        match self {
            Binary::Add => Operator::Add,
            Binary::Subtract => Operator::Subtract,
            Binary::Multiply => Operator::Multiply,
            Binary::Divide => Operator::Quotient,
            Binary::Remainder => Operator::Remainder,
            Binary::ShiftLeft => Operator::ShiftLeft,
            Binary::ShiftRight => Operator::ShiftRight,
            Binary::And => Operator::BitAnd,
            Binary::Or => Operator::BitOr,
            Binary::Xor => Operator::BitXor,
            Binary::Equal => Operator::Equal,
            Binary::NotEqual => Operator::NotEqual,
            Binary::Less => Operator::Less,
            Binary::LessEqual => Operator::LessEqual,
            Binary::Greater => Operator::Greater,
            Binary::GreaterEqual => Operator::GreaterEqual,
        }
    }

    /// Whether it says which operand is less.
    pub fn orders(self) -> bool {
        self.compares() && !matches!(self, Binary::Equal | Binary::NotEqual)
    }

    /// Whether it is a shift.
    pub fn shifts(self) -> bool {
        matches!(self, Binary::ShiftLeft | Binary::ShiftRight)
    }
}

/// An object, or a part of one.
#[derive(Clone, Debug)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// What a place is.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// An object with static storage.
    Object(ObjectId),
    /// A local variable.
    Variable(VariableId),
    /// A member of a structure, by its number.
    Member(Box<Place>, usize),
    /// An element of an array.
    Element(Box<Place>, Box<Expr>),
    /// What a pointer points to.
    Target(Box<Expr>),
}

impl Program {
    /// An object with static storage.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// A function.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The members of a structure; none while it is incomplete.
    pub fn members(&self, id: StructId) -> &[Member] {
        self.structs[id.0 as usize].members.as_deref().unwrap_or(&[])
    }

    /// All functions, in the order of their ids.
    pub fn functions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        (0..).map(FunctionId).zip(&self.functions)
    }

    /// All objects with static storage, in the order of their ids.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        (0..).map(ObjectId).zip(&self.objects)
    }
}
