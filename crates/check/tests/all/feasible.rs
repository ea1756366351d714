//! What a program plays with some numbers, the solver says can be played, and the numbers that it gives will do.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::concretise::{Given, Pair, Skeleton};
use agon_check::feasible::{Feasible, feasible};
use agon_core::types::Data;
use agon_games::abstracted::Value;
use agon_games::arena::Arena;
use agon_games::interval::Interval;
use agon_games::machine::{Machine, OfferData, compile};
use agon_games::values::Exact;
use agon_ia::read::read;
use agon_ia::sample::{arithmetic, sequential};
use agon_solve::embedded::Embedded;

/// Plays at random, forgets the numbers, and has them found again.
fn check(text: &str, random: &mut Random) -> Option<bool> {
    let judgement = read(text, &[]).expect("samples are programs").judgement;
    let arena = Arc::new(Arena::new(&judgement));
    let code = Arc::new(compile(&judgement, &arena).ok()?);
    let mut machine = Machine::new(code.clone(), arena.clone(), Exact::default());
    let mut state = machine.start();
    let mut pairs = Vec::new();
    let mut last = None;
    for _ in 0..1 + random.below(8) {
        let offers = machine.offers(state);
        let n = random.below(offers.len());
        let code = random.draw() % (offers[n].last? + 1);
        let mut reactions = Vec::new();
        machine.play(state, &offers[n], code, &mut reactions, &Budget::default()).ok()?;
        let Some(reaction) = reactions.pop() else { break };
        let data = offers[n].parts(machine.domain(), &arena, code);
        let range = || arena.data(offers[n].component).map_or(Interval::of(&Data::Int), Interval::of);
        let given = Given {
            value: data.value.map(|_| range()),
            index: data.index.as_ref().map(|index| Interval::point(index.clone())),
            ..Given::default()
        };
        let answer = Some((reaction.label.component, reaction.label.label.map(|_| Value::default())));
        pairs.push(Pair { thread: Box::default(), offer: Some(n), given, answer });
        last = Some(reaction.label);
        match reaction.next {
            Some(next) => state = next,
            None => break,
        }
    }
    let skeleton = Skeleton { pairs, target: last? };
    let found = feasible(&code, &arena, &skeleton, &mut Embedded::default(), &Budget::default());
    let given = match found {
        Feasible::Not => panic!("it was played:\n{text}\n{skeleton:?}"),
        Feasible::Unknown => return Some(false),
        Feasible::With(given) => given,
    };
    // It is played again, with the numbers that were found.
    let mut state = machine.start();
    for (n, (pair, given)) in skeleton.pairs.iter().zip(given).enumerate() {
        let offer = machine.offers(state)[pair.offer.expect("O moves")].clone();
        let number = |interval: &Option<Interval>| -> Option<Int> { interval.as_ref()?.as_point().cloned() };
        let (value, index) = (number(&given.value), number(&given.index));
        let element = index.clone().or_else(|| offer.element.clone());
        let mut reactions = Vec::new();
        let data = OfferData { element, index, value, ..OfferData::default() };
        machine.play_with(state, &offer, data, None, &mut reactions, &Budget::default()).ok()?;
        let reaction = reactions.pop().unwrap_or_else(|| panic!("{text}\n{skeleton:?}\nno move {n}"));
        let (component, label) = pair.answer.as_ref().expect("P answers");
        assert!(
            *component == reaction.label.component && label.says_what(&reaction.label.label),
            "{text}\n{skeleton:?}\n{n}: {:?}",
            reaction.label
        );
        match reaction.next {
            Some(next) => state = next,
            None => assert_eq!(reaction.label, skeleton.target, "{text}"),
        }
    }
    Some(true)
}

fn what_is_played_is_feasible_among(count: u64) {
    let (mut found, mut unknown) = (0, 0);
    for seed in 0..count {
        let text = match seed % 2 {
            0 => sequential(seed, 4 + (seed % 19) as usize),
            _ => arithmetic(seed, 1 + (seed % 9) as usize),
        };
        match check(&text, &mut Random::new(seed)) {
            Some(true) => found += 1,
            Some(false) => unknown += 1,
            None => {}
        }
    }
    println!("{found} found, {unknown} unknown");
    assert!(found > count / 2 && unknown < count / 10, "{found} {unknown}");
}

#[test]
fn what_is_played_is_feasible() {
    what_is_played_is_feasible_among(600);
}

#[test]
#[ignore = "a long run"]
fn what_is_played_is_feasible_at_length() {
    what_is_played_is_feasible_among(10_000);
}
