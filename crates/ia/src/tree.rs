//! The syntax tree: what was written, with spans, before any meaning.
#![allow(missing_docs, reason = "the variants are the constructs of the grammar, by their names")]

use agon_base::int::Int;
use agon_base::source::Span;
use agon_core::term::{Mode, Name, Operator};

/// A name with the place where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

agon_base::id! {
    /// The place of a node in its [`Tree`].
    pub NodeId;
}

/// A whole program. All its nodes live in `tree`, so that deep ones are built and dropped without recursion.
#[derive(Clone, Debug)]
pub struct Program {
    /// The constants, in order.
    pub constants: Vec<Constant>,
    /// `sequential` or `concurrent`, where it says so.
    pub mode: Option<(Mode, Span)>,
    /// The free identifiers.
    pub context: Vec<Binding>,
    /// The term.
    pub body: NodeId,
    /// The items, if it is a module. Then there are no free identifiers, and the term is missing.
    pub module: Option<Items>,
    /// The nodes.
    pub tree: Tree,
}

/// A module: `module{threads}` and what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Items {
    /// The word `module`.
    pub span: Span,
    /// How many threads of the environment there are, where it says so.
    pub threads: Option<NodeId>,
    /// The items, in order.
    pub items: Vec<Item>,
}

/// One item of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `import f(D, …) : D;`
    Import(Ident, FunctionNode),
    /// Cells, arrays, semaphores.
    Cells(DeclareKind, Vec<Declarator>),
    /// `mutex m, n;`
    Mutexes(Vec<Ident>),
    /// `let f(x : D, …) : D = M;`, or the same with `export`.
    Procedure(ProcedureNode),
}

/// A procedure of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcedureNode {
    /// Whether it is exported.
    pub exported: bool,
    /// Its name.
    pub ident: Ident,
    /// Its parameters, with the types of values.
    pub parameters: Vec<(Ident, DataNode)>,
    /// What it gives, where it says so; a command if not.
    pub result: Option<ResultNode>,
    /// What it does.
    pub body: NodeId,
}

/// What a procedure says that it gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultNode {
    /// `com`: nothing.
    Com,
    /// A value.
    Data(DataNode),
}

/// A type of functions as written.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionNode {
    /// What it takes.
    pub parameters: Vec<DataNode>,
    /// What it gives, if it is no command.
    pub result: Option<Box<DataNode>>,
}

/// `const NAME = value;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// Its name.
    pub ident: Ident,
    /// Its value.
    pub value: NodeId,
}

/// A free identifier with its type, and the bound that is claimed for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The identifier.
    pub ident: Ident,
    /// How many arguments stand in parentheses behind the identifier, as in `f(com, com) : com`.
    pub listed: usize,
    /// Its type.
    pub argument: ArgumentNode,
}

/// The nodes of a program.
#[derive(Clone, Default, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    spans: Vec<Span>,
}

impl Tree {
    /// Adds a node.
    pub fn add(&mut self, node: Node, span: Span) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("a source text is shorter than 4 GiB"));
        self.nodes.push(node);
        self.spans.push(span);
        id
    }

    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Puts another node in the place of one.
    pub fn replace(&mut self, id: NodeId, node: Node) {
        self.nodes[id.index()] = node;
    }

    /// All nodes, those that are part of no program included.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId::new)
    }

    /// Where it stands.
    pub fn span(&self, id: NodeId) -> Span {
        self.spans[id.index()]
    }
}

