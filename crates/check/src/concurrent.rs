//! Concurrent programs: every position of their strands is visited, until the target is reached.

use std::sync::{Arc, Mutex, PoisonError};

use agon_base::budget::{Budget, Stop, Threads};
use agon_base::growth::unless_full;
use agon_base::refused::Refused;
use agon_base::source::Span;
use agon_core::eval::Patience;
use agon_core::failure::Failure;
use agon_core::types::Data;
use agon_games::machine::explore::{Event, Figures, Here, Place, Visitor, Walk, Walked, explore};
use agon_games::machine::{Code, Strands};
use agon_games::moves::ThreadMove;
use agon_games::play::Play;
use agon_games::values::Exact;
use agon_witness::threads::{self, can_get_stuck, played};
use agon_witness::verify::{Evidence, Subject};

use crate::explicit::{Searched, answers};
use crate::question::{Order, Question, watching_each};
use crate::reconstruct::placed;
use crate::search::{Observer, Progress};
use crate::shorten::little;
use crate::task::Task;
use crate::verdict::{Reason, Report, Verdict};

/// Answers a question about a concurrent program.
pub fn check(task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    look_for(Goal::Target, task, observe)
}

/// Whether a run of a concurrent program can get stuck: to where P can neither move nor be helped by any move of O's.
/// This is a property of runs; the game model, which is angelic, does not see it [SCC, §6].
pub fn deadlock(task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let report = look_for(Goal::Stuck, task, observe);
    if !task.question.shorten {
        return report;
    }
    match shorter(Goal::Stuck, task, &report) {
        Some(Report { verdict, account, .. }) => Report { verdict, account, ..report },
        None => report,
    }
}

/// The same answer with a shorter play, if one is found breadth first within a budget.
pub(crate) fn shorter(goal: Goal, task: Task<'_>, report: &Report) -> Option<Report> {
    let Verdict::Unsafe(play, _) = &report.verdict else { return None };
    let question = &Question { order: Order::Shortest, ..task.question.clone() };
    let task = Task { question, budget: &little(task.budget), ..task };
    // A table that is full leaves the play as it is.
    let found = unless_full(|| look_for(goal, task, &mut |_| {})).ok()?;
    match &found.verdict {
        Verdict::Unsafe(shorter, _) if shorter.moves.len() < play.moves.len() => Some(found),
        _ => None,
    }
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The move that the question is about.
    Target,
    /// A position where P can neither move nor be helped.
    Stuck,
}

fn look_for(goal: Goal, task: Task<'_>, observe: &mut Observer<'_>) -> Report {
    let Task { subject, question, budget, .. } = task;
    let reports = look_for_each(goal, subject, std::slice::from_ref(question), budget, observe);
    reports.into_iter().next().expect("each question has an answer")
}

