//! Approximation: it contains the image of every concrete play, and a finer one has no further plays.

use std::collections::BTreeMap;
use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_core::term::Operator;
use agon_games::abstracted::{Abstracted, IntervalArithmetic, Keeping, Value};
use agon_games::arena::Arena;
use agon_games::interval::Interval;
use agon_games::machine::{CallMemo, Code, Machine, Offer, OfferData, State, compile};
use agon_games::moves::{Label, Move};
use agon_games::sites::Sites;
use agon_games::values::{Domain, Exact, Outcome};
use agon_ia::read::read;
use agon_ia::sample::{arithmetic, sequential};

/// A play, over intervals: which offer, with which data, and what P does then.
type Told = Vec<(usize, OfferData<Interval>, Option<Move<Interval>>)>;

fn within(a: &Move<Interval>, b: &Move<Value>) -> bool {
    let data = match (&a.label, &b.label) {
        (Label::Value(a), Label::Value(b)) | (Label::Write(a), Label::Write(b)) => a.within(&b.interval),
        (a, b) => a.says_what(b),
    };
    let element = match (&a.element, &b.element) {
        (Some(a), Some(b)) => a.within(&b.interval),
        (a, b) => a.is_none() && b.is_none(),
    };
    a.component == b.component && data && element
}

/// Plays at random.
fn tell<D: Domain>(
    machine: &mut Machine<D>,
    random: &mut Random,
    most: usize,
    interval: impl Fn(&D::Value) -> Interval,
) -> Told {
    let mut told = Vec::new();
    let mut state = machine.start();
    for _ in 0..most {
        let offers = machine.offers(state);
        let n = random.below(offers.len());
        let last = offers[n].last.expect("samples have finite data");
        let code = random.draw() % (last + 1);
        let data = offers[n].parts(machine.domain(), machine.arena(), code);
        let shown = OfferData {
            element: data.element.as_ref().map(&interval),
            index: data.index.as_ref().map(&interval),
            value: data.value.as_ref().map(&interval),
            ..OfferData::default()
        };
        let mut reactions = Vec::new();
        let budget = Budget::default().with_patience(49);
        if machine.play(state, &offers[n], code, &mut reactions, &budget).is_err() {
            break;
        }
        if reactions.is_empty() {
            told.push((n, shown, None));
            break;
        }
        let reaction = reactions.swap_remove(random.below(reactions.len()));
        told.push((n, shown, Some(reaction.label.map(&interval))));
        match reaction.next {
            Some(next) => state = next,
            None => break,
        }
    }
    told
}

/// Whether a coarser machine can play the same.
fn follows(machine: &mut Machine<Abstracted>, told: &Told) -> bool {
    let mut states: Vec<State> = vec![machine.start()];
    for (n, data, answer) in told {
        let Some(answer) = answer else { return true };
        let mut next = Vec::new();
        for state in states {
            let offers = machine.offers(state);
            let offer: &Offer<Value> = &offers[*n];
            for code in 0..=offer.last.expect("there are finitely many parts") {
                let parts = offer.parts(machine.domain(), machine.arena(), code);
                let fits = |a: &Option<Interval>, b: &Option<Value>| match (a, b) {
                    (Some(a), Some(b)) => a.within(&b.interval),
                    _ => true,
                };
                if !fits(&data.value, &parts.value) || !fits(&data.element, &parts.element) {
                    continue;
                }
                let mut reactions = Vec::new();
                let budget = Budget::default().with_patience(399);
                if machine.play(state, offer, code, &mut reactions, &budget).is_err() {
                    return true;
                }
                for reaction in reactions {
                    if within(answer, &reaction.label) {
                        match reaction.next {
                            Some(state) if next.contains(&state) => {}
                            Some(state) => next.push(state),
                            None => return true,
                        }
                    }
                }
            }
        }
        if next.is_empty() {
            return false;
        }
        // A few are enough to go on from, unless the play ends up in none of them.
        states = next;
        if states.len() > 200 {
            return true;
        }
    }
    true
}

