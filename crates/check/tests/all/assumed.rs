//! What is assumed of the environment: every engine says of a program what it says of one in which the condition is written by hand, and
//! plays keep to it.

use crate::common::Sample;
use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::equiv::{self, Comparison, Relation};
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::question::Question;
use agon_check::refine::RefinementOptions;
use agon_check::refine::assume::Method;
use agon_check::verdict::Verdict;
use agon_core::condition::Condition;
use agon_core::term::Operator;
use agon_games::arena::Arena;
use agon_games::machine::{Machine, Offer, OfferData, Reaction, State, compile};
use agon_games::moves::Player;
use agon_games::values::Exact;
use agon_ia::read::read;
use agon_ia::sample::{commands, concurrent};
use agon_ia::token::renamed;
use agon_witness::verify::Program;
use rayon::prelude::*;

/// Conditions, as they are written about `z9`.
const CONDITIONS: [&str; 5] = ["z9 = 1", "z9 <> 1", "z9 >= 1", "2 * z9 < 3", "z9 % 2 = 0 & not (z9 > 3)"];

fn compare(operator: Operator, a: Condition, b: i64) -> Condition {
    Condition::Binary(operator, Box::new(a), Box::new(Condition::Number(Int::from(b))))
}

/// The n-th of these conditions.
fn condition(n: usize) -> Condition {
    let number = |n: i64| Box::new(Condition::Number(Int::from(n)));
    let given = Condition::Given(0);
    match n {
        0 => compare(Operator::Equal, given, 1),
        1 => compare(Operator::NotEqual, given, 1),
        2 => compare(Operator::GreaterEqual, given, 1),
        3 => {
            let twice = Condition::Binary(Operator::Multiply, number(2), Box::new(given));
            compare(Operator::Less, twice, 3)
        }
        _ => {
            let odd = Condition::Binary(Operator::Modulo, Box::new(given.clone()), number(2));
            let large = compare(Operator::Greater, given, 3);
            let small = Condition::Unary(agon_core::term::Unary::Not, Box::new(large));
            compare(Operator::Equal, odd, 0).and(small)
        }
    }
}

/// Free identifiers that give numbers, with definitions of other names that look at what they give.
const GIVERS: [(&str, &str); 4] = [
    ("e : int%2", "let e9 : int%2 = { new int%2 z9 := e in if C then z9 else diverge } in"),
    ("n : int%3", "let n9 : int%3 = { new int%3 z9 := n in if C then z9 else diverge } in"),
    (
        "h : var int%2 -> int%3",
        "let h9(v9 : var int%2) : int%3 = { new int%3 z9 := h(v9) in if C then z9 else diverge } in",
    ),
    (
        "q : var int%2[2] -> com -> int%2",
        "let q9(v9 : var int%2[2], c9 : com) : int%2 = { new int%2 z9 := q(v9, c9) in if C then z9 else diverge } in",
    ),
];

/// A program of whose environment something is assumed.
fn assumed(text: &str, name: &str, condition: Condition) -> Program<agon_ia::read::Document> {
    let reading = read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}"));
    let mut judgement = reading.judgement;
    let var = judgement.context.iter().copied().find(|var| *judgement.terms.variable(*var).name == *name);
    judgement.terms.assume(var.expect("it is free"), condition);
    Program::new(reading.document, judgement)
}

/// A program, one of whose environment something is assumed, and the same written by hand.
fn pairs(
    context: &str,
    body: &str,
    head: &str,
    random: &mut Random,
) -> Option<(Program<agon_ia::read::Document>, Sample, String)> {
    let known: Vec<&(&str, &str)> = GIVERS.iter().filter(|(binding, _)| context.contains(binding)).collect();
    if known.is_empty() {
        return None;
    }
    let (binding, definition) = known[random.below(known.len())];
    let name = binding.split_once(' ').expect("a name and a type").0;
    let n = random.below(CONDITIONS.len());
    let text = format!("{head}{context} |- {{ {body} }}");
    let by_hand = definition.replace('C', CONDITIONS[n]);
    let other = renamed(body, &[(name.to_string(), format!("{name}9"))]);
    let by_hand = Sample::new(format!("{head}{context} |- {by_hand} {{ {other} }}"));
    let place = format!("{} for {name}\n{text}", CONDITIONS[n]);
    Some((assumed(&text, name, condition(n)), by_hand, place))
}

fn permitted(arena: &Arena, verdict: &Verdict, place: &str) {
    if let Verdict::Unsafe(play, _) = verdict {
        assert!(play.moves.iter().all(|m| arena.permits(m)), "{place}");
    }
}

const ENGINES: [Engine; 5] = [
    Engine::Explicit,
    Engine::Interval,
    Engine::Partition { semi_terminating: false },
    Engine::Predicate(Scheme::Minimal),
    Engine::AssumeGuarantee(Method::Tree),
];

