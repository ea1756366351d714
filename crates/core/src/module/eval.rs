//! Big steps: a module together with an environment that calls it, also from inside its imports.
//!
//! An environment is a [`Client`]. The one that holds a list of moves and plays them in turn is what plays are replayed with:
//! the module is deterministic, so the environment's moves decide the whole play.
//!
//! ```
//! use agon_base::int::Int;
//! use agon_core::module::eval::{Client, Exit, Library};
//! use agon_core::module::{Function, ProcedureId};
//!
//! let text = "module
//!     import now() : i32;
//!     i32 tokens := 2;
//!     export refill(k : i32) = tokens := k;
//!     export take() = if tokens > 0 then { let t = now() in assert(t >= 0); tokens := tokens - 1; assert(tokens >= 0) };";
//! let reading = agon_ia::read::read_module(text, &[]).expect("it is a module").expect("it is well-typed");
//!
//! /// A clock that takes the tokens away while it is asked for the time.
//! struct Clock;
//!
//! impl Client for Clock {
//!     fn called(&mut self, library: &mut Library<'_>, _: Function, _: &[Int]) -> Result<Option<Int>, Exit> {
//!         let refill = ProcedureId(0);
//!         library.call(self, refill, &[Int::ZERO])?;
//!         Ok(Some(Int::ZERO))
//!     }
//! }
//!
//! let mut library = Library::new(&reading.module, 1_000);
//! let take = ProcedureId(1);
//! assert!(matches!(library.call(&mut Clock, take, &[]), Err(Exit::Fails(_))));
//! ```

use std::collections::BTreeSet;

use agon_base::budget::Stop;
use agon_base::int::Int;

use super::evaluate::{Element, Fault, Scene, fill, write};
use super::play::{Move, Play};
use super::run::places;
use super::seen::{Seen, seen};
use super::{
    Base, Callee, ExpressionId, Failure, Function, LocalId, Module, Procedure, ProcedureId, Signature, Sort,
    Statement, Store,
};
use crate::checks::Kind;
use crate::eval::Patience;
use agon_base::source::Span;

/// What calls a module.
pub trait Client {
    /// The module calls a function of the environment's. The client may call the module; then it answers.
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: Function,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit>;
}

/// Why a call did not return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The module failed.
    Fails(Failure),
    /// The module ended the whole program.
    Exits(Int),
    /// The module never does anything again.
    Diverges,
    /// It was stopped before it was over.
    Stopped(Stop),
    /// The client goes no further.
    Client,
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Exit {
        match fault {
            Fault::Fails(failure) => Exit::Fails(failure),
            Fault::TooLarge => Exit::Stopped(Stop::Number),
        }
    }
}

/// A module that is used.
pub struct Library<'a> {
    module: &'a Module,
    globals: Store,
    escaped: BTreeSet<ProcedureId>,
    patience: Patience<'a>,
    /// The last statement that called the environment or returned.
    place: Option<Span>,
    /// What was read for the check that failed.
    seen: Vec<Seen>,
}

/// What a module holds while nobody has called it, and which private procedures the environment knows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    globals: Store,
    escaped: BTreeSet<ProcedureId>,
}

impl State {
    /// The elements of cells that hold something else than they held at first: the number of the cell, that of the element, and what
    /// it holds.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u64, &Int)> {
        self.globals.elements()
    }

    /// The private procedures whose names the environment was given.
    pub fn escaped(&self) -> &BTreeSet<ProcedureId> {
        &self.escaped
    }
}

/// The budget is asked each time this many steps are done.
const STRIDE: u64 = 1 << 12;

impl<'a> Library<'a> {
    /// A module at its start, which may take this many steps in all.
    pub fn new(module: &'a Module, steps: u64) -> Library<'a> {
        Library::within(module, Patience::steps(steps))
    }

    /// A module at its start, which runs as long as the patience lasts.
    pub fn within(module: &'a Module, patience: Patience<'a>) -> Library<'a> {
        let (globals, escaped) = (Store::default(), BTreeSet::new());
        Library { module, globals, escaped, patience, place: None, seen: Vec::new() }
    }

