//! The search: lazy reachability of a move in a game that is built while it is walked [OTF, Def. 4].
//!
//! One search for all orders. Depth first, the choices that differ in data only are put off: first every
//! argument is run with the first value of everything, and only when that is exhausted are further values tried,
//! twice as many in each pass. So a stack with 2^1024 contents is filled without looking at them, and what one
//! step into it would have shown is found on the way back.

mod orders;

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::Numbered;
use agon_base::id::small;
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_games::arena::ComponentId;
use agon_games::machine::{Machine, Offer, Reaction, State};
use agon_games::moves::{Move, Player};
use agon_games::play::Play;
use agon_games::values::Exact;
use orders::{FIRST_WIDE, Shuffle, Wide};
use rustc_hash::FxHashSet;

use crate::question::{Order, Question};
use crate::reconstruct::reconstruct;
use crate::verdict::Iteration;

/// What a search has come to.
#[derive(Clone, Copy, Default, Debug)]
pub struct Progress {
    /// Distinct positions visited.
    pub states: usize,
    /// Pairs of moves tried.
    pub transitions: u64,
    /// Bytes in use.
    pub memory: usize,
    /// Which abstraction it is, counted from 1; 0 for a search without one.
    pub iteration: usize,
}

impl Progress {
    /// Asks whether a search that has come this far may go on.
    pub(crate) fn check(&self, budget: &Budget) -> Result<(), Stop> {
        budget.check_with(self.memory)?;
        match budget.transitions {
            Some(most) if self.transitions > most => Err(Stop::Transitions),
            _ => Ok(()),
        }
    }
}

/// What an observer of a search is notified of.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// How far a search has come.
    Progress(Progress),
    /// An iteration of this engine has ended. Its counterexample is given by places in the list of moves.
    Iteration(&'static str, &'a Iteration, &'a [(Player, String)]),
}

impl From<Progress> for Notice<'_> {
    fn from(progress: Progress) -> Self {
        Notice::Progress(progress)
    }
}

/// An observer of a search.
pub type Observer<'a> = dyn FnMut(Notice<'_>) + Send + 'a;

/// Of infinitely many answers one more than this are tried: 0, -1, 1, -2, ….
const A_FEW: u64 = 16;
/// The budget is checked once in this many pairs of moves.
const PATIENCE: u64 = 1 << 10;
/// Progress is reported once in this many.
const REPORT: u64 = 1 << 16;

/// Looks for plays to several targets, in one walk: it goes on until all of them are reached. Gives a play for each that
/// is, and how the search for the others ended. Aborts are distinguished by their checks, if the code keeps them apart.
pub fn search_each(
    machine: &mut Machine<Exact>,
    questions: &[Question],
    order: Order,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> (Vec<Option<Play>>, Result<(), Stop>, Progress) {
    let mut search = Search::new(machine, questions, budget, observe);
    let ending = match order {
        Order::Fixed if search.machine.has_unbounded_cells() => search.deepening(),
        Order::Fixed => search.depth_first(),
        Order::Shortest => search.breadth_first(),
        Order::Random(seed) => search.shuffled(seed),
    };
    let progress = search.progress();
    let ending = search.ending(ending);
    (search.plays, ending, progress)
}

/// What a search is confined to.
#[derive(Clone, Default)]
pub(crate) struct Reach {
    /// The moves that O makes.
    pub moves: FxHashSet<Move>,
    /// The positions that are visited, if not all of them are.
    pub positions: Option<FxHashSet<State>>,
}

/// Looks breadth first for a play of fewer pairs of moves than this, within a reach if one is given.
pub(crate) fn shorter(
    machine: &mut Machine<Exact>,
    question: &Question,
    pairs: usize,
    reach: Option<Reach>,
    budget: &Budget,
) -> Result<Option<Play>, Stop> {
    let observe = &mut |_: Notice<'_>| {};
    let mut search = Search::new(machine, std::slice::from_ref(question), budget, observe);
    search.depth = pairs.saturating_sub(1);
    search.reach = reach;
    let ending = search.breadth_first();
    let ending = search.ending(ending);
    search.plays.pop().flatten().map_or(ending.map(|()| None), |play| Ok(Some(play)))
}

struct Search<'a> {
    machine: &'a mut Machine<Exact>,
    questions: &'a [Question],
    /// For each of them the play that reaches its target, if one was found.
    plays: Vec<Option<Play>>,
    /// Some target is a move of O.
    awaits_offers: bool,
    budget: &'a Budget,
    observe: &'a mut Observer<'a>,
    visited: Interner<State>,
    /// For each position the one from which it was first reached.
    parents: Vec<u32>,
    /// How it was reached from there, in shuffled searches, where the choice is not soon found again.
    choices: Vec<(u16, u64)>,
    transitions: u64,
    unbounded: Option<ComponentId>,
    /// Some run came to a number that is too large.
    too_large: bool,
    reactions: Vec<Reaction<Int>>,
    shuffle: Option<Shuffle>,
    /// What it is confined to, if it is.
    reach: Option<Reach>,
    /// More positions than this, and the search starts over.
    new_limit: usize,
    /// Paths are followed to this length.
    depth: usize,
    /// Some path was not followed further.
    cut: bool,
    wide: Wide,
}

