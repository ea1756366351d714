//! Plays: what was said by whom, and where in the program.

use agon_lang::source::Span;

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
}

impl Play {
    /// Adds a move.
    pub fn push(&mut self, m: Move, span: Option<Span>) {
        self.moves.push(m);
        self.spans.push(span);
    }

    /// Adds a move with its threads. An answer without a place of its own has that of the question.
    pub fn push_threaded(&mut self, m: ThreadMove, span: Option<Span>) {
        self.threads.push(m.threads);
        self.push(m.m, span);
        let last = self.moves.len() - 1;
        if span.is_none()
            && let Some(question) = self.asked(last)
        {
            self.spans[last] = self.spans[question];
        }
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
