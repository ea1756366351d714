//! Walks through the positions of concurrent programs that come to a bad end: in every order, with one worker and with
//! several, they end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agon_base::budget::{Budget, Stop, Threads};
use agon_games::arena::Arena;
use agon_games::machine::explore::{Event, Here, Place, Visitor, Walk, Walked, explore};
use agon_games::machine::{Strands, compile_any};
use agon_games::strategy::Order;
use agon_games::values::Exact;
use agon_ia::read::read;

/// Four threads of four moves each.
const PROGRAM: &str = "concurrent a : com, b : com |- { a; b } || { b; a } || { a; b } || { b; a }";

fn strands() -> Strands {
    let judgement = read(PROGRAM, &[]).expect("it is a program").judgement;
    let arena = Arena::new(&judgement);
    let code = compile_any(&judgement, &arena).expect("the program can be run");
    Strands::new(Arc::new(code), Arc::new(arena), true)
}

/// Counts positions, and panics at one of them.
struct Counting<'a> {
    visited: &'a AtomicUsize,
    panics_at: Option<usize>,
}

impl Visitor<Exact> for Counting<'_> {
    type Found = std::convert::Infallible;

    fn visit(&mut self, _: &mut Here<'_, '_, Exact>, _: &[Event]) -> Result<Option<Self::Found>, Stop> {
        let n = self.visited.fetch_add(1, Ordering::Relaxed);
        assert!(self.panics_at != Some(n), "planted");
        Ok(None)
    }

    fn arrive(&mut self, _: Place, _: Option<u32>, _: Place) {}
}

const ORDERS: [Order; 3] = [Order::Fixed, Order::Random(7), Order::Shortest];

/// One worker, or several from the first position on.
fn crews() -> impl Iterator<Item = Threads> {
    [1, 2, 5].into_iter().map(|most| Threads { most, alone: 0 })
}

fn walk<'a>(
    order: Order,
    threads: Threads,
    last_place: Place,
    visited: &'a AtomicUsize,
    panics_at: Option<usize>,
) -> Walked<Counting<'a>, std::convert::Infallible> {
    let walk = Walk { order, threads, last_place, budget: &Budget::default(), watch: &|_| Ok(()) };
    explore(&mut strands(), walk, || Counting { visited, panics_at })
}

/// How many positions there are.
fn positions() -> usize {
    let visited = AtomicUsize::new(0);
    let walked = walk(Order::Fixed, Threads::new(1), Place::MAX, &visited, None);
    assert!(walked.found.is_ok());
    walked.space.len()
}

#[test]
fn a_panic_in_one_worker_is_a_panic_of_the_walk() {
    let positions = positions();
    assert!(positions > 1_000, "{positions} positions are few");
    for order in ORDERS {
        for threads in crews() {
            // The first worker alone may visit some of them twice.
            for at in [0, 1, 20, positions / 2, positions - 1] {
                let visited = AtomicUsize::new(0);
                let run = || walk(order, threads, Place::MAX, &visited, Some(at));
                let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else {
                    panic!("{order:?}, {threads:?}: nobody heard of the panic at {at}")
                };
                let said = panic.downcast_ref::<&str>().copied();
                assert_eq!(said, Some("planted"), "{order:?}, {threads:?}, at {at}");
            }
        }
    }
}

#[test]
fn a_walk_with_more_positions_than_places_is_halted() {
    for order in ORDERS {
        for threads in crews() {
            for last_place in [0, 1, 50, 2_000].map(Place) {
                let visited = AtomicUsize::new(0);
                let walked = walk(order, threads, last_place, &visited, None);
                let why = walked.found.expect_err("there is no room for all");
                assert_eq!(why, Stop::Table, "{order:?}, {threads:?}");
                assert!(visited.load(Ordering::Relaxed) < positions());
            }
        }
    }
}
