//! The operational semantics of open programs with threads: small steps, one memory access or one move at a time.
//!
//! A configuration is a tree of threads over shared cells. A thread evaluates a term by what is asked of it, as in
//! [`crate::eval`], with an explicit stack of what is still to be done; it runs two threads of its own, or it waits
//! for the environment's answer while threads below it answer what the environment asks of the arguments it was
//! given. What a thread does without touching a cell and without a move nobody else can see or prevent, so that it
//! is done at once; all else is a step, and all orders of steps are possible. It is slow, and meant to be obvious:
//! plays that were found elsewhere are replayed here.

mod run;
mod search;
mod step;

use std::collections::{HashMap, HashSet};

use agon_base::budget::Stop;
use agon_base::int::Int;
use agon_base::refused::Refused;
pub use run::Run;
use run::{Bound, Name, Opened, Phase, State, Thread, Waiting, Way, What};
pub use search::{comes_to, complete_plays, fails, trace};
use step::Ask;

use crate::normal::normalize;
use crate::term::{Construct, Judgement, LabelId, Mode, TermId, Terms, VarId};
use crate::types::{Data, Type};

/// One step from a question to a question below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Step {
    /// To a free identifier, or to one of the program's own arguments.
    Free(VarId),
    /// To an argument of the procedure above, counted from 0.
    Argument(usize),
}

/// Where a move is made: a path from the program's own component, with the number of the thread at each step. The
/// number is the lowest one, from 1, that no open question at the same path has.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Place(pub Vec<(Step, u32)>);

impl Place {
    fn then(&self, step: Step, thread: u32) -> Place {
        let mut path = self.0.clone();
        path.push((step, thread));
        Place(path)
    }
}

/// A move of either player. An answer is made where its question was, at the same element.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Event {
    /// Where it is made; an abort is made in the program's own component.
    pub place: Place,
    /// The index, at an array.
    pub element: Option<Int>,
    /// What is said.
    pub kind: EventKind,
}

/// What a move says.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names are those of the moves")]
pub enum EventKind {
    Run,
    Done,
    Ask,
    /// Answers both `Ask` and `Read`.
    Value(Int),
    Read,
    Write(Int),
    Ok,
    Grab,
    Grabbed,
    Release,
    Released,
    /// Ends the play.
    Abort,
}

impl EventKind {
    /// Whether it asks, rather than answers or ends.
    pub fn is_question(&self) -> bool {
        use EventKind::*;
        matches!(self, Run | Ask | Read | Write(_) | Grab | Release)
    }
}

/// A program whose threads can be run. One that is sequential meets an environment that never does two things at
/// once.
pub struct Threads<'a> {
    judgement: &'a Judgement,
    terms: &'a Terms,
    /// The free identifiers, and the program's arguments.
    free: HashSet<VarId>,
    /// The base type of the program.
    own: Type,
    /// The variables and labels that occur free in each term, sorted, without those of the context.
    names: Vec<Vec<Name>>,
}

/// Programs with jumps and with larger normal forms than this are unsupported.
const LARGEST: usize = 1 << 18;

