//! What a sequential program means as it is written: the naive twin of elaboration.
//!
//! Nothing is converted beforehand. A declared type is a contract that is kept while the program runs: whatever goes
//! through it is brought into its range, in both directions, whether that changes anything or not. So nothing here
//! decides that a conversion can be left out, as elaboration does.

use std::rc::Rc;

use agon_base::int::Int;
use agon_core::term::{Name, Operator, Unary};
use agon_core::types::{Argument, Data, Type};
use agon_ia::tree::{
    ArgumentNode, Binary, DataKind, DataNode, Declarator, DeclareKind, Node, NodeId, Parameter, Program,
    TypeKind, TypeNode,
};

/// Why a phrase gave no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    Abort,
    Diverge,
    /// The run took longer than it was given.
    Exhausted,
    /// A jump on its way to its label, by the number of the label's run.
    Jump(u64),
    /// The environment has no more to say.
    Over,
}

pub type Outcome = Result<Int, Exit>;

/// What is asked of a phrase of base type.
#[derive(Clone, Debug)]
pub enum Request {
    Run,
    Read,
    Write(Int),
}

/// What is asked of a phrase: with these arguments, at this element.
#[derive(Clone)]
pub struct Ask {
    pub arguments: Vec<Phrase>,
    pub element: Option<u64>,
    pub request: Request,
}

/// A phrase: its type, and what it does when it is asked.
#[derive(Clone)]
pub struct Phrase {
    pub ty: Type,
    meaning: Rc<Meaning>,
}

type Meaning = dyn Fn(&mut Run<'_>, Ask) -> Outcome;

/// The environment: what free identifiers do.
pub trait Environment {
    /// A free identifier is asked, by its place in the context; those of the program's own arguments come after.
    fn ask(&mut self, run: &mut Run<'_>, free: usize, ask: Ask) -> Outcome;
}

/// A run of a program.
pub struct Run<'a> {
    program: &'a Program,
    cells: Vec<Int>,
    labels: u64,
    steps: u64,
    environment: Option<&'a mut dyn Environment>,
}

/// What names and labels stand for, innermost last.
#[derive(Clone, Default)]
struct Scope {
    names: Vec<(Name, Phrase)>,
    labels: Vec<(Name, u64)>,
}

impl Scope {
    fn with(&self, name: &Name, phrase: Phrase) -> Scope {
        let mut scope = self.clone();
        scope.names.push((name.clone(), phrase));
        scope
    }

    fn with_label(&self, name: &Name, label: u64) -> Scope {
        let mut scope = self.clone();
        scope.labels.push((name.clone(), label));
        scope
    }
}

/// Runs a program in an environment, for this many steps at most: asks its body, applied to its arguments.
pub fn run(program: &Program, environment: &mut dyn Environment, request: Request, steps: u64) -> Outcome {
    let mut scope = Scope::default();
    for (free, binding) in program.context.iter().enumerate() {
        let ty = written(program, &binding.argument.ty);
        scope = scope.with(&binding.ident.name, free_identifier(free, ty));
    }
    let body = phrase(program, program.body, &scope);
    let (parameters, _) = body.ty.uncurry();
    let count = program.context.len();
    let arguments = parameters.iter().enumerate();
    let arguments =
        arguments.map(|(n, parameter)| free_identifier(count + n, parameter.ty.clone())).collect();
    let mut run = Run { program, cells: Vec::new(), labels: 0, steps, environment: Some(environment) };
    body.ask(&mut run, Ask { arguments, element: None, request })
}

/// The type that a program has.
pub fn type_of(program: &Program) -> Type {
    let mut scope = Scope::default();
    for (free, binding) in program.context.iter().enumerate() {
        let ty = written(program, &binding.argument.ty);
        scope = scope.with(&binding.ident.name, free_identifier(free, ty));
    }
    phrase(program, program.body, &scope).ty
}

fn free_identifier(free: usize, ty: Type) -> Phrase {
    // Whatever goes to the environment, or comes from it, goes through the declared type.
    let asked = Phrase::new(ty.clone(), move |run, ask| {
        let environment = run.environment.take().expect("the environment is asked one thing at a time");
        let outcome = environment.ask(run, free, ask);
        run.environment = Some(environment);
        outcome
    });
    through(asked, &ty)
}

impl Run<'_> {
    /// The environment asks for something of the program while it is being asked itself.
    pub fn argument(&mut self, environment: &mut dyn Environment, phrase: &Phrase, ask: Ask) -> Outcome {
        let mut inner = Run {
            program: self.program,
            cells: std::mem::take(&mut self.cells),
            labels: self.labels,
            steps: self.steps,
            environment: Some(environment),
        };
        let outcome = phrase.ask(&mut inner, ask);
        let Run { cells, labels, steps, .. } = inner;
        (self.cells, self.labels, self.steps) = (cells, labels, steps);
        outcome
    }
}

