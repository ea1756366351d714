//! What P gets to see of a variable, an array or a semaphore, and how it is seen what P did to it.

use std::collections::HashMap;

use agon_base::int::Int;
use agon_core::types::Type;
use agon_games::arena::ComponentId;
use agon_games::moves::{Label, Player};

use super::super::questions::{OPENING, QuestionId};
use super::{Purpose, Writer};
use crate::page::number;

impl Writer<'_> {
    pub(super) fn declare(&mut self, name: &str, base: &Type, start: Option<&Int>) {
        let start = |before: &str| start.map_or(String::new(), |n| format!(" {before} {}", number(n)));
        self.declared.push(match base {
            Type::Sem(_) => format!("{base} {name}{};", start("=")),
            Type::Array(data, length) => format!("new {data} {name}[{length}]{} in", start(":=")),
            Type::Var(data) => format!("new {data} {name}{} in", start(":=")),
            _ => return,
        });
    }

    /// What a question at a variable, an array or a semaphore gets to see: a read gives the answer; before a write
    /// there is something else, so that it is seen; a semaphore can only be grabbed, or only be released.
    pub(super) fn cell(&mut self, id: QuestionId) -> Option<String> {
        if let Some(cell) = self.cells.get(&id) {
            return Some(cell.clone());
        }
        let question = self.question(id);
        let component = self.arena.component(question.component);
        let base = component.base.clone();
        let start = match (&base, &question.label, &question.answer) {
            (Type::Var(data) | Type::Array(data, _), Label::Write(n), _) => data.wrap(&n.add(&Int::ONE)),
            (Type::Var(_) | Type::Array(..), _, Some((_, Label::Value(n)))) => n.clone(),
            (Type::Sem(places), Label::Release, _) => Int::from(*places),
            (Type::Var(_) | Type::Array(..) | Type::Sem(_), ..) => Int::ZERO,
            _ => return None,
        };
        let cell = self.page.fresh(&format!("{}_seen", self.name(self.question(id).component)));
        self.declare(&cell, &base, Some(&start).filter(|n| !n.is_zero()));
        self.cells.insert(id, cell.clone());
        Some(cell)
    }

    /// Once O has let P read or write, grab or release, P does; before the next move it can be seen to have done it.
    pub(super) fn look(&mut self, at: usize, parts: &mut Vec<String>) {
        let before = self.before(at);
        let Some(id) = self.questions.of[before].filter(|_| self.purpose == Purpose::Tell) else { return };
        let answered = self.question(id).answer.as_ref().is_some_and(|(at, _)| *at == before);
        if answered && self.arena.component(self.question(id).component).asker == Player::P {
            parts.extend(self.used(id));
        }
    }

    /// What sees that P did to a variable or semaphore what it asked to do.
    pub(super) fn used(&mut self, id: QuestionId) -> Option<String> {
        let cell = self.cell(id)?;
        let question = self.question(id);
        let element = question.element.as_ref().map_or(String::new(), |n| format!("[{n}]"));
        let holds = match (&question.label, &question.answer) {
            (Label::Grab, _) => return Some(format!("release({cell})")),
            (Label::Release, _) => return Some(format!("grab({cell})")),
            (Label::Write(n), _) | (_, Some((_, Label::Value(n)))) => number(n),
            _ => return None,
        };
        Some(format!("if {cell}{element} = {holds} then skip else diverge"))
    }

    /// The question that the play ends with, if it is something that P does to a variable or semaphore once it has been
    /// let in.
    pub(super) fn watched(&self) -> Option<QuestionId> {
        let id = self.questions.of.last().copied().flatten()?;
        let question = self.question(id);
        let watched = self.is_last(question.at)
            && self.arena.component(question.component).asker == Player::P
            && matches!(question.label, Label::Write(_) | Label::Grab | Label::Release);
        watched.then_some(id)
    }

    /// A thread that sees what the play ends with, if nobody else does.
    pub(super) fn watcher(&mut self) -> Option<String> {
        let id = self.watched()?;
        let turn = self.watch();
        let seen = self.used(id)?;
        Some(format!("{{ grab({turn}); {seen}; abort }}"))
    }

    /// Whether the play ends with a question, or with its answer.
    fn ends_at(&self, id: QuestionId) -> bool {
        let question = self.question(id);
        self.is_last(question.at) || question.answer.as_ref().is_some_and(|(at, _)| self.is_last(*at))
    }

    /// These questions and their answers have no turns.
    fn forgo(&mut self, asked: &[QuestionId]) {
        for id in asked {
            let question = &self.questions.all[*id];
            self.kept[question.at] = false;
            if let Some((at, _)) = question.answer {
                self.kept[at] = false;
            }
        }
    }

    /// A free command or expression that uses no argument and always gives the same answer has no turns: it is asked when
    /// it is to answer.
    pub(super) fn as_constant(&mut self, id: ComponentId) {
        let asked = self.questions.asked(OPENING, id);
        let mut answers = asked.iter().filter_map(|id| self.question(*id).answer.as_ref());
        let first = answers.next().map(|(_, answer)| answer);
        let same = answers.all(|(_, answer)| Some(answer) == first);
        let plain = |id: &QuestionId| self.question(*id).below.is_empty() && !self.ends_at(*id);
        let base = &self.arena.component(id).base;
        if same && matches!(base, Type::Com | Type::Exp(_)) && asked.iter().all(plain) {
            self.forgo(&asked);
        }
    }

    /// A free variable, array or semaphore that behaves like one becomes one, and its moves have no turns. Says whether
    /// it does. It is used where O answers.
    pub(super) fn as_cells(&mut self, name: &str, id: ComponentId) -> bool {
        let component = self.arena.component(id);
        let asked = self.questions.asked(OPENING, id);
        if !component.arguments.is_empty() || asked.is_empty() || asked.iter().any(|id| self.ends_at(*id)) {
            return false;
        }
        let mut answered: Vec<_> = (asked.iter().map(|id| self.question(*id)))
            .filter_map(|question| question.answer.as_ref().map(|(at, answer)| (*at, question, answer)))
            .collect();
        answered.sort_by_key(|(at, ..)| *at);
        let base = component.base.clone();
        let line = match &base {
            Type::Sem(places) => {
                // How many places are taken, counted from the start.
                let (mut now, mut least, mut most) = (0i64, 0i64, 0i64);
                for (_, question, _) in answered {
                    now += if question.label == Label::Grab { 1 } else { -1 };
                    (least, most) = (least.min(now), most.max(now));
                }
                if (most - least) as u64 > *places {
                    return false;
                }
                let start = if least < 0 { format!(" = {}", -least) } else { String::new() };
                vec![format!("{base} {name}{start};")]
            }
            Type::Var(data) | Type::Array(data, _) => {
                let mut initial: HashMap<Int, Int> = HashMap::new();
                let mut now: HashMap<Int, Int> = HashMap::new();
                for (_, question, answer) in answered {
                    let at = question.element.clone().unwrap_or_default();
                    match (&question.label, answer) {
                        (Label::Write(n), _) => {
                            now.insert(at, n.clone());
                        }
                        (_, Label::Value(n)) => {
                            let held = now.entry(at.clone()).or_insert_with(|| {
                                initial.insert(at, n.clone());
                                n.clone()
                            });
                            if held != n {
                                return false;
                            }
                        }
                        _ => {}
                    }
                }
                let mut lines = Vec::new();
                match &base {
                    Type::Array(_, length) => {
                        lines.push(format!("new {data} {name}[{length}] in"));
                        let mut initial: Vec<_> = initial.into_iter().filter(|(_, n)| !n.is_zero()).collect();
                        initial.sort();
                        lines.extend(initial.iter().map(|(at, n)| format!("{name}[{at}] := {};", number(n))));
                    }
                    _ => {
                        let start = initial.get(&Int::ZERO).filter(|n| !n.is_zero());
                        let start = start.map_or(String::new(), |n| format!(" := {}", number(n)));
                        lines.push(format!("new {data} {name}{start} in"));
                    }
                }
                lines
            }
            _ => return false,
        };
        self.forgo(&asked);
        self.declared.extend(line);
        true
    }
}