/// A term, or a constant expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Something that could not be read; a diagnostic says so.
    Missing,
    Name(Name),
    Number(Int),
    Truth(bool),
    Skip,
    Abort,
    Diverge,
    Negate(NodeId),
    Not(NodeId),
    Deref(NodeId),
    Binary(Binary, NodeId, NodeId),
    /// A head that is not itself an application with arguments, and at least one argument; in modules there may be none.
    Apply(NodeId, Vec<NodeId>),
    Index(NodeId, NodeId),
    Assign(NodeId, NodeId),
    /// Two or more, none of them a `Sequence`.
    Sequence(Vec<NodeId>),
    /// Two or more.
    Parallel(Vec<NodeId>),
    If(NodeId, NodeId, Option<NodeId>),
    While(NodeId, NodeId),
    New {
        data: DataNode,
        variable: Declarator,
        body: NodeId,
    },
    /// Declarations in block style, and the rest of the block.
    Declare {
        kind: DeclareKind,
        variables: Vec<Declarator>,
        body: NodeId,
    },
    Let {
        ident: Ident,
        parameters: Vec<Parameter>,
        result: Option<TypeNode>,
        definition: NodeId,
        body: NodeId,
    },
    Fun(Vec<Parameter>, NodeId),
    /// One copy per value of the name.
    Copies {
        ident: Ident,
        from: NodeId,
        to: NodeId,
        body: NodeId,
    },
    Break(Ident, NodeId),
    Continue(Ident, NodeId),
    Goto(Ident),
    WithPredicate(NodeId, NodeId),
    BeginPredicate(NodeId),
    EndPredicate(NodeId),
    Assert(NodeId),
    Grab(NodeId),
    Release(NodeId),
    /// What the elements of an array of a module hold at first.
    List(Vec<NodeId>),
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// `or`, which stops early.
    Or,
    /// `and`, which stops early.
    And,
    /// `|`, which evaluates both sides.
    Either,
    /// `&`, which evaluates both sides.
    Both,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl Binary {
    /// The operator that it is if both sides are evaluated.
    pub fn operator(self) -> Operator {
        match self {
            Binary::Or | Binary::Either => Operator::Either,
            Binary::And | Binary::Both => Operator::Both,
            Binary::Equal => Operator::Equal,
            Binary::NotEqual => Operator::NotEqual,
            Binary::Less => Operator::Less,
            Binary::LessEqual => Operator::LessEqual,
            Binary::Greater => Operator::Greater,
            Binary::GreaterEqual => Operator::GreaterEqual,
            Binary::Add => Operator::Add,
            Binary::Subtract => Operator::Subtract,
            Binary::Multiply => Operator::Multiply,
            Binary::Divide => Operator::Divide,
            Binary::Modulo => Operator::Modulo,
        }
    }

    /// How tightly it binds: a greater number binds tighter.
    pub fn precedence(self) -> u8 {
        use Binary::*;
        match self {
            Or => 1,
            And => 2,
            Either => 3,
            Both => 4,
            Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => 5,
            Add | Subtract => 6,
            Multiply | Divide | Modulo => 7,
        }
    }

    /// How it is written.
    pub fn symbol(self) -> &'static str {
        use Binary::*;
        match self {
            Or => "or",
            And => "and",
            Either => "|",
            Both => "&",
            Equal => "=",
            NotEqual => "<>",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Modulo => "mod",
        }
    }
}

/// What a block-style declaration declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeclareKind {
    /// Variables and arrays.
    Data(DataNode),
    /// Semaphores, with their number of places.
    Sem(Option<NodeId>),
}

/// A declared name, with its length if it is an array and what it starts with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declarator {
    /// The name.
    pub ident: Ident,
    /// The number of elements, of an array.
    pub length: Option<NodeId>,
    /// The initial value; of a semaphore, how many of its places are taken.
    pub initial: Option<NodeId>,
}

/// A parameter with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// The name.
    pub ident: Ident,
    /// Its type.
    pub argument: ArgumentNode,
}

/// A data type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataNode {
    /// Which.
    pub kind: DataKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of data types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DataKind {
    Bool,
    Int,
    Mod(NodeId),
    Machine {
        signed: bool,
        bits: u32,
    },
    /// Names of functions, in modules.
    Function(FunctionNode),
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeNode {
    /// Which.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    Missing,
    Com,
    Exp(DataNode),
    Var(DataNode, Option<NodeId>),
    Sem(Option<NodeId>),
    Fun(Box<ArgumentNode>, Box<TypeNode>),
}

/// A type with the bound written behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentNode {
    /// The type.
    pub ty: TypeNode,
    /// The bound.
    pub bound: Option<NodeId>,
}