impl Ask {
    pub fn plain(request: Request) -> Ask {
        Ask { arguments: Vec::new(), element: None, request }
    }
}

impl Phrase {
    fn new(ty: Type, meaning: impl Fn(&mut Run<'_>, Ask) -> Outcome + 'static) -> Phrase {
        Phrase { ty, meaning: Rc::new(meaning) }
    }

    fn ask(&self, run: &mut Run<'_>, ask: Ask) -> Outcome {
        run.steps = run.steps.checked_sub(1).ok_or(Exit::Exhausted)?;
        let meaning = self.meaning.clone();
        stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || meaning(run, ask))
    }

    /// The value of an expression; a variable is read.
    fn value(&self, run: &mut Run<'_>) -> Outcome {
        let request = if let Type::Var(_) = self.ty { Request::Read } else { Request::Run };
        self.ask(run, Ask::plain(request))
    }
}

/// A phrase behind a type: arguments and what is written go through it inwards, values outwards.
fn through(phrase: Phrase, ty: &Type) -> Phrase {
    let to = ty.clone();
    Phrase::new(ty.clone(), move |run, mut ask| {
        let (parameters, base) = to.uncurry();
        for (argument, parameter) in ask.arguments.iter_mut().zip(parameters) {
            *argument = through(argument.clone(), &parameter.ty);
        }
        let reads = matches!(ask.request, Request::Run | Request::Read);
        // A variable where a value is declared is read.
        let inner = phrase.ty.uncurry().1.clone();
        if let (Type::Var(_), Type::Exp(_)) = (&inner, base) {
            ask.request = Request::Read;
        }
        if let (Request::Write(n), Some(data)) = (&ask.request, base.data()) {
            ask.request = Request::Write(data.wrap(n));
        }
        let value = phrase.ask(run, ask)?;
        Ok(match base.data() {
            Some(data) if reads => data.wrap(&value),
            _ => value,
        })
    })
}

fn data(program: &Program, node: &DataNode) -> Data {
    match &node.kind {
        DataKind::Bool => Data::Bool,
        DataKind::Int => Data::Int,
        DataKind::Machine { signed, bits } => Data::Machine { signed: *signed, bits: *bits },
        DataKind::Mod(size) => Data::Mod(number(program, *size)),
        DataKind::Function(_) => panic!("terms have no names of functions"),
    }
}

fn number(program: &Program, node: NodeId) -> Int {
    match program.tree.node(node) {
        Node::Number(n) => n.clone(),
        node => panic!("random programs have plain numbers in their types, not {node:?}"),
    }
}

fn written(program: &Program, node: &TypeNode) -> Type {
    match &node.kind {
        TypeKind::Com => Type::Com,
        TypeKind::Exp(node) => Type::Exp(data(program, node)),
        TypeKind::Var(node, None) => Type::Var(data(program, node)),
        TypeKind::Var(node, Some(length)) => {
            Type::Array(data(program, node), number(program, *length).to_u64().expect("it is short"))
        }
        TypeKind::Fun(parameter, result) => Type::fun(argument(program, parameter), written(program, result)),
        other => panic!("{other:?} is no type of a sequential program"),
    }
}