#[test]
fn engines_agree_with_conditions_that_are_written_by_hand() {
    let (mut safe, mut fail, mut unknown, mut matters) = (0, 0, 0, 0);
    let budget = Budget { transitions: Some(20_000), ..Budget::default() };
    let (question, effort) = (Question::aborts(), RefinementOptions::default());
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let (context, bodies) = commands(seed, 3 + (seed % 11) as usize, 1);
        let Some((program, by_hand, place)) = pairs(&context, &bodies[0], "", &mut random) else { continue };
        let expected = by_hand.ask(Engine::Explicit, &question, &effort, &budget).verdict;
        let free = Sample::new(format!("{context} |- {{ {} }}", bodies[0]));
        let free = free.ask(Engine::Explicit, &question, &effort, &budget).verdict;
        matters += usize::from(matches!((&free, &expected), (Verdict::Unsafe(..), Verdict::Safe)));
        for engine in ENGINES {
            let task = agon_check::task::Task {
                subject: program.subject(),
                question: &question,
                effort: &effort,
                budget: &budget,
            };
            let found = agon_check::portfolio::answer(engine, task, &mut |_| {}).verdict;
            let place = format!("seed {seed}, {engine:?}, {place}");
            permitted(&program.arena, &found, &place);
            match (&found, &expected) {
                (Verdict::Safe, Verdict::Safe) => safe += 1,
                (Verdict::Unsafe(..), Verdict::Unsafe(..)) => fail += 1,
                (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => unknown += 1,
                _ => panic!("{found:?}, and not {expected:?}\n{place}"),
            }
        }
    }
    println!("{safe} safe, {fail} fail, {unknown} unknown, {matters} fail without the assumption only");
    assert!(safe > 200 && fail > 100 && unknown < safe + fail && matters > 3);
}

#[test]
fn threads_agree_with_conditions_that_are_written_by_hand() {
    let (mut safe, mut fail) = (0, 0);
    let budget = Budget { transitions: Some(20_000), ..Budget::default() };
    let (question, effort) = (Question::aborts(), RefinementOptions::default());
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let text = concurrent(seed, 3 + (seed % 9) as usize);
        let Some((context, body)) = text.trim_start_matches("concurrent ").split_once(" |-\n") else {
            continue;
        };
        if body.starts_with("fun ") || body.starts_with("let r") {
            continue;
        }
        let Some((program, by_hand, place)) = pairs(context, body, "concurrent ", &mut random) else {
            continue;
        };
        let expected = by_hand.ask(Engine::Explicit, &question, &effort, &budget).verdict;
        for engine in [Engine::Explicit, Engine::Interval] {
            let task = agon_check::task::Task {
                subject: program.subject(),
                question: &question,
                effort: &effort,
                budget: &budget,
            };
            let found = agon_check::portfolio::answer(engine, task, &mut |_| {}).verdict;
            let place = format!("seed {seed}, {engine:?}, {place}");
            permitted(&program.arena, &found, &place);
            match (&found, &expected) {
                (Verdict::Safe, Verdict::Safe) => safe += 1,
                (Verdict::Unsafe(..), Verdict::Unsafe(..)) => fail += 1,
                (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => {}
                _ => panic!("{found:?}, and not {expected:?}\n{place}"),
            }
        }
    }
    println!("{safe} safe, {fail} fail");
    assert!(safe > 30 && fail > 30);
}

#[test]
fn comparisons_agree_with_conditions_that_are_written_by_hand() {
    let budget = Budget { transitions: Some(20_000), ..Budget::default() };
    let of = |seed: u64| {
        let (mut same, mut differ) = (0, 0);
        let mut random = Random::new(seed);
        let (context, bodies) = commands(seed, 2 + (seed % 7) as usize, 2);
        let other = match random.below(3) {
            0 => format!("{{ {} }}; skip", bodies[0]),
            1 => format!("if 0 then {{ {} }} else {{ {} }}", bodies[0], bodies[1]),
            _ => format!("{{ {} }}; {{ {} }}", bodies[1], bodies[0]),
        };
        let mut again = random.clone();
        let (left, left_by_hand, place) = pairs(&context, &bodies[0], "", &mut random)?;
        let (right, right_by_hand, other) = pairs(&context, &other, "", &mut again)?;
        for relation in [Relation::Equivalence, Relation::Approximation] {
            let of = |left, right, engine| {
                let options = equiv::Options { engine, ..equiv::Options::new(relation) };
                equiv::compare_with(left, right, &options, &budget, &mut |_| {})
                    .expect("they can be compared")
                    .comparison
            };
            let expected = of(left_by_hand.subject(), right_by_hand.subject(), equiv::Engine::Explicit);
            for engine in [equiv::Engine::Explicit, equiv::Engine::Auto] {
                let found = of(left.subject(), right.subject(), engine);
                let place = format!("seed {seed}, {engine:?}, {relation:?}, {place}\n---\n{other}");
                if let Comparison::Differs(difference) = &found {
                    let arena = if difference.side == equiv::Side::Left { &left.arena } else { &right.arena };
                    assert!(difference.play.moves.iter().all(|m| arena.permits(m)), "{place}");
                }
                match (&found, &expected) {
                    (Comparison::Holds, Comparison::Holds) => same += 1,
                    (Comparison::Differs(_), Comparison::Differs(_)) => differ += 1,
                    (Comparison::Unknown(..), _) | (_, Comparison::Unknown(..)) => {}
                    _ => panic!("{found:?}, and not {expected:?}\n{place}"),
                }
            }
        }
        Some((same, differ))
    };
    let plus = |a: (usize, usize), b: (usize, usize)| (a.0 + b.0, a.1 + b.1);
    let (same, differ) = (0..150).into_par_iter().filter_map(of).reduce(|| (0, 0), plus);
    println!("{same} same, {differ} differ");
    assert!(same > 30 && differ > 30);
}

