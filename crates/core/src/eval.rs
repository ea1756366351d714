//! The operational semantics: what a closed program does, and what an open one does in a given world.
//!
//! Big steps, as printed in [PRED, Fig. 2] and [AG, §2]: a term and a store give a value and a store, or an exit:
//! a jump on its way to its label, an abort. Every phrase is run by what is asked of it: a procedure by an
//! argument, a variable by a read or a write, so that results are always numbers and nothing outlives its block.

use std::collections::{BTreeMap, HashMap};

use agon_base::budget::{Budget, Stop};
use agon_base::id::size;
use agon_base::int::Int;

use crate::checks::Watch;
use crate::failure::{Failure, Fault, Log};
use crate::held::Held;
use crate::term::{Construct, Judgement, New, Operator, TermId, Terms, VarId};
use crate::types::{Data, Type};

/// What the free identifiers of a program do. A closed program meets [`Nobody`].
pub trait World {
    /// The program asks something of a free identifier, with the arguments that the caller holds. The value is
    /// that of an expression, or what is read; of a command, and of a write, it is 0.
    fn ask(&mut self, var: VarId, request: Request, caller: &mut dyn Caller) -> Result<Int, Exit>;

    /// The program aborts. Nothing can be said to that; but until then its cells are there to be looked at.
    fn aborted(&mut self, _failure: Failure, _cells: &dyn Fn() -> Vec<Held>) {}
}

/// The program, waiting in a call: its world may have it evaluate the arguments.
pub trait Caller {
    /// Evaluates an argument, counted from 0. The exits of the program must be passed on.
    fn argument(&mut self, world: &mut dyn World, n: usize, request: Request) -> Result<Int, Exit>;

    /// What the program's cells hold, those first that were declared first. No environment knows.
    fn cells(&self) -> Vec<Held>;
}

/// What is asked of a free identifier or of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Request {
    /// To be run or evaluated.
    Run,
    /// To be read; of an array, at an index.
    Read(Option<u64>),
    /// To be written; of an array, at an index.
    Write(Option<u64>, Int),
}

/// Why a term gave no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// A jump on its way to the construct that declared its label, by the number of its run.
    Jump(u64),
    /// The program aborted, at this term.
    Abort(TermId),
    /// The program says that it never ends.
    Diverge,
    /// The run was stopped: it took longer than it may.
    Stop(Stop),
    /// The world has no answer.
    World(String),
    /// The semantics of big steps knows no threads.
    Concurrent(TermId),
}

impl From<Stop> for Exit {
    fn from(stop: Stop) -> Exit {
        Exit::Stop(stop)
    }
}

/// The world of closed programs.
pub struct Nobody;

impl World for Nobody {
    fn ask(&mut self, _: VarId, _: Request, _: &mut dyn Caller) -> Result<Int, Exit> {
        Err(Exit::World("the program is open".into()))
    }
}

/// How long a run may take.
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// At most this many steps.
    pub steps: u64,
    /// What it may cost, if that is limited.
    pub budget: Option<&'a Budget>,
}

impl<'a> Patience<'a> {
    /// This many steps, and nothing else.
    pub fn steps(steps: u64) -> Patience<'static> {
        Patience { steps, budget: None }
    }

    /// As long as a budget lasts.
    pub fn within(budget: &'a Budget) -> Patience<'a> {
        Patience { steps: u64::MAX, budget: Some(budget) }
    }

    /// Uses up a step. The budget is asked once in this many.
    pub fn step(&mut self, once_in: u64) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Transitions)?;
        match self.budget {
            Some(budget) if self.steps.is_multiple_of(once_in) => budget.check(),
            _ => Ok(()),
        }
    }
}

