//! The two semantics agree: the machine's complete plays are those of the reference.

use std::sync::Arc;

use agon_base::budget::{Budget, Stop};
use agon_base::refused::Refused;
use agon_core::term::Judgement;
use agon_games::arena::Arena;
use agon_games::automaton::Automaton;
use agon_games::denote::denote;
use agon_games::machine::{CallMemo, Machine, compile};
use agon_games::model::model;
use agon_games::moves::Move;
use agon_games::values::Exact;
use agon_ia::read::read;
use agon_ia::sample;

fn judge(text: &str) -> Judgement {
    read(text, &[]).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:?}")).judgement
}

fn machine_model(judgement: &Judgement, arena: &Arena, memo: CallMemo) -> Result<Automaton<Move>, Stop> {
    let arena = Arc::new(arena.clone());
    let code = Arc::new(compile(judgement, &arena).expect("the program is sequential"));
    let mut machine = Machine::new(code, arena, Exact::default()).with_call_memo(memo);
    let budget = Budget::default().with_patience(1_000);
    model(&mut machine, 60_000, &budget).map(|(model, _)| model)
}

/// Never, always.
const THRIFTS: [CallMemo; 2] =
    [CallMemo { remember_after: u64::MAX, forget: false }, CallMemo { remember_after: 0, forget: true }];

/// Each seed's program, compared; gives how many were.
fn compare(seeds: std::ops::Range<u64>) -> (usize, usize) {
    let (mut compared, mut with_plays) = (0, 0);
    for seed in seeds {
        let text = sample::sequential(seed, 3 + (seed % 17) as usize);
        let judgement = judge(&text);
        let arena = Arena::new(&judgement);
        let [Ok(machine), Ok(thrifty)] = THRIFTS.map(|memo| machine_model(&judgement, &arena, memo)) else {
            continue;
        };
        assert_eq!(machine, thrifty, "seed {seed}: remembering calls changes the plays\n{text}");
        match denote(&judgement, &arena) {
            Ok(reference) => {
                if machine != reference {
                    let code = compile(&judgement, &arena).expect("the program is sequential");
                    panic!(
                        "seed {seed}:\n{text}\n--- reference\n{}\n--- machine\n{}\n{code}",
                        show(&reference, &arena),
                        show(&machine, &arena)
                    );
                }
                compared += 1;
                with_plays += usize::from(machine.transitions() > 2);
            }
            Err(Refused::Stop(Stop::Table)) => {}
            Err(unfit) => panic!("seed {seed}: {unfit:?}\n{text}"),
        }
    }
    (compared, with_plays)
}

fn show(automaton: &Automaton<Move>, arena: &Arena) -> String {
    let mut text = String::new();
    for from in 0..automaton.states() {
        for (letter, to) in automaton.edges(from as u32) {
            let letter = arena.show(&automaton.letters[*letter as usize]);
            text += &format!("{from} --{letter}--> {to}\n");
        }
        if automaton.accepting[from] {
            text += &format!("{from} complete\n");
        }
    }
    text
}

#[test]
fn machine_and_reference_have_the_same_complete_plays() {
    let (compared, with_plays) = compare(0..3000);
    assert!(compared > 2800 && with_plays > 1000, "{compared} compared, {with_plays} with plays");
}

#[test]
#[ignore = "a long run"]
fn machine_and_reference_have_the_same_complete_plays_at_length() {
    let (compared, _) = compare(3000..60_000);
    assert!(compared > 50_000, "{compared} compared");
}