    /// A module that goes on from a state.
    pub fn going_on(
        module: &'a Module,
        State { globals, escaped }: State,
        patience: Patience<'a>,
    ) -> Library<'a> {
        Library { globals, escaped, ..Library::within(module, patience) }
    }

    /// The state, if nobody has called the module.
    pub fn state(&self) -> State {
        State { globals: self.globals.clone(), escaped: self.escaped.clone() }
    }

    /// The elements of cells of the module's that hold something else than they held at first, as [`State::entries`] lists them.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u64, &Int)> {
        self.globals.elements()
    }

    /// Whether the environment may make a move, while the module waits for a function of the environment's or for nothing.
    pub fn may_be_played(&self, played: &Move, open: Option<Function>) -> bool {
        legal(self.module, &self.escaped, played, open).is_ok()
    }

    /// The module.
    pub fn module(&self) -> &'a Module {
        self.module
    }

    /// The private procedures whose names the environment was given.
    pub fn escaped(&self) -> &BTreeSet<ProcedureId> {
        &self.escaped
    }

    /// What an element of a cell of the module's holds.
    pub fn cell(&self, cell: super::CellId, element: u64) -> Int {
        self.globals.held(self.module, cell, element)
    }

    /// The client calls a procedure.
    pub fn call(
        &mut self,
        client: &mut dyn Client,
        id: ProcedureId,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let value = self.run(client, id, arguments)?;
        let result = &self.module.signature(self.module.procedure(id).signature).result;
        if let (Some(value), Some(sort)) = (&value, result) {
            self.escaped.extend(self.module.escapes(value, sort));
        }
        Ok(value)
    }

    /// An activation, from its beginning to its end.
    fn run(
        &mut self,
        client: &mut dyn Client,
        id: ProcedureId,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let procedure = self.module.procedure(id);
        let mut locals = Store::default();
        for (n, value) in (0..).zip(arguments) {
            self.write(procedure, &mut locals, (Base::Local(LocalId(n)), 0), value.clone());
        }
        let mut last = 0;
        let run = || self.run_here(client, procedure, &mut locals, &mut last);
        let ended = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, run);
        match ended {
            Err(Exit::Fails(failure)) if !self.module.watch.watches(failure.check) => Err(Exit::Diverges),
            Err(Exit::Fails(failure)) => {
                // Outer statements, which wait for a call, find nothing at the place of the check.
                if self.seen.is_empty() {
                    let globals = &self.globals;
                    let scene = Scene { module: self.module, procedure, globals, locals: &locals };
                    self.seen = seen(scene, &procedure.body[last].0, &failure);
                }
                Err(Exit::Fails(failure))
            }
            ended => ended,
        }
    }

    /// Counts a step.
    fn step(&mut self) -> Result<(), Exit> {
        self.patience.step(STRIDE).map_err(Exit::Stopped)
    }

    fn run_here(
        &mut self,
        client: &mut dyn Client,
        procedure: &'a Procedure,
        locals: &mut Store,
        last: &mut usize,
    ) -> Result<Option<Int>, Exit> {
        let module = self.module;
        let mut at = 0;
        loop {
            self.step()?;
            let (statement, span) = &procedure.body[at];
            let scene = Scene { module, procedure, globals: &self.globals, locals };
            *last = at;
            at += 1;
            match statement {
                Statement::Set(place, value) => {
                    let value = scene.value(*value)?;
                    let element = scene.element(*place, *span)?;
                    self.write(procedure, locals, element, value);
                }
                Statement::Fill(base, value) => {
                    let value = scene.value(*value)?;
                    fill(module, procedure, &mut self.globals, locals, *base, value)?;
                }
                Statement::Branch(condition, yes, no) => {
                    at = if scene.value(*condition)?.is_zero() { no.index() } else { yes.index() };
                }
                Statement::Jump(to) => at = to.index(),
                Statement::Call(callee, arguments, to) => {
                    let function = match *callee {
                        Callee::Procedure(id) => Function::Procedure(id),
                        Callee::Import(id) => Function::Import(id),
                        Callee::Value(value, _) => {
                            let function = module.function(&scene.value(value)?);
                            function.ok_or_else(|| Fault::of(Kind::Null, *span))?
                        }
                    };
                    let values = passed(scene, function, arguments)?;
                    let value = match function {
                        Function::Procedure(id) => self.run(client, id, &values)?,
                        Function::Import(_) | Function::Foreign(_) => {
                            self.place = Some(*span);
                            self.ask(client, function, &values)?
                        }
                    };
                    if let (Some(to), Some(value)) = (to, value) {
                        self.write(procedure, locals, (Base::Local(*to), 0), value);
                    }
                }
                Statement::Return(value) => {
                    self.place = Some(*span);
                    let result = &module.signature(procedure.signature).result;
                    return Ok(match (value, result) {
                        (Some(value), Some(sort)) => Some(module.wrap(&scene.value(*value)?, sort)),
                        _ => None,
                    });
                }
                Statement::Assert(condition, kind) => {
                    if scene.value(*condition)?.is_zero() {
                        return Err(Fault::of(*kind, *span).into());
                    }
                }
                Statement::Fail(kind) => return Err(Fault::of(*kind, *span).into()),
                Statement::Exit(value) => return Err(Exit::Exits(scene.value(*value)?)),
                Statement::Diverge => return Err(Exit::Diverges),
                Statement::Lock(place) | Statement::TryLock(place, _) | Statement::Unlock(place) => {
                    let element = scene.element(*place, *span)?;
                    let free = scene.load(element.0, element.1).is_zero();
                    let held = match statement {
                        Statement::Lock(_) if !free => return Err(Fault::of(Kind::Lock, *span).into()),
                        Statement::Unlock(_) if free => return Err(Fault::of(Kind::Unlock, *span).into()),
                        Statement::TryLock(_, to) => {
                            self.write(procedure, locals, (Base::Local(*to), 0), Int::truth(free));
                            true
                        }
                        Statement::Lock(_) => true,
                        _ => false,
                    };
                    self.write(procedure, locals, element, Int::truth(held));
                }
                // Nobody else could give the place that is waited for: there is one thread.
                Statement::Grab(place) => {
                    let element = scene.element(*place, *span)?;
                    let taken = scene.load(element.0, element.1);
                    if taken >= Int::from(places(module, *place)) {
                        return Err(Exit::Diverges);
                    }
                    self.write(procedure, locals, element, taken.add(&Int::ONE));
                }
                Statement::Release(place) => {
                    let element = scene.element(*place, *span)?;
                    let taken = scene.load(element.0, element.1);
                    if taken.is_zero() {
                        return Err(Exit::Diverges);
                    }
                    self.write(procedure, locals, element, taken.sub(&Int::ONE));
                }
                // One thread alone: nobody else is there to be kept out.
                Statement::Atomic(_) => {}
                // The one thread there is has the first number.
                Statement::Itself(to) => self.write(procedure, locals, (Base::Local(*to), 0), Int::ONE),
                // Threads of the module's own are those of `module::threads`.
                Statement::Begin(..) | Statement::Join(..) | Statement::Detach(_) | Statement::Leave(_) => {
                    return Err(Exit::Diverges);
                }
                Statement::BeginPredicate(_) | Statement::EndPredicate(_) => {}
            }
        }
    }

    /// The module calls the environment.
    fn ask(
        &mut self,
        client: &mut dyn Client,
        function: Function,
        values: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let parameters = &self.module.signature(self.module.type_of(function)).parameters;
        for (value, sort) in values.iter().zip(parameters) {
            self.escaped.extend(self.module.escapes(value, sort));
        }
        client.called(self, function, values)
    }

    fn write(&mut self, procedure: &Procedure, locals: &mut Store, to: Element, value: Int) {
        write(self.module, procedure, &mut self.globals, locals, to, value);
    }
}