/// Answers several questions about a concurrent program, in one search.
pub fn check_each(
    subject: Subject<'_>,
    questions: &[Question],
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<Report> {
    look_for_each(Goal::Target, subject, questions, budget, observe)
}

fn look_for_each(
    goal: Goal,
    subject: Subject<'_>,
    questions: &[Question],
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<Report> {
    let watched = watching_each(subject, questions);
    let searched = (Subject { judgement: &watched, ..subject }).code().map(|code| {
        let arena = Arc::new(subject.arena.clone());
        let reduce = questions.iter().all(|question| question.reduce);
        let strands = || Strands::new(code.clone(), arena.clone(), reduce);
        search(goal, strands, questions, budget, observe)
    });
    answers(subject, questions, searched, |subject, play| match goal {
        Goal::Target => confirm(subject, play, budget),
        Goal::Stuck => {
            let can_get_stuck = |moves: &[ThreadMove]| {
                let stuck = can_get_stuck(subject.judgement, subject.arena, moves, budget)?;
                Ok(stuck.then_some(None))
            };
            believe(play, can_get_stuck, |play, _, _| Verdict::Unsafe(play, Evidence::default()))
        }
    })
}

/// At most this many configurations of a program with its environment are visited.
const CONFIGURATIONS: u64 = 50_000;

/// The patience with which a program is run together with an environment.
pub fn patience(budget: &Budget) -> Patience<'_> {
    Patience { steps: CONFIGURATIONS, budget: Some(budget) }
}

/// Has a play confirmed by the interpreter, and by an environment made from it, if the two of them are seen to do it in
/// time.
pub(crate) fn confirm(subject: Subject<'_>, play: Play, budget: &Budget) -> Verdict {
    let confirmed = |moves: &[ThreadMove]| played(subject.judgement, subject.arena, moves, budget);
    believe(play, confirmed, |play, moves, failure| {
        let closed = match threads::verify(subject, moves, patience(budget)) {
            Ok(closed) => Some(closed),
            Err(Refused::Wrong(why)) => return Verdict::Unknown(Reason::Unverified(why)),
            Err(_) => None,
        };
        let evidence = Evidence { closed, failure };
        Verdict::Unsafe(placed(subject, play, &evidence), evidence)
    })
}

fn believe(
    play: Play,
    confirmed: impl Fn(&[ThreadMove]) -> Result<Option<Option<Failure>>, Refused>,
    then: impl Fn(Play, &[ThreadMove], Option<Failure>) -> Verdict,
) -> Verdict {
    let moves: Vec<ThreadMove> = play.threaded().collect();
    match confirmed(&moves) {
        Ok(Some(failure)) => then(play, &moves, failure),
        Ok(None) => Verdict::Unknown(Reason::Unverified("it cannot play it".into())),
        Err(refused) => Verdict::Unknown(Reason::disbelieved(play.moves.len(), refused)),
    }
}

fn is_over(budget: &Budget, figures: Figures) -> bool {
    budget.transitions.is_some_and(|most| figures.transitions > most)
}

/// Whether a walk goes on; the observer hears now and then how it goes.
pub(crate) fn watched<'a>(
    budget: &'a Budget,
    observe: &'a mut Observer<'_>,
    iteration: usize,
) -> impl Fn(Figures) -> Result<(), Stop> + Sync {
    let observe = Mutex::new(observe);
    move |figures| {
        if figures.memory > 0 {
            let mut observe = observe.lock().unwrap_or_else(PoisonError::into_inner);
            (*observe)(progress(figures, iteration).into());
        }
        if is_over(budget, figures) { Err(Stop::Transitions) } else { Ok(()) }
    }
}

/// A play, and where the threads stand that are stuck at its end.
type StuckPlay = (Play, Vec<Span>);

/// A position, what happens there, and where the threads stand that are stuck.
type Found = (Place, Option<Event>, Vec<Span>);

/// What a worker looks for, and has found.
struct Looking<'a> {
    goal: Goal,
    questions: &'a [Question],
    code: &'a Code,
    /// The questions that each letter is about, as far as it was looked at.
    letters: Vec<Option<Box<[usize]>>>,
    /// For each question where its target is reached, and by what.
    found: Vec<Option<(Place, Event)>>,
}

impl Visitor<Exact> for Looking<'_> {
    type Found = Found;

    fn visit(
        &mut self,
        here: &mut Here<'_, '_, Exact>,
        events: &[Event],
    ) -> Result<Option<Self::Found>, Stop> {
        match self.goal {
            Goal::Stuck => {
                if !here.is_stuck()? {
                    return Ok(None);
                }
                // Where all threads wait for O, its moves lead on, to where one does not and is stuck all the same.
                let places = here.places();
                if places.is_empty() && !events.is_empty() {
                    return Ok(None);
                }
                let mut places: Vec<Span> = places.into_iter().flatten().collect();
                places.sort_by_key(|span| span.start);
                Ok(Some((here.place, None, places)))
            }
            Goal::Target => {
                for event in events {
                    self.look_at(here, event);
                }
                let all = self.found.iter().all(Option::is_some);
                Ok(all.then(|| (here.place, None, Vec::new())))
            }
        }
    }

    fn arrive(&mut self, _: Place, _: Option<u32>, _: Place) {}
}

impl Looking<'_> {
    /// Notes what reaches the target of a question for the first time.
    fn look_at(&mut self, here: &Here<'_, '_, Exact>, event: &Event) {
        let Some(letter) = event.label else { return };
        let place = letter as usize;
        if self.letters.len() <= place {
            self.letters.resize(place + 1, None);
        }
        let about = self.letters[place].get_or_insert_with(|| {
            let label = here.letter(letter);
            let is_target = |question: &Question| {
                label.m == question.target
                    && (question.threads.is_empty() || label.threads == question.threads)
            };
            (0..self.questions.len()).filter(|n| is_target(&self.questions[*n])).collect()
        });
        for n in about.iter().copied() {
            let check = event.origin.check(self.code);
            let is_wanted = self.questions[n].check.is_none_or(|wanted| check == Some(wanted));
            if is_wanted && self.found[n].is_none() {
                self.found[n] = Some((here.place, *event));
            }
        }
    }
}

