//! The search: lazy reachability of a move in a game that is built while it is walked [OTF, Def. 4].
//!
//! One search for all orders. Depth first, the choices that differ in data only are put off: first every
//! argument is run with the first value of everything, and only when that is exhausted are further values tried,
//! twice as many in each pass. So a stack with 2^1024 contents is filled without looking at them, and what one
//! step into it would have shown is found on the way back.

use std::collections::VecDeque;
use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::explore::{self, Numbered};
use agon_base::id::{number, small};
use agon_base::int::Int;
use agon_base::intern::Interner;
use agon_base::random::Random;
use agon_games::arena::ComponentId;
use agon_games::machine::{Machine, Offer, Reaction, State};
use agon_games::moves::{Move, Player};
use agon_games::play::Play;
use agon_games::values::Exact;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// A search that may have started over this often has the limits to show for it.
const FIRST_LIMIT: usize = 1 << 10;

/// Of infinitely many answers one more than this are tried: 0, -1, 1, -2, ….
const A_FEW: u64 = 16;
/// Paths that are as long as this are not followed further at first, where cells hold any integer.
const FIRST_DEPTH: usize = 1 << 6;
/// After paths of this length, such programs are searched breadth first.
const LAST_DEPTH: usize = 1 << 12;

/// A depth-first search looks around after this many pairs of moves, and whenever there are four times as many.
const FIRST_WIDE: u64 = 1 << 16;
/// Then it tries this part of their number.
const WIDE_SHARE: u64 = 256;

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

/// A look around beside a depth-first search: breadth first, with all values, a small share of the work. A path of 2^32
/// positions does not hide what lies beside its beginning.
struct Wide {
    /// Positions that wait, the nearest to the start first, and the next of their choices.
    waiting: VecDeque<u32>,
    next: (usize, u64),
    /// The positions that have waited or wait.
    queued: FxHashSet<u32>,
    /// At this count of transitions it is its turn.
    due: u64,
}

impl Default for Wide {
    fn default() -> Wide {
        Wide {
            waiting: VecDeque::from([0]),
            next: (0, 0),
            queued: FxHashSet::from_iter([0]),
            due: FIRST_WIDE,
        }
    }
}

/// A position on the way, with the next of its offers.
#[derive(Clone, Copy)]
struct Visit {
    id: u32,
    next: u16,
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

    fn breadth_first(&mut self) -> Result<(), Stop> {
        self.begin();
        // Positions before this one are reached by paths of this length, or shorter ones.
        let (mut longer, mut length) = (1, 0);
        explore::breadth_first(self, |search, id| {
            if id == longer {
                longer = number(search.visited.len());
                length += 1;
            }
            if length >= search.depth {
                return Ok(());
            }
            let offers = search.offers(id);
            for (n, offer) in offers.iter().enumerate() {
                if let Some(codes) = search.within_reach(offer) {
                    for code in codes {
                        search.step(id, &offers, n, code)?;
                    }
                    continue;
                }
                let last = search.last(offer);
                for code in 0..=last {
                    search.step(id, &offers, n, code)?;
                }
            }
            Ok(())
        })
    }

    /// The codes of an offer that O is confined to, if it is.
    fn within_reach(&self, offer: &Offer<Int>) -> Option<Vec<u64>> {
        let arena = self.machine.arena();
        let mut codes: Vec<u64> =
            self.reach.as_ref()?.moves.iter().filter_map(|m| offer.code_of(m, arena)).collect();
        codes.sort_unstable();
        Some(codes)
    }

    fn depth_first(&mut self) -> Result<(), Stop> {
        self.begin();
        let mut path = vec![Visit { id: 0, next: 0 }];
        self.descend(&mut path)?;
        // Positions below this have had the codes below 2^pass - 1.
        let mut tried = 0;
        for pass in 1..=64u32 {
            let first = (1u64 << (pass - 1)).wrapping_mul(2).wrapping_sub(1);
            let mut more = false;
            explore::breadth_first(self, |search, id| {
                let offers = search.offers(id);
                for n in 0..offers.len() {
                    let last = search.last(&offers[n]);
                    let from = if (id as usize) < tried { first } else { 1 };
                    let to = first.saturating_mul(2).min(last);
                    more |= last > to;
                    for code in from..=to {
                        let code = search.shuffled_code(id, n, code, last);
                        if let Some(new) = search.step(id, &offers, n, code)? {
                            path.push(Visit { id: new, next: 0 });
                            search.descend(&mut path)?;
                        }
                    }
                }
                Ok(())
            })?;
            tried = self.visited.len();
            if !more {
                break;
            }
        }
        Ok(())
    }

