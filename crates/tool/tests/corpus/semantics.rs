//! The machine and the reference semantics have the same complete plays, and models have the expected sizes.
//!
//! These are tests of programs with small types. A program whose model is too large all the same is marked: `skip denote`
//! for the comparison with the reference semantics, `skip denote-threads` for that in environments with threads,
//! `skip model` for a concurrent program's model.

use std::sync::Arc;

use agon_base::budget::Budget;
use agon_base::budget::Threads;
use agon_base::int::Int;
use agon_core::term::{Judgement, Mode};
use agon_core::types::Data;
use agon_games::arena::{Arena, OWN};
use agon_games::denote::{self, bottom_up_threads, denote};
use agon_games::machine::{Code, Machine, Strands, compile, compile_any};
use agon_games::model::{Building, concurrent_model, model};
use agon_games::moves::Label;
use agon_games::values::Exact;
use libtest_mimic::Trial;

use crate::claims::{Claim, Claims, Program};
use crate::{seen, trial};

/// The most values of a small type.
const SMALL: u64 = 1 << 12;

/// Whether the types of all cells, and of all answers of the environment, are small, so that there may be a model.
fn is_small(code: &Code, arena: &Arena) -> bool {
    let small = |data: &Data| data.size().is_some_and(|size| size <= Int::from(SMALL));
    code.cells().iter().all(|cell| small(&cell.data))
        && arena.components().all(|(id, component)| id == OWN || component.base.data().is_none_or(small))
}

/// The tests of a program's models.
pub fn trials(program: &Program, claims: &Claims, trials: &mut Vec<Trial>) {
    let Some(session) = program.session(claims) else { return };
    let mode = session.judgement.mode;
    let judgement = Judgement { mode: Mode::Concurrent, ..session.judgement.clone() };
    // A jump out of a thread has no semantics.
    let threaded_code = compile_any(&judgement, &session.arena);
    let code = compile_any(&session.judgement, &session.arena).expect("it can be run");
    if !is_small(&code, &session.arena) {
        return;
    }
    let mut group = |name: &str, run: fn(&Program, &Claims)| {
        if !claims.skips(name) {
            trials.push(trial(name, program, claims, false, run));
        }
    };
    if threaded_code.is_ok() {
        group("denote-threads", threaded);
    }
    match mode {
        Mode::Concurrent => group("model", concurrent),
        Mode::Sequential => group("denote", sequential),
    }
}

/// The model aborts if and only if the program is expected to.
fn aborts_as_claimed(claims: &Claims, aborts: bool) {
    for (_, claim) in claims.verdicts.iter().filter(|(target, _)| target == "abort") {
        assert_eq!(aborts, matches!(claim, Claim::Unsafe(_)));
    }
}

fn sequential(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    let code = compile(&session.judgement, &session.arena).expect("it can be run");
    let mut machine = Machine::new(Arc::new(code), Arc::new(session.arena.clone()), Exact::default());
    let (model, _) = model(&mut machine, 20_000, &Budget::default()).expect("the model is small");
    if let Some(size) = &claims.model {
        let own = format!("{} states, {} transitions", model.states(), model.transitions());
        assert_eq!(own, *size);
    }
    let reference = denote(&session.judgement, &session.arena).expect("the reference semantics is small");
    assert_eq!(model, reference);
    aborts_as_claimed(claims, reference.letters.iter().any(|m| m.label == Label::Abort));
    seen("models that the reference semantics agrees on");
}

/// Concurrent programs, and sequential ones in environments that have several threads.
fn threaded(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    let own = session.judgement.mode == Mode::Concurrent;
    let judgement = Judgement { mode: Mode::Concurrent, ..session.judgement };
    let code = compile_any(&judgement, &session.arena).expect("it can be run");
    let mut strands = Strands::new(Arc::new(code), Arc::new(session.arena.clone()), true);
    let building = Building {
        reduce: true,
        threads: Threads::default(),
        largest: 20_000,
        budget: &Budget::default().with_patience(10_000),
    };
    let model = concurrent_model(&mut strands, building).expect("the model is small");
    let building = denote::Building { reduce: true, most: 20_000, budget: &Budget::default() };
    let reference = bottom_up_threads(&judgement, &session.arena, building).expect("the parts are small");
    assert_eq!(model.automaton, reference.model);
    seen(match own {
        true => "concurrent models that the reference semantics agrees on",
        false => "sequential models with threads that the reference semantics agrees on",
    });
}

/// Reduction does not change a concurrent program's model.
fn concurrent(program: &Program, claims: &Claims) {
    let session = program.open(claims);
    let code = Arc::new(compile_any(&session.judgement, &session.arena).expect("it can be run"));
    let [model, step_by_step] = [true, false].map(|reduce| {
        let mut strands = Strands::new(code.clone(), Arc::new(session.arena.clone()), reduce);
        let threads = Threads::default();
        let building = Building { reduce, threads, largest: 400_000, budget: &Budget::default() };
        concurrent_model(&mut strands, building).expect("the model is small").automaton
    });
    assert!(model == step_by_step, "reduction changes the model");
    if let Some(size) = &claims.model {
        let own = format!("{} states, {} transitions", model.states(), model.transitions());
        assert_eq!(own, *size);
    }
    aborts_as_claimed(claims, model.letters.iter().any(|m| m.m.label == Label::Abort));
}
