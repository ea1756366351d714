//! Interchangeable threads: the verdict is the same whether they are exchanged or not, and every play is confirmed.

use agon_base::budget::Budget;
use agon_base::budget::Threads;
use agon_base::random::Random;
use agon_check::concurrent;
use agon_check::question::{Order, Question};
use agon_check::task::Task;
use agon_core::bounds::bounds;
use agon_ia::sample;

use crate::common::{Sample, answer};

/// Programs whose environment opens several threads in one argument.
fn crowded(seed: u64) -> String {
    let text = sample::concurrent(seed, 3 + (seed % 9) as usize);
    text.replace("f : com{2} -> com", "f : com{3} -> com").replace("g : com ->", "g : com{2} ->")
}

/// How many questions were decided, and how many of these had fewer positions with threads exchanged.
fn compared(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut safe, mut unsafe_, mut fewer) = (0, 0, 0);
    for seed in seeds {
        let sample = Sample::new(crowded(seed));
        // A program that no bounds fit is refused before it is checked.
        if bounds(&sample.judgement).is_err() {
            continue;
        }
        for target in sample.targets(&mut Random::new(seed)) {
            let mut seen: Option<(bool, usize)> = None;
            for (reduce, order, most) in [
                (false, Order::Fixed, 1),
                (true, Order::Fixed, 1),
                (true, Order::Fixed, 2),
                (true, Order::Shortest, 1),
                (true, Order::Random(seed), 1),
            ] {
                let question = Question { reduce, order, ..Question::new(target.clone()) };
                let threads = Threads { alone: 50, ..Threads::new(most) };
                let budget = Budget { transitions: Some(100_000), threads, ..Budget::default() };
                let report = concurrent::check(Task::new(sample.subject(), &question, &budget), &mut |_| {});
                let place = || format!("seed {seed}, reduce {reduce}, {order:?}, {most}\n{}", sample.text);
                let Some(found) = answer(&report.verdict, &place) else { continue };
                let (first, states) = *seen.get_or_insert((found, report.states));
                assert_eq!(found, first, "{}", place());
                if (reduce, order, most) == (true, Order::Fixed, 1) {
                    *(if found { &mut safe } else { &mut unsafe_ }) += 1;
                    fewer += usize::from(found && report.states < states);
                }
            }
        }
    }
    (safe, unsafe_, fewer)
}

#[test]
fn exchanged_threads_change_no_verdict() {
    let (safe, unsafe_, fewer) = compared(0..300);
    assert!(
        safe > 100 && unsafe_ > 60 && fewer > 20,
        "{safe} safe, {unsafe_} unsafe, {fewer} with fewer positions"
    );
}

#[test]
#[ignore = "takes minutes"]
fn exchanged_threads_change_no_verdict_of_many() {
    let (safe, unsafe_, fewer) = compared(300..10_000);
    println!("{safe} safe, {unsafe_} unsafe, {fewer} with fewer positions");
    assert!(safe > 3_000 && unsafe_ > 2_000 && fewer > 500, "{safe} {unsafe_} {fewer}");
}