fn argument(program: &Program, node: &ArgumentNode) -> Argument {
    Argument { ty: written(program, &node.ty), bound: None }
}

/// A phrase that only says what it is of.
fn unknown(ty: Type) -> Phrase {
    Phrase::new(ty, |_, _| unreachable!("types are found without running anything"))
}

/// The phrase that a node is, in a scope.
fn phrase(program: &Program, id: NodeId, scope: &Scope) -> Phrase {
    stacker::maybe_grow(256 * 1024, 4 * 1024 * 1024, || phrase_here(program, id, scope))
}

fn phrase_here(program: &Program, id: NodeId, scope: &Scope) -> Phrase {
    let of = |id: NodeId| phrase(program, id, scope);
    let done = || Ok(Int::ZERO);
    let exp = Type::Exp;
    match program.tree.node(id) {
        Node::Name(name) => {
            let found = scope.names.iter().rev().find(|(known, _)| known == name);
            found.unwrap_or_else(|| panic!("{name} is not declared")).1.clone()
        }
        Node::Number(n) => {
            let n = n.clone();
            Phrase::new(exp(Data::Int), move |_, _| Ok(n.clone()))
        }
        Node::Truth(b) => {
            let n = Int::truth(*b);
            Phrase::new(exp(Data::Bool), move |_, _| Ok(n.clone()))
        }
        Node::Skip => Phrase::new(Type::Com, move |_, _| done()),
        Node::Abort => Phrase::new(Type::Never, |_, _| Err(Exit::Abort)),
        Node::Diverge => Phrase::new(Type::Never, |_, _| Err(Exit::Diverge)),
        Node::Negate(a) => unary(Unary::Negate, Data::Int, of(*a)),
        Node::Not(a) => unary(Unary::Not, Data::Bool, of(*a)),
        Node::Deref(a) => {
            let a = of(*a);
            let data = a.ty.data().cloned();
            Phrase::new(data.map_or(Type::Never, exp), move |run, _| a.value(run))
        }
        Node::Binary(operator, a, b) => binary(*operator, of(*a), of(*b)),
        Node::Apply(head, arguments) => {
            let mut function = of(*head);
            for given in arguments {
                // What never gives control back never looks at its arguments.
                let Type::Fun(parameter, result) = function.ty.clone() else { continue };
                let given = through(of(*given), &parameter.ty);
                let head = function;
                function = Phrase::new((*result).clone(), move |run, mut ask| {
                    ask.arguments.insert(0, given.clone());
                    head.ask(run, ask)
                });
            }
            function
        }
        Node::Index(array, index) => {
            let (array, index) = (of(*array), of(*index));
            let (ty, length) = match &array.ty {
                Type::Array(data, length) => (Type::Var(data.clone()), Some(*length)),
                _ => (Type::Never, None),
            };
            Phrase::new(ty, move |run, mut ask| {
                let at = index.value(run)?;
                match (at.to_u64(), length) {
                    (Some(at), Some(length)) if at < length => ask.element = Some(at),
                    (_, Some(_)) => return Err(Exit::Abort),
                    _ => {}
                }
                array.ask(run, ask)
            })
        }
        Node::Assign(a, b) => {
            let (a, b) = (of(*a), of(*b));
            let ty = if a.ty == Type::Never { Type::Never } else { Type::Com };
            Phrase::new(ty, move |run, _| {
                let n = b.value(run)?;
                let n = a.ty.data().map_or(n.clone(), |data| data.wrap(&n));
                a.ask(run, Ask::plain(Request::Write(n)))
            })
        }
        Node::Sequence(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| of(*part)).collect();
            let ty = parts.last().map_or(Type::Com, |last| last.ty.clone());
            Phrase::new(ty, move |run, ask| {
                let (last, before) = parts.split_last().expect("a sequence has parts");
                for part in before {
                    part.ask(run, Ask::plain(Request::Run))?;
                }
                last.ask(run, ask)
            })
        }
        Node::If(guard, yes, no) => {
            let guard = of(*guard);
            let yes = of(*yes);
            let no = no.map_or_else(|| Phrase::new(Type::Com, move |_, _| done()), of);
            let ty = joined(&yes.ty, &no.ty);
            let (yes, no) = (through(yes, &ty), through(no, &ty));
            Phrase::new(
                ty,
                move |run, ask| {
                    if guard.value(run)?.is_zero() { no.ask(run, ask) } else { yes.ask(run, ask) }
                },
            )
        }
        Node::While(guard, body) => {
            let (guard, body) = (of(*guard), of(*body));
            Phrase::new(Type::Com, move |run, _| {
                while !guard.value(run)?.is_zero() {
                    body.ask(run, Ask::plain(Request::Run))?;
                }
                Ok(Int::ZERO)
            })
        }
        Node::New { data: node, variable, body } => {
            cells(program, &data(program, node), std::slice::from_ref(variable), *body, scope)
        }
        Node::Declare { kind: DeclareKind::Data(node), variables, body } => {
            cells(program, &data(program, node), variables, *body, scope)
        }
        Node::Let { ident, parameters, result, definition, body } => {
            let result = result.as_ref().map(|result| written(program, result));
            let defined = function(program, parameters, result.as_ref(), *definition, scope);
            phrase(program, *body, &scope.with(&ident.name, defined))
        }
        Node::Fun(parameters, body) => function(program, parameters, None, *body, scope),
        Node::Break(label, body) => labelled(label.name.clone(), false, *body, scope),
        Node::Continue(label, body) => labelled(label.name.clone(), true, *body, scope),
        Node::Goto(label) => {
            let found = scope.labels.iter().rev().find(|(known, _)| *known == label.name);
            let own = found.expect("the label is declared").1;
            Phrase::new(Type::Never, move |_, _| Err(Exit::Jump(own)))
        }
        Node::Assert(condition) => {
            let condition = of(*condition);
            Phrase::new(Type::Com, move |run, _| {
                if condition.value(run)?.is_zero() { Err(Exit::Abort) } else { Ok(Int::ZERO) }
            })
        }
        node => panic!("random sequential programs have no {node:?}"),
    }
}

