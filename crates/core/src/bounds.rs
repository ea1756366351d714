//! Types with bounds: in how many threads at once everything is used, by the rules of [SCC, §2].
//!
//! A bound stands at every argument of a procedure type and at every free identifier. Those that the environment
//! is to keep, the *assumes*, are as they are written, 1 where nothing is. Those that the program keeps, the
//! *guarantees*, are inferred, and are the least that the rules allow:
//!
//! - what happens one after the other shares its threads, so the greater number of uses counts;
//! - `||` and application add up, and the uses in an argument are multiplied by the bound of the argument;
//! - `let x = N in M` is `(fun x . M)(N)`;
//! - a procedure fits where one with greater bounds is wanted whose arguments keep to lesser ones.
//!
//! Every position of every variable's type gets a number of its own, and every rule says that some number is at
//! least what others come to. Such inequations have a least solution, or none below the greatest bound.

mod blame;
mod graph;

use std::collections::BTreeMap;
use std::fmt;

use agon_base::diagnostic::Diagnostic;
use agon_base::source::Span;
use graph::{Graph, Node, Rule, Solution};

use crate::term::{Construct, Judgement, Name, TermId, VarId};
use crate::types::{Argument, Type};

/// A judgement with all its bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The free identifiers with their types, every bound written out.
    pub context: Vec<(Name, Argument)>,
    /// The type of the program, every bound written out.
    pub ty: Type,
    /// The bounds one by one, in the order in which they are written.
    pub positions: Vec<Position>,
}

/// Who is to keep a bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The environment: within the left-hand side of an even number of arrows, the turnstile counted.
    Assume,
    /// The program: of an odd number.
    Guarantee,
}

/// A bound with its place in the judgement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The free identifier in whose type it stands; nothing for the program's own.
    pub identifier: Option<Name>,
    /// The argument that it bounds: `[2, 1]` is the first argument of the second. The identifier itself has an
    /// empty path.
    pub path: Vec<usize>,
    /// Whether what it bounds is a procedure.
    pub procedure: bool,
    /// Who is to keep it.
    pub role: Role,
    /// The bound itself.
    pub bound: u64,
}

/// A bound that was written, and that the program does not keep.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The variable in whose declaration it is written.
    pub variable: VarId,
    /// Where it stands in the type of the variable, and what it would have to be.
    pub position: Position,
    /// What it is.
    pub written: u64,
    /// The use that breaks it.
    pub place: Span,
    /// All of this as a message.
    pub diagnostic: Diagnostic,
}

/// The judgement with all its bounds, or why there is none.
pub fn bounds(judgement: &Judgement) -> Result<Bounds, Vec<Diagnostic>> {
    match infer(judgement) {
        Ok((bounds, broken)) if broken.is_empty() => Ok(bounds),
        Ok((_, broken)) => Err(broken.into_iter().map(|broken| broken.diagnostic).collect()),
        Err(diagnostic) => Err(vec![diagnostic]),
    }
}

/// The judgement with its bounds as they must be, and the written ones that are too small; the reason, if no bounds
/// fit at all.
pub fn infer(judgement: &Judgement) -> Result<(Bounds, Vec<Broken>), Diagnostic> {
    let mut inference = Inference::new(judgement);
    inference.environment();
    inference.terms();
    inference.usage_of_the_whole();
    match inference.graph.solve() {
        Ok(solution) => Ok((inference.bounds(&solution), inference.broken(&solution))),
        Err(excess) => Err(inference.no_bounds(&excess)),
    }
}

/// A type whose bounds are numbers to be found.
#[derive(Clone, Copy)]
enum Shape {
    Base,
    Procedure { bound: Node, argument: ShapeId, result: ShapeId },
}

agon_base::id! {
    /// A [`Shape`] of an [`Inference`].
    ShapeId;
}

/// The shape of everything that takes no arguments.
const BASE: ShapeId = ShapeId(0);