/// Runs a program in a world, as long as the patience lasts. A command's value is 0.
pub fn run(
    judgement: &Judgement,
    world: &mut dyn World,
    opening: &Request,
    patience: Patience<'_>,
) -> Result<Int, Exit> {
    let mut run = Run {
        terms: &judgement.terms,
        watch: judgement.watch,
        scopes: vec![],
        depths: [vec![0; judgement.terms.variable_count()], vec![]],
        serial: 0,
        cells: vec![],
        large: vec![],
        labels: 0,
        asked: 0,
        known: HashMap::new(),
        log: Log::default(),
        given: patience.steps,
        patience,
    };
    run.request(world, judgement.body, ROOT, opening)
}

struct Run<'a> {
    terms: &'a Terms,
    /// Where it aborts, and where it diverges instead.
    watch: Watch,
    /// Scopes as linked lists in one vector. A value never mentions a scope, so all that a term adds can go
    /// when it is done.
    scopes: Vec<Entry>,
    /// At which depth each variable is bound, and each label; 0 if it never was.
    depths: [Vec<u32>; 2],
    /// How many entries there ever were.
    serial: u64,
    cells: Vec<Int>,
    /// Arrays of more elements than are worth writing down: what all hold at first, and those that hold something else.
    large: Vec<(Int, HashMap<usize, Int>)>,
    /// How many labels were ever declared.
    labels: u64,
    /// How often the world was asked.
    asked: u64,
    /// In a long run, what definitions came to without asking the world, by the definition, its scope and the cells.
    known: HashMap<Situation, (Int, Vec<Int>)>,
    /// What is read where the program may abort.
    log: Log,
    /// How many steps it may make.
    given: u64,
    patience: Patience<'a>,
}

/// A definition, the serial number of its scope, and what all cells hold.
type Situation = (TermId, u64, Vec<Int>);

/// After this many steps a run is long: definitions that use each other twice would otherwise take for ever.
const LONG: u64 = 1 << 20;
/// Numbers whose bits add up to more than this are not reckoned with.
const LARGEST: u64 = 1 << 21;
/// What more cells than this hold is not remembered.
const FEW: usize = 64;
/// No more than this is remembered.
const MOST: usize = 1 << 14;

/// Arrays of more elements than this are not written down element by element.
const LARGE: u64 = 1 << 16;
/// No array has more elements than this.
const LARGEST_ARRAY: usize = 1 << 33;
/// The places of their elements begin here, far behind those of all other cells.
const FIRST_LARGE: usize = 1 << 48;

agon_base::id! {
    /// A scope: the place of its innermost entry, plus one.
    Scope;
}

const ROOT: Scope = Scope(0);

struct Entry {
    /// No two entries share one, even if one takes the place of the other.
    serial: u64,
    name: Name,
    bound: Bound,
    outer: Scope,
    /// How many entries there are from here outwards.
    depth: u32,
    /// An entry further out, so that every other is reached in few steps: lengths of jumps are those of a skew-binary
    /// number.
    jump: Scope,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Variable(VarId),
    Label(crate::term::LabelId),
}

impl Name {
    /// Whether it is a variable or a label, and its number.
    fn place(self) -> (usize, usize) {
        match self {
            Name::Variable(var) => (0, var.index()),
            Name::Label(label) => (1, label.index()),
        }
    }
}

#[derive(Clone, Copy)]
enum Bound {
    Free,
    /// A term to evaluate in a scope.
    Thunk(TermId, Scope),
    /// A cell, by its place.
    Cell(usize),
    /// An array, by the place of its first cell.
    Array(usize),
    /// A label, by the number of its run.
    Label(u64),
}

/// What is asked of a term, innermost first.
#[derive(Clone, Copy)]
enum Ask<'a> {
    Nothing,
    Argument(TermId, Scope, &'a Ask<'a>),
    Read,
    Write(&'a Int),
    Element(u64, &'a Ask<'a>),
}

type Outcome = Result<Int, Exit>;