impl<'a> Threads<'a> {
    /// The threads of a program, unless a jump leaves one of them, or that cannot be found out.
    pub fn new(judgement: &'a Judgement) -> Result<Threads<'a>, Refused> {
        check_jumps(judgement)?;
        let own = judgement.ty.uncurry().1.settled();
        let names = step::free_names(judgement).ok_or(Stop::Table)?;
        Ok(Threads { judgement, terms: &judgement.terms, free: judgement.free(), own, names })
    }

    /// The program before the opening question.
    pub fn start(&self) -> Run {
        Run::new()
    }

    /// Whether the opening question is answered, or the program aborted.
    pub fn is_complete(&self, run: &Run) -> bool {
        matches!(run.phase, Phase::Answered | Phase::Aborted)
    }

    /// Whether some thread took too long between two steps, or met too large a number: then nothing is known of
    /// what it does next, and it does nothing.
    pub fn is_exhausted(&self, run: &Run) -> bool {
        run.nodes().iter().any(|(_, thread)| matches!(thread.state, State::Exhausted))
    }

    /// What the program can be after one silent step of any one thread.
    pub fn silent(&self, run: &Run) -> Vec<Run> {
        self.steps(run).into_iter().map(|(_, next)| next).collect()
    }

    /// Every move that the program can make right now.
    pub fn moves(&self, run: &Run) -> Vec<(Event, Run)> {
        self.moves_like(run, &|_| true)
    }

    /// Every move of some kind that the program can make right now.
    fn moves_like(&self, run: &Run, wanted: &dyn Fn(&Event) -> bool) -> Vec<(Event, Run)> {
        let mut moves = Vec::new();
        for (way, thread) in run.nodes() {
            moves.extend(match &thread.state {
                State::Abort(..) => {
                    let event = Event { place: Place::default(), element: None, kind: EventKind::Abort };
                    wanted(&event).then(|| (event, Run::ended(Phase::Aborted)))
                }
                State::Question(from, step, ask, name) => {
                    self.ask(run, &way, (from, *step, ask, *name), wanted)
                }
                State::Return(n) if thread.stack.is_empty() => {
                    self.reply(run, &way, n).filter(|(event, _)| wanted(event))
                }
                _ => None,
            });
        }
        moves
    }

    /// A thread asks the environment.
    fn ask(
        &self,
        run: &Run,
        way: &[Way],
        (from, step, ask, name): (&Place, Step, &Ask, Option<VarId>),
        wanted: &dyn Fn(&Event) -> bool,
    ) -> Option<(Event, Run)> {
        let in_use = |number: u32| {
            run.waiting().any(|waiting| {
                waiting
                    .place
                    .0
                    .split_last()
                    .is_some_and(|(last, rest)| *last == (step, number) && rest == from.0)
            })
        };
        let place = from.then(step, lowest(in_use));
        let (_, base) = self.ty(&place).expect("the program asks what has a type").uncurry();
        let mut what = ask.what.clone();
        if let (What::Write(n), Some(data)) = (&mut what, base.data()) {
            *n = data.wrap(n);
        }
        let event = Event { place, element: ask.element.map(Int::from), kind: question(base, &what) };
        if !wanted(&event) {
            return None;
        }
        let mut next = run.clone();
        next.at(way).state = State::Waiting(Box::new(Waiting {
            place: event.place.clone(),
            name,
            element: ask.element,
            what,
            arguments: ask.arguments.iter().rev().cloned().collect(),
            open: Default::default(),
        }));
        Some((event, self.settled(next)))
    }

    /// A finished thread answers the question that it was started by, if it was one.
    fn reply(&self, run: &Run, way: &[Way], n: &Int) -> Option<(Event, Run)> {
        let Phase::Open(opening) = &run.phase else { return None };
        match way.split_last() {
            None => {
                let kind = answer(&self.own, &opening.what, n);
                let element = opening.element.map(Int::from);
                Some((Event { place: Place::default(), element, kind }, Run::ended(Phase::Answered)))
            }
            Some((Way::Argument(argument, number), above)) => {
                let mut next = run.clone();
                let State::Waiting(waiting) = &mut next.at(above).state else { return None };
                let place = waiting.place.then(Step::Argument(*argument), *number);
                let opened = waiting.open.remove(&(*argument, *number))?;
                let (_, base) = self.ty(&place)?.uncurry();
                let kind = answer(base, &opened.what, n);
                let event = Event { place, element: opened.element.map(Int::from), kind };
                Some((event, self.settled(next)))
            }
            Some(_) => None,
        }
    }

    /// The environment makes this move, if it is allowed.
    pub fn answer(&self, run: &Run, event: &Event) -> Option<Run> {
        let mut next = run.clone();
        match &run.phase {
            Phase::Answered | Phase::Aborted => return None,
            Phase::Unopened => {
                if !event.place.0.is_empty() {
                    return None;
                }
                let (what, element) = asked(&self.own, event)?;
                let scope = next.heap.scope(Vec::new());
                let body = run::Closure { term: self.judgement.body, scope };
                let thread =
                    Thread::new(State::Eval(body, Ask { arguments: vec![], element, what: what.clone() }));
                next.phase = Phase::Open(Box::new(Opened { what, element, thread }));
            }
            Phase::Open(_) if event.kind.is_question() => {
                let (&(Step::Argument(argument), number), above) = event.place.0.split_last()? else {
                    return None;
                };
                let ty = self.ty(&event.place)?;
                let (arguments, base) = ty.uncurry();
                let (what, element) = asked(base, event)?;
                let ask = Ask {
                    arguments: (0..arguments.len())
                        .rev()
                        .map(|n| Bound::Opponent(event.place.clone(), n))
                        .collect(),
                    element,
                    what: what.clone(),
                };
                let (way, waiting) = self.waiting_at(run, above)?;
                if self.next_thread(waiting, argument) != Some(number) {
                    return None;
                }
                let state = self.enter(waiting.arguments.get(argument)?, ask, None);
                let State::Waiting(waiting) = &mut next.at(&way).state else { return None };
                let opened = Opened { what, element, thread: Thread::new(state) };
                waiting.open.insert((argument, number), opened);
            }
            Phase::Open(_) => {
                let (way, waiting) = self.waiting_at(run, &event.place.0)?;
                let (_, base) = self.ty(&event.place)?.uncurry();
                if !waiting.open.is_empty() || waiting.element.map(Int::from) != event.element {
                    return None;
                }
                let value = answered(base, &waiting.what, &event.kind)?;
                let thread = next.at(&way);
                if let (EventKind::Value(_), Some(var)) = (&event.kind, &waiting.name) {
                    thread.log.read(*var, waiting.element, true, &value);
                }
                thread.state = State::Return(value);
            }
        }
        Some(self.settled(next))
    }

    /// The moves that the environment can make right now, with these values of data, and with every index.
    pub fn offers(&self, run: &Run, values: &dyn Fn(&Data) -> Vec<Int>) -> Vec<Event> {
        match &run.phase {
            Phase::Answered | Phase::Aborted => vec![],
            Phase::Unopened => questions(&self.own, &Place::default(), values),
            Phase::Open(_) => {
                let mut offers = Vec::new();
                for waiting in run.waiting() {
                    let (arguments, base) =
                        self.ty(&waiting.place).expect("what was asked has a type").uncurry();
                    if waiting.open.is_empty() {
                        let kinds = match (&waiting.what, base.data()) {
                            (What::Run | What::Read, Some(data)) => {
                                values(data).into_iter().map(EventKind::Value).collect()
                            }
                            (what, _) => vec![answer(base, what, &Int::ZERO)],
                        };
                        let element = waiting.element.map(Int::from);
                        offers.extend(kinds.into_iter().map(|kind| Event {
                            place: waiting.place.clone(),
                            element: element.clone(),
                            kind,
                        }));
                    }
                    for (n, argument) in arguments.iter().enumerate() {
                        if let Some(thread) = self.next_thread(waiting, n) {
                            let place = waiting.place.then(Step::Argument(n), thread);
                            offers.extend(questions(argument.ty.uncurry().1, &place, values));
                        }
                    }
                }
                offers.retain(|event| self.answer(run, event).is_some());
                offers
            }
        }
    }

    /// The question of the program's that is open at a place.
    fn waiting_at<'r>(&self, run: &'r Run, path: &[(Step, u32)]) -> Option<(Vec<Way>, &'r Waiting)> {
        run.nodes().into_iter().find_map(|(way, thread)| match &thread.state {
            State::Waiting(waiting) if waiting.place.0 == path => Some((way, &**waiting)),
            _ => None,
        })
    }

