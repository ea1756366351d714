//! Concurrent programs: every position of their strands is visited, until the target is reached.

pub mod compare;

use std::collections::VecDeque;
use std::sync::Arc;

use agon_games::intern::Interner;
use agon_games::machine::{Halt, State, Strands, Transition, compile_any};
use agon_games::moves::ThreadMove;
use agon_games::play::Play;
use agon_lang::sample::Random;
use agon_lang::source::Span;
use agon_witness::replay::Refused;
use agon_witness::threads::{can_get_stuck, can_play};
use agon_witness::verify::Subject;

use crate::budget::{Budget, Limit};
use crate::question::{Order, Question};
use crate::search::Progress;
use crate::verdict::{Reason, Report, Verdict};

/// Answers a question about a concurrent program.
pub fn check(
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut dyn FnMut(Progress),
) -> Report {
    look_for(Goal::Target, subject, question, budget, observe)
}

/// Whether a run of a concurrent program can get stuck: to where P can neither move nor be helped by any move of O's.
/// This is a property of runs; the game model, which is angelic, does not see it [SCC, §6].
pub fn deadlock(
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut dyn FnMut(Progress),
) -> Report {
    look_for(Goal::Stuck, subject, question, budget, observe)
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// The move that the question is about.
    Target,
    /// A position where P can neither move nor be helped.
    Stuck,
}

fn look_for(
    goal: Goal,
    subject: Subject<'_>,
    question: &Question,
    budget: &Budget,
    observe: &mut dyn FnMut(Progress),
) -> Report {
    let code = match compile_any(subject.judgement, subject.arena) {
        Ok(code) => Arc::new(code),
        Err(refusal) => return Report::new(Verdict::Unknown(refusal.into()), "explicit"),
    };
    let mut search = Search {
        goal,
        strands: Strands::new(code, Arc::new(subject.arena.clone()), question.reduce),
        question,
        budget,
        observe,
        reached: 0,
        parents: Vec::new(),
        transitions: 0,
    };
    let found = search.run();
    let progress = search.progress();
    let verdict = match found {
        Ok(None) => Verdict::Safe,
        Err(reason) => Verdict::Unknown(reason),
        Ok(Some(play)) => {
            let moves: Vec<ThreadMove> = play.threaded().collect();
            let confirmed = match goal {
                Goal::Target => can_play(subject.judgement, subject.arena, &moves),
                Goal::Stuck => can_get_stuck(subject.judgement, subject.arena, &moves),
            };
            match confirmed {
                Ok(true) => Verdict::Unsafe(play, None),
                Ok(false) => Verdict::Unknown(Reason::Unverified("it cannot play it".into())),
                Err(Refused::Wrong(why)) => Verdict::Unknown(Reason::Unverified(why)),
                Err(Refused::OutOfPatience) => Verdict::Unknown(Reason::Unconfirmed(play)),
            }
        }
    };
    Report { states: progress.states, transitions: progress.transitions, ..Report::new(verdict, "explicit") }
}

struct Search<'a> {
    goal: Goal,
    strands: Strands,
    question: &'a Question,
    budget: &'a Budget,
    observe: &'a mut dyn FnMut(Progress),
    /// How many positions were reached.
    reached: usize,
    /// For each position the one from which it was first reached.
    parents: Vec<u32>,
    transitions: u64,
}

/// Not a position: nobody has come here yet.
const UNREACHED: u32 = u32::MAX;
/// Every so many positions the budget is looked at.
const PATIENCE: u64 = 1 << 8;
/// Every so many, whoever watches is told.
const REPORT: u64 = 1 << 16;

