//! Typed terms: what a program means to every semantics, with all sugar and all silent conversions written out.

use std::collections::HashSet;
use std::sync::Arc;

use agon_base::int::{Int, LARGEST_SHIFT};
use agon_base::preorder::preorder;
use agon_base::refused::Refused;
use agon_base::source::Span;

use crate::checks::Watch;
use crate::condition::Condition;
use crate::types::{Data, Type};

/// A name as it was written.
pub type Name = Arc<str>;

/// What kind of environment a program declares itself for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One thread of control.
    Sequential,
    /// Many.
    Concurrent,
}

agon_base::id! {
    /// The place of a term in its [`Terms`].
    pub TermId;
    /// A variable: a free identifier, a parameter, a definition, a cell. No two binders share one.
    pub VarId;
    /// A label to jump to. No two binders share one.
    pub LabelId;
}

/// A typed term in context: what is asked about.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// All terms.
    pub terms: Terms,
    /// The kind of environment.
    pub mode: Mode,
    /// The free identifiers, in the order of the context.
    pub context: Vec<VarId>,
    /// The arguments of a program that is itself a procedure; to the program they are free identifiers too.
    pub arguments: Vec<VarId>,
    /// The type of the program, arguments included.
    pub ty: Type,
    /// The term, of base type, applied to its arguments.
    pub body: TermId,
    /// The first construct that makes the program concurrent, if any does.
    pub concurrency: Option<Span>,
    /// Which of its checks count.
    pub watch: Watch,
}

impl Judgement {
    /// All that is free in the program: its context, and its arguments if it is a procedure.
    pub fn free(&self) -> HashSet<VarId> {
        self.context.iter().chain(&self.arguments).copied().collect()
    }

    /// Refuses a concurrent program.
    pub fn sequential(&self) -> Result<(), Refused> {
        match self.mode {
            Mode::Sequential => Ok(()),
            Mode::Concurrent => Err(Refused::Construct {
                what: "this program is concurrent".into(),
                span: self.concurrency.unwrap_or_else(|| self.terms.span(self.body)),
            }),
        }
    }
}

/// All terms, variables and labels of a program. A term's children come before it.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    constructs: Vec<Construct>,
    types: Vec<Type>,
    spans: Vec<Span>,
    variables: Vec<Variable>,
    labels: Vec<Name>,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
    /// The bound that is claimed for it, where one is written: in how many threads at once it is used.
    pub bound: Option<u64>,
    /// What is assumed of the numbers that the environment gives for it, if it is free: its value, or its result.
    pub assumed: Option<Arc<Condition>>,
}

/// A construct of the language. The comments give the moves of its strategy where they are not obvious.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Construct {
    /// A number.
    Number(Int),
    /// `skip`.
    Skip,
    /// Ends everything, abnormally.
    Abort(Cause),
    /// Never ends.
    Diverge,
    /// A variable.
    Variable(VarId),
    /// A procedure.
    Lambda(VarId, TermId),
    /// A procedure applied to an argument, which is evaluated each time it is used.
    Apply(TermId, TermId),
    /// A definition, evaluated each time it is used.
    Let(VarId, TermId, TermId),
    /// `-` or `not`.
    Unary(Unary, TermId),
    /// Arithmetic, comparison and logic that evaluates both sides, left first.
    Binary(Operator, TermId, TermId),
    /// A value brought into the range of a type.
    Wrap(Data, TermId),
    /// A variable whose reads and writes are brought into the range of a type.
    WrapVariable(Data, TermId),
    /// First the one, then the other.
    Sequence(TermId, TermId),
    /// The second if the first is not 0, the third otherwise.
    If(TermId, TermId, TermId),
    /// The second again and again while the first is not 0.
    While(TermId, TermId),
    /// Evaluates the second, then writes it to the first.
    Assign(TermId, TermId),
    /// Reads a variable.
    Read(TermId),
    /// An element of an array: evaluates the second; out of bounds it aborts.
    Index(TermId, TermId),
    /// A new cell, or an array of them.
    New(New),
    /// Ends when its body jumps to the label.
    Break(LabelId, TermId),
    /// Starts again when its body jumps to the label.
    Continue(LabelId, TermId),
    /// Jumps.
    Goto(LabelId),
    /// Both at once.
    Parallel(TermId, TermId),
    /// A new semaphore: how many places it has, how many of them are taken.
    NewSemaphore(VarId, u64, u64, TermId),
    /// Takes a place of a semaphore, waiting for one.
    Grab(TermId),
    /// Gives a place of a semaphore back.
    Release(TermId),
    /// The second, with the first as a predicate of the abstraction.
    WithPredicate(TermId, TermId),
    /// From here on the predicate is part of the abstraction.
    BeginPredicate(TermId),
    /// From here on it is not.
    EndPredicate(TermId),
}

