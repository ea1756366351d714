//! Whose turn it is: where each thread of an environment waits, and whom it lets go on.

use agon_core::environment::{Place, Purpose, Statement, Use};
use agon_core::term::Name;
use agon_games::arena::ComponentId;
use agon_games::moves::Player;

use super::super::questions::{Actor, QuestionId};
use super::Writer;

impl Writer<'_> {
    pub(super) fn before(&self, at: usize) -> usize {
        (0..at).rev().find(|at| self.kept[*at]).unwrap_or(0)
    }

    pub(super) fn after(&self, at: usize) -> Option<usize> {
        (at + 1..self.moves.len()).find(|at| self.kept[*at])
    }

    /// The entrance that the move comes through, if it is a question of P's: by what it is asked of.
    pub(super) fn gate_of(&self, at: usize) -> Option<(QuestionId, ComponentId)> {
        let id = self.questions.of[at]?;
        let question = self.question(id);
        if question.at != at || self.arena.component(question.component).asker == Player::O {
            return None;
        }
        Some((question.above, question.component))
    }

    /// Whether the thread that makes a move waits until it is let go on.
    fn waits(&self, at: usize) -> bool {
        let before = self.before(at);
        if let Some((above, component)) = self.gate_of(at) {
            // The first to come need not wait, if nobody else comes in the play.
            let only = self.questions.asked(above, component).len() == 1;
            return before != 0 || !only || self.purpose == Purpose::Tell;
        }
        let actor = self.questions.actors[at];
        self.questions.of[at].is_some()
            && !self.questions.actors[before].leads_to(actor)
            && (actor != Actor::Main || self.purpose == Purpose::Tell)
    }

    /// The semaphore at which the thread that makes a move waits, if it does.
    pub(super) fn waits_at(&mut self, at: usize) -> Option<Name> {
        if !self.waits(at) {
            return None;
        }
        if let Some(gate) = self.gate_of(at) {
            if let Some(name) = self.gates.get(&gate) {
                return Some(name.clone());
            }
            let name = self.names.fresh(&format!("{}_turn", self.name(gate.1)));
            // It is open from the start if its turn comes first.
            let first = self.questions.asked(gate.0, gate.1)[0];
            let opened = self.before(self.question(first).at) == 0;
            self.semaphore(&name, !opened);
            self.gates.insert(gate, name.clone());
            return Some(name);
        }
        let actor = self.questions.actors[at];
        if let Some(name) = self.turns.get(&actor) {
            return Some(name.clone());
        }
        let name = match actor {
            Actor::Main => return Some(self.watch()),
            Actor::Body(id) | Actor::Lane(id, ..) => self.name(self.question(id).component),
        };
        let name = self.names.fresh(&format!("{name}_goes_on"));
        self.semaphore(&name, true);
        self.turns.insert(actor, name.clone());
        Some(name)
    }

    /// Where the turn is first handed on, if the first thread did not have to wait. P may come in there more often than
    /// in the play, and it is here that one of these calls gets the turn: which one, is to be tried.
    pub(super) fn first_handed_on(&mut self) -> Option<Name> {
        let first = self.after(0).filter(|first| !self.waits(*first))?;
        match (first + 1..self.moves.len()).find(|at| self.kept[*at] && self.waits(*at)) {
            Some(next) => self.waits_at(next),
            None => self.watched().map(|_| self.watch()),
        }
    }

    fn semaphore(&mut self, name: &Name, taken: bool) {
        self.semaphores.push((name.clone(), taken));
        self.passed.insert(name.clone());
    }

    /// Before a move: it is waited for, and what was done since the move before is looked at.
    pub(super) fn begin(&mut self, at: usize, steps: &mut Vec<Statement>) {
        if let Some(semaphore) = self.waits_at(at) {
            steps.push(Statement::Use(Place::named(&semaphore), Use::Grab));
        }
        self.look(at, steps);
    }

    /// After a move: the thread that makes the next one may go on.
    pub(super) fn end(&mut self, at: usize, steps: &mut Vec<Statement>) {
        if let Some(next) = self.after(at)
            && let Some(semaphore) = self.waits_at(next)
        {
            steps.push(Statement::Use(Place::named(&semaphore), Use::Release));
        }
    }

    /// Where the watcher waits.
    pub(super) fn watch(&mut self) -> Name {
        if let Some(name) = self.turns.get(&Actor::Main) {
            return name.clone();
        }
        let name = self.names.fresh("end_turn");
        self.semaphore(&name, true);
        self.turns.insert(Actor::Main, name.clone());
        name
    }
}