impl Node {
    /// The same node with each of its children, in the order in which they are written, put through `f`.
    pub fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> Node {
        use Node::*;
        match self {
            Missing => Missing,
            Name(name) => Name(name.clone()),
            Number(n) => Number(n.clone()),
            Truth(b) => Truth(*b),
            Skip => Skip,
            Abort => Abort,
            Diverge => Diverge,
            Goto(label) => Goto(label.clone()),
            Negate(a) => Negate(f(*a)),
            Not(a) => Not(f(*a)),
            Deref(a) => Deref(f(*a)),
            Assert(a) => Assert(f(*a)),
            Grab(a) => Grab(f(*a)),
            Release(a) => Release(f(*a)),
            BeginPredicate(a) => BeginPredicate(f(*a)),
            EndPredicate(a) => EndPredicate(f(*a)),
            Binary(operator, a, b) => Binary(*operator, f(*a), f(*b)),
            Index(a, b) => Index(f(*a), f(*b)),
            Assign(a, b) => Assign(f(*a), f(*b)),
            While(a, b) => While(f(*a), f(*b)),
            WithPredicate(a, b) => WithPredicate(f(*a), f(*b)),
            Break(label, a) => Break(label.clone(), f(*a)),
            Continue(label, a) => Continue(label.clone(), f(*a)),
            If(a, b, c) => If(f(*a), f(*b), c.map(f)),
            Apply(a, rest) => Apply(f(*a), rest.iter().map(|a| f(*a)).collect()),
            Sequence(parts) => Sequence(parts.iter().map(|a| f(*a)).collect()),
            Parallel(parts) => Parallel(parts.iter().map(|a| f(*a)).collect()),
            List(parts) => List(parts.iter().map(|a| f(*a)).collect()),
            New { data, variable, body } => {
                New { data: data.map(f), variable: variable.map(f), body: f(*body) }
            }
            Declare { kind, variables, body } => Declare {
                kind: kind.map(f),
                variables: variables.iter().map(|variable| variable.map(f)).collect(),
                body: f(*body),
            },
            Let { ident, parameters, result, definition, body } => Let {
                ident: ident.clone(),
                parameters: parameters.iter().map(|parameter| parameter.map(f)).collect(),
                result: result.as_ref().map(|ty| ty.map(f)),
                definition: f(*definition),
                body: f(*body),
            },
            Fun(parameters, body) => {
                Fun(parameters.iter().map(|parameter| parameter.map(f)).collect(), f(*body))
            }
            Copies { ident, from, to, body } => {
                Copies { ident: ident.clone(), from: f(*from), to: f(*to), body: f(*body) }
            }
        }
    }
}

impl Items {
    /// The same module with each node, in the order in which they are written, put through `f`.
    pub fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> Items {
        let threads = self.threads.map(&mut *f);
        let item = |item: &Item| match item {
            Item::Import(ident, function) => Item::Import(ident.clone(), function.map(f)),
            Item::Cells(kind, variables) => {
                Item::Cells(kind.map(f), variables.iter().map(|variable| variable.map(f)).collect())
            }
            Item::Mutexes(idents) => Item::Mutexes(idents.clone()),
            Item::Procedure(procedure) => Item::Procedure(ProcedureNode {
                exported: procedure.exported,
                ident: procedure.ident.clone(),
                parameters: (procedure.parameters.iter())
                    .map(|(ident, data)| (ident.clone(), data.map(f)))
                    .collect(),
                result: procedure.result.as_ref().map(|result| match result {
                    ResultNode::Com => ResultNode::Com,
                    ResultNode::Data(data) => ResultNode::Data(data.map(f)),
                }),
                body: f(procedure.body),
            }),
        };
        Items { span: self.span, threads, items: self.items.iter().map(item).collect() }
    }
}

impl FunctionNode {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> FunctionNode {
        FunctionNode {
            parameters: self.parameters.iter().map(|data| data.map(f)).collect(),
            result: self.result.as_ref().map(|data| Box::new(data.map(f))),
        }
    }
}

impl DeclareKind {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> DeclareKind {
        match self {
            DeclareKind::Data(data) => DeclareKind::Data(data.map(f)),
            DeclareKind::Sem(places) => DeclareKind::Sem(places.map(&mut *f)),
        }
    }
}

impl Declarator {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> Declarator {
        Declarator {
            ident: self.ident.clone(),
            length: self.length.map(&mut *f),
            initial: self.initial.map(&mut *f),
        }
    }
}

impl Parameter {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> Parameter {
        Parameter { ident: self.ident.clone(), argument: self.argument.map(f) }
    }
}

impl DataNode {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> DataNode {
        let kind = match &self.kind {
            DataKind::Mod(k) => DataKind::Mod(f(*k)),
            DataKind::Function(function) => DataKind::Function(function.map(f)),
            other => other.clone(),
        };
        DataNode { kind, span: self.span }
    }
}

impl TypeNode {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> TypeNode {
        let kind = match &self.kind {
            TypeKind::Missing => TypeKind::Missing,
            TypeKind::Com => TypeKind::Com,
            TypeKind::Exp(data) => TypeKind::Exp(data.map(f)),
            TypeKind::Var(data, length) => TypeKind::Var(data.map(f), length.map(&mut *f)),
            TypeKind::Sem(places) => TypeKind::Sem(places.map(&mut *f)),
            TypeKind::Fun(argument, result) => {
                TypeKind::Fun(Box::new(argument.map(f)), Box::new(result.map(f)))
            }
        };
        TypeNode { kind, span: self.span }
    }
}

impl ArgumentNode {
    fn map(&self, f: &mut dyn FnMut(NodeId) -> NodeId) -> ArgumentNode {
        ArgumentNode { ty: self.ty.map(f), bound: self.bound.map(f) }
    }
}