    /// The number of the thread that the environment may now open in an argument, if the bound allows one more.
    fn next_thread(&self, waiting: &Waiting, argument: usize) -> Option<u32> {
        let (arguments, _) = self.ty(&waiting.place)?.uncurry();
        let bound = arguments.get(argument)?.bound.unwrap_or(1);
        let open = waiting.open.keys().filter(|(n, _)| *n == argument).count() as u64;
        // One thread of control is in one argument of a call at a time.
        let free = self.judgement.mode == Mode::Concurrent || waiting.open.is_empty();
        (open < bound && free).then(|| lowest(|number| waiting.open.contains_key(&(argument, number))))
    }

    /// The type of what is at a place, if there is such a place.
    fn ty(&self, place: &Place) -> Option<&Type> {
        let mut ty = &self.own;
        for (depth, (step, _)) in place.0.iter().enumerate() {
            ty = match step {
                Step::Free(var) if depth == 0 && self.is_free(*var) => &self.terms.variable(*var).ty,
                Step::Argument(n) if depth > 0 => &ty.uncurry().0.get(*n)?.ty,
                _ => return None,
            };
        }
        Some(ty)
    }

    fn is_free(&self, var: VarId) -> bool {
        self.free.contains(&var)
    }

    /// A move as it is written: `f.1.run@1.2`; without the threads, in a sequential program.
    pub fn show(&self, event: &Event) -> String {
        use EventKind::*;
        let data = self.ty(&event.place).and_then(|ty| ty.uncurry().1.data());
        let show = |n: &Int| data.map_or(n.to_string(), |data| data.show(n));
        let label = match &event.kind {
            Run => "run".into(),
            Done => "done".into(),
            Ask => "q".into(),
            Value(n) => show(n),
            Read => "read".into(),
            Write(n) => format!("write({})", show(n)),
            Ok => "ok".into(),
            Grab => "grab".into(),
            Grabbed => "grabbed".into(),
            Release => "release".into(),
            Released => "released".into(),
            Abort => return "abort".into(),
        };
        let steps = event.place.0.iter().map(|(step, _)| match step {
            Step::Free(var) => self.terms.variable(*var).name.to_string(),
            Step::Argument(n) => (n + 1).to_string(),
        });
        let component = steps.collect::<Vec<_>>().join(".");
        let element = event.element.as_ref().map_or(String::new(), |n| format!("[{n}]"));
        if component.is_empty() {
            return label;
        }
        let text = format!("{component}{element}.{label}");
        if self.judgement.mode == Mode::Sequential {
            return text;
        }
        let threads: Vec<String> = event.place.0.iter().map(|(_, thread)| thread.to_string()).collect();
        format!("{text}@{}", threads.join("."))
    }
}