/// The variables that a term uses, and in how many threads at once.
type Usage = BTreeMap<VarId, Node>;

/// Whose bounds the bounds of a type are.
#[derive(Clone, Copy)]
enum Standing {
    /// The program's, on both sides of every arrow: all are inferred.
    Inside,
    /// The environment's outside of an even number of arrows, where `assumed`.
    Interface { assumed: bool },
}

/// A written bound that is to be kept.
struct Claim {
    node: Node,
    written: u64,
    variable: VarId,
}

struct Inference<'a> {
    judgement: &'a Judgement,
    graph: Graph,
    shapes: Vec<Shape>,
    /// The shape of each variable's type.
    variables: Vec<ShapeId>,
    /// The bound of each variable itself, once its binder was seen.
    outermost: Vec<Option<Node>>,
    /// Cells and semaphores of the program: whatever happens to them is nobody's business.
    local: Vec<bool>,
    /// The shape of each term.
    terms: Vec<ShapeId>,
    /// What each term uses, until what it is part of has been seen.
    usages: Vec<Usage>,
    /// How many terms a term is part of; 0 for what was left out.
    parents: Vec<u32>,
    claims: Vec<Claim>,
    /// The variables that stand for definitions.
    definitions: Vec<bool>,
}

impl<'a> Inference<'a> {
    fn new(judgement: &'a Judgement) -> Inference<'a> {
        let terms = &judgement.terms;
        let mut parents = vec![0; terms.len()];
        let mut local = vec![false; terms.variable_count()];
        parents[judgement.body.index()] = 1;
        // Parts come before what they are parts of, so what the program consists of is found backwards.
        for number in (0..terms.len()).rev() {
            if parents[number] == 0 {
                continue;
            }
            let construct = terms.construct(TermId::new(number));
            construct.each_child(|child| parents[child.index()] += 1);
            if let Construct::New(new) = construct {
                local[new.variable.index()] = true;
            }
            if let Construct::NewSemaphore(variable, ..) = construct {
                local[variable.index()] = true;
            }
        }
        Inference {
            judgement,
            graph: Graph::default(),
            shapes: vec![Shape::Base],
            variables: vec![BASE; terms.variable_count()],
            outermost: vec![None; terms.variable_count()],
            local,
            terms: vec![BASE; terms.len()],
            usages: vec![Usage::new(); terms.len()],
            parents,
            claims: Vec::new(),
            definitions: vec![false; terms.variable_count()],
        }
    }

    /// Gives every variable's type a shape.
    fn environment(&mut self) {
        let judgement = self.judgement;
        let inside = (Standing::Inside, true);
        let mut standings = vec![inside; self.variables.len()];
        for variable in &judgement.context {
            standings[variable.index()] = (Standing::Interface { assumed: true }, true);
        }
        // What is written for the program's own arguments is written where they are declared, at a `fun`.
        for variable in &judgement.arguments {
            standings[variable.index()] = (Standing::Interface { assumed: true }, false);
        }
        for (number, (standing, claims)) in standings.into_iter().enumerate() {
            let variable = VarId::new(number);
            let ty = &judgement.terms.variable(variable).ty;
            self.variables[number] = self.shape(ty, standing, claims.then_some(variable));
        }
    }

    /// A new shape for a type. The bounds that are written in it are claims of the variable, if there is one.
    fn shape(&mut self, ty: &Type, standing: Standing, claimant: Option<VarId>) -> ShapeId {
        let Type::Fun(parameter, result) = ty else { return BASE };
        let place = self.judgement.body;
        let (bound, inner) = match standing {
            Standing::Interface { assumed: true } => {
                let bound = self.graph.add(Rule::Fixed(parameter.bound.unwrap_or(1)), place);
                (bound, Standing::Interface { assumed: false })
            }
            Standing::Interface { assumed: false } => {
                (self.graph.add(Rule::Bound, place), Standing::Interface { assumed: true })
            }
            Standing::Inside => (self.graph.add(Rule::Bound, place), Standing::Inside),
        };
        self.claim(bound, parameter.bound, claimant);
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let argument = self.shape(&parameter.ty, inner, claimant);
            let result = self.shape(result, standing, claimant);
            self.procedure(bound, argument, result)
        })
    }

    fn procedure(&mut self, bound: Node, argument: ShapeId, result: ShapeId) -> ShapeId {
        let id = ShapeId::new(self.shapes.len());
        self.shapes.push(Shape::Procedure { bound, argument, result });
        id
    }

    fn claim(&mut self, node: Node, written: Option<u64>, claimant: Option<VarId>) {
        if let (Rule::Bound, Some(written), Some(variable)) = (self.graph.rule(node), written, claimant) {
            self.claims.push(Claim { node, written, variable });
        }
    }

    /// The rules, one arm per construct that has one of its own.
    fn terms(&mut self) {
        let judgement = self.judgement;
        for number in 0..judgement.terms.len() {
            let id = TermId::new(number);
            if self.parents[number] == 0 {
                continue;
            }
            let (shape, usage) = match judgement.terms.construct(id) {
                Construct::Variable(variable) => {
                    let mut usage = Usage::new();
                    if !self.local[variable.index()] {
                        usage.insert(*variable, self.graph.add(Rule::Use, id));
                    }
                    (self.variables[variable.index()], usage)
                }
                Construct::Lambda(variable, body) => {
                    let mut usage = self.usage(*body);
                    let bound = self.bind(*variable, &mut usage, id);
                    let argument = self.variables[variable.index()];
                    (self.procedure(bound, argument, self.terms[body.index()]), usage)
                }
                Construct::Apply(function, argument) => self.apply(id, *function, *argument),
                Construct::Let(variable, definition, body) => {
                    self.definitions[variable.index()] = true;
                    let mut usage = self.usage(*body);
                    let bound = self.bind(*variable, &mut usage, id);
                    let wanted = self.variables[variable.index()];
                    self.flow(self.terms[definition.index()], wanted, *definition);
                    let defined = self.usage(*definition);
                    let defined = self.times(bound, defined, id);
                    (self.terms[body.index()], self.join(usage, defined, Rule::Sum, id))
                }
                Construct::Parallel(left, right) => {
                    let (left, right) = (self.usage(*left), self.usage(*right));
                    (BASE, self.join(left, right, Rule::Sum, id))
                }
                Construct::If(guard, yes, no) => {
                    let shape = self.shape(judgement.terms.ty(id), Standing::Inside, None);
                    self.flow(self.terms[yes.index()], shape, *yes);
                    self.flow(self.terms[no.index()], shape, *no);
                    (shape, self.one_after_the_other(id, &[*guard, *yes, *no]))
                }
                construct => {
                    let mut parts = Vec::new();
                    construct.each_child(|part| parts.push(part));
                    let shape = match construct {
                        Construct::Sequence(_, last)
                        | Construct::WithPredicate(_, last)
                        | Construct::NewSemaphore(.., last) => self.terms[last.index()],
                        Construct::New(new) => self.terms[new.body.index()],
                        _ => BASE,
                    };
                    (shape, self.one_after_the_other(id, &parts))
                }
            };
            self.terms[number] = shape;
            self.usages[number] = usage;
        }
    }

    fn apply(&mut self, id: TermId, function: TermId, argument: TermId) -> (ShapeId, Usage) {
        let usage = self.usage(function);
        let given = self.usage(argument);
        match self.shapes[self.terms[function.index()].index()] {
            Shape::Procedure { bound, argument: wanted, result } => {
                self.flow(self.terms[argument.index()], wanted, argument);
                let given = self.times(bound, given, id);
                (result, self.join(usage, given, Rule::Sum, id))
            }
            // What never gives control back never looks at its argument.
            Shape::Base => (BASE, usage),
        }
    }

    /// What a term uses. It is handed on to the term that it is part of, or copied if it is part of several.
    fn usage(&mut self, id: TermId) -> Usage {
        let parents = &mut self.parents[id.index()];
        if *parents > 1 {
            *parents -= 1;
            return self.usages[id.index()].clone();
        }
        std::mem::take(&mut self.usages[id.index()])
    }

    /// The bound of a variable at its binder: what the body uses of it.
    fn bind(&mut self, variable: VarId, usage: &mut Usage, place: TermId) -> Node {
        let bound = self.graph.add(Rule::Bound, place);
        if let Some(used) = usage.remove(&variable) {
            self.graph.flow(used, bound, place);
        }
        self.outermost[variable.index()] = Some(bound);
        let written = self.judgement.terms.variable(variable).bound;
        self.claim(bound, written, Some(variable));
        bound
    }

    /// What uses the free identifiers and the program's own arguments is the program as a whole.
    fn usage_of_the_whole(&mut self) {
        let judgement = self.judgement;
        let mut usage = self.usage(judgement.body);
        for variable in judgement.context.iter().chain(&judgement.arguments) {
            self.bind(*variable, &mut usage, judgement.body);
        }
    }

    fn one_after_the_other(&mut self, id: TermId, parts: &[TermId]) -> Usage {
        let mut usage = Usage::new();
        for part in parts {
            let next = self.usage(*part);
            usage = self.join(usage, next, Rule::Max, id);
        }
        usage
    }

    /// The uses of two terms together. The smaller table goes into the larger one, so that long programs take
    /// hardly longer than their length.
    fn join(&mut self, left: Usage, right: Usage, rule: fn(Node, Node) -> Rule, place: TermId) -> Usage {
        let swapped = left.len() < right.len();
        let (mut large, small) = if swapped { (right, left) } else { (left, right) };
        for (variable, node) in small {
            let joined = match large.get(&variable) {
                Some(other) if swapped => self.graph.add(rule(node, *other), place),
                Some(other) => self.graph.add(rule(*other, node), place),
                None => node,
            };
            large.insert(variable, joined);
        }
        large
    }

    fn times(&mut self, bound: Node, mut usage: Usage, place: TermId) -> Usage {
        if let Rule::Fixed(1) = self.graph.rule(bound) {
            return usage;
        }
        for node in usage.values_mut() {
            *node = self.graph.add(Rule::Product(bound, *node), place);
        }
        usage
    }

    /// A term of the first type can stand where the second is wanted.
    fn flow(&mut self, from: ShapeId, to: ShapeId, place: TermId) {
        let mut waiting = vec![(from, to)];
        while let Some((from, to)) = waiting.pop() {
            let pair = (self.shapes[from.index()], self.shapes[to.index()]);
            if let (
                Shape::Procedure { bound, argument, result },
                Shape::Procedure { bound: wanted, argument: given, result: expected },
            ) = pair
                && from != to
            {
                self.graph.flow(bound, wanted, place);
                waiting.push((given, argument));
                waiting.push((result, expected));
            }
        }
    }

    fn bounds(&self, solution: &Solution) -> Bounds {
        let judgement = self.judgement;
        let typed = |variable: &VarId| Argument {
            ty: self.typed(
                &judgement.terms.variable(*variable).ty,
                self.variables[variable.index()],
                solution,
            ),
            bound: Some(self.outermost[variable.index()].map_or(0, |node| solution.value(node))),
        };
        let context: Vec<_> = (judgement.context.iter())
            .map(|variable| (judgement.terms.variable(*variable).name.clone(), typed(variable)))
            .collect();
        let (_, result) = judgement.ty.uncurry();
        let ty = (judgement.arguments.iter().rev())
            .fold(result.clone(), |result, argument| Type::fun(typed(argument), result));
        let mut positions = Vec::new();
        for (name, argument) in &context {
            let own = Position {
                identifier: Some(name.clone()),
                path: Vec::new(),
                procedure: matches!(argument.ty, Type::Fun(..)),
                role: Role::Guarantee,
                bound: argument.bound.unwrap_or(0),
            };
            positions.push(own);
            list(Some(name), &argument.ty, &mut Vec::new(), Role::Assume, &mut positions);
        }
        list(None, &ty, &mut Vec::new(), Role::Guarantee, &mut positions);
        Bounds { context, ty, positions }
    }

    /// The type with the bounds that were found.
    fn typed(&self, ty: &Type, shape: ShapeId, solution: &Solution) -> Type {
        match (ty, self.shapes[shape.index()]) {
            (Type::Fun(parameter, rest), Shape::Procedure { bound, argument, result }) => {
                stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                    let ty = self.typed(&parameter.ty, argument, solution);
                    let bound = Some(solution.value(bound));
                    Type::fun(Argument { ty, bound }, self.typed(rest, result, solution))
                })
            }
            _ => ty.clone(),
        }
    }
}