/// The values of arguments, in the range of the parameters.
fn passed(scene: Scene<'_>, function: Function, arguments: &[ExpressionId]) -> Result<Vec<Int>, Fault> {
    let Signature { parameters, .. } = scene.module.signature(scene.module.type_of(function));
    let value =
        |(argument, sort): (&ExpressionId, &Sort)| Ok(scene.module.wrap(&scene.value(*argument)?, sort));
    arguments.iter().zip(parameters).map(value).collect()
}

/// A play that a list of moves of the environment's leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The moves of both sides.
    pub play: Play,
    /// How it ended.
    pub outcome: Outcome,
    /// What the interpreter saw at each move.
    pub marks: Vec<Mark>,
    /// If the module failed: what was read for the check.
    pub seen: Vec<Seen>,
    /// The private procedures whose names the environment was given.
    pub escaped: BTreeSet<ProcedureId>,
}

/// What the interpreter saw at a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// Where the module makes the move, or where the procedure is declared that the environment calls.
    pub place: Option<Span>,
    /// What the module's cells hold.
    pub store: Store,
}

/// How a play ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The environment has no more moves.
    Over,
    /// The environment's next move is not legal, for this reason.
    Illegal(String),
    /// The module did not come to its next move, or ended the play.
    Ended(Exit),
}

