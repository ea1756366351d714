//! Replaying a play: the program runs in a world that says what O said, and must say what P said.

use std::collections::BTreeMap;

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::eval::{Caller, Exit, Patience, Request, World, run};
use agon_core::failure::Failure;
use agon_core::held::Held;
use agon_core::term::{Judgement, VarId};
use agon_core::types::Type;
use agon_games::arena::{Arena, ComponentId, OWN};
use agon_games::moves::{Label, Move};
use agon_games::play::legal;

/// What a play comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The program aborts.
    Abort,
    /// The program ends with this value; a command's is 0.
    Ends(Int),
    /// The environment is asked, or gets to do, what the play ends with.
    Reached,
    /// The program is opened, and that is all.
    Opened,
}

/// What a program asked of its environment during a play, and what it got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    /// What was asked of the program.
    pub opening: Request,
    /// The calls of each free identifier, in the order in which they began.
    pub calls: BTreeMap<ComponentId, Vec<Call>>,
    /// What the play comes to.
    pub goal: Goal,
    /// Why the program aborts, if that is its end.
    pub failure: Option<Failure>,
}

/// What one call of a free identifier does, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Call {
    /// The arguments it uses.
    pub actions: Vec<Action>,
    /// The answer, if it comes to that: a value, or 0 where none is given.
    pub answer: Option<Int>,
    /// At which element it was asked, if it is an array.
    pub element: Option<u64>,
    /// What was written, if it was.
    pub written: Option<Int>,
    /// Here the play reaches what it was after.
    pub goal: bool,
    /// The place in the play of the move that begins it.
    pub begins: usize,
    /// The place of O's answer.
    pub ends: Option<usize>,
}

/// The use of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// Which, counted from 0.
    pub argument: usize,
    /// At which element, if it is an array.
    pub element: Option<u64>,
    /// What is written, if it is.
    pub written: Option<Int>,
    /// The place in the play of O's move.
    pub at: usize,
    /// The place of P's answer, and its value, if it comes to that.
    pub returned: Option<(usize, Int)>,
}

/// Runs the program against the play. It is refused, with the reason, where the program does not play it.
pub fn replay(
    judgement: &Judgement,
    arena: &Arena,
    moves: &[Move],
    patience: Patience<'_>,
) -> Result<Recording, Refused> {
    watched(judgement, arena, moves, patience, &mut |_, _| {})
}

/// Observes the program while it plays: the place of P's move in the play, and what the cells hold then.
pub type Watcher<'a> = dyn FnMut(usize, &dyn Fn() -> Vec<Held>) + 'a;

/// The same, and the program's cells are observed whenever it moves.
pub fn watched(
    judgement: &Judgement,
    arena: &Arena,
    moves: &[Move],
    patience: Patience<'_>,
    watch: &mut Watcher<'_>,
) -> Result<Recording, Refused> {
    legal(arena, moves)?;
    if let Some(m) = moves.iter().find(|m| !arena.permits(m)) {
        return Err(format!("the environment is assumed not to play `{}`", arena.show(m)).into());
    }
    let Some(opening) = moves.first() else { return Err("the play is empty".into()) };
    let opening = request(opening).ok_or("the play does not open the program")?;
    let mut script =
        Script { arena, moves, at: 1, over: false, calls: BTreeMap::new(), failure: None, watch };
    let recording = |script: Script<'_, '_>, goal| {
        let Script { calls, failure, .. } = script;
        Recording { opening: opening.clone(), calls, goal, failure }
    };
    if moves.len() == 1 {
        return Ok(recording(script, Goal::Opened));
    }
    let outcome = run(judgement, &mut script, &opening, patience);
    if script.over {
        return Ok(recording(script, Goal::Reached));
    }
    let (label, goal) = match outcome {
        Ok(value) => match &moves[0].label {
            Label::Run => (Label::Done, Goal::Ends(Int::ZERO)),
            Label::Write(_) => (Label::Ok, Goal::Ends(Int::ZERO)),
            _ => (Label::Value(value.clone()), Goal::Ends(value)),
        },
        Err(Exit::Abort(_)) => (Label::Abort, Goal::Abort),
        Err(Exit::Diverge) => return Err(format!("the program diverges after move {}", script.at).into()),
        Err(Exit::Stop(stop)) => return Err(stop.into()),
        Err(Exit::World(why)) => return Err(why.into()),
        Err(Exit::Jump(_)) => return Err("a jump left the program".into()),
        Err(Exit::Concurrent(_)) => return Err("the program is concurrent".into()),
    };
    script.said(&Move { component: OWN, element: None, label }).map_err(|exit| match exit {
        Exit::World(why) => why,
        other => format!("{other:?}"),
    })?;
    if script.at < moves.len() {
        return Err(format!("the program is over after move {}", script.at).into());
    }
    Ok(recording(script, goal))
}

