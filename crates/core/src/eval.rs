//! The operational semantics: what a closed program does, and what an open one does in a given world.
//!
//! Big steps, as printed in [PRED, Fig. 2] and [AG, §2]: a term and a store give a value and a store, or an exit:
//! a jump on its way to its label, an abort. Every phrase is run by what is asked of it: a procedure by an
//! argument, a variable by a read or a write, so that results are always numbers and nothing outlives its block.

mod scopes;
mod world;

use std::collections::{BTreeMap, HashMap};

use agon_base::budget::Stop;
use agon_base::id::size;
use agon_base::int::Int;

use crate::checks::Watch;
use crate::failure::{Failure, Fault, Log};
use crate::held::Held;
use crate::term::{Construct, Judgement, New, Operator, TermId, Terms, VarId};
use crate::types::{Data, Type};
use scopes::{Bound, Name, ROOT, Scope, Scopes};
pub use world::{Caller, Exit, Nobody, Patience, Request, World};

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
        scopes: Scopes::new(judgement.terms.variable_count()),
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
    /// A value never mentions a scope, so all that a term adds can go when it is done.
    scopes: Scopes,
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
                    let scope =
                        self.scopes.bind(scope, Name::Variable(*var), Bound::Thunk(*argument, *outer));
                    self.ask(world, *body, scope, rest)
                }
                _ => unreachable!("a procedure is asked with an argument"),
            },
            Construct::Apply(function, argument) => {
                self.ask(world, *function, scope, &Ask::Argument(*argument, scope, ask))
            }
            Construct::Let(var, definition, body) => {
                let scope = self.scopes.bind(scope, Name::Variable(*var), Bound::Thunk(*definition, scope));
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
                let before = self.scopes.len();
                let (own, scope) = self.label(*label, scope);
                let outcome = self.value(world, *body, scope);
                self.scopes.truncate(before);
                match outcome {
                    Err(Exit::Jump(to)) if to == own => continue,
                    outcome => break outcome,
                }
            },
            Construct::Goto(label) => match self.scopes.find(scope, Name::Label(*label)) {
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
        for (name, bound) in self.scopes.bound() {
            let Name::Variable(variable) = name else { continue };
            let (rest, others) = match bound {
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
        (own, self.scopes.bind(scope, Name::Label(label), Bound::Label(own)))
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
        let scope = self.scopes.bind(scope, Name::Variable(new.variable), bound);
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
        match self.scopes.find(scope, Name::Variable(var)) {
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
        let scope = self.scopes.serial(outer);
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