/// The lowest number, from 1, that is not in use.
fn lowest(in_use: impl Fn(u32) -> bool) -> u32 {
    (1..).find(|number| !in_use(*number)).expect("fewer than 2^32 threads are open")
}

/// The question that says what is asked.
fn question(base: &Type, what: &What) -> EventKind {
    match what {
        What::Run if *base == Type::Com => EventKind::Run,
        What::Run => EventKind::Ask,
        What::Read => EventKind::Read,
        What::Write(n) => EventKind::Write(n.clone()),
        What::Grab => EventKind::Grab,
        What::Release => EventKind::Release,
    }
}

/// The answer to what was asked, with the value, where it has one.
fn answer(base: &Type, what: &What, n: &Int) -> EventKind {
    match what {
        What::Run if *base == Type::Com => EventKind::Done,
        What::Run | What::Read => EventKind::Value(n.clone()),
        What::Write(_) => EventKind::Ok,
        What::Grab => EventKind::Grabbed,
        What::Release => EventKind::Released,
    }
}

/// The value that an answer gives, if it answers what was asked with a value of the type.
fn answered(base: &Type, what: &What, kind: &EventKind) -> Option<Int> {
    let n = match kind {
        EventKind::Value(n) => n.clone(),
        _ => Int::ZERO,
    };
    let in_range = base.data().is_none_or(|data| data.wrap(&n) == n);
    (in_range && answer(base, what, &n) == *kind).then_some(n)
}

