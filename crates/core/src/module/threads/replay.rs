//! The interpreter of threaded plays: it follows a schedule, and says what happens.

use agon_base::int::Int;
use agon_base::source::Span;

use super::races::race;
use super::{Next, Shared, Stepped, Thread, deadlock};
use crate::eval::Patience;
use crate::module::eval::legal;
use crate::module::evaluate::Scene;
use crate::module::play::{Move, Nested, Play};
use crate::module::seen::seen;
use crate::module::{
    Base, CellId, Expression, Failure, Function, Module, Place, ProcedureId, Seen, Statement, Store,
};

/// What happens next: in a thread, with its number from 0, the environment makes a move, or the module makes an access or a move.
/// What nobody else can see comes behind it at once.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Act {
    /// The thread.
    pub thread: usize,
    /// The environment's move.
    pub played: Option<Move>,
}

/// Something that happened in a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The thread, from 0.
    pub thread: usize,
    /// What happened.
    pub what: What,
    /// Where the module did it, or where the procedure is declared that the environment calls.
    pub place: Option<Span>,
    /// What the module's cells hold then.
    pub store: Store,
}

/// What happens in a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A move.
    Move(Move),
    /// An access to an element of a cell of the module.
    Access(How, CellId, u64),
    /// It begins this thread, with this procedure.
    Begins(usize, ProcedureId),
    /// It has waited for the end of this thread.
    Joins(usize),
    /// It ends.
    Ends,
}

/// How a cell of the module is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// It is read.
    Reads,
    /// It is written.
    Writes,
    /// A mutex is taken.
    Locks,
    /// A mutex is tried.
    Tries,
    /// A mutex is freed.
    Unlocks,
    /// A place of a semaphore is taken.
    Grabs,
    /// A place of a semaphore is given back.
    Releases,
}

/// Who does what in an act.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// The environment moves.
    Played,
    /// The module moves.
    Moved,
    /// The module makes an access.
    Accessed,
}

/// What a schedule leads to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replayed {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// The thread of each act, and what it was.
    pub done: Vec<(usize, Done)>,
    /// Why the module failed, if it did.
    pub failure: Option<Failure>,
    /// What was read for the check that failed.
    pub seen: Vec<Seen>,
    /// The accesses that the other threads would make next, up to where they use a lock or a move is made.
    pub ahead: Vec<Event>,
}

impl Replayed {
    /// The moves, each with its thread and with where it stands in it.
    pub fn moves(&self) -> Vec<(usize, Move, Nested)> {
        let moves = |thread: usize| {
            self.events.iter().filter_map(move |event| match &event.what {
                What::Move(played) if event.thread == thread => Some(played.clone()),
                _ => None,
            })
        };
        let threads = self.events.iter().map(|event| event.thread + 1).max().unwrap_or(0);
        // A thread that the module begins is as one that was called.
        let begun = |thread: usize| {
            self.events.iter().find_map(|event| match event.what {
                What::Begins(begun, procedure) if begun == thread => Some(procedure),
                _ => None,
            })
        };
        let nested = |thread: usize| {
            let called = begun(thread).map(|id| Move::Call(Function::Procedure(id), Vec::new()));
            let before = usize::from(called.is_some());
            let nested = Play(called.into_iter().chain(moves(thread)).collect()).nested();
            moves(thread).zip(nested.into_iter().skip(before)).collect::<Vec<_>>().into_iter()
        };
        let mut by_thread: Vec<_> = (0..threads).map(nested).collect();
        let made = self.events.iter().filter(|event| matches!(event.what, What::Move(_)));
        let next = |event: &Event| {
            let (played, nested) = by_thread[event.thread].next()?;
            Some((event.thread, played, nested))
        };
        made.filter_map(next).collect()
    }
}

/// Accesses behind the schedule are followed no further than this.
const MOST_AHEAD: u64 = 1 << 10;

/// All threads, and what they share.
#[derive(Clone)]
struct Configuration {
    shared: Shared,
    threads: Vec<Thread>,
}