/// A new cell or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct New {
    /// Its name.
    pub variable: VarId,
    /// What it holds.
    pub data: Data,
    /// The number of elements, of an array.
    pub length: Option<u64>,
    /// What it starts with, already brought into range; 0 if nothing is said.
    pub initial: Option<TermId>,
    /// Where it lives.
    pub body: TermId,
}

/// Why a program aborts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// It says `abort`.
    Abort,
    /// An assertion fails.
    Assertion,
}

/// An operator of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// `-`
    Negate,
    /// `not`
    Not,
    /// Every bit changed, in two's complement: -1 minus the operand.
    Complement,
}

/// An operator of two operands, over integers of any size. Where bits are meant, a number is in two's complement, with
/// as many bits as are needed. Front ends bring the result into the range of a type with a conversion of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    /// The quotient whose remainder is not negative. It fails if the divisor is 0.
    Divide,
    /// The remainder of [`Operator::Divide`]. It fails if the divisor is 0.
    Modulo,
    /// The quotient rounded toward 0. It fails if the divisor is 0.
    Quotient,
    /// The remainder of [`Operator::Quotient`]: 0, or of the sign of the dividend. It fails if the divisor is 0.
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    /// The first operand times 2 to the power of the second; 0 if the second is below 0 or above [`LARGEST_SHIFT`].
    ShiftLeft,
    /// The first operand divided by 2 to the power of the second and rounded down; 0 if the second is below 0 or above
    /// [`LARGEST_SHIFT`].
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Both,
    Either,
}

impl Unary {
    /// The result over exact integers.
    pub fn apply(self, a: &Int) -> Int {
        match self {
            Unary::Negate => a.neg(),
            Unary::Not => Int::truth(a.is_zero()),
            Unary::Complement => a.complement(),
        }
    }
}

impl Operator {
    /// The result over exact integers; nothing where there is none: division by zero.
    pub fn apply(self, a: &Int, b: &Int) -> Option<Int> {
        Some(match self {
            Operator::Add => a.add(b),
            Operator::Subtract => a.sub(b),
            Operator::Multiply => a.mul(b),
            Operator::Divide => return a.div(b),
            Operator::Modulo => return a.rem(b),
            Operator::Quotient => return a.quotient(b),
            Operator::Remainder => return a.remainder(b),
            Operator::BitAnd => a.bit_and(b),
            Operator::BitOr => a.bit_or(b),
            Operator::BitXor => a.bit_xor(b),
            Operator::ShiftLeft => a.shift_left(b),
            Operator::ShiftRight => a.shift_right(b),
            Operator::Equal => Int::truth(a == b),
            Operator::NotEqual => Int::truth(a != b),
            Operator::Less => Int::truth(a < b),
            Operator::LessEqual => Int::truth(a <= b),
            Operator::Greater => Int::truth(a > b),
            Operator::GreaterEqual => Int::truth(a >= b),
            Operator::Both => Int::truth(!a.is_zero() && !b.is_zero()),
            Operator::Either => Int::truth(!a.is_zero() || !b.is_zero()),
        })
    }

    /// Whether the result is a truth value.
    pub fn is_truth(self) -> bool {
        use Operator::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | Both | Either)
    }

    /// Whether it fails if the second operand is 0.
    pub fn divides(self) -> bool {
        use Operator::*;
        matches!(self, Divide | Modulo | Quotient | Remainder)
    }

    /// How many bits a result may have that is much longer than the operands, which have these many bits; 0 if the operator
    /// has no such results.
    pub fn bits(self, a: u64, b: u64) -> u64 {
        match self {
            Operator::Multiply => a.saturating_add(b),
            Operator::ShiftLeft => a.saturating_add(u64::from(LARGEST_SHIFT)),
            _ => 0,
        }
    }
}

