//! What the machine plays, the interpreter plays too; what it does not, is refused.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_core::eval::{Exit, Nobody, Patience, Request, run};
use agon_core::language::Closed;
use agon_games::arena::{Arena, OWN};
use agon_games::machine::Machine;
use agon_games::moves::{Label, Move};
use agon_games::play::legal;
use agon_games::values::Exact;
use agon_ia::read::{Document, Reading};
use agon_ia::sample::sequential;
use agon_witness::replay::replay;
use agon_witness::verify::{Program, verify};

fn steps() -> Patience<'static> {
    Patience::steps(1_000_000)
}

fn read(text: &str) -> Reading {
    agon_ia::read::read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}"))
}

/// Whether a closed program, as it is written, ends as a play says it does.
fn comes_to(closed: &Closed, moves: &[Move]) -> bool {
    let judgement = read(&closed.text).judgement;
    let inside = |term| judgement.terms.span(term).start as usize >= closed.term;
    let last = moves.last().expect("the play has moves");
    match (run(&judgement, &mut Nobody, &Request::Run, steps()), &last.label) {
        _ if moves.len() == 1 => true,
        (Err(Exit::Abort(term)), label) => inside(term) == (*label == Label::Abort),
        (Ok(n), Label::Value(value)) => last.component == OWN && n == *value,
        (outcome, _) => last.component == OWN && outcome.is_ok(),
    }
}

/// A random play of the machine, of at most this many moves, and the same one from the start of each of its moves.
fn random_play(machine: &mut Machine<Exact>, random: &mut Random, most: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    let mut state = machine.start();
    while moves.len() < most {
        let offers = machine.offers(state);
        let offer = &offers[random.below(offers.len())];
        let code = random.below(offer.last.expect("the data is finite") as usize + 1) as u64;
        let mut reactions = Vec::new();
        let budget = Budget::default().with_patience(99);
        let played = machine.play(state, offer, code, &mut reactions, &budget);
        let (Ok(()), Some(reaction)) = (played, reactions.pop()) else { break };
        moves.push(offer.at(machine.domain(), machine.arena(), code));
        moves.push(reaction.label);
        match reaction.next {
            Some(next) => state = next,
            None => break,
        }
    }
    moves
}

/// A sequential program, and a machine that plays it.
fn sample(text: &str) -> (Program<Document>, Machine<Exact>) {
    let Reading { document, judgement, .. } = read(text);
    let program = Program::new(document, judgement);
    let code = program.subject().sequential_code().expect("the program is sequential");
    let machine = Machine::new(code, Arc::new(program.arena.clone()), Exact::default());
    (program, machine)
}

#[test]
fn the_interpreter_confirms_what_the_machine_plays() {
    let (mut plays, mut moves_played) = (0, 0);
    for seed in 0..4000 {
        let text = sequential(seed, 3 + (seed % 17) as usize);
        let (program, mut machine) = sample(&text);
        let (arena, subject) = (&program.arena, program.subject());
        let mut random = Random::new(seed);
        for _ in 0..3 {
            let moves = random_play(&mut machine, &mut random, 24);
            if moves.is_empty() {
                continue;
            }
            let shown: Vec<_> = moves.iter().map(|m| arena.show(m)).collect();
            legal(arena, &moves).unwrap_or_else(|why| panic!("seed {seed}\n{text}\n{shown:?}\n{why}"));
            // As it is, ending in a move of P's; and without its last move, ending in one of O's.
            for end in [moves.len(), moves.len() - 1] {
                let evidence = verify(subject, &moves[..end], steps()).unwrap_or_else(|why| {
                    panic!("seed {seed}\n{text}\n{:?}\n{why:?}", &shown[..end]);
                });
                let closed = evidence.closed.expect("an environment was run");
                assert!(
                    comes_to(&closed, &moves[..end]),
                    "seed {seed}\n{}\n{:?}",
                    closed.text,
                    &shown[..end]
                );
            }
            plays += 1;
            moves_played += moves.len();
        }
    }
    assert!(plays > 9_000 && moves_played > 60_000, "{plays} plays of {moves_played} moves");
}

/// A move that is not the given one.
fn mutated(m: &Move, arena: &Arena, random: &mut Random) -> Move {
    let mut other = m.clone();
    let n = Int::from(random.below(4) as i64);
    other.label = match (&m.label, random.below(3)) {
        (Label::Value(_), 0 | 1) => Label::Value(n),
        (Label::Write(_), 0 | 1) => Label::Write(n),
        (label, _) => {
            let labels = [Label::Run, Label::Done, Label::Ask, Label::Read, Label::Ok, Label::Abort];
            let new = labels[random.below(labels.len())].clone();
            if *label == new {
                let components: Vec<_> = arena.components().map(|(id, _)| id).collect();
                other.component = components[random.below(components.len())];
            }
            new
        }
    };
    other
}

#[test]
fn a_mutated_play_is_refused() {
    let mut refused = 0;
    for seed in 0..3000 {
        let text = sequential(seed, 6 + (seed % 14) as usize);
        let (program, mut machine) = sample(&text);
        let Program { judgement, arena, .. } = &program;
        let subject = program.subject();
        let mut random = Random::new(seed ^ 0xabcd);
        let moves = random_play(&mut machine, &mut random, 16);
        // A move of P's is changed: P plays only one, so every other is wrong.
        for at in (1..moves.len()).step_by(2) {
            let mut wrong = moves.clone();
            wrong[at] = mutated(&moves[at], arena, &mut random);
            if wrong[at] == moves[at] {
                continue;
            }
            let shown: Vec<_> = wrong.iter().map(|m| arena.show(m)).collect();
            assert!(
                verify(subject, &wrong, steps()).is_err()
                    && replay(judgement, arena, &wrong, steps()).is_err(),
                "seed {seed}, move {}\n{text}\n{shown:?}",
                at + 1
            );
            refused += 1;
        }
        // Moves are left out or repeated: the players no longer alternate, or P says the wrong thing.
        if moves.len() > 3 {
            let at = 1 + random.below(moves.len() - 2);
            let mut shorter = moves.clone();
            shorter.remove(at);
            let mut longer = moves.clone();
            longer.insert(at, moves[at].clone());
            for wrong in [shorter, longer] {
                assert!(verify(subject, &wrong, steps()).is_err(), "seed {seed}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 5_000, "{refused} plays were refused");
}
