//! A play of a module that a user makes move by move: the user is the environment, and may call exports inside imports.

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_check::verdict::Reason;
use agon_core::eval::Patience;
use agon_core::module::eval::{Exit, Outcome as Ending, Played, play_within};
use agon_core::module::play::{Move, Play};
use agon_core::module::{Function, Module, Signature, Sort};
use agon_games::moves::Player;

use super::{Choice, Outcome};
use crate::session::module::ModuleSession;

/// A play of a module. The interpreter plays all of it again after each move.
pub struct ModulePlay<'a> {
    session: &'a ModuleSession,
    /// The environment's moves.
    moves: Vec<Move>,
    /// What the interpreter has seen of them.
    pub played: Played,
}

impl<'a> ModulePlay<'a> {
    /// A play without moves.
    pub fn start(session: &'a ModuleSession) -> ModulePlay<'a> {
        let played = play_within(session.module(), [], Patience::steps(1));
        ModulePlay { session, moves: Vec::new(), played }
    }

    fn module(&self) -> &'a Module {
        self.session.module()
    }

    /// The moves of both sides so far.
    pub fn play(&self) -> &Play {
        &self.played.play
    }

    /// The calls that are open, outermost first, as they are written, each with whether the environment made it.
    pub fn stack(&self) -> Vec<(String, bool)> {
        let open = self.play().open().into_iter();
        open.map(|(function, own)| (self.module().show_function(function), own)).collect()
    }

    /// The possible moves: the answer to the call that the module waits for, and calls of what the environment may call.
    pub fn choices(&self) -> Vec<Choice> {
        let module = self.module();
        let mut list = Vec::new();
        let open = match self.play().open().last() {
            Some((function, false)) => Some(*function),
            _ => None,
        };
        let never_returns = |function: &Function| match function {
            Function::Import(id) => module.import(*id).ends,
            Function::Procedure(_) | Function::Foreign(_) => false,
        };
        if let Some(function) = open.filter(|function| !never_returns(function)) {
            let Signature { result, .. } = module.signature(module.type_of(function));
            let returns = match function {
                Function::Import(id) => module.import(id).returns.as_ref(),
                Function::Procedure(_) | Function::Foreign(_) => None,
            };
            list.push(self.choice(result.as_slice(), returns, None, |values| match values {
                [] => "ret".into(),
                values => format!("ret {}", values.join("")),
            }));
        }
        for (id, procedure) in module.procedures() {
            let known = procedure.exported || self.played.escaped.contains(&id);
            if known && module.allows(module.allowed(open), id) {
                let Signature { parameters, .. } = module.signature(procedure.signature);
                let name = module.show_function(Function::Procedure(id));
                list.push(self.choice(parameters, None, Some(procedure.span), |values| {
                    format!("{name}({})", values.join(", "))
                }));
            }
        }
        list
    }

    /// Moves that differ in these values, or in numbers of this range.
    fn choice(
        &self,
        sorts: &[Sort],
        within: Option<&(Int, Int)>,
        span: Option<agon_base::source::Span>,
        written: impl Fn(&[String]) -> String,
    ) -> Choice {
        let module = self.module();
        let range = |sort: &Sort| match sort {
            Sort::Data(data) | Sort::Address(data) => within.cloned().or_else(|| data.range()),
            Sort::Function(_) => None,
        };
        let first = |sort: &Sort| module.show_value(&range(sort).map_or(Int::ZERO, |(least, _)| least), sort);
        let last = |sort: &Sort| range(sort).map(|(_, most)| module.show_value(&most, sort));
        let first = written(&sorts.iter().map(first).collect::<Vec<_>>());
        let last = sorts.iter().map(last).collect::<Option<Vec<_>>>().map(|values| written(&values));
        let endless = last.is_none();
        let last = last.filter(|last| *last != first);
        Choice { player: Player::O, first, last, endless, span }
    }

    /// Takes back the environment's last move and what followed it; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let some = self.moves.pop().is_some();
        if some {
            self.played = play_within(self.module(), self.moves.iter().cloned(), Patience::steps(u64::MAX));
        }
        some
    }

    /// Makes a move that is given as text, which the module answers at once; or says why it is not possible here.
    pub fn make(&mut self, text: &str, budget: &Budget) -> Result<Result<Outcome, String>, Reason> {
        let so_far = self.play().show(self.module());
        let whole = match Play::parse(self.module(), &format!("{so_far} · {text}")) {
            Ok(whole) => whole,
            Err(why) => return Ok(Err(format!("That is no move here: {why}."))),
        };
        let Some(made) = whole.0.get(self.play().0.len()) else {
            return Ok(Err("That is no move here.".into()));
        };
        let moves = self.moves.iter().chain([made]).cloned();
        let played = play_within(self.module(), moves, Patience::within(budget));
        let outcome = match &played.outcome {
            Ending::Illegal(why) => return Ok(Err(format!("That is no move here: {why}."))),
            Ending::Ended(Exit::Stopped(stop)) => return Err(Reason::Stop(*stop)),
            Ending::Over => Outcome::GoesOn,
            Ending::Ended(Exit::Diverges) => Outcome::Diverges,
            Ending::Ended(_) => Outcome::Complete,
        };
        self.moves.push(made.clone());
        self.played = played;
        Ok(Ok(outcome))
    }
}
