//! Revealed plays: hidden again they are the plays of the program, and every move says who makes it.

use std::collections::BTreeSet;

use agon_base::budget::{Budget, Stop};
use agon_base::refused::Refused;
use agon_core::term::{Judgement, Mode};
use agon_games::arena::Arena;
use agon_games::automaton::{Automaton, Builder};
use agon_games::denote::{Building, Revealed, bottom_up_threads, revealed};
use agon_games::moves::ThreadMove;
use agon_ia::read::read;
use agon_ia::sample;

fn judge(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

/// The words of an automaton without the letters that are hidden.
fn hidden(model: &Automaton<Revealed>) -> Automaton<ThreadMove> {
    let mut builder = Builder::like(model);
    for from in 0..model.states() as u32 {
        for (letter, to) in model.edges(from) {
            let letter = match &model.letters[*letter as usize] {
                Revealed::Visible(m) => Some(m.clone()),
                Revealed::Inner(..) | Revealed::Local(..) => None,
            };
            builder.edge(from, letter, *to);
        }
    }
    builder.determinize(model.initial).minimal()
}

/// The revealed plays, which hidden again must be the plays; nothing if they get too large.
fn reveal(text: &str, judgement: &Judgement, most: usize) -> Option<Automaton<Revealed>> {
    let arena = Arena::new(judgement);
    let building = Building { reduce: true, most, budget: &Budget::default() };
    let built = match revealed(judgement, &arena, building) {
        Ok(built) => built.model,
        Err(Refused::Stop(Stop::Table) | Refused::Construct { .. }) => return None,
        Err(why) => panic!("{text}\n{why:?}"),
    };
    let plain = bottom_up_threads(judgement, &arena, building).expect("it is smaller");
    assert!(hidden(&built) == plain.model, "{text}\nhiding what is revealed changes the plays");
    let written: BTreeSet<String> = built.letters.iter().map(|letter| show(letter, &arena)).collect();
    assert_eq!(written.len(), built.letters.len(), "{text}\ntwo moves are written alike: {written:?}");
    Some(built)
}

fn show(letter: &Revealed, arena: &Arena) -> String {
    match letter {
        Revealed::Visible(m) => arena.show_threaded(m),
        Revealed::Inner(place, said) => format!("{said}{place}"),
        Revealed::Local(cell, said, None) => format!("{cell}.{said}"),
        Revealed::Local(cell, said, Some(by)) => format!("{cell}.{said}{by}"),
    }
}

fn what_is_revealed_and_hidden_again_is_the_model_of_concurrent_programs_among(count: u64) {
    let (mut compared, mut copies, mut cells) = (0, 0, 0);
    for seed in 0..count {
        let text = sample::concurrent(seed, 3 + (seed % 10) as usize);
        let Some(model) = reveal(&text, &judge(&text), 6_000) else { continue };
        compared += 1;
        let copied = |letter: &Revealed| match letter {
            Revealed::Inner(place, _) => place.0.iter().any(|coordinate| coordinate.thread == Some(2)),
            _ => false,
        };
        copies += usize::from(model.letters.iter().any(copied));
        cells += usize::from(model.letters.iter().any(|letter| matches!(letter, Revealed::Local(..))));
    }
    println!("{compared} compared, {copies} of them with two copies of an argument, {cells} with cells");
    assert!(compared > count as usize / 2, "only {compared} were small enough");
    assert!(copies > count as usize / 40 && cells > count as usize / 40, "{copies} {cells}");
}

fn what_is_revealed_and_hidden_again_is_the_model_of_sequential_programs_among(count: u64) {
    let (mut compared, mut in_threads) = (0, 0);
    for seed in 0..count {
        let text = sample::sequential(seed, 3 + (seed % 14) as usize);
        let judgement = judge(&text);
        compared += usize::from(reveal(&text, &judgement, 20_000).is_some());
        // The same in environments that have threads.
        let judgement = Judgement { mode: Mode::Concurrent, ..judgement };
        in_threads += usize::from(reveal(&text, &judgement, 6_000).is_some());
    }
    println!("{compared} compared, {in_threads} in concurrent environments");
    assert!(compared > count as usize * 9 / 10 && in_threads > count as usize / 2, "{compared} {in_threads}");
}

/// Letters that must be there.
#[test]
fn moves_say_which_copy_makes_them() {
    for (text, letters) in [
        // The branches of a `||` are parts, each asked by itself.
        ("c : com |- c || skip", &["run⟨1⟩", "run⟨2⟩", "c.run@1", "done⟨1⟩", "done⟨2⟩"][..]),
        // Two copies of an argument; what is inside goes with them, what they share has one name.
        (
            "f : com{2} -> com |- new int%2 x in f(x := 1)",
            &["f.1.run@1.2", "run⟨1@1⟩", "run⟨1@2⟩", "write(1)⟨1@2,1⟩", "x.write(1)⟨1@2,1⟩", "done⟨1@2⟩"],
        ),
        // A cell of each copy.
        (
            "f : com{2} -> com |- f(new int%2 x in x := 1)",
            &["x⟨1@1⟩.write(1)⟨1@1,1⟩", "x⟨1@2⟩.write(1)⟨1@2,1⟩"],
        ),
        // Copies of copies.
        ("f : com{2} -> com |- f({ skip; f(skip) })", &["run⟨1@2,2,1@2⟩", "run⟨1@1,2,1@2⟩"]),
        // One name in two places, and of a free identifier, too; and twice in the same place.
        ("concurrent x : com |- { new int%2 x in x := 1 }; x", &["x⟨1⟩.write(1)⟨1,1⟩", "run⟨2⟩", "x.run@1"]),
        (
            "concurrent new int%2 x in let g : int%2 = x in new int%2 x in x := g",
            &["x⟨⟩.read(0)⟨2,1⟩", "x'⟨⟩.write(0)⟨1⟩"],
        ),
        // Semaphores and elements.
        ("sem s; grab(s) || release(s)", &["s.grab⟨1,1⟩", "s.release⟨2,1⟩", "grab⟨1,1⟩", "ok⟨1,1⟩"]),
        ("concurrent new int%2 a[2] in a[1] := 1", &["a[1].write(1)⟨1,1⟩", "write(1)[1]⟨1,1⟩"]),
        // What a block starts with.
        ("concurrent e : int%2 |- new int%2 x := e in skip", &["q⟨0⟩", "1⟨0⟩"]),
        ("e : int%2 |- new int%2 x := e in x := x", &["q⟨0⟩", "1⟨0⟩", "x.read", "x.1", "x.write(1)", "x.ok"]),
    ] {
        let judgement = judge(text);
        let arena = Arena::new(&judgement);
        let model = reveal(text, &judgement, usize::MAX).expect("it is small");
        let found: Vec<String> = model.letters.iter().map(|letter| show(letter, &arena)).collect();
        for letter in letters {
            assert!(found.iter().any(|known| known == letter), "{text}: {letter}\n{found:?}");
        }
    }
}

#[test]
fn what_is_revealed_and_hidden_again_is_the_model_of_concurrent_programs() {
    what_is_revealed_and_hidden_again_is_the_model_of_concurrent_programs_among(400);
}

#[test]
#[ignore = "a long run"]
fn what_is_revealed_and_hidden_again_is_the_model_of_concurrent_programs_at_length() {
    what_is_revealed_and_hidden_again_is_the_model_of_concurrent_programs_among(4_000);
}

#[test]
fn what_is_revealed_and_hidden_again_is_the_model_of_sequential_programs() {
    what_is_revealed_and_hidden_again_is_the_model_of_sequential_programs_among(400);
}

#[test]
#[ignore = "a long run"]
fn what_is_revealed_and_hidden_again_is_the_model_of_sequential_programs_at_length() {
    what_is_revealed_and_hidden_again_is_the_model_of_sequential_programs_among(4_000);
}