/// Follows a schedule with this many threads, in which no more calls by the environment are open at once than the nesting. A
/// schedule that cannot be followed to its end is refused.
pub fn replay(
    module: &Module,
    (threads, nesting): (usize, usize),
    acts: &[Act],
    mut patience: Patience<'_>,
) -> Result<Replayed, String> {
    let mut at = Configuration { shared: Shared::default(), threads: vec![Thread::default(); threads] };
    let mut found = Replayed::default();
    for (n, act) in acts.iter().enumerate() {
        let refused = |why: &str| Err(format!("step {}: {why}", n + 1));
        if patience.step(1).is_err() {
            return refused("the time is over");
        }
        if found.failure.is_some() || act.thread >= at.threads.len() {
            return refused("there is nothing more to play");
        }
        let stepped = match &act.played {
            Some(played) => {
                let thread = &at.threads[act.thread];
                if thread.next(module) != Next::Environment || at.shared.keeps_out(act.thread) {
                    return refused("the environment is not to move in this thread");
                }
                if let Err(why) = legal(module, &at.shared.escaped, played, thread.waits_for()) {
                    return refused(&why);
                }
                at.play(module, act.thread, played, &mut found);
                found.done.push((act.thread, Done::Played));
                match at.threads[act.thread].nesting() <= nesting {
                    true => Stepped::On,
                    false => return refused("the calls are nested too deeply"),
                }
            }
            None => {
                let next = at.threads[act.thread].next(module);
                if next == Next::Silent || at.shared.blocks(module, act.thread, next) {
                    return refused("the thread cannot go on");
                }
                let done = if next == Next::Move { Done::Moved } else { Done::Accessed };
                found.done.push((act.thread, done));
                at.go_on(module, act.thread, &mut found)
            }
        };
        let stepped = match stepped {
            // What the environment does is a step by itself.
            Stepped::On if act.played.is_some() => {
                let Configuration { shared, threads } = &mut at;
                shared.settle(module, act.thread, &mut threads[act.thread], patience.steps)
            }
            Stepped::On | Stepped::Begins(_) => at.run_on(module, act.thread, patience.steps, &mut found),
            ended => ended,
        };
        let Configuration { shared, threads } = &at;
        let failure = match stepped {
            Stepped::On | Stepped::Moves(_) | Stepped::Begins(_) => {
                deadlock(module, shared, |n| threads[n].next(module), act.thread).or_else(|| {
                    let access = |n: usize| threads[n].access(module);
                    let last = threads.len() - 1;
                    let from = |from| race(module, shared, access, threads.len(), from);
                    from(act.thread).or_else(|| from(last))
                })
            }
            Stepped::Fails(failure) => Some(failure),
            Stepped::Exits(_) => return refused("the module ends the program"),
            Stepped::Exhausted => return refused("the module takes too long"),
        };
        if let Some(failure) = failure {
            at.fail(module, act.thread, failure, &mut found);
            found.ahead = at.clone().ahead(module, act.thread);
        }
    }
    Ok(found)
}

impl Configuration {
    /// The environment moves in a thread.
    fn play(&mut self, module: &Module, number: usize, played: &Move, found: &mut Replayed) {
        let place = match played {
            Move::Call(Function::Procedure(id), _) => Some(module.procedure(*id).span),
            _ => None,
        };
        self.shared.play(module, &mut self.threads[number], played);
        self.note(number, What::Move(played.clone()), place, found);
    }

    /// The module makes an access or a move in a thread.
    fn go_on(&mut self, module: &Module, number: usize, found: &mut Replayed) -> Stepped {
        let access = self.access(module, number);
        let place = self.place(module, number);
        let mut stepped = self.shared.step(module, number, &mut self.threads[number]);
        if let Stepped::Begins(thread) = &mut stepped {
            let mut thread = std::mem::take(thread);
            let begun = self.threads.len();
            // What nobody can see comes at once.
            match self.shared.settle(module, begun, &mut thread, u64::MAX) {
                Stepped::On => {}
                ended => stepped = ended,
            }
            self.threads.push(thread);
        }
        match (&stepped, access) {
            (Stepped::Moves(made), _) => self.note(number, What::Move(made.clone()), place, found),
            (Stepped::Begins(_), _) => {
                let begun = self.threads.len() - 1;
                let procedure = self.threads[begun].frames.first().map(|frame| frame.procedure);
                if let Some(procedure) = procedure {
                    self.note(number, What::Begins(begun, procedure), place, found);
                }
            }
            (Stepped::Exits(n), _) => self.note(number, What::Move(Move::Exit(n.clone())), place, found),
            (_, Some(What::Access(_, cell, _))) if module.is_hidden(cell) => {}
            (_, Some(access)) => self.note(number, access, place, found),
            (_, None) => {}
        }
        stepped
    }

