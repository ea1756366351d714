//! Concurrent programs: the strands' complete plays are those of the small-step semantics.

use std::collections::HashMap;
use std::sync::Arc;

use agon_base::budget::Stop;
use agon_base::budget::{Budget, Threads as Workers};
use agon_base::int::Int;
use agon_base::refused::Refused;
use agon_core::term::{Judgement, Mode};
use agon_core::threads::{Event, Run, Threads};
use agon_core::types::Data;
use agon_games::arena::Arena;
use agon_games::automaton::{Automaton, Builder};
use agon_games::denote::{self, bottom_up_threads};
use agon_games::machine::{Strands, compile_any};
use agon_games::model::{Building, concurrent_model};
use agon_ia::read::read;
use agon_ia::sample;

fn judge(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

/// The complete plays by small steps: every configuration, every step of every thread.
fn reference(judgement: &Judgement, most: usize) -> Option<Automaton<String>> {
    let threads = Threads::new(judgement).ok()?;
    let values = |data: &Data| {
        (0..data.size().and_then(|n| n.to_u64()).unwrap_or(0)).map(|n| data.value(n)).collect::<Vec<Int>>()
    };
    let mut builder: Builder<String> = Builder::new();
    let mut known: HashMap<Run, u32> = HashMap::new();
    let mut waiting = vec![threads.start()];
    known.insert(threads.start(), builder.state());
    while let Some(run) = waiting.pop() {
        let from = known[&run];
        if threads.is_complete(&run) {
            builder.accept(from);
            continue;
        }
        let mut next: Vec<(Option<String>, Run)> =
            threads.silent(&run).into_iter().map(|run| (None, run)).collect();
        let name = |event: &Event| threads.show(event).replace(".grabbed", ".ok").replace(".released", ".ok");
        next.extend(threads.moves(&run).into_iter().map(|(event, run)| (Some(name(&event)), run)));
        for event in threads.offers(&run, &values) {
            let after = threads.answer(&run, &event).expect("it was offered");
            next.push((Some(name(&event)), after));
        }
        for (letter, run) in next {
            let to = match known.get(&run) {
                Some(to) => *to,
                None => {
                    let to = builder.state();
                    known.insert(run.clone(), to);
                    waiting.push(run);
                    to
                }
            };
            builder.edge(from, letter, to);
        }
        if known.len() > most {
            return None;
        }
    }
    Some(builder.determinize(0).minimal())
}

fn strands(judgement: &Judgement, reduce: bool, threads: Workers) -> Option<Automaton<String>> {
    let arena = Arc::new(Arena::new(judgement));
    let code = Arc::new(compile_any(judgement, &arena).ok()?);
    let mut strands = Strands::new(code, arena.clone(), reduce);
    let building = Building { reduce, threads, largest: 60_000, budget: &Budget::default() };
    let built = concurrent_model(&mut strands, building).ok()?;
    Some(built.automaton.relabel(|m| arena.show_threaded(m)).minimal())
}

fn show(automaton: &Automaton<String>) -> String {
    let mut text = String::new();
    for from in 0..automaton.states() as u32 {
        for (letter, to) in automaton.edges(from) {
            text += &format!("{from} --{}--> {to}\n", automaton.letters[*letter as usize]);
        }
    }
    text
}

fn strands_play_what_small_steps_play_among(count: u64) {
    let (mut compared, mut large) = (0, 0);
    for seed in 0..count {
        let text = sample::concurrent(seed, 3 + (seed % 14) as usize);
        let judgement = judge(&text);
        let Some(expected) = reference(&judgement, 3_000) else { continue };
        let one = Workers::default();
        let Some(found) = strands(&judgement, true, one) else { continue };
        assert!(
            Some(&found) == strands(&judgement, false, one).as_ref(),
            "seed {seed}: reduction changes the plays\n{text}"
        );
        let two = Workers { most: 2, alone: (seed % 8) as usize };
        assert!(
            Some(&found) == strands(&judgement, true, two).as_ref(),
            "seed {seed}: a second thread changes the plays\n{text}"
        );
        assert!(
            found == expected,
            "seed {seed}\n{text}\n--- small steps\n{}--- strands\n{}",
            show(&expected),
            show(&found)
        );
        compared += 1;
        large += usize::from(found.states() > 8);
    }
    println!("{compared} compared, {large} of them with more than 8 states");
    assert!(compared > count as usize / 2 && large > count as usize / 10, "{compared} {large}");
}

/// The complete plays from those of the parts; nothing if they get too large on the way.
fn denoted(judgement: &Judgement, reduce: bool, most: usize) -> Option<Automaton<String>> {
    let arena = Arena::new(judgement);
    let building = denote::Building { reduce, most, budget: &Budget::default() };
    match bottom_up_threads(judgement, &arena, building) {
        Ok(built) => Some(built.model.relabel(|m| arena.show_threaded(m)).minimal()),
        Err(Refused::Stop(Stop::Table) | Refused::Construct { .. }) => None,
        Err(why) => panic!("{why:?}"),
    }
}

/// The complete plays that a program has by its parts and by strands, reduced or not; nothing if they get too large.
fn by_parts_and_by_strands(text: &str, judgement: &Judgement) -> Option<Automaton<String>> {
    let expected = denoted(judgement, false, 20_000)?;
    assert!(
        Some(&expected) == denoted(judgement, true, 20_000).as_ref(),
        "{text}\nbisimilar states of the parts are not one"
    );
    for reduce in [true, false] {
        let found = strands(judgement, reduce, Workers::default())?;
        assert!(
            found == expected,
            "{text}\nreduced: {reduce}\n--- parts\n{}--- strands\n{}",
            show(&expected),
            show(&found)
        );
    }
    Some(expected)
}

fn strands_play_what_their_parts_play_among(count: u64) {
    let (mut compared, mut large, mut deep) = (0, 0, 0);
    let is_deep = |threads: &str| threads.matches('.').count() > 1;
    for seed in 0..count {
        let text = sample::concurrent(seed, 3 + (seed % 14) as usize);
        let Some(expected) = by_parts_and_by_strands(&text, &judge(&text)) else { continue };
        compared += 1;
        large += usize::from(expected.states() > 8);
        deep += usize::from(expected.letters.iter().any(|m| m.split('@').nth(1).is_some_and(is_deep)));
    }
    println!("{compared} compared, {large} of them with more than 8 states, {deep} of higher order");
    assert!(compared > count as usize * 9 / 10, "only {compared} were small enough");
    assert!(large > count as usize / 10 && deep > count as usize / 50, "{large} {deep}");
}

/// Programs without threads of their own, whose environment has some: their arguments run at once.
fn sequential_programs_play_the_same_in_concurrent_environments_among(count: u64) {
    let (mut compared, mut jumps) = (0, 0);
    for seed in 0..count {
        let text = sample::sequential(seed, 3 + (seed % 14) as usize);
        let judgement = Judgement { mode: Mode::Concurrent, ..judge(&text) };
        if Threads::new(&judgement).is_err() {
            jumps += 1;
            continue;
        }
        compared += usize::from(by_parts_and_by_strands(&text, &judgement).is_some());
    }
    println!("{compared} compared, {jumps} left out because a jump leaves its thread");
    assert!(compared > (count as usize - jumps) * 9 / 10, "{compared} of {count}, {jumps} with jumps");
}

/// Programs in which something can go wrong that random ones meet seldom.
#[test]
fn all_three_play_the_same_of_chosen_programs() {
    for (text, letter) in [
        // [SCC, §3]: two copies of an argument, in which one identifier is used.
        ("f : com{2} -> com, x : com |- f(x)", "x.run@2"),
        // A thread that never ends does not keep another from aborting.
        ("c : com |- { c; diverge } || abort", "c.run@1"),
        ("sem s = 1; grab(s) || abort", "abort"),
        // Numbers are reused, and those of one call go on below it.
        ("c : com |- c || c || c", "c.run@3"),
        ("concurrent f : com{2} -> com |- f(f(skip))", "f.1.run@3.1"),
        (
            "concurrent h : (com -> com) -> com |- h(fun p : com . h(fun q : com . { p || q }))",
            "h.1.1.run@2.1.1",
        ),
        (
            "t : (((com -> com){2} -> com) -> com) -> com |- t(fun p : (com -> com) -> com . p(fun x : com . { x; x }))",
            "t.1.1.1.1.run@1.1.1.2.1",
        ),
        // Procedures are passed on as they are, and arguments of an argument's argument are O's again.
        (
            "concurrent t : ((com -> com) -> com) -> com, h : (com -> com) -> com |- t(h)",
            "t.1.1.1.run@1.1.1.1",
        ),
        // Variables, arrays and semaphores as arguments and as results.
        ("concurrent g : com -> var int%2 |- g(skip) := g(skip)", "g.write(1)@1"),
        ("f : var int%2[2]{2} -> com |- new int%2 a[2] in f(a)", "f.1[1].write(1)@1.2"),
        ("m : sem{2} -> com |- sem s; m(s) || m(s)", "m.1.grab@2.2"),
        ("k : sem, v : var int%2 -> com |- { grab(k); release(k) } || { new int%2 y in v(y) }", "k.ok@1"),
    ] {
        let judgement = judge(text);
        let expected = reference(&judgement, 100_000).expect("the program is small");
        assert!(expected.letters.iter().any(|m| m == letter), "{text}: {:?}", expected.letters);
        let found = by_parts_and_by_strands(text, &judgement).expect("the program is small");
        assert!(found == expected, "{text}\n--- small steps\n{}--- parts\n{}", show(&expected), show(&found));
    }
}

#[test]
fn strands_play_what_small_steps_play() {
    strands_play_what_small_steps_play_among(2_000);
}

#[test]
#[ignore = "a long run"]
fn strands_play_what_small_steps_play_at_length() {
    strands_play_what_small_steps_play_among(10_000);
}

#[test]
fn strands_play_what_their_parts_play() {
    strands_play_what_their_parts_play_among(2_000);
}

#[test]
#[ignore = "a long run"]
fn strands_play_what_their_parts_play_at_length() {
    strands_play_what_their_parts_play_among(10_000);
}

#[test]
fn sequential_programs_play_the_same_in_concurrent_environments() {
    sequential_programs_play_the_same_in_concurrent_environments_among(2_000);
}

#[test]
#[ignore = "a long run"]
fn sequential_programs_play_the_same_in_concurrent_environments_at_length() {
    sequential_programs_play_the_same_in_concurrent_environments_among(10_000);
}
