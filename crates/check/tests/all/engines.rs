//! The engines agree with the reference semantics, and with each other, on random programs.

use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::explicit;
use agon_check::question::{Order, Question};
use agon_check::task::Task;
use agon_check::verdict::{Report, Verdict};
use agon_games::denote::denote;
use agon_games::moves::{Label, Move};
use agon_ia::sample::sequential;
use agon_witness::verify::Subject;

use crate::common::Sample;

const ORDERS: [Order; 5] =
    [Order::Fixed, Order::Shortest, Order::Random(1), Order::Random(7), Order::Random(1 << 40)];

fn check(subject: Subject<'_>, target: &Move, order: Order) -> Report {
    let question = Question { order, ..Question::new(target.clone()) };
    explicit::check(Task::new(subject, &question, &Budget::default()), &mut |_| {})
}

#[test]
fn every_order_finds_what_the_reference_has() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..1500 {
        let sample = Sample::new(sequential(seed, 4 + (seed % 13) as usize));
        let (subject, text, arena) = (sample.subject(), &sample.text, &sample.arena);
        let Ok(reference) = denote(&sample.judgement, arena) else { continue };
        // Aborting is a complete play; another move is asked for if it occurs in one.
        let mut targets = vec![Question::aborts().target];
        let mut random = Random::new(seed);
        if !reference.letters.is_empty() {
            targets.push(reference.letters[random.below(reference.letters.len())].clone());
        }
        for target in targets {
            let expected = reference.letters.contains(&target);
            let mut states = Vec::new();
            let mut shortest = usize::MAX;
            let mut lengths = Vec::new();
            for order in ORDERS {
                let report = check(subject, &target, order);
                let place = format!("seed {seed}, {}, {order:?}\n{text}", arena.show(&target));
                match report.verdict {
                    Verdict::Safe => {
                        assert!(!expected, "{place}");
                        states.push(report.states);
                    }
                    Verdict::Unsafe(play, _) => {
                        assert!(target.label != Label::Abort || expected, "{place}");
                        assert_eq!(play.moves.last(), Some(&target), "{place}");
                        if order == Order::Shortest {
                            shortest = play.moves.len();
                        }
                        lengths.push(play.moves.len());
                    }
                    Verdict::Unknown(reason) => panic!("{place}\n{reason:?}"),
                }
            }
            assert!(states.is_empty() || lengths.is_empty(), "seed {seed}: the orders disagree\n{text}");
            assert!(states.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}: {states:?}\n{text}");
            assert!(lengths.iter().all(|length| *length >= shortest), "seed {seed}: {lengths:?}\n{text}");
            if states.is_empty() { unsafe_ += 1 } else { safe += 1 }
        }
    }
    assert!(safe > 500 && unsafe_ > 500, "{safe} safe, {unsafe_} unsafe");
}