    /// A thread makes the accesses that no other thread can come between, and what nobody else can see.
    fn run_on(&mut self, module: &Module, number: usize, steps: u64, found: &mut Replayed) -> Stepped {
        let mut taken = 0;
        loop {
            match self.shared.settle(module, number, &mut self.threads[number], steps) {
                Stepped::On => {}
                ended => return ended,
            }
            if !self.shared.goes_on_alone(module, number, &self.threads[number]) {
                return Stepped::On;
            }
            taken += 1;
            if taken > steps {
                return Stepped::Exhausted;
            }
            match self.go_on(module, number, found) {
                Stepped::On => {}
                ended => return ended,
            }
        }
    }

    /// The accesses that all threads but one would make next, up to where they use a lock or a move is made.
    fn ahead(mut self, module: &Module, except: usize) -> Vec<Event> {
        let mut found = Replayed::default();
        for number in (0..self.threads.len()).filter(|number| *number != except) {
            for _ in 0..MOST_AHEAD {
                let next = self.threads[number].next(module);
                let locks = matches!(
                    self.scene(module, number),
                    Some((_, Statement::TryLock(..) | Statement::Unlock(_)))
                );
                if next != Next::Access || locks || self.shared.blocks(module, number, next) {
                    break;
                }
                let stepped = match self.go_on(module, number, &mut found) {
                    Stepped::On => self.run_on(module, number, MOST_AHEAD, &mut found),
                    ended => ended,
                };
                if stepped != Stepped::On {
                    break;
                }
            }
        }
        found.events
    }

    fn note(&self, thread: usize, what: What, place: Option<Span>, found: &mut Replayed) {
        found.events.push(Event { thread, what, place, store: self.shared.globals.clone() });
    }

    fn place(&self, module: &Module, number: usize) -> Option<Span> {
        let frame = self.threads[number].frames.last()?;
        Some(module.procedure(frame.procedure).body[frame.at].1)
    }

    /// What a thread is about to evaluate in.
    fn scene<'a>(&'a self, module: &'a Module, number: usize) -> Option<(Scene<'a>, &'a Statement)> {
        let frame = self.threads[number].frames.last()?;
        let procedure = module.procedure(frame.procedure);
        let scene = Scene { module, procedure, globals: &self.shared.globals, locals: &frame.locals };
        Some((scene, &procedure.body[frame.at].0))
    }

    /// The access that a thread is about to make.
    fn access(&self, module: &Module, number: usize) -> Option<What> {
        let (scene, statement) = self.scene(module, number)?;
        match statement {
            Statement::Join(thread, _) => {
                let thread = scene.value(*thread).ok()?.to_u64()?.checked_sub(1)?;
                return Some(What::Joins(usize::try_from(thread).ok()?));
            }
            Statement::Leave(_) => return Some(What::Ends),
            Statement::Return(_) if self.threads[number].ends(module) => return Some(What::Ends),
            _ => {}
        }
        let (how, place) = match statement.written() {
            Some(place) => {
                let how = match statement {
                    Statement::Lock(_) => How::Locks,
                    Statement::TryLock(..) => How::Tries,
                    Statement::Unlock(_) => How::Unlocks,
                    Statement::Grab(_) => How::Grabs,
                    Statement::Release(_) => How::Releases,
                    _ => How::Writes,
                };
                (how, place)
            }
            None => match module.expression(module.read_by(statement)?) {
                Expression::Load(place) => (How::Reads, *place),
                _ => return None,
            },
        };
        let Place { base: Base::Module(cell), .. } = place else { return None };
        let (_, element) = scene.element(place, Span::default()).ok()?;
        Some(What::Access(how, cell, element))
    }

    /// The module fails in a thread.
    fn fail(&self, module: &Module, number: usize, failure: Failure, found: &mut Replayed) {
        if let Some((scene, statement)) = self.scene(module, number) {
            found.seen = seen(scene, statement, &failure);
        }
        let place = Some(failure.check.span);
        self.note(number, What::Move(Move::Fail), place, found);
        found.failure = Some(failure);
    }
}

impl What {
    /// What the cell holds that an access is made to, in the store behind the access.
    pub fn value(&self, module: &Module, store: &Store) -> Option<Int> {
        match self {
            What::Access(_, cell, element) => Some(store.held(module, *cell, *element)),
            What::Move(_) | What::Begins(..) | What::Joins(_) | What::Ends => None,
        }
    }
}