    /// Looks around, breadth first, as far as this turn goes. The new positions are visited by the main search, too.
    fn look_wide(&mut self, path: &mut Vec<Visit>) -> Result<(), Stop> {
        let mut left = self.transitions / WIDE_SHARE;
        while left > 0
            && let Some(id) = self.wide.waiting.front().copied()
        {
            let offers = self.offers(id);
            let (n, code) = self.wide.next;
            let Some(offer) = offers.get(n) else {
                self.wide.waiting.pop_front();
                self.wide.next = (0, 0);
                continue;
            };
            self.wide.next = if code < self.last(offer) { (n, code + 1) } else { (n + 1, 0) };
            left -= 1;
            if let Some((to, new)) = self.follow(id, &offers, n, code)? {
                if new {
                    path.push(Visit { id: to, next: 0 });
                }
                if self.wide.queued.insert(to) {
                    self.wide.waiting.push_back(to);
                }
            }
        }
        self.wide.due = self.transitions.saturating_mul(4);
        Ok(())
    }

    /// Follows every offer, with its first code only.
    fn descend(&mut self, path: &mut Vec<Visit>) -> Result<(), Stop> {
        while let Some(visit) = path.last_mut() {
            if self.transitions >= self.wide.due {
                self.look_wide(path)?;
                continue;
            }
            let id = visit.id;
            let next = usize::from(visit.next);
            visit.next += 1;
            let state = *self.visited.get(id);
            if next >= self.machine.offer_count(state) {
                path.pop();
                continue;
            }
            let offers = self.machine.offers(state);
            let n = self.shuffled_offer(id, next, offers.len());
            let last = self.last(&offers[n]);
            let code = self.shuffled_code(id, n, 0, last);
            if let Some(new) = self.step(id, &offers, n, code)? {
                if path.len() < self.depth {
                    path.push(Visit { id: new, next: 0 });
                } else {
                    self.cut = true;
                }
            }
        }
        Ok(())
    }

    /// Where cells hold any integer, there may be no end to a path. Depth first along longer and longer paths, with the
    /// first values only; then, breadth first, everything.
    fn deepening(&mut self) -> Result<(), Stop> {
        self.depth = FIRST_DEPTH;
        while self.depth <= LAST_DEPTH {
            self.begin();
            self.cut = false;
            self.descend(&mut vec![Visit { id: 0, next: 0 }])?;
            if !self.cut {
                break;
            }
            self.depth *= 4;
        }
        self.depth = usize::MAX;
        self.breadth_first()
    }

    /// Depth first in an order of its own for each control; when that takes long, in another one. Some orders
    /// take exponentially longer than others, so starting over costs little and saves much.
    fn shuffled(&mut self, seed: u64) -> Result<(), Stop> {
        let mut random = Random::new(seed);
        self.new_limit = FIRST_LIMIT;
        loop {
            self.shuffle = Some(Shuffle { seed: random.draw(), orders: FxHashMap::default() });
            match self.depth_first() {
                Err(Stop::Cancelled) if self.starts_over() => {
                    self.new_limit = self.new_limit.saturating_add(self.new_limit / 2)
                }
                other => return other,
            }
        }
    }

    fn shuffled_offer(&mut self, id: u32, n: usize, count: usize) -> usize {
        let Some(shuffle) = &mut self.shuffle else { return n };
        shuffle.offer(self.machine.control(*self.visited.get(id)), n, count)
    }

    fn shuffled_code(&self, id: u32, n: usize, code: u64, last: u64) -> u64 {
        let Some(shuffle) = &self.shuffle else { return code };
        shuffle.code(self.machine.control(*self.visited.get(id)), n, code, last)
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

/// An order of offers and codes for each control, drawn from a seed.
struct Shuffle {
    seed: u64,
    orders: FxHashMap<u32, Box<[u16]>>,
}

impl Shuffle {
    fn draw(&self, control: u32, n: usize) -> u64 {
        let mixed = (u64::from(control) << 16 | n as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Random::new(self.seed ^ mixed).draw()
    }

    fn offer(&mut self, control: u32, n: usize, count: usize) -> usize {
        if !self.orders.contains_key(&control) {
            let mut order: Vec<u16> = (0..small(count)).collect();
            order.sort_by_key(|n| self.draw(control, usize::from(*n)));
            self.orders.insert(control, order.into());
        }
        usize::from(self.orders[&control][n])
    }

    /// The codes in their order, but starting from another one.
    fn code(&self, control: u32, n: usize, code: u64, last: u64) -> u64 {
        let count = u128::from(last) + 1;
        let start = u128::from(self.draw(control, n + 0x8000)) % count;
        u64::try_from((u128::from(code) + start) % count).expect("it is at most the last code")
    }
}