fn request(m: &Move) -> Option<Request> {
    let element = m.element.as_ref().and_then(Int::to_u64);
    match &m.label {
        Label::Run | Label::Ask => Some(Request::Run),
        Label::Read => Some(Request::Read(element)),
        Label::Write(n) => Some(Request::Write(element, n.clone())),
        _ => None,
    }
}

/// The world in which the play happens.
struct Script<'a, 'w> {
    arena: &'a Arena,
    moves: &'a [Move],
    at: usize,
    /// The play is over; whatever the program would do next is of no interest.
    over: bool,
    calls: BTreeMap<ComponentId, Vec<Call>>,
    failure: Option<Failure>,
    watch: &'a mut Watcher<'w>,
}

impl Script<'_, '_> {
    /// P makes a move; it must be the next of the play.
    fn said(&mut self, m: &Move) -> Result<(), Exit> {
        match self.moves.get(self.at) {
            Some(expected) if expected == m => {
                self.at += 1;
                Ok(())
            }
            Some(expected) => Err(Exit::World(format!(
                "move {} is {}, but the program plays {}",
                self.at + 1,
                self.arena.show(expected),
                self.arena.show(m)
            ))),
            None => Err(Exit::World(format!("the program plays on with {}", self.arena.show(m)))),
        }
    }

    /// O's next move, made in a call, unless the play ends before or with it.
    fn next(&mut self, call: (ComponentId, usize)) -> Result<Move, Exit> {
        let m = self.moves.get(self.at).cloned();
        self.at += 1;
        match m {
            Some(m) if self.at < self.moves.len() => Ok(m),
            _ => Err(self.end(call)),
        }
    }

    fn end(&mut self, call: (ComponentId, usize)) -> Exit {
        self.over = true;
        self.call(call).goal = true;
        Exit::World("the play is over".into())
    }

    fn call(&mut self, (id, number): (ComponentId, usize)) -> &mut Call {
        &mut self.calls.get_mut(&id).expect("the call has begun")[number]
    }
}

impl World for Script<'_, '_> {
    fn ask(&mut self, var: VarId, asked: Request, caller: &mut dyn Caller) -> Result<Int, Exit> {
        let id = self.arena.of_variable(var).ok_or_else(|| Exit::World("no such component".into()))?;
        let component = self.arena.component(id);
        let (element, written, label) = match asked {
            Request::Run if component.base == Type::Com => (None, None, Label::Run),
            Request::Run => (None, None, Label::Ask),
            Request::Read(element) => (element, None, Label::Read),
            Request::Write(element, n) => (element, Some(n.clone()), Label::Write(n)),
        };
        let at = element.map(Int::from);
        self.said(&Move { component: id, element: at.clone(), label })?;
        let begins = self.at - 1;
        (self.watch)(begins, &|| caller.cells());
        let calls = self.calls.entry(id).or_default();
        calls.push(Call { element, written, begins, ..Call::default() });
        let own = (id, calls.len() - 1);
        loop {
            let m = self.next(own)?;
            if m.component == id && m.element == at {
                let answer = match m.label {
                    Label::Value(n) => n,
                    _ => Int::ZERO,
                };
                let ends = self.at - 1;
                let call = self.call(own);
                call.answer = Some(answer.clone());
                call.ends = Some(ends);
                return Ok(answer);
            }
            let n = component.arguments.iter().position(|argument| *argument == m.component);
            let (Some(argument), Some(request)) = (n, request(&m)) else {
                return Err(Exit::World(format!("O cannot play {} here", self.arena.show(&m))));
            };
            let (element, written) = match &request {
                Request::Run => (None, None),
                Request::Read(element) => (*element, None),
                Request::Write(element, n) => (*element, Some(n.clone())),
            };
            let at = self.at - 1;
            self.call(own).actions.push(Action { argument, element, written, at, returned: None });
            let value = caller.argument(self, argument, request)?;
            let label = match m.label {
                Label::Run => Label::Done,
                Label::Write(_) => Label::Ok,
                _ => Label::Value(value.clone()),
            };
            self.said(&Move { component: m.component, element: m.element, label })?;
            let returned = self.at - 1;
            (self.watch)(returned, &|| caller.cells());
            if let Some(action) = self.call(own).actions.last_mut() {
                action.returned = Some((returned, value));
            }
            if self.at == self.moves.len() {
                return Err(self.end(own));
            }
        }
    }

    fn aborted(&mut self, failure: Failure, cells: &dyn Fn() -> Vec<Held>) {
        self.failure = Some(failure);
        (self.watch)(self.at, cells);
    }
}
