//! A concurrent play as a tree of questions, and who in an environment makes each of its moves.

use std::collections::HashMap;

use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_games::arena::{Arena, ComponentId, OWN};
use agon_games::moves::{Label, Player, ThreadMove};

agon_base::id! {
    /// The place of a question among all of a play, in the order in which they are asked; the opening one is the first.
    pub(super) QuestionId;
}

/// The opening question.
pub(super) const OPENING: QuestionId = QuestionId(0);

/// A question of a play.
pub(super) struct Question {
    pub component: ComponentId,
    pub element: Option<Int>,
    pub label: Label,
    /// Its own number among those that were open beside it.
    pub thread: u32,
    /// Its place in the play.
    pub at: usize,
    /// The place of its answer, and what that says.
    pub answer: Option<(usize, Label)>,
    /// The question whose argument it asks; of a free identifier, the opening one.
    pub above: QuestionId,
    /// The questions that are asked of its arguments; at the opening one, of the free identifiers.
    pub below: Vec<QuestionId>,
}

/// The code of an environment that makes a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Actor {
    /// What stands around the program.
    Main,
    /// What answers a question of P's.
    Body(QuestionId),
    /// One of several threads that use the arguments of a question of P's: in its phase of these, by its number.
    Lane(QuestionId, usize, usize),
}

impl Actor {
    /// Whether what another does next is begun by this one, or goes on when this one is over.
    pub fn leads_to(self, other: Actor) -> bool {
        match (self, other) {
            (Actor::Body(a), Actor::Lane(b, ..)) | (Actor::Lane(a, ..), Actor::Body(b)) => a == b,
            (Actor::Lane(a, phase, _), Actor::Lane(b, other, _)) if phase != other => a == b,
            (a, b) => a == b,
        }
    }
}

/// Questions that follow each other.
pub(super) type Lane = Vec<QuestionId>;

/// A play, read.
pub(super) struct Questions {
    pub all: Vec<Question>,
    /// For each move the question that it asks or answers; an abort does neither.
    pub of: Vec<Option<QuestionId>>,
    /// For each question of P's, what O asks of its arguments: one phase after the other, the lanes of each at once.
    pub phases: HashMap<QuestionId, Vec<Vec<Lane>>>,
    /// Who makes each move, or sees it made.
    pub actors: Vec<Actor>,
    /// The questions below a question, by component.
    asked: HashMap<(QuestionId, ComponentId), Vec<QuestionId>>,
}

impl Questions {
    pub fn read(arena: &Arena, moves: &[ThreadMove]) -> Result<Questions, Refused> {
        let mut all: Vec<Question> = Vec::new();
        let mut of = Vec::new();
        let mut open: HashMap<(ComponentId, &[u32]), QuestionId> = HashMap::new();
        for (at, ThreadMove { m, threads }) in moves.iter().enumerate() {
            if m.label == Label::Abort {
                of.push(None);
                continue;
            }
            let place = (m.component, &**threads);
            if !m.label.is_question() {
                let id = open.remove(&place).ok_or("an answer answers nothing")?;
                let fits = match &all[id.index()].label {
                    Label::Run => m.label == Label::Done,
                    Label::Ask | Label::Read => matches!(m.label, Label::Value(_)),
                    _ => m.label == Label::Ok,
                };
                if !fits {
                    return Err("an answer answers another kind of question".into());
                }
                if all[id.index()].below.iter().any(|below| all[below.index()].answer.is_none()) {
                    return Err("an answer comes before those to the questions below it".into());
                }
                all[id.index()].answer = Some((at, m.label.clone()));
                of.push(Some(id));
                continue;
            }
            let id = QuestionId::new(all.len());
            let above = match arena.component(m.component).parent {
                None => OPENING,
                Some(parent) => {
                    let outer = threads.split_last().map_or(&[][..], |(_, outer)| outer);
                    *open.get(&(parent, outer)).ok_or("an argument is asked of no call")?
                }
            };
            if m.component != OWN {
                all.get_mut(above.index()).ok_or("the play does not open the program")?.below.push(id);
            }
            all.push(Question {
                component: m.component,
                element: m.element.clone(),
                label: m.label.clone(),
                thread: threads.last().copied().unwrap_or(1),
                at,
                answer: None,
                above,
                below: Vec::new(),
            });
            open.insert(place, id);
            of.push(Some(id));
        }
        let mut asked: HashMap<_, Vec<QuestionId>> = HashMap::new();
        for (above, question) in (0..).map(QuestionId).zip(&all) {
            for below in &question.below {
                asked.entry((above, all[below.index()].component)).or_default().push(*below);
            }
        }
        let mut questions = Questions { all, of, phases: HashMap::new(), actors: Vec::new(), asked };
        questions.cast(arena);
        Ok(questions)
    }

    /// Finds the phases, and who makes each move.
    fn cast(&mut self, arena: &Arena) {
        let mut actors = vec![Actor::Main; self.of.len()];
        let mut assign = |question: &Question, actor: Actor| {
            actors[question.at] = actor;
            if let Some((at, _)) = question.answer {
                actors[at] = actor;
            }
        };
        for (id, question) in (0..).map(QuestionId).zip(&self.all) {
            if arena.component(question.component).asker == Player::O {
                continue;
            }
            assign(question, Actor::Body(id));
            let phases = self.phases_of(question);
            for (n, phase) in phases.iter().enumerate() {
                for (number, lane) in phase.iter().enumerate() {
                    let actor = if phase.len() == 1 { Actor::Body(id) } else { Actor::Lane(id, n, number) };
                    lane.iter().for_each(|below| assign(&self.all[below.index()], actor));
                }
            }
            self.phases.insert(id, phases);
        }
        self.actors = actors;
    }

    /// What is asked of the arguments of a question. A phase ends where nothing of it is open. In a phase there is one
    /// lane for each argument and number of a thread in it, so that no more are in an argument at once than were in the
    /// play.
    fn phases_of(&self, question: &Question) -> Vec<Vec<Lane>> {
        let mut phases: Vec<Vec<Lane>> = Vec::new();
        let mut until = Some(0);
        for id in &question.below {
            let below = &self.all[id.index()];
            let end = below.answer.as_ref().map(|(at, _)| *at);
            if until.is_some_and(|until| until < below.at) {
                phases.push(Vec::new());
                until = end;
            } else {
                until = until.zip(end).map(|(a, b)| a.max(b));
            }
            let phase = phases.last_mut().expect("the first question begins a phase");
            let lane = (below.component, below.thread);
            let own = phase.iter_mut().find(|other| {
                other
                    .first()
                    .is_some_and(|id| (self.all[id.index()].component, self.all[id.index()].thread) == lane)
            });
            match own {
                Some(own) => own.push(*id),
                None => phase.push(vec![*id]),
            }
        }
        phases
    }

    /// The questions asked of one argument, or of a free identifier.
    pub fn asked(&self, above: QuestionId, component: ComponentId) -> Vec<QuestionId> {
        self.asked.get(&(above, component)).cloned().unwrap_or_default()
    }
}