/// The machine plays what it plays without the assumption, and does not answer moves that are not assumed: of variables, arrays and
/// results that are variables as well.
#[test]
fn plays_are_those_that_keep_to_it() {
    let mut refused = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (context, bodies) = commands(seed, 3 + (seed % 11) as usize, 1);
        let text = format!("{context} |- {{ {} }}", bodies[0]);
        let names = ["x : var", "y : var", "a : var", "r : com -> var", "n : ", "h : ", "b : "];
        let known: Vec<&str> =
            names.iter().filter(|name| context.contains(**name)).map(|name| &name[..1]).collect();
        if known.is_empty() {
            continue;
        }
        let name = known[random.below(known.len())];
        let program = assumed(&text, name, condition(random.below(CONDITIONS.len())));
        let free = Sample::new(text.clone());
        let machine = |judgement, arena: &Arena| {
            let code = compile(judgement, arena).expect("the program is sequential");
            Machine::new(std::sync::Arc::new(code), std::sync::Arc::new(arena.clone()), Exact::default())
        };
        let mut ours = machine(&program.judgement, &program.arena);
        let mut theirs = machine(&free.judgement, &free.arena);
        let (mut ours_at, mut theirs_at): (State, State) = (ours.start(), theirs.start());
        for _ in 0..30 {
            let offers = theirs.offers(theirs_at);
            let offer = &offers[random.below(offers.len())];
            let code = random.draw() % (offer.last.unwrap_or(0) + 1);
            let data = offer.parts(theirs.domain(), &free.arena, code);
            let played = offer.with(data.clone());
            let own_offers = ours.offers(ours_at);
            let same =
                own_offers.iter().find(|own| own.component == offer.component && own.kind == offer.kind);
            let own = same.unwrap_or_else(|| panic!("{}\n{text}", free.arena.show(&played)));
            let permits = program.arena.permits(&played);
            let step = |machine: &mut Machine<Exact>, at: State, offer: &Offer<Int>, data: OfferData<Int>| {
                let mut found = Vec::new();
                machine
                    .play_with(at, offer, data, None, &mut found, &Budget::default().with_patience(1000))
                    .ok()?;
                Some(found.into_iter().next())
            };
            let Some(theirs_next) = step(&mut theirs, theirs_at, offer, data.clone()) else { break };
            let Some(ours_next) = step(&mut ours, ours_at, own, data) else { break };
            if !permits {
                assert_eq!(program.arena.player(&played), Player::O);
                assert!(ours_next.is_none(), "{}\n{text}", free.arena.show(&played));
                refused += 1;
                continue;
            }
            let label = |step: &Option<Reaction<Int>>| step.as_ref().map(|step| step.label.clone());
            assert_eq!(label(&ours_next), label(&theirs_next), "{}\n{text}", free.arena.show(&played));
            match (ours_next.and_then(|step| step.next), theirs_next.and_then(|step| step.next)) {
                (Some(ours), Some(theirs)) => (ours_at, theirs_at) = (ours, theirs),
                (ours, theirs) => {
                    assert_eq!(ours.is_some(), theirs.is_some(), "{text}");
                    break;
                }
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

/// Where the environment may give many numbers, some are tried; these keep to what is assumed, and the constants of the module are among
/// them.
#[test]
fn a_few_of_many_numbers_are_among_those_that_are_assumed() {
    use agon_check::modules::{Compiled, explicit};
    use agon_core::module::eval::{Exit, Outcome, play};
    use agon_core::module::{ImportId, ProcedureId};
    let text = "module import ask() : i32; export take(k : i32) = { i32 r := ask(); assert(r >= 0); assert(k <> 3) };";
    let reading = agon_ia::read::read_module(text, &[]).expect("a module").expect("it can be read");
    let mut module = reading.module;
    module.assume_answer(ImportId(0), compare(Operator::GreaterEqual, Condition::Given(0), 0));
    let found = |module: &agon_core::module::Module| {
        let budget = Budget::default();
        explicit(&Compiled::new(module.clone()), u64::MAX, &budget, &mut |_| {}).verdict
    };
    for (most, fails) in [(5, true), (4, true), (3, false), (-7, false)] {
        let mut module = module.clone();
        module.assume_call(ProcedureId(0), compare(Operator::Less, Condition::Given(0), most));
        match found(&module) {
            agon_check::verdict::Verdict::Unsafe(moves, ()) => {
                assert!(fails, "{most}");
                let played = play(&module, moves, 10_000);
                assert!(matches!(played.outcome, Outcome::Ended(Exit::Fails(_))), "{:?}", played.outcome);
            }
            _ => assert!(!fails, "{most}"),
        }
    }
}