/// Plays moves of the environment's against a module, as long as the module answers.
pub fn play(module: &Module, moves: impl IntoIterator<Item = Move>, steps: u64) -> Played {
    play_within(module, moves, Patience::steps(steps))
}

/// The same, as long as the patience lasts.
pub fn play_within(module: &Module, moves: impl IntoIterator<Item = Move>, patience: Patience<'_>) -> Played {
    let mut script = Script { moves: moves.into_iter(), play: Play::default(), marks: vec![], illegal: None };
    let mut library = Library::within(module, patience);
    let exit = script.turn(&mut library, None).err();
    let outcome = match (script.illegal.take(), exit) {
        (Some(why), _) => Outcome::Illegal(why),
        (None, None | Some(Exit::Client)) => Outcome::Over,
        (None, Some(exit)) => {
            let last = match &exit {
                Exit::Fails(failure) => Some((Move::Fail, Some(failure.check.span))),
                Exit::Exits(n) => Some((Move::Exit(n.clone()), library.place)),
                _ => None,
            };
            last.into_iter().for_each(|(last, place)| script.note(&library, last, place));
            Outcome::Ended(exit)
        }
    };
    let Library { seen, escaped, .. } = library;
    Played { play: script.play, outcome, marks: script.marks, seen, escaped }
}

/// Whether a module plays a play; if not, the number of the first move that is not played, and why.
pub fn replay(module: &Module, given: &Play, steps: u64) -> Result<(), (usize, String)> {
    let played = play(module, given.of_environment().cloned(), steps);
    let same = played.play.0.iter().zip(&given.0).take_while(|(a, b)| a == b).count();
    if same == given.0.len() {
        return Ok(());
    }
    let why = match played.play.0.get(same) {
        Some(Move::Fail) => "the module fails here".into(),
        Some(Move::Exit(_)) => "the module ends the program here".into(),
        Some(Move::Call(function, _)) => {
            format!("the module calls `{}` here", module.show_function(*function))
        }
        Some(Move::Return(_)) => "the module returns something else here".into(),
        None => match played.outcome {
            Outcome::Illegal(why) => why,
            Outcome::Ended(Exit::Stopped(_)) => "the module takes too long".into(),
            Outcome::Ended(Exit::Diverges) => "the module never moves again".into(),
            Outcome::Over | Outcome::Ended(_) => "the play is over before".into(),
        },
    };
    Err((same, why))
}

