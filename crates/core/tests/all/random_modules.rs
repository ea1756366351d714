//! Random modules: the references agree with each other, and what is printed reads the same.

use std::collections::BTreeSet;
use std::ops::Range;

use agon_base::random::Random;
use agon_core::module::eval::replay;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::{Move, Play};
use agon_core::module::run::{Caller, Position, Reply};
use agon_core::module::sample::Variation;
use agon_core::module::stacks::{Bounds, Found, offers, plays, search};
use agon_core::module::tables::{Answer, tabulate};
use agon_core::module::threads::{self, offers::Giving};
use agon_core::module::{Base, ExpressionId, Invalid, Label, LocalId, Module, Procedure, Statement};
use agon_ia::parse::parse;
use agon_ia::print::{canonical, print};
use agon_ia::read::read_module;
use agon_ia::sample;

const STEPS: u64 = 400;
/// At most this many positions are visited for one module.
const MOST: usize = 3_000;

fn sampled(seed: u64) -> (String, Module) {
    let text = sample::module(seed, 3 + (seed % 9) as usize);
    match read_module(&text, &[]) {
        Some(Ok(reading)) => {
            assert_eq!(reading.module.validate(), Ok(()), "{text}");
            (text, reading.module)
        }
        other => panic!("random modules are well-typed: {text}\n{other:#?}"),
    }
}

/// Random modules, and for each of them one that is varied.
fn varied(seeds: Range<u64>) -> impl Iterator<Item = (String, Module)> {
    seeds.flat_map(|seed| {
        let (text, module) = sampled(seed);
        let other = Variation::all(seed, &module);
        assert_eq!(other.validate(), Ok(()), "{text}\n{other}");
        let shown = format!("{text}\n{other}");
        [(text, module), (shown, other)]
    })
}

fn bounds() -> Bounds {
    Bounds { inputs: Inputs::range(0, 2, 1), nesting: 3, activations: 6, steps: STEPS, forget_dead: false }
}

#[test]
fn what_is_printed_reads_the_same() {
    for seed in 0..600 {
        let (text, _) = sampled(seed);
        let (first, _) = parse(&text);
        let printed = print(&first);
        let (second, diagnostics) = parse(&printed);
        assert!(diagnostics.is_empty(), "{printed}: {diagnostics:?}");
        assert_eq!(canonical(&first), canonical(&second), "{text}\n--- printed as\n{printed}");
        assert_eq!(print(&second), printed);
    }
}

/// The interpreter plays every play of the search, and of others those only that are plays, too.
#[test]
fn the_interpreter_plays_what_the_search_plays() {
    let (mut replayed, mut refused, mut accepted) = (0, 0, 0);
    let (mut nested, mut escaped, mut foreign) = (0, 0, 0);
    let mut random = Random::new(0);
    for (text, module) in varied(0..200) {
        // Plays are so short that nothing but their length bounds them.
        let all = plays(&module, &Bounds { activations: usize::MAX, ..bounds() }, 6);
        let known: BTreeSet<&Play> = all.iter().collect();
        for play in &all {
            let shown = play.show(&module);
            assert_eq!(replay(&module, play, 10 * STEPS), Ok(()), "{shown}\n{text}");
            assert_eq!(Play::parse(&module, &shown).as_ref(), Ok(play), "{shown}\n{text}");
            replayed += 1;
            nested += usize::from(shown.contains(") · run(") || shown.contains(") · get("));
            escaped += usize::from(shown.contains("· hidden("));
            foreign += usize::from(shown.contains("· @"));
            let other = &all[random.below(all.len())];
            let mut mutated = play.clone();
            let at = random.below(mutated.0.len());
            mutated.0[at] = other.0[random.below(other.0.len())].clone();
            let plays_it = replay(&module, &mutated, 10 * STEPS).is_ok();
            assert_eq!(plays_it, known.contains(&mutated), "{mutated:?}\n{text}");
            if plays_it { accepted += 1 } else { refused += 1 }
        }
    }
    println!("{replayed} plays replayed, {refused} mutated ones refused, {accepted} are plays");
    println!(
        "{nested} plays call back, {escaped} call a private procedure, {foreign} call a foreign function"
    );
    assert!(replayed > 10_000 && refused > 5_000 && accepted > 1_000);
    assert!(nested > 1_000 && escaped > 300 && foreign > 1_000);
}

/// Where the tables have an answer, the search has the same one, if it may nest deeply enough.
#[test]
fn the_tables_agree_with_the_search() {
    let (mut safe, mut fails, mut unknown) = (0, 0, 0);
    for (text, module) in varied(0..400) {
        match tabulate(&module, &bounds().inputs, 250, STEPS) {
            Answer::Safe => {
                let found = search(&module, &bounds(), MOST);
                let failure = found.and_then(|found| found.failure);
                assert_eq!(failure.map(|(play, _)| play.show(&module)), None, "{text}");
                safe += 1;
            }
            Answer::Fails(length) => {
                let bounds = Bounds { nesting: length / 2, activations: usize::MAX, ..bounds() };
                let Some(found) = search(&module, &bounds, MOST) else {
                    unknown += 1;
                    continue;
                };
                let (play, _) = found.failure.unwrap_or_else(|| panic!("no play of {length} moves: {text}"));
                assert_eq!(play.0.len(), length, "{}\n{text}", play.show(&module));
                assert_eq!(play.0.last(), Some(&Move::Fail));
                fails += 1;
            }
            Answer::Unknown => unknown += 1,
        }
    }
    println!("{safe} safe, {fails} fail, {unknown} without an answer");
    assert!(safe > 20 && fails > 100);
}