fn unary(operator: Unary, data: Data, a: Phrase) -> Phrase {
    Phrase::new(Type::Exp(data), move |run, _| Ok(operator.apply(&a.value(run)?)))
}

fn binary(operator: Binary, a: Phrase, b: Phrase) -> Phrase {
    let operator = match operator {
        Binary::And | Binary::Or => {
            let stops = operator == Binary::Or;
            return Phrase::new(Type::Exp(Data::Bool), move |run, _| {
                if a.value(run)?.is_zero() != stops {
                    return Ok(Int::truth(stops));
                }
                Ok(Int::truth(!b.value(run)?.is_zero()))
            });
        }
        Binary::Either => Operator::Either,
        Binary::Both => Operator::Both,
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
    };
    let data = if operator.is_truth() { Data::Bool } else { Data::Int };
    Phrase::new(Type::Exp(data), move |run, _| {
        let a = a.value(run)?;
        let b = b.value(run)?;
        operator.apply(&a, &b).ok_or(Exit::Abort)
    })
}

/// The type of a conditional: the narrower arguments and the wider result.
fn joined(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Never, other) | (other, Type::Never) => other.clone(),
        (Type::Var(x), Type::Var(y)) if x.same_values(y) => a.clone(),
        (Type::Exp(x) | Type::Var(x), Type::Exp(y) | Type::Var(y)) if x.same_values(y) => {
            Type::Exp(x.clone())
        }
        (Type::Exp(_) | Type::Var(_), Type::Exp(_) | Type::Var(_)) => Type::Exp(Data::Int),
        (Type::Fun(p, x), Type::Fun(q, y)) => {
            let ty = narrower(&p.ty, &q.ty);
            Type::fun(Argument { ty, bound: None }, wider(x, y))
        }
        _ => a.clone(),
    }
}