/// A client that plays a list of moves, and writes down what is played.
struct Script<I> {
    moves: I,
    play: Play,
    marks: Vec<Mark>,
    illegal: Option<String>,
}

impl<I: Iterator<Item = Move>> Script<I> {
    /// Writes down a move and what is seen there.
    fn note(&mut self, library: &Library<'_>, played: Move, place: Option<Span>) {
        self.play.0.push(played);
        self.marks.push(Mark { place, store: library.globals.clone() });
    }

    /// The environment plays until it answers the call that is open.
    fn turn(&mut self, library: &mut Library<'_>, open: Option<Function>) -> Result<Option<Int>, Exit> {
        loop {
            let played = self.moves.next().ok_or(Exit::Client)?;
            if let Err(why) = legal(library.module, &library.escaped, &played, open) {
                self.illegal = Some(why);
                return Err(Exit::Client);
            }
            let called = match &played {
                Move::Call(Function::Procedure(id), _) => Some(library.module().procedure(*id).span),
                _ => None,
            };
            self.note(library, played.clone(), called);
            match played {
                Move::Call(Function::Procedure(id), arguments) => {
                    let value = library.call(self, id, &arguments)?;
                    self.note(library, Move::Return(value), library.place);
                }
                Move::Return(value) => return Ok(value),
                _ => return Err(Exit::Client),
            }
        }
    }
}

impl<I: Iterator<Item = Move>> Client for Script<I> {
    fn called(
        &mut self,
        library: &mut Library<'_>,
        function: Function,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit> {
        self.note(library, Move::Call(function, arguments.to_vec()), library.place);
        self.turn(library, Some(function))
    }
}

/// Whether the environment may make a move; if not, why.
pub(super) fn legal(
    module: &Module,
    escaped: &BTreeSet<ProcedureId>,
    played: &Move,
    open: Option<Function>,
) -> Result<(), String> {
    let known = |value: &Int, sort: &Sort| {
        let hidden = module.escapes(value, sort).is_some_and(|id| !escaped.contains(&id));
        if hidden {
            return Err("the environment does not know this function".to_string());
        }
        match module.fits(value, sort) {
            true => Ok(()),
            false => Err(format!("{value} is no value of type `{}`", module.show_sort(sort))),
        }
    };
    match played {
        Move::Call(Function::Procedure(id), arguments) => {
            let procedure = module.procedure(*id);
            if !procedure.exported && !escaped.contains(id) {
                return Err(format!("the environment may not call `{}`", procedure.name));
            }
            if let Some(open) = open.filter(|open| !module.allows(module.allowed(Some(*open)), *id)) {
                let (name, open) = (&procedure.name, module.show_function(open));
                return Err(format!("`{open}` does not call `{name}`"));
            }
            let parameters = &module.signature(procedure.signature).parameters;
            if parameters.len() != arguments.len() {
                return Err(format!("`{}` takes {} arguments", procedure.name, parameters.len()));
            }
            arguments.iter().zip(parameters).try_for_each(|(value, sort)| known(value, sort))?;
            match module.may_give(*id, arguments) {
                true => Ok(()),
                false => Err(format!("`{}` is not called with these arguments", procedure.name)),
            }
        }
        Move::Return(value) => {
            let open = open.ok_or("no call of the module's is open")?;
            if !module.may_answer(open, value.as_ref()) {
                return Err(format!("`{}` does not return this", module.show_function(open)));
            }
            match (value, &module.signature(module.type_of(open)).result) {
                (None, None) => Ok(()),
                (Some(value), Some(sort)) => known(value, sort),
                _ => Err(format!("this is no answer of `{}`", module.show_function(open))),
            }
        }
        _ => Err("the environment cannot make this move".into()),
    }
}
