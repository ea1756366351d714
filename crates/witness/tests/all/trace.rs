//! What the program's cells hold while a play is made.

use agon_base::budget::Stop;
use agon_base::refused::Refused;
use agon_core::eval::Patience;
use agon_core::types::Type;
use agon_games::arena::Arena;
use agon_games::play::Play;
use agon_ia::read::read;
use agon_witness::trace::trace;

/// The cells at each move, as `move: x = 1, …`.
fn held(text: &str, moves: &[&str]) -> Vec<String> {
    let judgement = read(text, &[]).expect("it is a program").judgement;
    let arena = Arena::new(&judgement);
    let mut play = Play::default();
    for m in moves {
        let m = arena.parse_threaded(m).expect("the move is one of the game's");
        match m.threads.is_empty() && !moves.iter().any(|m| m.contains('@')) {
            true => play.push(m.m, None),
            false => play.push_threaded(m, None),
        }
    }
    let held = trace(&judgement, &arena, &play, Patience::steps(100_000)).expect("it can be played");
    assert_eq!(held.len(), moves.len());
    let shown = held.iter().zip(moves).map(|(held, m)| {
        let cell = |held: &agon_core::held::Held| {
            let variable = judgement.terms.variable(held.variable);
            match variable.ty {
                Type::Array(_, length) => {
                    let elements: Vec<_> = (0..length).map(|i| held.get(i).to_string()).collect();
                    format!("{} = [{}]", variable.name, elements.join(" "))
                }
                _ => format!("{} = {}", variable.name, held.get(0)),
            }
        };
        format!("{m}: {}", held.iter().map(cell).collect::<Vec<_>>().join(", "))
    });
    shown.collect()
}

#[test]
fn cells_are_seen_when_they_are_there() {
    let text = "f : com -> com |- new int x := 1 in f(x := x + 1); { new int%3 a[2] in a[1] := x; f(a[0] := 2); abort }";
    let moves =
        ["run", "f.run", "f.1.run", "f.1.done", "f.done", "f.run", "f.1.run", "f.1.done", "f.done", "abort"];
    assert_eq!(
        held(text, &moves),
        [
            "run: ",
            "f.run: x = 1",
            "f.1.run: x = 1",
            "f.1.done: x = 2",
            "f.done: x = 2",
            "f.run: x = 2, a = [0 2]",
            "f.1.run: x = 2, a = [0 2]",
            "f.1.done: x = 2, a = [2 2]",
            "f.done: x = 2, a = [2 2]",
            "abort: x = 2, a = [2 2]"
        ]
    );
    let text = "e : int |- new int x := e in x + 1";
    assert_eq!(
        held(text, &["q", "e.q", "e.4", "5"]),
        ["q: ", "e.q: ", "e.4: ", "5: "],
        "at the end it is gone"
    );
}

#[test]
fn threads_share_what_they_hold() {
    let text = "concurrent p : com -> int%4 -> com |- new int%4 x := 0 in p(x := x + 1; x := x - 1, x)";
    let moves =
        ["run", "p.run@1", "p.1.run@1.1", "p.2.q@1.1", "p.2.1@1.1", "p.1.done@1.1", "p.done@1", "done"];
    let held = held(text, &moves);
    assert_eq!(held[1], "p.run@1: x = 0");
    assert_eq!(held[4], "p.2.1@1.1: x = 1");
    assert_eq!(held[5], "p.1.done@1.1: x = 0");
}

#[test]
fn a_large_array_at_many_moves_is_not_remembered() {
    let program = |length: u64| {
        let text = format!("f : com -> com |- new int a[{length}] := 1 in f(a[0] := 2)");
        read(&text, &[]).expect("it is a program").judgement
    };
    let held = |length, uses| {
        let judgement = program(length);
        let arena = Arena::new(&judgement);
        let mut play = Play::default();
        let moves =
            ["run", "f.run"].into_iter().chain(std::iter::repeat_n(["f.1.run", "f.1.done"], uses).flatten());
        for m in moves {
            play.push(arena.parse(m).expect("the move is one of the game's"), None);
        }
        trace(&judgement, &arena, &play, Patience::steps(10_000_000)).map(|held| held.len())
    };
    assert_eq!(held(1_000, 10), Ok(22));
    assert_eq!(held(1_000, 1_000), Err(Refused::Stop(Stop::Table)));
    assert_eq!(held(10, 1_000), Ok(2_002));
}