/// Of two types that fit together, the one with fewer values.
fn narrower(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Fun(p, x), Type::Fun(q, y)) => {
            let ty = wider(&p.ty, &q.ty);
            Type::fun(Argument { ty, bound: None }, narrower(x, y))
        }
        _ if a.data().and_then(Data::size) <= b.data().and_then(Data::size) => a.clone(),
        _ => b.clone(),
    }
}

/// The one with more.
fn wider(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (Type::Fun(..), Type::Fun(..)) => joined(a, b),
        _ if narrower(a, b) == *a => b.clone(),
        _ => a.clone(),
    }
}

fn cells(program: &Program, data: &Data, variables: &[Declarator], body: NodeId, scope: &Scope) -> Phrase {
    let Some((first, rest)) = variables.split_first() else { return phrase(program, body, scope) };
    let length = first.length.map(|length| number(program, length).to_u64().expect("arrays are short"));
    let ty = match length {
        Some(length) => Type::Array(data.clone(), length),
        None => Type::Var(data.clone()),
    };
    let initial = first.initial.map(|initial| phrase(program, initial, scope));
    let typed = cells(program, data, rest, body, &scope.with(&first.ident.name, unknown(ty.clone()))).ty;
    let (data, name, rest, scope) = (data.clone(), first.ident.name.clone(), rest.to_vec(), scope.clone());
    Phrase::new(typed, move |run, ask| {
        let start = initial.as_ref().map_or(Ok(Int::ZERO), |initial| initial.value(run))?;
        let place = run.cells.len();
        run.cells.resize(place + length.unwrap_or(1) as usize, data.wrap(&start));
        let wrapped = data.clone();
        let cell = Phrase::new(ty.clone(), move |run, ask| {
            let place = place + ask.element.unwrap_or(0) as usize;
            match &ask.request {
                Request::Write(n) => {
                    run.cells[place] = wrapped.wrap(n);
                    Ok(Int::ZERO)
                }
                _ => Ok(run.cells[place].clone()),
            }
        });
        let outcome = cells(run.program, &data, &rest, body, &scope.with(&name, cell)).ask(run, ask);
        run.cells.truncate(place);
        outcome
    })
}

/// A procedure with any number of parameters, none included.
fn function(
    program: &Program,
    parameters: &[Parameter],
    result: Option<&Type>,
    body: NodeId,
    scope: &Scope,
) -> Phrase {
    let Some((first, rest)) = parameters.split_first() else {
        let body = phrase(program, body, scope);
        return match result {
            Some(result) => through(body, result),
            None => body,
        };
    };
    let parameter = argument(program, &first.argument);
    let name = first.ident.name.clone();
    let inner = function(program, rest, result, body, &scope.with(&name, unknown(parameter.ty.clone()))).ty;
    let ty = Type::fun(parameter.clone(), inner);
    let (rest, result, scope) = (rest.to_vec(), result.cloned(), scope.clone());
    Phrase::new(ty, move |run, mut ask| {
        let given = through(ask.arguments.remove(0), &parameter.ty);
        function(run.program, &rest, result.as_ref(), body, &scope.with(&name, given)).ask(run, ask)
    })
}

fn labelled(name: Name, again: bool, body: NodeId, scope: &Scope) -> Phrase {
    let scope = scope.clone();
    Phrase::new(Type::Com, move |run, _| {
        loop {
            let own = run.labels;
            run.labels += 1;
            let cells = run.cells.len();
            match phrase(run.program, body, &scope.with_label(&name, own)).ask(run, Ask::plain(Request::Run))
            {
                Err(Exit::Jump(to)) if to == own => run.cells.truncate(cells),
                outcome => return outcome,
            }
            if !again {
                return Ok(Int::ZERO);
            }
        }
    })
}
