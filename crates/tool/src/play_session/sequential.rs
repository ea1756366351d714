//! Plays of a sequential program: O moves, then P.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_check::reconstruct::reconstruct;
use agon_check::verdict::Reason;
use agon_games::machine::{Code, Machine, Offer, State};
use agon_games::moves::Player;
use agon_games::play::Play;
use agon_games::values::Exact;

use super::{Choice, Outcome};
use crate::session::Session;

/// A play in which it is O's turn.
pub struct PlaySession<'a> {
    session: &'a Session,
    machine: Machine<Exact>,
    /// The play so far.
    pub play: Play,
    state: State,
    /// The positions before each of O's moves.
    before: Vec<State>,
}

impl<'a> PlaySession<'a> {
    /// A play without moves.
    pub fn new(session: &'a Session, code: Arc<Code>) -> PlaySession<'a> {
        let machine = Machine::new(code, Arc::new(session.arena.clone()), Exact::default());
        let state = machine.start();
        PlaySession { session, machine, play: Play::default(), state, before: Vec::new() }
    }

    /// The offers of O's moves.
    pub fn offers(&self) -> Arc<[Offer<Int>]> {
        self.machine.offers(self.state)
    }

    /// The possible moves as text.
    pub fn choices(&self) -> Vec<Choice> {
        let choice = |offer: &Offer<Int>| {
            let show =
                |code| self.session.arena.show(&offer.at(self.machine.domain(), self.machine.arena(), code));
            let last = offer.last.filter(|last| *last > 0).map(show);
            let span = self.machine.argument_span(self.state, offer);
            Choice { player: Player::O, first: show(0), last, endless: offer.last.is_none(), span }
        };
        self.offers().iter().map(choice).collect()
    }

    /// The offer that contains the move that a text names, and the index of the move in it.
    fn find(&self, text: &str) -> Result<(usize, u64), String> {
        let m = self.session.arena.parse(text).map_err(|why| format!("That is no move: {why}."))?;
        let offers = self.offers();
        let mut offers = offers.iter().enumerate();
        let found = offers.find_map(|(n, offer)| Some((n, offer.code_of(&m, self.machine.arena())?)));
        found.ok_or_else(|| format!("`{text}` cannot be played here."))
    }

    /// Makes a move of an offer, and P answers it.
    pub fn make(&mut self, offer: usize, code: u64, budget: &Budget) -> Result<Outcome, Reason> {
        let offers = self.offers();
        let offer = &offers[offer];
        let data = offer.parts(self.machine.domain(), self.machine.arena(), code);
        self.before.push(self.state);
        // A diverging run ends at the time limit of a move.
        let reaction = reconstruct(&mut self.machine, &mut self.play, self.state, offer, data, budget)?;
        Ok(match reaction {
            None => Outcome::Diverges,
            Some(reaction) => match reaction.next {
                None => Outcome::Complete,
                Some(next) => {
                    self.state = next;
                    Outcome::GoesOn
                }
            },
        })
    }

    /// Makes a move that is given as text; or says why it is not possible here.
    pub fn make_written(&mut self, text: &str, budget: &Budget) -> Result<Result<Outcome, String>, Reason> {
        match self.find(text) {
            Ok((offer, code)) => self.make(offer, code, budget).map(Ok),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Takes back O's last move and P's answer; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(state) = self.before.pop() else { return false };
        self.state = state;
        self.play.truncate(self.before.len() * 2);
        true
    }
}
