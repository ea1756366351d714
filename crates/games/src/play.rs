//! Plays: what was said by whom, and where in the program.

use agon_base::source::Span;

use crate::arena::{Arena, ComponentId, OWN};
use crate::moves::{Label, Move, Player, ThreadMove};

/// A play, with the place in the program that each move comes from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Play {
    /// The moves, O's first.
    pub moves: Vec<Move>,
    /// For each move its place, where it has one.
    pub spans: Vec<Option<Span>>,
    /// For each move its threads; empty in a sequential program.
    pub threads: Vec<Box<[u32]>>,
    /// The open questions of a sequential program, outermost first: their components, and their places in the play.
    open: Vec<(ComponentId, usize)>,
}

impl Play {
    /// Adds a move of a sequential program. An answer without a place of its own has that of the question.
    pub fn push(&mut self, m: Move, span: Option<Span>) {
        let question = self.follow(&m, self.moves.len());
        self.moves.push(m);
        self.spans.push(span.or_else(|| self.spans[question?]));
    }

    /// Adds a move with its threads. An answer without a place of its own has that of the question.
    pub fn push_threaded(&mut self, m: ThreadMove, span: Option<Span>) {
        self.threads.push(m.threads);
        self.moves.push(m.m);
        self.spans.push(span);
        let last = self.moves.len() - 1;
        if span.is_none()
            && let Some(question) = self.asked(last)
        {
            self.spans[last] = self.spans[question];
        }
    }

    /// Takes moves back until this many are left.
    pub fn truncate(&mut self, left: usize) {
        self.moves.truncate(left);
        self.spans.truncate(left);
        if !self.threads.is_empty() {
            self.threads.truncate(left);
            return;
        }
        self.open.clear();
        let moves = std::mem::take(&mut self.moves);
        moves.iter().enumerate().for_each(|(n, m)| _ = self.follow(m, n));
        self.moves = moves;
    }

    /// Opens a question of a sequential program, or closes the one that is answered, with those that P left by a jump;
    /// gives the question that is answered.
    fn follow(&mut self, m: &Move, n: usize) -> Option<usize> {
        if m.label.is_question() {
            self.open.push((m.component, n));
        } else if m.label != Label::Abort {
            let question = self.open.iter().rposition(|(component, _)| *component == m.component)?;
            return self.open.drain(question..).next().map(|(_, n)| n);
        }
        None
    }

    /// The question that a move of a concurrent program answers.
    pub fn asked(&self, n: usize) -> Option<usize> {
        let (m, threads) = (&self.moves[n], self.threads.get(n)?);
        if m.label.is_question() || m.label == Label::Abort {
            return None;
        }
        (0..n).rev().find(|earlier| {
            let question = &self.moves[*earlier];
            question.label.is_question()
                && question.component == m.component
                && self.threads[*earlier] == *threads
        })
    }

    /// The moves, with their threads where there are such.
    pub fn threaded(&self) -> impl Iterator<Item = ThreadMove> + '_ {
        self.moves.iter().enumerate().map(|(n, m)| {
            let threads = self.threads.get(n).cloned().unwrap_or_default();
            ThreadMove { m: m.clone(), threads }
        })
    }
}

/// Whether a sequence of moves is a legal play of a sequential program: the players alternate, each question is
/// asked where it may be, each answer answers a question that waits, O asks only for arguments of the call in
/// which P waits, and nothing follows the end [AG, §3]. P may leave calls by a jump, and with them their questions.
pub fn legal(arena: &Arena, moves: &[Move]) -> Result<(), String> {
    // The questions that wait, outermost first.
    let mut open: Vec<ComponentId> = Vec::new();
    let mut ended = false;
    for (n, m) in moves.iter().enumerate() {
        let fail = |why: &str| Err(format!("move {}, {}: {why}", n + 1, arena.show(m)));
        if ended {
            return fail("nothing follows the end of a play");
        }
        let turn = if n % 2 == 0 { Player::O } else { Player::P };
        if m.label != Label::Abort && arena.player(m) != turn {
            return fail("it is the other player's turn");
        }
        if m.label == Label::Abort {
            if turn == Player::O {
                return fail("only the program aborts");
            }
            ended = true;
            continue;
        }
        let component = arena.component(m.component);
        if m.label.is_question() {
            let asked = match turn {
                Player::O if n == 0 => m.component == OWN,
                Player::O => open.last().is_some_and(|top| component.parent == Some(*top)),
                Player::P => component.parent.is_none() && m.component != OWN,
            };
            if !asked {
                return fail("this question may not be asked here");
            }
            open.push(m.component);
            continue;
        }
        // O answers the last question; P answers the last of O's, leaving what it jumped out of.
        match turn {
            Player::O if open.last() == Some(&m.component) => {}
            Player::P if open.contains(&m.component) => {
                while open.last() != Some(&m.component) {
                    open.pop();
                }
            }
            _ => return fail("this answers no question that waits"),
        }
        open.pop();
        ended = m.component == OWN;
    }
    Ok(())
}
