//! What P gets to see of a variable, an array or a semaphore, and how it is seen what P did to it.

use std::collections::HashMap;

use agon_base::int::Int;
use agon_core::environment::{Declaration, Place, Purpose, Statement, Use};
use agon_core::term::Name;
use agon_core::types::Type;
use agon_games::arena::ComponentId;
use agon_games::moves::{Label, Player};

use super::super::questions::{OPENING, QuestionId};
use super::Writer;

impl Writer<'_> {
    /// What a question at a variable, an array or a semaphore gets to see: a read gives the answer; before a write
    /// there is something else, so that it is seen; a semaphore can only be grabbed, or only be released.
    pub(super) fn cell(&mut self, id: QuestionId) -> Option<Name> {
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
        let cell = self.names.fresh(&format!("{}_seen", self.name(self.question(id).component)));
        let start = Some(start).filter(|n| !n.is_zero());
        self.declared.push(Declaration::Cell(cell.clone(), base, start));
        self.cells.insert(id, cell.clone());
        Some(cell)
    }

    /// Once O has let P read or write, grab or release, P does; before the next move it can be seen to have done it.
    pub(super) fn look(&mut self, at: usize, steps: &mut Vec<Statement>) {
        let before = self.before(at);
        let Some(id) = self.questions.of[before].filter(|_| self.purpose == Purpose::Tell) else { return };
        let answered = self.question(id).answer.as_ref().is_some_and(|(at, _)| *at == before);
        if answered && self.arena.component(self.question(id).component).asker == Player::P {
            steps.extend(self.used(id));
        }
    }

    /// What sees that P did to a variable or semaphore what it asked to do.
    pub(super) fn used(&mut self, id: QuestionId) -> Option<Statement> {
        let cell = Place::named(&self.cell(id)?);
        let question = self.question(id);
        let holds = match (&question.label, &question.answer) {
            (Label::Grab, _) => return Some(Statement::Use(cell, Use::Release)),
            (Label::Release, _) => return Some(Statement::Use(cell, Use::Grab)),
            (Label::Write(n), _) | (_, Some((_, Label::Value(n)))) => n.clone(),
            _ => return None,
        };
        Some(Statement::Expect(vec![cell.at(question.element.clone()).is(holds)]))
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
    pub(super) fn watcher(&mut self) -> Option<Vec<Statement>> {
        let id = self.watched()?;
        let turn = Statement::Use(Place::named(&self.watch()), Use::Grab);
        Some(vec![turn, self.used(id)?, Statement::Abort])
    }

    /// Whether the play ends with a question, or with its answer.
    fn ends_at(&self, id: QuestionId) -> bool {
        let question = self.question(id);
        self.is_last(question.at) || question.answer.as_ref().is_some_and(|(at, _)| self.is_last(*at))
    }

    /// These questions and their answers have no turns.
    fn forgo(&mut self, asked: &[QuestionId]) {
        for id in asked {
            let question = &self.questions.all[id.index()];
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
    pub(super) fn as_cells(&mut self, name: &Name, id: ComponentId) -> bool {
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
        let mut start = None;
        let mut elements = Vec::new();
        match &base {
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
                start = (least < 0).then(|| Int::from(-least));
            }
            Type::Var(_) | Type::Array(..) => {
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
                let mut initial: Vec<_> = initial.into_iter().filter(|(_, n)| !n.is_zero()).collect();
                initial.sort();
                match &base {
                    Type::Array(..) => elements = initial,
                    _ => start = initial.pop().map(|(_, n)| n),
                }
            }
            _ => return false,
        }
        self.forgo(&asked);
        self.declared.push(Declaration::Cell(name.clone(), base, start));
        let elements = elements.into_iter().map(|(at, n)| Declaration::Element(name.clone(), at, n));
        self.declared.extend(elements);
        true
    }
}