/// A search that goes deep looks around first, at this many transitions, nearest to the start.
const FIRST_LOOK: u64 = 1 << 12;

/// Visits positions, in the order that the questions ask for.
fn search(
    goal: Goal,
    strands: impl Fn() -> Strands,
    questions: &[Question],
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Searched {
    // If it does not matter in which thread the move is made, the threads need no numbers.
    let mut plain = strands();
    let asked = questions.first().map_or(Order::Fixed, |question| question.order);
    if questions.iter().all(|question| question.threads.is_empty()) {
        plain = plain.symmetric();
        // A shortest play has no move that could be left out.
        if asked != Order::Shortest {
            plain = plain.hurrying(questions.iter().map(|question| question.target.clone()).collect());
        }
    }
    // Cells that hold any integer may have paths without end, which nobody comes back from.
    let endless = plain.code().cells().iter().any(|cell| cell.data == Data::Int);
    let order = if endless { Order::Shortest } else { asked };
    let watched = watched(budget, observe, 0);
    let last_place = budget.entries.map_or(Place::MAX, Place);
    // What is near to the start must not wait until a search that goes deep comes back there.
    let first_look = |figures: Figures| {
        if figures.transitions > FIRST_LOOK { Err(Stop::Cancelled) } else { watched(figures) }
    };
    let code = strands();
    let looking = || Looking {
        goal,
        questions,
        code: code.code(),
        letters: Vec::new(),
        found: vec![None; questions.len()],
    };
    let visit =
        |plain: &mut Strands, order, threads, watch: &(dyn Fn(Figures) -> Result<(), Stop> + Sync)| {
            explore(plain, Walk { order, threads, last_place, budget, watch }, looking)
        };
    let mut walked = match order {
        Order::Fixed => visit(&mut plain, Order::Shortest, Threads::new(1), &first_look),
        _ => visit(&mut plain, order, budget.threads, &watched),
    };
    let mut plays: Vec<Option<StuckPlay>> = vec![None; questions.len()];
    let mut reconstructed = reconstruct(goal, &walked, &strands, &mut plain, &mut plays);
    let cut_short = walked.found.is_err() && walked.figures.transitions > FIRST_LOOK;
    if order == Order::Fixed && cut_short && !budget.is_exhausted() && !is_over(budget, walked.figures) {
        walked = visit(&mut plain, order, budget.threads, &watched);
        reconstructed = reconstructed.and(reconstruct(goal, &walked, &strands, &mut plain, &mut plays));
    }
    let ending = walked.found.map(|_| ()).and(reconstructed);
    Searched {
        plays,
        ending,
        progress: progress(walked.figures, 0),
        decided: plain.decided().into_iter().collect(),
    }
}

/// Adds the plays that a walk has found, for questions that have none.
fn reconstruct(
    goal: Goal,
    walked: &Walked<Looking<'_>, Found>,
    strands: &impl Fn() -> Strands,
    plain: &mut Strands,
    plays: &mut [Option<StuckPlay>],
) -> Result<(), Stop> {
    for (n, slot) in plays.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
        let found = match (goal, &walked.found) {
            (Goal::Stuck, Ok(found)) => found.clone(),
            (Goal::Stuck, Err(_)) => None,
            (Goal::Target, _) => walked
                .visitors
                .iter()
                .find_map(|looking| looking.found[n].map(|(place, event)| (place, Some(event), Vec::new()))),
        };
        let Some((place, last, stuck)) = found else { continue };
        let mut events = walked.space.events_to(plain, place)?;
        events.extend(last);
        *slot = Some((play(&mut strands(), plain, &events)?, stuck));
    }
    Ok(())
}

fn progress(figures: Figures, iteration: usize) -> Progress {
    let Figures { positions, transitions, memory } = figures;
    Progress { states: positions, transitions, memory, iteration }
}

/// The moves of what happened.
fn play(strands: &mut Strands, plain: &mut Strands, events: &[Event]) -> Result<Play, Stop> {
    let mut play = Play::default();
    for event in strands.reconstruct(plain, events)? {
        let Some(letter) = event.label else { continue };
        play.push_threaded(strands.letter(letter).clone(), event.origin.span(strands.code()));
    }
    Ok(play)
}