/// All bounds of a type, each before those inside of it.
fn list(
    identifier: Option<&Name>,
    ty: &Type,
    path: &mut Vec<usize>,
    role: Role,
    positions: &mut Vec<Position>,
) {
    for (n, argument) in ty.uncurry().0.into_iter().enumerate() {
        path.push(n + 1);
        positions.push(Position {
            identifier: identifier.cloned(),
            path: path.clone(),
            procedure: matches!(argument.ty, Type::Fun(..)),
            role,
            bound: argument.bound.unwrap_or(0),
        });
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            list(identifier, &argument.ty, path, role.other(), positions)
        });
        path.pop();
    }
}

impl Role {
    fn other(self) -> Role {
        match self {
            Role::Assume => Role::Guarantee,
            Role::Guarantee => Role::Assume,
        }
    }
}

impl Position {
    /// The bound in words: `f uses its first argument in at most 2 threads at once`.
    pub fn words(&self) -> String {
        match self.bound {
            0 if self.path.is_empty() => format!("{} is not used", self.subject()),
            0 => format!("{} does not use its {}", self.owner(), self.last()),
            1 => format!("{} in at most 1 thread at once", self.usage()),
            n => format!("{} in at most {n} threads at once", self.usage()),
        }
    }

    /// Who uses what: `f uses its first argument`, or `f is called`.
    pub fn usage(&self) -> String {
        match self.path.is_empty() {
            true if self.procedure => format!("{} is called", self.subject()),
            true => format!("{} is used", self.subject()),
            false => format!("{} uses its {}", self.owner(), self.last()),
        }
    }

