//! Plays of a concurrent program: both players may be able to move, and the user decides.
//!
//! Silent steps need no decision. The session keeps the set of positions that the moves so far may have led to (a subset
//! construction), so the user can choose any move that some interleaving of the threads allows.

use std::mem::discriminant;
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_check::verdict::Reason;
use agon_games::machine::{Code, Strands};
use agon_games::moves::{Player, ThreadMove};
use agon_games::play::Play;
use agon_games::possible::{PossibleStates, Successor};

use super::{Choice, Outcome, player};
use crate::session::Session;

/// Possible moves of one player that differ only in their data.
struct Family {
    player: Player,
    /// The moves with their successors.
    moves: Vec<(ThreadMove, Successor)>,
}

/// A play and its possible successors.
pub struct PlaySession<'a> {
    session: &'a Session,
    strands: Strands,
    /// The play so far.
    pub play: Play,
    at: Point,
    before: Vec<Point>,
}

#[derive(Clone)]
struct Point {
    here: PossibleStates,
    /// P's moves, in the order in which they became possible.
    waiting: Vec<ThreadMove>,
    /// The number of moves that were made.
    made: usize,
}

impl<'a> PlaySession<'a> {
    /// A play without moves.
    pub fn new(session: &'a Session, code: Arc<Code>, budget: &Budget) -> Result<PlaySession<'a>, Reason> {
        let mut strands = Strands::new(code, Arc::new(session.arena.clone()), true);
        let here = PossibleStates::start(&mut strands, budget)?;
        let at = Point { here, waiting: Vec::new(), made: 0 };
        Ok(PlaySession { session, strands, play: Play::default(), at, before: Vec::new() })
    }

    /// The possible moves: O's, questions first, then P's, each by itself.
    fn families(&self) -> Vec<Family> {
        let (arena, at) = (&self.session.arena, &self.at);
        let mut moves: Vec<(ThreadMove, Successor)> = (at.here.moves.iter())
            .filter(|(m, _)| player(arena, m) == Player::O)
            .map(|(m, successor)| (m.clone(), successor.clone()))
            .collect();
        let kind = |m: &ThreadMove| (m.m.component, discriminant(&m.m.label), m.threads.clone());
        moves.sort_by_key(|(m, _)| (!m.m.label.is_question(), m.m.component, m.threads.clone()));
        let mut families: Vec<Family> = Vec::new();
        for (m, successor) in moves {
            match families.iter_mut().find(|family| kind(&family.moves[0].0) == kind(&m)) {
                Some(family) => family.moves.push((m, successor)),
                None => families.push(Family { player: Player::O, moves: vec![(m, successor)] }),
            }
        }
        for m in &at.waiting {
            families.push(Family { player: Player::P, moves: vec![(m.clone(), at.here.moves[m].clone())] });
        }
        families
    }

    /// The possible moves as text.
    pub fn choices(&self) -> Vec<Choice> {
        let show = |(m, _): &(ThreadMove, Successor)| self.session.arena.show_threaded(m);
        let choice = |family: &Family| {
            let first = family.moves.first()?;
            let last = family.moves.last().filter(|_| family.moves.len() > 1).map(show);
            Some(Choice {
                player: family.player,
                first: show(first),
                last,
                endless: false,
                span: first.1.span,
            })
        };
        self.families().iter().filter_map(choice).collect()
    }

    /// Makes a move; a chosen one can be taken back.
    fn make(
        &mut self,
        m: ThreadMove,
        successor: &Successor,
        chosen: bool,
        budget: &Budget,
    ) -> Result<Outcome, Reason> {
        if chosen {
            self.before.push(self.at.clone());
        }
        self.play.push_threaded(m, successor.span);
        if successor.is_complete() {
            return Ok(Outcome::Complete);
        }
        self.at.here = PossibleStates::after(successor, &mut self.strands, budget)?;
        self.at.made += 1;
        let Point { here, waiting, .. } = &mut self.at;
        waiting.retain(|m| here.moves.contains_key(m));
        for m in here.moves.keys().filter(|m| player(&self.session.arena, m) == Player::P) {
            if !waiting.contains(m) {
                waiting.push(m.clone());
            }
        }
        // Neither player can move.
        Ok(if here.moves.is_empty() { Outcome::Diverges } else { Outcome::GoesOn })
    }

    /// The possible move that a text names.
    fn find(&self, text: &str) -> Result<(ThreadMove, Successor), String> {
        let arena = &self.session.arena;
        let wanted = arena.parse_threaded(text).map_err(|why| format!("That is no move: {why}."))?;
        let families = self.families();
        let all = families.into_iter().flat_map(|family| family.moves);
        let mut fits: Vec<_> = all
            .filter(|(m, _)| m.m == wanted.m && (wanted.threads.is_empty() || m.threads == wanted.threads))
            .collect();
        match (fits.pop(), &fits[..]) {
            (None, _) => Err(format!("`{text}` cannot be played here.")),
            (Some(fit), []) => Ok(fit),
            (Some(last), _) => {
                let fits = fits.iter().chain([&last]);
                let shown: Vec<_> = fits.map(|(m, _)| format!("`{}`", arena.show_threaded(m))).collect();
                Err(format!("Write which one you mean: {}.", shown.join(", ")))
            }
        }
    }

    /// Makes a move that is given as text; or says why it is not possible here.
    pub fn make_written(&mut self, text: &str, budget: &Budget) -> Result<Result<Outcome, String>, Reason> {
        match self.find(text) {
            Ok((m, successor)) => self.make(m, &successor, true, budget).map(Ok),
            Err(why) => Ok(Err(why)),
        }
    }

    /// Makes P's move if it is the only possible one.
    pub fn forced(&mut self, budget: &Budget) -> Option<Result<Outcome, Reason>> {
        match &self.families()[..] {
            [Family { player: Player::P, moves }] if moves.len() == 1 => {
                let (m, successor) = &moves[0];
                Some(self.make(m.clone(), successor, false, budget))
            }
            _ => None,
        }
    }

    /// Takes back the last choice and what followed it; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(point) = self.before.pop() else { return false };
        self.at = point;
        self.play.truncate(self.at.made);
        true
    }
}