/// What a question asks of a phrase of base type, and at which element, if it can be asked.
fn asked(base: &Type, event: &Event) -> Option<(What, Option<u64>)> {
    let element = match (base, &event.element) {
        (Type::Array(_, length), Some(n)) => Some(n.to_u64().filter(|n| n < length)?),
        (Type::Array(..), None) | (_, Some(_)) => return None,
        (_, None) => None,
    };
    let what = match (base, &event.kind) {
        (Type::Com, EventKind::Run) | (Type::Exp(_), EventKind::Ask) => What::Run,
        (Type::Var(_) | Type::Array(..), EventKind::Read) => What::Read,
        (Type::Var(data) | Type::Array(data, _), EventKind::Write(n)) if data.wrap(n) == *n => {
            What::Write(n.clone())
        }
        (Type::Sem(_), EventKind::Grab) => What::Grab,
        (Type::Sem(_), EventKind::Release) => What::Release,
        _ => return None,
    };
    Some((what, element))
}

/// All questions that can be asked of a phrase of base type.
fn questions(base: &Type, place: &Place, values: &dyn Fn(&Data) -> Vec<Int>) -> Vec<Event> {
    let mut kinds = match base {
        Type::Com => vec![EventKind::Run],
        Type::Exp(_) => vec![EventKind::Ask],
        Type::Var(_) | Type::Array(..) => vec![EventKind::Read],
        Type::Sem(_) => vec![EventKind::Grab, EventKind::Release],
        Type::Fun(..) | Type::Never => vec![],
    };
    if let Type::Var(data) | Type::Array(data, _) = base {
        kinds.extend(values(data).into_iter().map(EventKind::Write));
    }
    let elements = match base {
        Type::Array(_, length) => (0..*length).map(|n| Some(Int::from(n))).collect(),
        _ => vec![None],
    };
    let at = |element: Option<Int>| {
        let events = kinds.iter().map(move |kind| (element.clone(), kind.clone()));
        events.map(|(element, kind)| Event { place: place.clone(), element, kind })
    };
    elements.into_iter().flat_map(at).collect()
}

/// Finds jumps that leave their threads. In normal form only free identifiers are applied, so that an argument is
/// run by the environment.
fn check_jumps(judgement: &Judgement) -> Result<(), Refused> {
    let all = 0..judgement.terms.len();
    let mut jumps = all.filter(|n| matches!(judgement.terms.construct(TermId::new(*n)), Construct::Goto(_)));
    if jumps.next().is_none() {
        return Ok(());
    }
    let normal = normalize(judgement, LARGEST).ok_or(Stop::Table)?;
    let mut labels: HashMap<LabelId, TermId> = HashMap::new();
    // Each thread is known by the term that it starts with.
    let mut todo = vec![(normal.body, normal.body)];
    while let Some((term, thread)) = todo.pop() {
        match normal.terms.construct(term) {
            Construct::Goto(label) => {
                if labels.get(label) != Some(&thread) {
                    let what = "a jump leaves the thread it is in".into();
                    return Err(Refused::Construct { what, span: normal.terms.span(term) });
                }
            }
            Construct::Break(label, body) | Construct::Continue(label, body) => {
                labels.insert(*label, thread);
                todo.push((*body, thread));
            }
            Construct::Parallel(a, b) => todo.extend([(*a, *a), (*b, *b)]),
            Construct::Apply(function, argument) => {
                todo.extend([(*function, thread), (*argument, *argument)])
            }
            other => other.each_child(|child| todo.push((child, thread))),
        }
    }
    Ok(())
}
