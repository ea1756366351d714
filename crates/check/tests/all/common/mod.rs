//! Programs to ask about, and what is asked.

pub mod types;

use std::ops::Deref;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::portfolio::{self, Engine};
use agon_check::question::Question;
use agon_check::refine::RefinementOptions;
use agon_check::task::Task;
use agon_check::verdict::{Reason, Report, Verdict};
use agon_core::types::Type;
use agon_games::moves::{Label, Move};
use agon_ia::read::{Document, read};
use agon_ia::sample::{arithmetic, sequential};
use agon_witness::verify::Program;

pub struct Sample {
    pub text: String,
    program: Program<Document>,
}

impl Deref for Sample {
    type Target = Program<Document>;

    fn deref(&self) -> &Program<Document> {
        &self.program
    }
}

impl Sample {
    pub fn new(text: impl Into<String>) -> Sample {
        let text = text.into();
        let reading = read(&text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}"));
        Sample { text, program: Program::new(reading.document, reading.judgement) }
    }

    pub fn task<'a>(
        &'a self,
        question: &'a Question,
        effort: &'a RefinementOptions,
        budget: &'a Budget,
    ) -> Task<'a> {
        Task { subject: self.subject(), question, effort, budget }
    }

    /// What an engine says.
    pub fn ask(
        &self,
        engine: Engine,
        question: &Question,
        effort: &RefinementOptions,
        budget: &Budget,
    ) -> Report {
        portfolio::answer(engine, self.task(question, effort, budget), &mut |_| {})
    }

    /// Aborting, and some other move of the arena.
    pub fn targets(&self, random: &mut Random) -> Vec<Move> {
        let mut targets = vec![Question::aborts().target];
        let components: Vec<_> = self.arena.components().collect();
        let (id, component) = components[random.below(components.len())];
        let value = |random: &mut Random| {
            let data = component.base.data().expect("the component has data");
            data.wrap(&Int::from(random.below(4) as u64))
        };
        let element = match component.base {
            Type::Array(_, length) => Some(Int::from(random.draw() % length)),
            _ => None,
        };
        let label = match &component.base {
            Type::Com => [Label::Run, Label::Done][random.below(2)].clone(),
            Type::Exp(_) => Label::Value(value(random)),
            Type::Var(_) | Type::Array(..) => match random.below(2) {
                0 => Label::Write(value(random)),
                _ => Label::Value(value(random)),
            },
            _ => return targets,
        };
        targets.push(Move { component: id, element, label });
        targets
    }
}

pub fn any(seed: u64) -> String {
    sequential(seed, 4 + (seed % 19) as usize)
}

pub fn reckoned(seed: u64) -> String {
    arithmetic(seed, 1 + (seed % 9) as usize)
}

/// Says yes or no; nothing if it was not found out.
pub fn answer(verdict: &Verdict, place: &dyn Fn() -> String) -> Option<bool> {
    match verdict {
        Verdict::Safe => Some(true),
        Verdict::Unsafe(..) => Some(false),
        Verdict::Unknown(Reason::Iterations(_) | Reason::Stop(_) | Reason::Unconfirmed(_)) => None,
        Verdict::Unknown(reason) => panic!("{}\n{reason:?}", place()),
    }
}