impl Run<'_> {
    fn bind(&mut self, outer: Scope, name: Name, bound: Bound) -> Scope {
        self.serial += 1;
        let depth = self.depth(outer) + 1;
        let near = self.jump(outer);
        let far = self.jump(near);
        let equal = self.depth(outer) - self.depth(near) == self.depth(near) - self.depth(far);
        let jump = if equal { far } else { outer };
        // A binder stands at one place of the program, so what it binds is always at the same depth.
        let (kind, number) = name.place();
        let depths = &mut self.depths[kind];
        if depths.len() <= number {
            depths.resize(number + 1, 0);
        }
        depths[number] = depth;
        self.scopes.push(Entry { serial: self.serial, name, bound, outer, depth, jump });
        Scope::new(self.scopes.len())
    }

    /// The innermost entry of a scope.
    fn innermost(&self, scope: Scope) -> Option<&Entry> {
        scope.index().checked_sub(1).map(|at| &self.scopes[at])
    }

    fn depth(&self, scope: Scope) -> u32 {
        self.innermost(scope).map_or(0, |entry| entry.depth)
    }

    fn jump(&self, scope: Scope) -> Scope {
        self.innermost(scope).map_or(ROOT, |entry| entry.jump)
    }

    fn find(&self, mut scope: Scope, name: Name) -> Bound {
        let (kind, number) = name.place();
        let depth = self.depths[kind].get(number).copied().unwrap_or(0);
        while let Some(entry) = self.innermost(scope) {
            if entry.name == name {
                return entry.bound;
            }
            if entry.depth <= depth {
                break;
            }
            scope = if self.depth(entry.jump) >= depth { entry.jump } else { entry.outer };
        }
        // Elaboration resolved every name: what is not bound in the program is free.
        Bound::Free
    }

    fn request(&mut self, world: &mut dyn World, term: TermId, scope: Scope, request: &Request) -> Outcome {
        match request {
            Request::Run => self.ask(world, term, scope, &Ask::Nothing),
            Request::Read(None) => self.ask(world, term, scope, &Ask::Read),
            Request::Read(Some(i)) => self.ask(world, term, scope, &Ask::Element(*i, &Ask::Read)),
            Request::Write(None, n) => self.ask(world, term, scope, &Ask::Write(n)),
            Request::Write(Some(i), n) => self.ask(world, term, scope, &Ask::Element(*i, &Ask::Write(n))),
        }
    }

    fn value(&mut self, world: &mut dyn World, term: TermId, scope: Scope) -> Outcome {
        self.ask(world, term, scope, &Ask::Nothing)
    }

    fn ask(&mut self, world: &mut dyn World, term: TermId, scope: Scope, ask: &Ask<'_>) -> Outcome {
        self.patience.step(1 << 16)?;
        // Whatever the term declares is gone when it is done.
        let (scopes, cells, large) = (self.scopes.len(), self.cells.len(), self.large.len());
        let outcome = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.step(world, term, scope, ask));
        self.scopes.truncate(scopes);
        self.cells.truncate(cells);
        self.large.truncate(large);
        outcome
    }

    fn step(&mut self, world: &mut dyn World, term: TermId, scope: Scope, ask: &Ask<'_>) -> Outcome {
        const DONE: Outcome = Ok(Int::ZERO);
        let terms = self.terms;
        match terms.construct(term) {
            Construct::Number(n) => Ok(n.clone()),
            Construct::Skip | Construct::BeginPredicate(_) | Construct::EndPredicate(_) => DONE,
            Construct::Abort(_) => self.abort(world, Failure::new(term, Fault::Abort(None), vec![])),
            Construct::Diverge => Err(Exit::Diverge),
            Construct::Variable(var) => self.variable(world, *var, term, scope, ask),
            Construct::Lambda(var, body) => match ask {
                Ask::Argument(argument, outer, rest) => {
                    let scope = self.bind(scope, Name::Variable(*var), Bound::Thunk(*argument, *outer));
                    self.ask(world, *body, scope, rest)
                }
                _ => unreachable!("a procedure is asked with an argument"),
            },
            Construct::Apply(function, argument) => {
                self.ask(world, *function, scope, &Ask::Argument(*argument, scope, ask))
            }
            Construct::Let(var, definition, body) => {
                let scope = self.bind(scope, Name::Variable(*var), Bound::Thunk(*definition, scope));
                self.ask(world, *body, scope, ask)
            }
            Construct::Unary(operator, a) => Ok(operator.apply(&self.value(world, *a, scope)?)),
            Construct::Binary(operator, a, b) => {
                let a = self.value(world, *a, scope)?;
                if operator.divides() {
                    return self.logged(world, *b, scope, |run, world, b, height| {
                        run.binary(world, (term, *operator, &a, &b), height)
                    });
                }
                let b = self.value(world, *b, scope)?;
                self.binary(world, (term, *operator, &a, &b), 0)
            }
            Construct::Wrap(data, a) => Ok(data.wrap(&self.value(world, *a, scope)?)),
            Construct::WrapVariable(data, a) => match ask {
                Ask::Write(n) => self.ask(world, *a, scope, &Ask::Write(&data.wrap(n))),
                _ => Ok(data.wrap(&self.ask(world, *a, scope, ask)?)),
            },
            Construct::Sequence(a, b) => {
                self.value(world, *a, scope)?;
                self.ask(world, *b, scope, ask)
            }
            Construct::If(guard, yes, no) => {
                let (guard, yes, no) = (*guard, *yes, *no);
                let may_fail = |holds| Failure::of_branch(terms, if holds { yes } else { no }, guard, holds);
                if may_fail(true).is_none() && may_fail(false).is_none() {
                    let holds = !self.value(world, guard, scope)?.is_zero();
                    return self.ask(world, if holds { yes } else { no }, scope, ask);
                }
                let holds = self.logged(world, guard, scope, |run, world, value, height| {
                    match may_fail(!value.is_zero()) {
                        Some((term, fault)) => {
                            run.abort(world, Failure::new(term, fault, run.log.since(height)))
                        }
                        None => Ok(value),
                    }
                })?;
                self.ask(world, if holds.is_zero() { no } else { yes }, scope, ask)
            }
            Construct::While(guard, body) => {
                while !self.value(world, *guard, scope)?.is_zero() {
                    self.value(world, *body, scope)?;
                }
                DONE
            }
            Construct::Assign(a, b) => {
                let n = self.value(world, *b, scope)?;
                self.ask(world, *a, scope, &Ask::Write(&n))
            }
            Construct::Read(a) => self.ask(world, *a, scope, &Ask::Read),
            Construct::Index(a, b) => {
                let Type::Array(_, length) = terms.ty(*a) else { unreachable!("only arrays are indexed") };
                let index = self.logged(world, *b, scope, |run, world, index, height| {
                    match index.to_u64().filter(|index| index < length) {
                        Some(_) => Ok(index),
                        None => {
                            run.abort(world, Failure::new(term, Fault::Index(index), run.log.since(height)))
                        }
                    }
                })?;
                let index = index.to_u64().unwrap_or_default();
                self.ask(world, *a, scope, &Ask::Element(index, ask))
            }
            Construct::New(new) => self.new_cells(world, new, scope, ask),
            Construct::Break(label, body) => {
                let (own, scope) = self.label(*label, scope);
                match self.value(world, *body, scope) {
                    Err(Exit::Jump(to)) if to == own => DONE,
                    outcome => outcome,
                }
            }
            Construct::Continue(label, body) => loop {
                let (own, scope) = self.label(*label, scope);
                let outcome = self.value(world, *body, scope);
                self.scopes.pop();
                match outcome {
                    Err(Exit::Jump(to)) if to == own => continue,
                    outcome => break outcome,
                }
            },
            Construct::Goto(label) => match self.find(scope, Name::Label(*label)) {
                Bound::Label(own) => Err(Exit::Jump(own)),
                _ => unreachable!("labels are bound to labels"),
            },
            Construct::WithPredicate(_, body) => self.ask(world, *body, scope, ask),
            Construct::Parallel(..)
            | Construct::NewSemaphore(..)
            | Construct::Grab(_)
            | Construct::Release(_) => Err(Exit::Concurrent(term)),
        }
    }

    fn abort(&self, world: &mut dyn World, failure: Failure) -> Outcome {
        let term = failure.term;
        if !self.watch.counts(self.terms, term) {
            return Err(Exit::Diverge);
        }
        world.aborted(failure, &|| self.held());
        Err(Exit::Abort(term))
    }

    /// Evaluates a term, notes what is read, and goes on with the value and with where the notes begin.
    fn logged(
        &mut self,
        world: &mut dyn World,
        term: TermId,
        scope: Scope,
        then: impl FnOnce(&mut Self, &mut dyn World, Int, usize) -> Outcome,
    ) -> Outcome {
        let height = self.log.depth();
        self.log.begin(height);
        let outcome = match self.value(world, term, scope) {
            Ok(value) => then(self, world, value, height),
            exit => exit,
        };
        self.log.end(height);
        outcome
    }

    /// The outcome of an operation.
    fn binary(
        &mut self,
        world: &mut dyn World,
        (term, operator, a, b): (TermId, Operator, &Int, &Int),
        height: usize,
    ) -> Outcome {
        if a.bits() + b.bits() > LARGEST {
            return Err(Stop::Number.into());
        }
        match operator.apply(a, b) {
            Some(n) => Ok(n),
            None => self.abort(world, Failure::new(term, Fault::Division, self.log.since(height))),
        }
    }

    /// What all cells hold. What is not needed any more is gone, so whatever has an entry is there.
    fn held(&self) -> Vec<Held> {
        let mut held = Vec::new();
        for entry in &self.scopes {
            let Name::Variable(variable) = entry.name else { continue };
            let (rest, others) = match entry.bound {
                Bound::Cell(place) => (self.cells[place].clone(), BTreeMap::new()),
                Bound::Array(place) => match place.checked_sub(FIRST_LARGE) {
                    Some(place) => {
                        let (rest, others) = &self.large[place / LARGEST_ARRAY];
                        (rest.clone(), others.iter().map(|(i, n)| (*i as u64, n.clone())).collect())
                    }
                    None => {
                        let Type::Array(_, length) = self.terms.variable(variable).ty else { continue };
                        let elements = &self.cells[place..place + size(length)];
                        let others = elements.iter().enumerate().filter(|(_, n)| !n.is_zero());
                        (Int::ZERO, others.map(|(i, n)| (i as u64, n.clone())).collect())
                    }
                },
                _ => continue,
            };
            held.push(Held { variable, rest, others });
        }
        held
    }

    fn label(&mut self, label: crate::term::LabelId, scope: Scope) -> (u64, Scope) {
        let own = self.labels;
        self.labels += 1;
        (own, self.bind(scope, Name::Label(label), Bound::Label(own)))
    }

    fn new_cells(&mut self, world: &mut dyn World, new: &New, scope: Scope, ask: &Ask<'_>) -> Outcome {
        let initial = match new.initial {
            Some(initial) => self.value(world, initial, scope)?,
            None => Int::ZERO,
        };
        let count = new.length.unwrap_or(1);
        let place = if count > LARGE {
            self.large.push((initial, HashMap::new()));
            FIRST_LARGE + (self.large.len() - 1) * LARGEST_ARRAY
        } else {
            // An array costs what its cells cost.
            self.patience.steps = self.patience.steps.checked_sub(count).ok_or(Stop::Transitions)?;
            let place = self.cells.len();
            self.cells.resize(place + size(count), initial);
            place
        };
        let bound = if new.length.is_some() { Bound::Array(place) } else { Bound::Cell(place) };
        let scope = self.bind(scope, Name::Variable(new.variable), bound);
        self.ask(world, new.body, scope, ask)
    }

    fn variable(
        &mut self,
        world: &mut dyn World,
        var: VarId,
        term: TermId,
        scope: Scope,
        ask: &Ask<'_>,
    ) -> Outcome {
        match self.find(scope, Name::Variable(var)) {
            Bound::Thunk(definition, outer) => self.thunk(world, definition, outer, ask),
            Bound::Free => self.free(world, var, ask),
            Bound::Cell(place) => self.cell(place, (var, None), ask),
            Bound::Array(place) => match ask {
                Ask::Element(index, ask) => self.cell(place + size(*index), (var, Some(*index)), ask),
                _ => unreachable!("an array is asked for an element"),
            },
            Bound::Label(_) => unreachable!("{term:?} is a variable"),
        }
    }

    fn thunk(&mut self, world: &mut dyn World, definition: TermId, outer: Scope, ask: &Ask<'_>) -> Outcome {
        let long = self.given - self.patience.steps > LONG;
        if !long || !matches!(ask, Ask::Nothing) || self.cells.len() > FEW || !self.large.is_empty() {
            return self.ask(world, definition, outer, ask);
        }
        let scope = self.innermost(outer).map_or(0, |entry| entry.serial);
        let key = (definition, scope, self.cells.clone());
        if let Some((value, cells)) = self.known.get(&key) {
            self.cells.clone_from(cells);
            return Ok(value.clone());
        }
        let asked = self.asked;
        let value = self.ask(world, definition, outer, ask)?;
        if self.asked == asked && self.known.len() < MOST {
            self.known.insert(key, (value.clone(), self.cells.clone()));
        }
        Ok(value)
    }

    fn cell(&mut self, place: usize, (var, element): (VarId, Option<u64>), ask: &Ask<'_>) -> Outcome {
        match ask {
            Ask::Write(n) => {
                let data = self.terms.variable(var).ty.data().unwrap_or(&Data::Int);
                let n = data.wrap(n);
                match place.checked_sub(FIRST_LARGE) {
                    None => self.cells[place] = n,
                    Some(place) => {
                        self.large[place / LARGEST_ARRAY].1.insert(place % LARGEST_ARRAY, n);
                    }
                }
                Ok(Int::ZERO)
            }
            _ => {
                let value = match place.checked_sub(FIRST_LARGE) {
                    None => &self.cells[place],
                    Some(place) => {
                        let (initial, others) = &self.large[place / LARGEST_ARRAY];
                        others.get(&(place % LARGEST_ARRAY)).unwrap_or(initial)
                    }
                };
                self.log.read(var, element, false, value);
                Ok(value.clone())
            }
        }
    }

    fn free(&mut self, world: &mut dyn World, var: VarId, ask: &Ask<'_>) -> Outcome {
        let mut arguments = Vec::new();
        let mut element = None;
        let mut rest = ask;
        let request = loop {
            match rest {
                Ask::Argument(term, scope, next) => {
                    arguments.push((*term, *scope));
                    rest = next;
                }
                Ask::Element(index, next) => {
                    element = Some(*index);
                    rest = next;
                }
                Ask::Nothing => break Request::Run,
                Ask::Read => break Request::Read(element),
                Ask::Write(n) => {
                    let (_, base) = self.terms.variable(var).ty.uncurry();
                    break Request::Write(element, base.data().unwrap_or(&Data::Int).wrap(n));
                }
            }
        };
        self.asked += 1;
        let has_value = self.terms.variable(var).ty.uncurry().1 != &Type::Com;
        let is_read = has_value && !matches!(request, Request::Write(..));
        let value = world.ask(var, request, &mut Waiting { run: self, arguments })?;
        if is_read {
            self.log.read(var, element, true, &value);
        }
        Ok(value)
    }
}

/// A run that waits in a call.
struct Waiting<'a, 'b> {
    run: &'a mut Run<'b>,
    arguments: Vec<(TermId, Scope)>,
}

impl Caller for Waiting<'_, '_> {
    fn argument(&mut self, world: &mut dyn World, n: usize, request: Request) -> Result<Int, Exit> {
        let (term, scope) =
            *self.arguments.get(n).ok_or_else(|| Exit::World(format!("there is no argument {}", n + 1)))?;
        self.run.request(world, term, scope, &request)
    }

    fn cells(&self) -> Vec<Held> {
        self.run.held()
    }
}
