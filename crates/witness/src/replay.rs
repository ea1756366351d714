//! Replaying a play: the program runs in a world that says what O said, and must say what P said.

use agon_games::arena::{Arena, OWN};
use agon_games::moves::{Label, Move};
use agon_games::play::legal;
use agon_lang::eval::{Caller, Exit, Request, World, run};
use agon_lang::int::Int;
use agon_lang::term::{Judgement, VarId};
use agon_lang::types::Type;

/// Runs the program against the play. It is refused, with the reason, where the program does not play it.
pub fn replay(judgement: &Judgement, arena: &Arena, moves: &[Move], steps: u64) -> Result<(), String> {
    legal(arena, moves)?;
    let Some(opening) = moves.first() else { return Err("the play is empty".into()) };
    if moves.len() == 1 {
        return Ok(());
    }
    let request = request(opening).ok_or("the play does not open the program")?;
    let mut script = Script { arena, moves, at: 1, over: false };
    let outcome = run(judgement, &mut script, &request, steps);
    if script.over {
        return Ok(());
    }
    let answer = match outcome {
        Ok(value) => {
            let label = match &opening.label {
                Label::Run => Label::Done,
                Label::Write(_) => Label::Ok,
                _ => Label::Value(value),
            };
            Move { component: OWN, element: None, label }
        }
        Err(Exit::Abort(_)) => Move { component: OWN, element: None, label: Label::Abort },
        Err(Exit::Diverge) => return Err(format!("the program diverges after move {}", script.at)),
        Err(Exit::Exhausted) => return Err(format!("the run did not end within {steps} steps")),
        Err(Exit::World(why)) => return Err(why),
        Err(Exit::Jump(_)) => return Err("a jump left the program".into()),
        Err(Exit::Concurrent(_)) => return Err("the program is concurrent".into()),
    };
    script.said(&answer).map_err(|exit| match exit {
        Exit::World(why) => why,
        other => format!("{other:?}"),
    })?;
    if script.at < moves.len() {
        return Err(format!("the program is over after move {}", script.at));
    }
    Ok(())
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
struct Script<'a> {
    arena: &'a Arena,
    moves: &'a [Move],
    at: usize,
    /// The play is over; whatever the program would do next is of no interest.
    over: bool,
}

impl Script<'_> {
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

    /// O's next move, unless the play ends before or with it.
    fn next(&mut self) -> Result<Move, Exit> {
        let m = self.moves.get(self.at).cloned();
        self.at += 1;
        match m {
            Some(m) if self.at < self.moves.len() => Ok(m),
            _ => Err(self.end()),
        }
    }

    fn end(&mut self) -> Exit {
        self.over = true;
        Exit::World("the play is over".into())
    }
}

impl World for Script<'_> {
    fn ask(&mut self, var: VarId, asked: Request, caller: &mut dyn Caller) -> Result<Int, Exit> {
        let id = self.arena.of_variable(var).ok_or_else(|| Exit::World("no such component".into()))?;
        let component = self.arena.component(id);
        let (element, label) = match asked {
            Request::Run if component.base == Type::Com => (None, Label::Run),
            Request::Run => (None, Label::Ask),
            Request::Read(element) => (element, Label::Read),
            Request::Write(element, n) => (element, Label::Write(n)),
        };
        let element = element.map(Int::from);
        self.said(&Move { component: id, element: element.clone(), label })?;
        loop {
            let m = self.next()?;
            if m.component == id && m.element == element {
                return match m.label {
                    Label::Value(n) => Ok(n),
                    _ => Ok(Int::ZERO),
                };
            }
            let n = component.arguments.iter().position(|argument| *argument == m.component);
            let (Some(n), Some(request)) = (n, request(&m)) else {
                return Err(Exit::World(format!("O cannot play {} here", self.arena.show(&m))));
            };
            let value = caller.argument(self, n, request)?;
            let label = match m.label {
                Label::Run => Label::Done,
                Label::Write(_) => Label::Ok,
                _ => Label::Value(value),
            };
            self.said(&Move { component: m.component, element: m.element, label })?;
            if self.at == self.moves.len() {
                return Err(self.end());
            }
        }
    }
}