/// What an activation does not need any more makes no difference, and procedures that call themselves are known.
#[test]
fn dead_locals_make_no_difference() {
    let (mut compared, mut fewer) = (0, 0);
    for (text, module) in varied(0..300) {
        let all = search(&module, &bounds(), MOST);
        let some = search(&module, &Bounds { forget_dead: true, ..bounds() }, MOST);
        let (Some(all), Some(some)) = (all, some) else { continue };
        let length = |found: &Found| found.failure.as_ref().map(|(play, _)| play.0.len());
        assert_eq!(length(&all), length(&some), "{text}");
        assert!(some.positions <= all.positions, "{text}");
        compared += 1;
        fewer += usize::from(some.positions < all.positions);
    }
    println!("{compared} compared, {fewer} have fewer positions");
    assert!(compared > 150 && fewer > 20);
}

/// A procedure that is open twice at once without a call of the environment's between is on a cycle of calls.
#[test]
fn procedures_that_call_themselves_are_known() {
    let (mut recursive, mut seen) = (0, 0);
    for seed in 0..300 {
        let (text, module) = sampled(seed);
        let known = module.recursive();
        recursive += known.len();
        let start = Position::default();
        let mut waiting = vec![(start, 3)];
        while let Some((at, left)) = waiting.pop() {
            for calls in at.frames.chunk_by(|_, next| next.caller == Caller::Below) {
                for (n, frame) in calls.iter().enumerate() {
                    if calls[..n].iter().any(|outer| outer.procedure == frame.procedure) {
                        seen += 1;
                        assert!(known.contains(&frame.procedure), "{:?}\n{text}", frame.procedure);
                    }
                }
            }
            if left == 0 {
                continue;
            }
            for played in offers(&module, &bounds(), &at) {
                let mut next = at.clone();
                if let Reply::Moves(_) = next.play(&module, &played, STEPS) {
                    waiting.push((next, left - 1));
                }
            }
        }
    }
    println!("{recursive} procedures call themselves; {seen} were seen to");
    assert!(recursive > 100 && seen > 100);
}

/// A module with one thing changed that it must keep to is refused.
#[test]
fn what_is_no_module_is_refused() {
    let mut refused = BTreeSet::new();
    for seed in 0..300 {
        let (text, module) = sampled(seed);
        let mut random = Random::new(seed);
        let procedures: Vec<_> = module.procedures().map(|(id, _)| id).collect();
        let id = procedures[random.below(procedures.len())];
        let Procedure { mut body, mut locals, .. } = module.procedure(id).clone();
        let at = random.below(body.len());
        let outside = Label(u32::try_from(body.len()).expect("bodies are short"));
        match &mut body[at].0 {
            Statement::Branch(_, yes, _) => *yes = outside,
            Statement::Jump(to) => *to = outside,
            Statement::Call(_, arguments, _) => arguments.extend([ExpressionId(0), ExpressionId(0)]),
            Statement::Set(place, _) => {
                place.index = if place.index.is_some() { None } else { Some(ExpressionId(0)) };
            }
            Statement::Return(value) => *value = if value.is_some() { None } else { Some(ExpressionId(0)) },
            Statement::Assert(value, _) => *value = ExpressionId(u32::MAX),
            Statement::Lock(place) | Statement::Unlock(place) => place.base = Base::Local(LocalId(0)),
            _ => locals.clear(),
        }
        let mut wrong = module.clone();
        wrong.define(id, locals, body);
        match wrong.validate() {
            Err(Invalid { what, .. }) => refused.insert(what),
            Ok(()) => panic!("statement {at} of procedure {id:?} is changed: {text}"),
        };
    }
    println!("{refused:?}");
    assert!(refused.len() >= 6, "{refused:?}");
}

/// One thread of the environment does what the environment does without threads, in modules whose statements make one access.
#[test]
fn one_thread_is_an_environment_without_threads() {
    let (mut safe, mut fails, mut unknown) = (0, 0, 0);
    for (text, module) in varied(0..300) {
        let single = module.with_single_accesses();
        assert_eq!(single.validate(), Ok(()), "{text}");
        let bounds = Bounds { nesting: 2, ..bounds() };
        let giving = Giving { most: 3, nesting: 2, activations: bounds.activations };
        let plain = search(&module, &bounds, MOST).filter(|found| !found.cut);
        let threaded = threads::search::search(&single, 1, giving, 20 * MOST).filter(|found| !found.cut);
        let (Some(plain), Some(threaded)) = (plain, threaded) else {
            unknown += 1;
            continue;
        };
        let expected = plain.failure.as_ref().map(|(play, _)| play.0.len());
        let found = threaded.failure.as_ref().map(|(play, _)| play.len());
        // With threads the environment has as many functions as can be told apart, and one without.
        let more = text.contains("fn(") && found.is_some_and(|found| expected.is_none_or(|n| found < n));
        assert!(found == expected || more, "{found:?} moves, not {expected:?}\n{text}");
        if found.is_some() { fails += 1 } else { safe += 1 }
    }
    println!("{safe} safe, {fails} fail, {unknown} unknown");
    assert!(safe > 60 && fails > 60, "{safe} safe, {fails} fail, {unknown} unknown");
}
