//! Modules: the machine plays what the small steps of the reference play.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_core::module::Module;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Move as Played;
use agon_core::module::run::{Position, Reply};
use agon_core::module::sample::Variation;
use agon_core::module::stacks::{Bounds, offers};
use agon_games::arena::{Arena, Role, Roles};
use agon_games::machine::{Machine, OfferData, OfferKind, Stacked, compile_module};
use agon_games::moves::{Label, Move};
use agon_games::strategy::{Strategy, Turn};
use agon_games::values::Exact;
use agon_ia::read::read_module;
use agon_ia::sample;

fn bounds() -> Bounds {
    Bounds {
        inputs: Inputs::range(0, 2, 2),
        nesting: usize::MAX,
        activations: usize::MAX,
        steps: 20_000,
        forget_dead: false,
    }
}

/// A move of the machine's as the reference writes it.
fn as_played(module: &Module, roles: &Roles, m: &Move) -> Played {
    match &m.label {
        Label::Abort => Played::Fail,
        Label::Exit(n) => Played::Exit(n.clone()),
        Label::Call(arguments) => {
            let function = roles.function(module, m.component, m.element.as_ref());
            Played::Call(function.expect("a function is called"), arguments.to_vec())
        }
        Label::Value(n) => Played::Return(Some(n.clone())),
        _ => Played::Return(None),
    }
}

/// Plays random moves with both; how many moves were compared, and how many of them fail, return and call.
fn compare(module: Module, seed: u64, length: usize) -> [usize; 3] {
    let module = Arc::new(module);
    let (arena, roles) = Arena::of_module(&module);
    let code = Arc::new(compile_module(&module, &arena, roles.clone()));
    let mut random = Random::new(seed);
    let mut counts = [0; 3];
    let mut machine = Stacked(Machine::new(code, Arc::new(arena), Exact::default()));
    let budget = Budget::default();
    'plays: for _ in 0..12 {
        let mut at = machine.start();
        let mut position = Position::default();
        let mut told = String::new();
        for _ in 0..length {
            let all = offers(&module, &bounds(), &position);
            if all.is_empty() {
                continue 'plays;
            }
            let asked = all[random.below(all.len())].clone();
            let reply = position.play(&module, &asked, bounds().steps);
            told.push_str(&format!("{asked:?} · {reply:?}\n"));
            let offered = machine.offers(&at, &[]).expect("O is to move");
            let n = offered.iter().position(|offer| match &asked {
                Played::Call(function, _) => {
                    offer.kind == OfferKind::Call
                        && roles.function(&module, offer.component, None) == Some(*function)
                }
                _ => !offer.kind.is_question(),
            });
            let n = n.unwrap_or_else(|| panic!("{asked:?} is not offered: {offered:?}\n{told}"));
            let data = match &asked {
                Played::Call(_, arguments) => {
                    OfferData { arguments: arguments.clone().into(), ..OfferData::default() }
                }
                Played::Return(value) => OfferData { value: value.clone(), ..OfferData::default() },
                _ => unreachable!("the environment calls and returns"),
            };
            if reply == Reply::Exhausted {
                continue 'plays;
            }
            let turn = Turn { thread: &[], played: Some((n, data)) };
            let steps = machine.steps(&at, turn, None, &budget);
            let steps = match steps {
                Ok(steps) => steps,
                // Recursion without end.
                Err(_) => continue 'plays,
            };
            let step = steps.into_iter().next();
            let seen = step.as_ref().map(|step| as_played(&module, &roles, &step.label));
            let expected = match reply {
                Reply::Moves(m) => Some(m),
                Reply::Fails(_) => Some(Played::Fail),
                Reply::Exits(n) => Some(Played::Exit(n)),
                Reply::Diverges => None,
                other => unreachable!("nothing is cut: {other:?}"),
            };
            assert_eq!(seen, expected, "{told}");
            match seen {
                Some(Played::Call(..)) => counts[2] += 1,
                Some(Played::Return(_)) => counts[1] += 1,
                _ => counts[0] += 1,
            }
            match step.and_then(|step| step.next) {
                Some(next) => at = next,
                None => continue 'plays,
            }
        }
    }
    counts
}

fn agree_among(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let Some(Ok(reading)) = read_module(&text, &[]) else { panic!("a random module is one: {text}") };
        let varied = Variation::all(seed, &reading.module);
        for module in [reading.module, varied] {
            let found = compare(module, seed, 14);
            for (count, found) in counts.iter_mut().zip(found) {
                *count += found;
            }
        }
    }
    counts
}

#[test]
fn the_machine_plays_what_the_small_steps_play() {
    let [ends, returns, calls] = agree_among(0..400);
    println!("{ends} ends, {returns} returns, {calls} calls");
    assert!(ends > 500 && returns > 2_000 && calls > 1_000);
}

#[test]
#[ignore = "long"]
fn the_machine_plays_what_the_small_steps_play_of_many_modules() {
    let [ends, returns, calls] = agree_among(400..10_400);
    println!("{ends} ends, {returns} returns, {calls} calls");
}

/// The positions of a module and the names of the environment's own functions, as the machine has them.
#[test]
fn names_and_halves() {
    let text = "module\nimport f(fn() : com) : com;\nfn() : com kept;\nlet hidden() = skip;\nexport m(k : fn() : com) = { kept := k; f(hidden) };\n";
    let Some(Ok(reading)) = read_module(text, &[]) else { panic!("{:?}", read_module(text, &[])) };
    let module = Arc::new(reading.module);
    let (arena, roles) = Arena::of_module(&module);
    let code = Arc::new(compile_module(&module, &arena, roles.clone()));
    let mut machine = Stacked(Machine::new(code, Arc::new(arena), Exact::default()));
    let names = |machine: &Stacked<Exact>, at: &_| {
        let offered = machine.offers(at, &[]).expect("O is to move");
        let role = |offer: &agon_games::machine::Offer<Int>| roles.of(offer.component);
        offered.iter().filter(|offer| offer.kind == OfferKind::Call).map(role).collect::<Vec<Role>>()
    };
    let start = machine.start();
    assert_eq!(names(&machine, &start).len(), 1);
    let data = OfferData { arguments: [Int::ZERO].into(), ..OfferData::default() };
    let turn = Turn { thread: &[], played: Some((0, data)) };
    let steps = machine.steps(&start, turn, None, &Budget::default()).expect("it ends");
    let next = steps[0].next.clone().expect("it waits");
    assert_eq!(next.depth(), 1);
    // The private procedure is known now.
    assert_eq!(names(&machine, &next).len(), 2);
}
