//! Replaying plays and listing them: sets of configurations, closed under silent steps. Closed programs are run in all
//! orders of their steps.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::rc::Rc;

use agon_base::budget::Stop;
use agon_base::int::Int;

use super::run::{Phase, State};
use super::step::Touch;
use super::{Event, EventKind, Run, Threads, questions};
use crate::eval::{Exit, Patience};
use crate::failure::Failure;
use crate::term::VarId;
use crate::types::Data;

/// The configurations that can be reached by silent steps, these included; nothing if there are too many.
fn closed(threads: &Threads<'_>, mut reached: HashSet<Run>, left: &mut usize) -> Option<HashSet<Run>> {
    let mut todo: Vec<Run> = reached.iter().cloned().collect();
    while let Some(run) = todo.pop() {
        *left = left.checked_sub(1)?;
        if threads.is_exhausted(&run) {
            return None;
        }
        for next in threads.silent(&run) {
            if !reached.contains(&next) {
                reached.insert(next.clone());
                todo.push(next);
            }
        }
    }
    Some(reached)
}

/// Configurations to go on from, by how far they have come. Those that have come farthest are first, but not they alone: one
/// that makes silent steps for ever does not keep another from being found.
struct Waiting<T> {
    by_progress: Vec<VecDeque<T>>,
    taken: usize,
}

impl<T> Waiting<T> {
    fn new(first: T) -> Waiting<T> {
        Waiting { by_progress: vec![VecDeque::from([first])], taken: 0 }
    }

    fn push(&mut self, progress: usize, thing: T) {
        if self.by_progress.len() <= progress {
            self.by_progress.resize_with(progress + 1, VecDeque::new);
        }
        self.by_progress[progress].push_back(thing);
    }

    /// One of those that have come far, and how far.
    fn pop(&mut self) -> Option<(usize, T)> {
        while self.by_progress.last().is_some_and(VecDeque::is_empty) {
            self.by_progress.pop();
        }
        let last = self.by_progress.len().checked_sub(1)?;
        self.taken += 1;
        let elsewhere = (self.taken / 2) % self.by_progress.len();
        let from = match self.taken.is_multiple_of(2) && !self.by_progress[elsewhere].is_empty() {
            true => elsewhere,
            false => last,
        };
        self.by_progress[from].pop_front().map(|thing| (from, thing))
    }
}

/// A run that plays moves, or else how many of them some run plays.
type Played<T> = Result<T, usize>;

/// Whether some interleaving of the program plays exactly these moves, of both players, in this order; and why the program
/// aborts, if that is the last move, in one of the runs that play them.
pub fn fails(
    threads: &Threads<'_>,
    events: &[Event],
    patience: Patience<'_>,
) -> Result<Played<Option<Failure>>, Stop> {
    let aborts = events.last().is_some_and(|event| event.kind == EventKind::Abort);
    let failure = |end: Rc<Point>| end.before.as_ref().filter(|_| aborts)?.run.failure();
    Ok(walk(threads, events, patience)?.map(failure))
}

/// Of some run that plays these moves, the configuration in which each of them was made; none if there is no such run.
pub fn trace(
    threads: &Threads<'_>,
    events: &[Event],
    patience: Patience<'_>,
) -> Result<Option<Vec<Run>>, Stop> {
    let Ok(mut at) = walk(threads, events, patience)? else { return Ok(None) };
    let mut runs = Vec::new();
    while let Some(before) = &at.before {
        if before.made < at.made {
            runs.push((*before.run).clone());
        }
        at = before.clone();
    }
    runs.reverse();
    Ok(Some(runs))
}

/// A configuration on the way, and how it was come to.
struct Point {
    run: Rc<Run>,
    /// After this many moves.
    made: usize,
    before: Option<Rc<Point>>,
}

/// The end of a way along these moves.
fn walk(
    threads: &Threads<'_>,
    events: &[Event],
    mut patience: Patience<'_>,
) -> Result<Played<Rc<Point>>, Stop> {
    let mut gave_up = false;
    // For each number of moves that were made, where they led.
    let mut reached: Vec<HashSet<Rc<Run>>> = vec![HashSet::new(); events.len() + 1];
    let start = Rc::new(threads.start());
    reached[0].insert(start.clone());
    let mut waiting = Waiting::new(Rc::new(Point { run: start, made: 0, before: None }));
    while let Some((made, point)) = waiting.pop() {
        let Some(event) = events.get(made) else { return Ok(Ok(point)) };
        patience.step(64)?;
        let run = &point.run;
        if threads.is_exhausted(run) {
            gave_up = true;
            continue;
        }
        let moves = threads.moves_like(run, &|made| made == event).into_iter().map(|(_, next)| next);
        let after = moves.chain(threads.answer(run, event)).map(|next| (made + 1, next));
        for (made, next) in after.chain(threads.silent(run).into_iter().map(|next| (made, next))) {
            let next = Rc::new(next);
            if reached[made].insert(next.clone()) {
                waiting.push(made, Rc::new(Point { run: next, made, before: Some(point.clone()) }));
            }
        }
    }
    let after = reached.iter().rposition(|runs| !runs.is_empty()).unwrap_or(0);
    if gave_up { Err(Stop::Transitions) } else { Ok(Err(after)) }
}

