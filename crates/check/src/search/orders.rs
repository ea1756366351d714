//! The orders of visits: breadth first, depth first with further values put off, deepening, and shuffled.

use std::collections::VecDeque;

use agon_base::budget::Stop;
use agon_base::explore;
use agon_base::id::{number, small};
use agon_base::int::Int;
use agon_base::random::Random;
use agon_games::machine::Offer;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Search;

/// A shuffled search starts over after this many new positions. The limit grows by half each time.
const FIRST_LIMIT: usize = 1 << 10;

/// Paths that are as long as this are not followed further at first, where cells hold any integer.
const FIRST_DEPTH: usize = 1 << 6;
/// After paths of this length, such programs are searched breadth first.
const LAST_DEPTH: usize = 1 << 12;

/// A depth-first search looks around after this many pairs of moves, and whenever there are four times as many.
pub(super) const FIRST_WIDE: u64 = 1 << 16;
/// Then it tries this part of their number.
const WIDE_SHARE: u64 = 256;

/// A look around beside a depth-first search: breadth first, with all values, a small share of the work. A path of 2^32
/// positions does not hide what lies beside its beginning.
pub(super) struct Wide {
    /// Positions that wait, the nearest to the start first, and the next of their choices.
    waiting: VecDeque<u32>,
    next: (usize, u64),
    /// The positions that have waited or wait.
    queued: FxHashSet<u32>,
    /// At this count of transitions it is its turn.
    pub(super) due: u64,
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

impl Search<'_> {
    pub(super) fn breadth_first(&mut self) -> Result<(), Stop> {
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

    pub(super) fn depth_first(&mut self) -> Result<(), Stop> {
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
    pub(super) fn deepening(&mut self) -> Result<(), Stop> {
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
    pub(super) fn shuffled(&mut self, seed: u64) -> Result<(), Stop> {
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
}

/// An order of offers and codes for each control, drawn from a seed.
pub(super) struct Shuffle {
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
