//! Comparisons of programs with others of their folder have the expected verdicts.

use std::sync::Arc;

use agon::session::compare;
use agon_base::budget::Budget;
use agon_check::equiv::{Comparison, Relation};
use agon_core::term::Mode;
use agon_games::machine::{Machine, compile};
use agon_games::model::model;
use agon_games::moves::Label;
use agon_games::values::Exact;
use libtest_mimic::Trial;

use crate::claims::{Claims, Program};
use crate::{seen, trial};

/// The comparisons that a program claims, each a test: `equivalent::folder/program::other`.
pub fn trials(program: &Program, claims: &Claims, trials: &mut Vec<Trial>) {
    for (claim, other) in &claims.relations {
        let (word, file) = (claim.clone(), other.clone());
        let named = Program {
            name: format!("{}::{}", program.name, other.trim_end_matches(".ia")),
            ..program.clone()
        };
        trials.push(trial(claim, &named, claims, false, move |program, claims| {
            as_claimed(program, claims, &word, &file);
        }));
    }
}

fn as_claimed(program: &Program, claims: &Claims, claim: &str, file: &str) {
    let session = program.open(claims);
    let path = program.path.with_file_name(file);
    let text = std::fs::read_to_string(&path).expect("the other program can be read");
    let other_claims = Claims::read(&text).unwrap_or_else(|why| panic!("{file}: {why}"));
    let other = Program { name: file.into(), path, text }.open(&other_claims);
    let relation = if claim == "approximates" { Relation::Approximation } else { Relation::Equivalence };
    let (comparison, _) = compare(&session, &other, relation, &Budget::default(), &mut |_| {})
        .unwrap_or_else(|why| panic!("{why}"));
    let sequential = session.judgement.mode == Mode::Sequential;
    let holds = match &comparison {
        Comparison::Holds => true,
        Comparison::Differs(difference) => {
            let told = difference.distinction.as_ref().is_some_and(|told| told.shown);
            // No environment can see when the program aborts.
            let aborts = difference.play.moves.last().is_some_and(|m| m.label == Label::Abort);
            assert!(told || aborts || sequential, "no environment shows the difference");
            false
        }
        Comparison::Unknown(_, reason) => panic!("{reason:?}"),
    };
    assert_eq!(holds, claim != "inequivalent");
    seen("comparisons");
    if !sequential || relation != Relation::Equivalence || claims.skips("model") {
        return;
    }
    // The minimal automata agree.
    let automata = [&session, &other].map(|session| {
        let code = compile(&session.judgement, &session.arena).expect("the program is sequential");
        let arena = Arc::new(session.arena.clone());
        let mut machine = Machine::new(Arc::new(code), arena, Exact::default());
        let (model, _) = model(&mut machine, 1 << 20, &Budget::default()).expect("the model is small");
        model.relabel(|m| session.arena.show(m))
    });
    assert_eq!(automata[0] == automata[1], holds);
}
