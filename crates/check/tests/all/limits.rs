//! Runs that cannot go on end with a reason: a table that is full, a panic of the observer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use agon_base::budget::Threads;
use agon_base::budget::{Budget, Stop};
use agon_check::portfolio::{Engine, answer};
use agon_check::question::{Order, Question};
use agon_check::search::Observer;
use agon_check::task::Task;
use agon_check::verdict::{Reason, Report, Verdict};

use crate::common::Sample;

/// 4096 positions for each of some moves, and none of them aborts.
const SEQUENTIAL: &str = "f : com -> com, e : int%16 |- \
    new int%16 x in new int%16 y in new int%16 z in f({ x := e; y := e; z := e }); assert(x < 16)";
/// Many interleavings.
const CONCURRENT: &str =
    "concurrent a : com, b : com |- { a; b } || { b; a } || { a; b } || { b; a } || { a; b }";

const ORDERS: [Order; 3] = [Order::Fixed, Order::Shortest, Order::Random(5)];

/// One thread, or several from the first position on.
fn crews() -> [Threads; 3] {
    [1, 2, 4].map(|most| Threads { most, alone: 0 })
}

fn check(text: &str, engine: Engine, order: Order, budget: &Budget, observe: &mut Observer<'_>) -> Report {
    let sample = Sample::new(text);
    let question = Question { order, ..Question::aborts() };
    answer(engine, Task::new(sample.subject(), &question, budget), observe)
}

#[test]
fn a_full_table_is_a_reason_for_unknown() {
    for text in [SEQUENTIAL, CONCURRENT] {
        for order in ORDERS {
            for threads in crews() {
                let enough = Budget { threads, ..Budget::default() };
                let report = check(text, Engine::Explicit, order, &enough, &mut |_| {});
                assert!(
                    matches!(report.verdict, Verdict::Safe),
                    "{order:?}, {threads:?}: {:?}",
                    report.verdict
                );
                for entries in [1, 7, 300] {
                    let budget = Budget { entries: Some(entries), ..enough.clone() };
                    let report = check(text, Engine::Explicit, order, &budget, &mut |_| {});
                    assert!(
                        matches!(report.verdict, Verdict::Unknown(Reason::Stop(Stop::Table))),
                        "{order:?}, {threads:?}, {entries}: {:?}",
                        report.verdict
                    );
                }
            }
        }
    }
}

/// What a run panics with if its observer does.
fn panic_of(text: &str, engine: Engine, order: Order, threads: Threads) -> Option<&'static str> {
    let budget = Budget { threads, ..Budget::default() };
    let run = || check(text, engine, order, &budget, &mut |_| panic!("planted"));
    catch_unwind(AssertUnwindSafe(run)).err()?.downcast_ref::<&str>().copied()
}

#[test]
fn a_panic_of_one_thread_ends_the_run() {
    for engine in [Engine::Explicit, Engine::Interval] {
        for order in ORDERS {
            for threads in crews() {
                let panic = panic_of(CONCURRENT, engine, order, threads);
                assert_eq!(panic, Some("planted"), "{engine:?}, {order:?}, {threads:?}");
            }
        }
    }
}

#[test]
fn engines_that_take_turns_end_with_their_observer() {
    // Nobody visits all positions of this.
    let text = format!("concurrent a : com, b : com |- {}", ["{ a; b; a; b; a; b }"; 12].join(" || "));
    for order in ORDERS {
        for threads in crews() {
            assert_eq!(
                panic_of(&text, Engine::Auto, order, threads),
                Some("planted"),
                "{order:?}, {threads:?}"
            );
        }
    }
}