impl Search<'_> {
    fn progress(&self) -> Progress {
        let memory = self.parents.capacity() * size_of::<u32>() + self.strands.memory();
        Progress { states: self.reached, transitions: self.transitions, memory, iteration: 0 }
    }

    fn transitions(&mut self, state: State, found: &mut Vec<Transition>) -> Result<(), Reason> {
        let budget = self.budget;
        let played = self.strands.transitions(state, found, &mut || budget.exceeded(0).is_some());
        played.map_err(|why| match why {
            Halt::Unbounded(component) => Reason::Unbounded(component),
            Halt::Interrupted(why) => Reason::Limit(budget.stopped(why)),
        })
    }

    fn is_target(&self, label: &Option<ThreadMove>) -> bool {
        label.as_ref().is_some_and(|label| {
            label.m == self.question.target
                && (self.question.threads.is_empty() || label.threads == self.question.threads)
        })
    }

    /// Visits positions, in the order that the question asks for.
    fn run(&mut self) -> Result<Option<Play>, Reason> {
        let mut random = match self.question.order {
            Order::Random(seed) => Some(Random::new(seed)),
            _ => None,
        };
        self.parents.push(0);
        self.reached = 1;
        let mut waiting = VecDeque::from([0u32]);
        let mut found = Vec::new();
        loop {
            let next = match self.question.order {
                Order::Shortest => waiting.pop_front(),
                _ => waiting.pop_back(),
            };
            let Some(id) = next else { return Ok(None) };
            found.clear();
            self.transitions(State(u64::from(id)), &mut found)?;
            if self.goal == Goal::Stuck && self.is_stuck(&found)? {
                return self.play(id, None).map(Some);
            }
            self.parents.resize(self.strands.positions(), UNREACHED);
            if let Some(random) = &mut random {
                (1..found.len()).for_each(|n| found.swap(n, random.below(n + 1)));
            }
            if self.question.order != Order::Shortest {
                found.reverse();
            }
            for transition in &found {
                self.transitions += 1;
                if self.transitions.is_multiple_of(PATIENCE) {
                    self.look_around()?;
                }
                if self.goal == Goal::Target && self.is_target(&transition.label) {
                    return self.play(id, Some(transition)).map(Some);
                }
                let Some(state) = transition.next else { continue };
                let parent = &mut self.parents[state.0 as usize];
                if *parent == UNREACHED {
                    *parent = id;
                    self.reached += 1;
                    waiting.push_back(state.0 as u32);
                }
            }
        }
    }

    /// Whether P can do nothing at a position, given what can happen there, and whatever O does there does not help.
    fn is_stuck(&mut self, found: &[Transition]) -> Result<bool, Reason> {
        let by_program = |transition: &Transition| transition.pc.is_some();
        let mut waiting: Vec<State> = Vec::new();
        let mut seen: Interner<State> = Interner::default();
        let mut now = found.to_vec();
        loop {
            if now.iter().any(by_program) {
                return Ok(false);
            }
            for state in now.iter().filter_map(|transition| transition.next) {
                if seen.insert(state).1 {
                    waiting.push(state);
                }
            }
            let Some(state) = waiting.pop() else { return Ok(true) };
            now.clear();
            self.transitions(state, &mut now)?;
        }
    }

    fn look_around(&mut self) -> Result<(), Reason> {
        let progress = self.progress();
        if let Some(limit) = self.budget.exceeded(progress.memory) {
            return Err(Reason::Limit(limit));
        }
        if self.budget.transitions.is_some_and(|most| self.transitions > most) {
            return Err(Reason::Limit(Limit::Transitions));
        }
        if self.transitions.is_multiple_of(REPORT) {
            (self.observe)(progress);
        }
        Ok(())
    }

    /// The moves on the way to a position, and the last.
    fn play(&mut self, from: u32, last: Option<&Transition>) -> Result<Play, Reason> {
        let mut path = vec![from];
        while let Some(id) = path.last().copied()
            && id != 0
        {
            path.push(self.parents[id as usize]);
        }
        path.reverse();
        let mut play = Play::default();
        for pair in path.windows(2) {
            let mut found = Vec::new();
            self.transitions(State(u64::from(pair[0])), &mut found)?;
            let to = Some(State(u64::from(pair[1])));
            let transition = found.iter().find(|transition| transition.next == to);
            if let Some(transition) = transition {
                self.say(&mut play, transition);
            }
        }
        if let Some(last) = last {
            self.say(&mut play, last);
        }
        Ok(play)
    }

    fn say(&self, play: &mut Play, transition: &Transition) {
        let Some(label) = &transition.label else { return };
        let span =
            transition.pc.map(|pc| self.strands.code().span(pc)).filter(|span| *span != Span::default());
        play.push_threaded(label.clone(), transition.argument.or(span));
    }
}