/// Positions are numbered in the order in which they are found.
impl Numbered for Search<'_> {
    fn count(&self) -> usize {
        self.visited.len()
    }
}

impl<'a> Search<'a> {
    fn new(
        machine: &'a mut Machine<Exact>,
        questions: &'a [Question],
        budget: &'a Budget,
        observe: &'a mut Observer<'a>,
    ) -> Search<'a> {
        let arena = machine.arena();
        let awaits_offers = questions.iter().any(|question| arena.player(&question.target) == Player::O);
        Search {
            machine,
            questions,
            awaits_offers,
            plays: vec![None; questions.len()],
            budget,
            observe,
            visited: Interner::with_room(budget.entries.unwrap_or(u32::MAX)),
            parents: Vec::new(),
            choices: Vec::new(),
            transitions: 0,
            unbounded: None,
            too_large: false,
            reactions: Vec::new(),
            shuffle: None,
            reach: None,
            new_limit: usize::MAX,
            depth: usize::MAX,
            cut: false,
            wide: Wide::default(),
        }
    }

    /// What an order of visits came to, for the targets that were not reached.
    fn ending(&self, ending: Result<(), Stop>) -> Result<(), Stop> {
        match (ending, self.unbounded) {
            (Err(_), _) if self.has_all_plays() => Ok(()),
            (Err(stop), _) => Err(stop),
            (Ok(()), Some(component)) => Err(Stop::Unbounded(component)),
            (Ok(()), None) if self.too_large => Err(Stop::Number),
            (Ok(()), None) => Ok(()),
        }
    }

    fn has_all_plays(&self) -> bool {
        self.plays.iter().all(Option::is_some)
    }

    /// Whether a shuffled search has found more positions than it may before it starts over.
    fn starts_over(&self) -> bool {
        self.visited.len() > self.new_limit
    }

    /// Whether the choices are remembered that led to each position.
    fn remembers_choices(&self) -> bool {
        self.shuffle.is_some() || self.reach.is_some()
    }

    fn progress(&self) -> Progress {
        let memory = self.visited.memory()
            + self.parents.capacity() * size_of::<u32>()
            + self.choices.capacity() * size_of::<(u16, u64)>()
            + self.machine.memory();
        Progress { states: self.visited.len(), transitions: self.transitions, memory, iteration: 0 }
    }

    fn begin(&mut self) {
        self.visited.clear();
        self.parents.clear();
        self.choices.clear();
        self.visited.intern(self.machine.start());
        self.parents.push(0);
        self.wide = Wide::default();
        self.wide.due = self.transitions.saturating_add(FIRST_WIDE);
        if self.remembers_choices() {
            self.choices.push((0, 0));
        }
    }

    fn offers(&self, id: u32) -> Arc<[Offer<Int>]> {
        self.machine.offers(*self.visited.get(id))
    }

    /// Plays one of O's moves; gives the position that follows, if it is new.
    fn step(&mut self, from: u32, offers: &[Offer<Int>], n: usize, code: u64) -> Result<Option<u32>, Stop> {
        Ok(self.follow(from, offers, n, code)?.filter(|(_, new)| *new).map(|(id, _)| id))
    }

    /// Plays one of O's moves; gives the position that follows, if there is one, and whether it is new.
    fn follow(
        &mut self,
        from: u32,
        offers: &[Offer<Int>],
        n: usize,
        code: u64,
    ) -> Result<Option<(u32, bool)>, Stop> {
        let offer = &offers[n];
        if self.awaits_offers {
            self.reach_by_offer(from, offer, n, code)?;
        }
        self.transitions += 1;
        if self.transitions.is_multiple_of(PATIENCE) {
            self.look_around()?;
        }
        let state = *self.visited.get(from);
        self.reactions.clear();
        let budget = self.budget;
        let played = self.machine.play(state, offer, code, &mut self.reactions, budget);
        match played {
            Ok(()) => {}
            // Others may still lead to the target.
            Err(Stop::Number) => {
                self.too_large = true;
                return Ok(None);
            }
            Err(stop) => return Err(stop),
        }
        let Some(reaction) = self.reactions.pop() else { return Ok(None) };
        for (k, question) in self.questions.iter().enumerate() {
            if reaction.label == question.target
                && question
                    .check
                    .is_none_or(|check| reaction.origin.check(self.machine.code()) == Some(check))
            {
                self.reach(k, from, n, code)?;
            }
        }
        let Some(next) = reaction.next else { return Ok(None) };
        let confined = self.reach.as_ref().and_then(|reach| reach.positions.as_ref());
        if confined.is_some_and(|positions| !positions.contains(&next)) {
            return Ok(None);
        }
        let (id, new) = self.visited.insert(next);
        if !new {
            return Ok(Some((id, false)));
        }
        self.parents.push(from);
        if self.remembers_choices() {
            self.choices.push((small(n), code));
        }
        if self.starts_over() {
            return Err(Stop::Cancelled);
        }
        Ok(Some((id, true)))
    }

    /// Asks whether O's own move is a target.
    fn reach_by_offer(&mut self, from: u32, offer: &Offer<Int>, n: usize, code: u64) -> Result<(), Stop> {
        for (k, question) in self.questions.iter().enumerate() {
            if offer.component == question.target.component
                && offer.at(self.machine.domain(), self.machine.arena(), code) == question.target
            {
                self.reach(k, from, n, code)?;
            }
        }
        Ok(())
    }

    /// A pair of moves reaches the target of a question. The search is cancelled when all targets are reached.
    #[cold]
    fn reach(&mut self, question: usize, from: u32, offer: usize, code: u64) -> Result<(), Stop> {
        if self.plays[question].is_none() {
            let play = self.play(&self.questions[question].target, from, offer, code);
            self.plays[question] = Some(play?);
        }
        if self.has_all_plays() { Err(Stop::Cancelled) } else { Ok(()) }
    }

    fn look_around(&mut self) -> Result<(), Stop> {
        let progress = self.progress();
        progress.check(self.budget)?;
        if self.transitions.is_multiple_of(REPORT) {
            (self.observe)(progress.into());
        }
        Ok(())
    }

    /// The last code of an offer; of one without a last, a few small values are tried, and that is remembered.
    fn last(&mut self, offer: &Offer<Int>) -> u64 {
        offer.last.unwrap_or_else(|| {
            self.unbounded = Some(offer.component);
            A_FEW
        })
    }

    /// The play from the start to a position, and the pair of moves that reaches the target.
    fn play(&mut self, target: &Move, from: u32, offer: usize, code: u64) -> Result<Play, Stop> {
        let mut path = vec![from];
        let mut id = from;
        while id != 0 {
            id = self.parents[id as usize];
            path.push(id);
        }
        path.reverse();
        let mut play = Play::default();
        for pair in path.windows(2) {
            let (offer, code) = self.choice(pair[0], pair[1])?;
            self.say(&mut play, target, pair[0], offer, code)?;
        }
        self.say(&mut play, target, from, offer, code)?;
        Ok(play)
    }

    /// A choice that leads from one position to another: all are tried again, in the order of the search.
    fn choice(&mut self, from: u32, to: u32) -> Result<(usize, u64), Stop> {
        if let Some((offer, code)) = self.choices.get(to as usize) {
            return Ok((usize::from(*offer), *code));
        }
        let (state, wanted) = (*self.visited.get(from), *self.visited.get(to));
        let offers = self.offers(from);
        let widest = offers.iter().map(|offer| offer.last.unwrap_or(A_FEW)).max().unwrap_or(0);
        for code in 0..=widest {
            for (n, offer) in offers.iter().enumerate() {
                if code > offer.last.unwrap_or(A_FEW) {
                    continue;
                }
                self.reactions.clear();
                let budget = self.budget;
                let played = self.machine.play(state, offer, code, &mut self.reactions, budget);
                if played == Err(Stop::Number) {
                    continue;
                }
                played?;
                if self.reactions.iter().any(|reaction| reaction.next == Some(wanted)) {
                    return Ok((n, code));
                }
            }
        }
        unreachable!("a position is reached from its parent")
    }

    fn say(&mut self, play: &mut Play, target: &Move, from: u32, n: usize, code: u64) -> Result<(), Stop> {
        let state = *self.visited.get(from);
        let offers = self.offers(from);
        let asked = offers[n].at(self.machine.domain(), self.machine.arena(), code);
        if asked == *target {
            // Where O's own move is the target, P is not waited for.
            let span = self.machine.argument_span(state, &offers[n]);
            play.push(asked, span);
            return Ok(());
        }
        let data = offers[n].parts(self.machine.domain(), self.machine.arena(), code);
        reconstruct(self.machine, play, state, &offers[n], data, self.budget)?;
        Ok(())
    }
}
