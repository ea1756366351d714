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

use agon_base::int::Int;

use super::evaluate::{Element, Fault, Scene, fill, write};
use super::play::{Move, Play};
use super::run::places;
use super::{
    Base, Callee, ExpressionId, Failure, Function, LocalId, Module, Procedure, ProcedureId, Signature, Sort,
    Statement, Store,
};
use crate::checks::Kind;

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
    /// The run took longer than it was given, or a number became too large.
    Exhausted,
    /// The client goes no further.
    Client,
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Exit {
        match fault {
            Fault::Fails(failure) => Exit::Fails(failure),
            Fault::TooLarge => Exit::Exhausted,
        }
    }
}

/// A module that is used.
pub struct Library<'a> {
    module: &'a Module,
    globals: Store,
    escaped: BTreeSet<ProcedureId>,
    steps: u64,
}

impl<'a> Library<'a> {
    /// A module at its start, which may take so many steps in all.
    pub fn new(module: &'a Module, steps: u64) -> Library<'a> {
        Library { module, globals: Store::default(), escaped: BTreeSet::new(), steps }
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
        let first = || self.module.cell(cell).first(element);
        self.globals.get(cell.0, element).cloned().unwrap_or_else(first)
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
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.run_here(client, id, arguments))
    }

    fn run_here(
        &mut self,
        client: &mut dyn Client,
        id: ProcedureId,
        arguments: &[Int],
    ) -> Result<Option<Int>, Exit> {
        let module = self.module;
        let procedure = module.procedure(id);
        let mut locals = Store::default();
        for (n, value) in (0..).zip(arguments) {
            self.write(procedure, &mut locals, (Base::Local(LocalId(n)), 0), value.clone());
        }
        let mut at = 0;
        loop {
            self.steps = self.steps.checked_sub(1).ok_or(Exit::Exhausted)?;
            let (statement, span) = &procedure.body[at];
            let scene = Scene { module, procedure, globals: &self.globals, locals: &locals };
            at += 1;
            match statement {
                Statement::Set(place, value) => {
                    let value = scene.value(*value)?;
                    let element = scene.element(*place, *span)?;
                    self.write(procedure, &mut locals, element, value);
                }
                Statement::Fill(base, value) => {
                    let value = scene.value(*value)?;
                    fill(module, procedure, &mut self.globals, &mut locals, *base, value)?;
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
                        Function::Import(_) | Function::Foreign(_) => self.ask(client, function, &values)?,
                    };
                    if let (Some(to), Some(value)) = (to, value) {
                        self.write(procedure, &mut locals, (Base::Local(*to), 0), value);
                    }
                }
                Statement::Return(value) => {
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
                            self.write(procedure, &mut locals, (Base::Local(*to), 0), Int::truth(free));
                            true
                        }
                        Statement::Lock(_) => true,
                        _ => false,
                    };
                    self.write(procedure, &mut locals, element, Int::truth(held));
                }
                // Nobody else could give the place that is waited for: there is one thread.
                Statement::Grab(place) => {
                    let element = scene.element(*place, *span)?;
                    let taken = scene.load(element.0, element.1);
                    if taken >= Int::from(places(module, *place)) {
                        return Err(Exit::Diverges);
                    }
                    self.write(procedure, &mut locals, element, taken.add(&Int::ONE));
                }
                Statement::Release(place) => {
                    let element = scene.element(*place, *span)?;
                    let taken = scene.load(element.0, element.1);
                    if taken.is_zero() {
                        return Err(Exit::Diverges);
                    }
                    self.write(procedure, &mut locals, element, taken.sub(&Int::ONE));
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
    let mut script = Script { moves: moves.into_iter(), play: Play::default(), illegal: None };
    let mut library = Library::new(module, steps);
    let exit = script.turn(&mut library, None).err();
    let outcome = match (script.illegal, exit) {
        (Some(why), _) => Outcome::Illegal(why),
        (None, None | Some(Exit::Client)) => Outcome::Over,
        (None, Some(exit)) => {
            script.play.0.extend(match &exit {
                Exit::Fails(_) => Some(Move::Fail),
                Exit::Exits(n) => Some(Move::Exit(n.clone())),
                _ => None,
            });
            Outcome::Ended(exit)
        }
    };
    Played { play: script.play, outcome }
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
            Outcome::Ended(Exit::Exhausted) => "the module takes too long".into(),
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
    illegal: Option<String>,
}

impl<I: Iterator<Item = Move>> Script<I> {
    /// The environment plays until it answers the call that is open.
    fn turn(&mut self, library: &mut Library<'_>, open: Option<Function>) -> Result<Option<Int>, Exit> {
        loop {
            let played = self.moves.next().ok_or(Exit::Client)?;
            if let Err(why) = legal(library, &played, open) {
                self.illegal = Some(why);
                return Err(Exit::Client);
            }
            self.play.0.push(played.clone());
            match played {
                Move::Call(Function::Procedure(id), arguments) => {
                    let value = library.call(self, id, &arguments)?;
                    self.play.0.push(Move::Return(value));
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
        self.play.0.push(Move::Call(function, arguments.to_vec()));
        self.turn(library, Some(function))
    }
}

/// Whether the environment may make a move; if not, why.
fn legal(library: &Library<'_>, played: &Move, open: Option<Function>) -> Result<(), String> {
    let module = library.module();
    let known = |value: &Int, sort: &Sort| {
        let hidden = module.escapes(value, sort).is_some_and(|id| !library.escaped().contains(&id));
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
            if !procedure.exported && !library.escaped().contains(id) {
                return Err(format!("the environment may not call `{}`", procedure.name));
            }
            let parameters = &module.signature(procedure.signature).parameters;
            if parameters.len() != arguments.len() {
                return Err(format!("`{}` takes {} arguments", procedure.name, parameters.len()));
            }
            arguments.iter().zip(parameters).try_for_each(|(value, sort)| known(value, sort))
        }
        Move::Return(value) => {
            let open = open.ok_or("no call of the module's is open")?;
            match (value, &module.signature(module.type_of(open)).result) {
                (None, None) => Ok(()),
                (Some(value), Some(sort)) => known(value, sort),
                _ => Err(format!("this is no answer of `{}`", module.show_function(open))),
            }
        }
        _ => Err("the environment cannot make this move".into()),
    }
}