/// All complete plays of at most this many moves, if no more than this many configurations have to be looked at. The
/// environment uses these values of data.
pub fn complete_plays(
    threads: &Threads<'_>,
    values: &dyn Fn(&Data) -> Vec<Int>,
    longest: usize,
    most: usize,
) -> Option<BTreeSet<Vec<Event>>> {
    let mut left = most;
    let mut complete = BTreeSet::new();
    let mut level = BTreeMap::from([(vec![], HashSet::from([threads.start()]))]);
    for length in 0..=longest {
        let mut longer: BTreeMap<Vec<Event>, HashSet<Run>> = BTreeMap::new();
        for (play, runs) in level {
            let reached = closed(threads, runs, &mut left)?;
            if reached.iter().any(|run| threads.is_complete(run)) {
                complete.insert(play.clone());
            }
            if length == longest {
                continue;
            }
            let mut extend = |event: Event, next: Run| {
                let mut play = play.clone();
                play.push(event);
                longer.entry(play).or_default().insert(next);
            };
            for run in &reached {
                threads.moves(run).into_iter().for_each(|(event, next)| extend(event, next));
                for event in threads.offers(run, values) {
                    if let Some(next) = threads.answer(run, &event) {
                        extend(event, next);
                    }
                }
            }
        }
        level = longer;
    }
    Some(complete)
}

impl Threads<'_> {
    /// What a run may come to right now: an abort, or a value; a command's is 0.
    fn endings(&self, run: &Run) -> Vec<Result<Int, Exit>> {
        let mut endings: Vec<Result<Int, Exit>> = (run.nodes().iter())
            .filter_map(|(_, thread)| match &thread.state {
                State::Abort(term, ..) => Some(Err(Exit::Abort(*term))),
                _ => None,
            })
            .collect();
        if let Phase::Open(opened) = &run.phase
            && opened.thread.is_finished()
            && let State::Return(n) = &opened.thread.state
        {
            endings.push(Ok(n.clone()));
        }
        endings
    }
}

/// Whether some order of the steps of a closed program, opened by its first question, comes to an ending that is
/// looked for.
///
/// Some cells are `passed` on: the thread at them has them for itself until it lets go by a `release`. So what it does to
/// them, other than a `grab`, commutes with whatever others do, and is done at once. Where most was done to them, the
/// search goes on first, but not only there: a thread that counts for ever keeps nobody from finding what others do.
pub fn comes_to(
    threads: &Threads<'_>,
    passed: &dyn Fn(VarId) -> bool,
    goal: &dyn Fn(&Result<Int, Exit>) -> bool,
    mut patience: Patience<'_>,
) -> Result<bool, Stop> {
    let opening = questions(&threads.own, &Default::default(), &|_| vec![]).into_iter().next();
    let opened = opening.and_then(|opening| threads.answer(&threads.start(), &opening));
    let start = Rc::new(opened.ok_or(Stop::Cancelled)?);
    let mut reached = HashSet::from([start.clone()]);
    // By how much was done to the cells that are passed on.
    let mut waiting = Waiting::new(start);
    let mut unknown = false;
    while let Some((done, run)) = waiting.pop() {
        patience.step(64)?;
        if threads.endings(&run).iter().any(goal) {
            return Ok(true);
        }
        unknown |= threads.is_exhausted(&run);
        let mut steps = threads.steps(&run);
        let is_passed = |touch: &Option<Touch>| touch.as_ref().is_some_and(|touch| passed(touch.var));
        let at_once =
            |touch: &Option<Touch>| is_passed(touch) && touch.as_ref().is_some_and(|touch| !touch.grab);
        if let Some(n) = steps.iter().position(|(touch, _)| at_once(touch)) {
            steps = vec![steps.swap_remove(n)];
        }
        for (touch, next) in steps {
            let next = Rc::new(next);
            if reached.insert(next.clone()) {
                waiting.push(done + usize::from(is_passed(&touch)), next);
            }
        }
    }
    if unknown { Err(Stop::Transitions) } else { Ok(false) }
}