    fn subject(&self) -> String {
        self.identifier.as_ref().map_or_else(|| "the program".into(), ToString::to_string)
    }

    fn last(&self) -> String {
        format!("{} argument", ordinal(self.path.last().copied().unwrap_or(1)))
    }

    /// Whose argument it is.
    fn owner(&self) -> String {
        let before = self.path.split_last().map_or(&[][..], |(_, before)| before);
        let arguments = before.iter().rev().map(|n| format!("the {} argument of ", ordinal(*n)));
        arguments.collect::<String>() + &self.subject()
    }
}

/// The place of an argument in words, counted from 1.
pub fn ordinal(n: usize) -> String {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    match n.checked_sub(1).and_then(|n| WORDS.get(n)) {
        Some(word) => (*word).into(),
        None => {
            let suffix = match (n % 10, n % 100) {
                (1, hundreds) if hundreds != 11 => "st",
                (2, hundreds) if hundreds != 12 => "nd",
                (3, hundreds) if hundreds != 13 => "rd",
                _ => "th",
            };
            format!("{n}{suffix}")
        }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (name, argument)) in self.context.iter().enumerate() {
            let separator = if n == 0 { "" } else { ", " };
            write!(f, "{separator}{name} : {argument}")?;
        }
        let space = if self.context.is_empty() { "" } else { " " };
        write!(f, "{space}|- {}", self.ty)
    }
}