/// Cuts some parts of some sites at random.
fn cut(sites: &mut Sites, random: &mut Random) {
    let ids: Vec<_> = sites.iter().map(|(id, _)| id).collect();
    for id in ids {
        for _ in 0..random.below(3) {
            let site = sites.site_mut(id);
            let n = random.below(site.count()) as u64;
            let part = site.part(site.nth(n)).clone();
            let (Some(low), Some(count)) = (part.low(), part.count().and_then(|count| count.to_u64())) else {
                continue;
            };
            if count < 2 {
                continue;
            }
            let before = low.add(&Int::from(1 + random.draw() % (count - 1)));
            let below = Interval::between(low.clone(), before.sub(&Int::ONE));
            let above = Interval::new(Some(before), part.high().cloned()).expect("not all is below");
            let nth = site.nth(n);
            site.split(&BTreeMap::from([(nth, vec![below, above])]));
            assert_eq!(site.parts().cloned().reduce(|a, b| a.hull(&b)), Some(site.range.clone()));
        }
    }
}

fn abstracted(
    code: &Arc<Code>,
    arena: &Arc<Arena>,
    sites: Sites,
    arithmetic: IntervalArithmetic,
) -> Machine<Abstracted> {
    let domain = Abstracted::new(sites, Keeping::Parts, arithmetic);
    Machine::new(code.clone(), arena.clone(), domain)
        .with_call_memo(CallMemo { forget: true, ..CallMemo::default() })
}

/// The plays of this many programs that the approximations lack: of concrete plays, and of plays of finer ones.
fn lacking(seeds: std::ops::Range<u64>, operators: IntervalArithmetic) -> (usize, usize) {
    let (mut concrete, mut finer) = (0, 0);
    for seed in seeds {
        let text = match seed % 3 {
            0 => sequential(seed, 4 + (seed % 17) as usize),
            _ => arithmetic(seed, 1 + (seed % 9) as usize),
        };
        let judgement =
            read(&text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement;
        let arena = Arc::new(Arena::new(&judgement));
        let code = Arc::new(compile(&judgement, &arena).expect("samples are sequential"));
        let mut random = Random::new(seed);
        let mut coarse = Sites::new(&code, &arena);
        cut(&mut coarse, &mut random);
        let mut fine = coarse.clone();
        cut(&mut fine, &mut random);
        let mut exact = Machine::new(code.clone(), arena.clone(), Exact::default());
        let mut coarse = abstracted(&code, &arena, coarse, operators);
        let mut fine = abstracted(&code, &arena, fine, operators);
        for _ in 0..4 {
            let told = tell(&mut exact, &mut random, 10, |n| Interval::point(n.clone()));
            concrete += usize::from(!follows(&mut coarse, &told)) + usize::from(!follows(&mut fine, &told));
            let told = tell(&mut fine, &mut random, 10, |value| value.interval.clone());
            finer += usize::from(!follows(&mut coarse, &told));
        }
    }
    (concrete, finer)
}

fn approximations_contain_every_concrete_play_and_splitting_adds_none_among(seeds: std::ops::Range<u64>) {
    assert_eq!(lacking(seeds, Interval::binary), (0, 0));
}

#[test]
fn a_broken_operator_loses_plays() {
    let sum = lacking(0..300, |a, operator, b| match a.binary(operator, b) {
        Outcome::One(all) if operator == Operator::Add => {
            let less = all.high().map(|high| high.sub(&Int::ONE));
            Outcome::One(Interval::new(all.low().cloned(), less).unwrap_or(all))
        }
        other => other,
    });
    let product = lacking(0..300, |a, operator, b| match (operator, a.low(), b.low()) {
        (Operator::Multiply, Some(a), Some(b)) => Outcome::One(Interval::point(a.mul(b))),
        _ => a.binary(operator, b),
    });
    println!("{sum:?} {product:?}");
    assert!(sum.0 > 0 && product.0 > 0, "{sum:?} {product:?}");
}

#[test]
fn approximations_contain_every_concrete_play_and_splitting_adds_none() {
    approximations_contain_every_concrete_play_and_splitting_adds_none_among(0..1_500);
}

#[test]
#[ignore = "a long run"]
fn approximations_contain_every_concrete_play_and_splitting_adds_none_at_length() {
    approximations_contain_every_concrete_play_and_splitting_adds_none_among(0..20_000);
}