impl Terms {
    /// The head of an application, and its arguments, first to last.
    pub fn spine(&self, term: TermId) -> (TermId, Vec<TermId>) {
        let mut head = term;
        let mut arguments = Vec::new();
        while let Construct::Apply(function, argument) = self.construct(head) {
            arguments.push(*argument);
            head = *function;
        }
        arguments.reverse();
        (head, arguments)
    }

    /// Adds a term.
    pub fn add(&mut self, construct: Construct, ty: Type, span: Span) -> TermId {
        let id = TermId(u32::try_from(self.constructs.len()).expect("fewer than 2^32 terms"));
        self.constructs.push(construct);
        self.types.push(ty);
        self.spans.push(span);
        id
    }

    /// Adds a variable.
    pub fn add_variable(&mut self, name: Name, ty: Type, span: Span) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.push(Variable { name, ty, span, bound: None, assumed: None });
        id
    }

    /// Says what bound is written for a variable.
    pub fn claim(&mut self, id: VarId, bound: Option<u64>) {
        self.variables[id.index()].bound = bound;
    }

    /// Says what is assumed of the numbers that the environment gives for a free identifier.
    pub fn assume(&mut self, id: VarId, condition: Condition) {
        let known = self.variables[id.index()].assumed.take();
        let all = known.map_or(condition.clone(), |known| known.as_ref().clone().and(condition));
        self.variables[id.index()].assumed = Some(Arc::new(all));
    }

    /// Adds a label.
    pub fn add_label(&mut self, name: Name) -> LabelId {
        let id = LabelId(u32::try_from(self.labels.len()).expect("fewer than 2^32 labels"));
        self.labels.push(name);
        id
    }

    /// The construct.
    pub fn construct(&self, id: TermId) -> &Construct {
        &self.constructs[id.index()]
    }

    /// A term and all terms inside it, each before those inside it, in the order of [`Construct::each_child`].
    pub fn within(&self, root: TermId) -> impl Iterator<Item = TermId> + '_ {
        preorder(root, |term, below| self.construct(term).each_child(|child| below.push(child)))
    }

    /// Its type.
    pub fn ty(&self, id: TermId) -> &Type {
        &self.types[id.index()]
    }

    /// Where it comes from.
    pub fn span(&self, id: TermId) -> Span {
        self.spans[id.index()]
    }

    /// A variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// A label's name.
    pub fn label(&self, id: LabelId) -> &Name {
        &self.labels[id.index()]
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.constructs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.constructs.is_empty()
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// No terms yet, and the same variables and labels.
    pub fn emptied(&self) -> Terms {
        Terms { variables: self.variables.clone(), labels: self.labels.clone(), ..Terms::default() }
    }

    /// Gives a variable another type.
    pub fn retype(&mut self, id: VarId, ty: Type) {
        self.variables[id.index()].ty = ty;
    }

    /// Gives a variable another name.
    pub fn rename(&mut self, id: VarId, name: Name) {
        self.variables[id.index()].name = name;
    }
}

impl Construct {
    /// The same construct with other subterms.
    pub fn with_children(&self, mut f: impl FnMut(TermId) -> TermId) -> Construct {
        let mut copy = self.clone();
        copy.children().into_iter().flatten().for_each(|child| *child = f(*child));
        copy
    }

    /// Calls `f` with each subterm, in the order in which they are evaluated or written.
    pub fn each_child(&self, f: impl FnMut(TermId)) {
        self.clone().children().into_iter().flatten().map(|child| *child).for_each(f);
    }

    fn children(&mut self) -> [Option<&mut TermId>; 3] {
        use Construct::*;
        match self {
            Number(_) | Skip | Abort(_) | Diverge | Variable(_) | Goto(_) => [None, None, None],
            Lambda(_, a)
            | Unary(_, a)
            | Wrap(_, a)
            | WrapVariable(_, a)
            | Read(a)
            | Break(_, a)
            | Continue(_, a)
            | NewSemaphore(_, _, _, a)
            | Grab(a)
            | Release(a)
            | BeginPredicate(a)
            | EndPredicate(a) => [Some(a), None, None],
            Apply(a, b)
            | Let(_, a, b)
            | Binary(_, a, b)
            | Sequence(a, b)
            | While(a, b)
            | Assign(a, b)
            | Index(a, b)
            | Parallel(a, b)
            | WithPredicate(a, b) => [Some(a), Some(b), None],
            If(a, b, c) => [Some(a), Some(b), Some(c)],
            Construct::New(new) => [new.initial.as_mut(), Some(&mut new.body), None],
        }
    }
}
