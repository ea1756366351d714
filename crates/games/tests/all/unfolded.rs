//! Modules as terms: the reference semantics of the unfolded module has the plays that small steps have.

use std::collections::BTreeSet;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::{Move, Play};
use agon_core::module::stacks::{Bounds, plays};
use agon_core::module::{Function, ImportId, Module, ProcedureId};
use agon_games::arena::Arena;
use agon_games::automaton::Automaton;
use agon_games::denote::{Building, bottom_up};
use agon_games::moves::{self, Label};
use agon_ia::read::{read, read_module};
use agon_ia::sample;
use agon_ia::unfold::unfold;

fn module(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("it is no module: {other:#?}\n{text}"),
    }
}

/// The complete plays of at most this many moves of a module, read off the automaton of its unfolding.
struct Decoding<'a> {
    arena: &'a Arena,
    automaton: &'a Automaton<moves::Move>,
    exports: Vec<ProcedureId>,
    longest: usize,
    found: BTreeSet<Play>,
}

/// A beginning of a play: its moves, and what was written for the next one.
#[derive(Clone, Default)]
struct Beginning {
    play: Play,
    written: Vec<Int>,
}

impl Decoding<'_> {
    fn follow(&mut self, state: u32, so_far: &Beginning) {
        if self.automaton.accepting[state as usize] {
            self.found.insert(so_far.play.clone());
        }
        for (letter, to) in self.automaton.edges(state) {
            let mut longer = so_far.clone();
            self.read(&self.automaton.letters[*letter as usize], &mut longer);
            if longer.play.0.len() <= self.longest {
                self.follow(*to, &longer);
            }
        }
    }

    /// Adds what a move of the term says about the play of the module.
    fn read(&self, made: &moves::Move, so_far: &mut Beginning) {
        let name = self.arena.component(made.component).name.clone();
        let play = &mut so_far.play.0;
        match (name.split_once('.'), name.get(..1).unwrap_or(""), &made.label) {
            (_, "", Label::Abort) => play.push(Move::Fail),
            (Some((_, n)), _, Label::Run) => {
                let n: usize = n.parse().expect("arguments are numbered");
                play.push(Move::Call(Function::Procedure(self.exports[n - 1]), vec![]));
            }
            (Some(_), _, Label::Done) => play.push(Move::Return(so_far.written.pop())),
            (None, "p", Label::Value(value)) => {
                if let Some(Move::Call(_, arguments)) = play.last_mut() {
                    arguments.push(value.clone());
                }
            }
            (None, "r" | "a", Label::Write(value)) => so_far.written.push(value.clone()),
            (None, "f", Label::Run | Label::Ask) => {
                let id = ImportId(name[1..].parse().expect("imports are numbered"));
                play.push(Move::Call(Function::Import(id), std::mem::take(&mut so_far.written)));
            }
            (None, "f", Label::Done) => play.push(Move::Return(None)),
            (None, "f", Label::Value(value)) => play.push(Move::Return(Some(value.clone()))),
            _ => {}
        }
    }
}

/// Compares the plays and gives them; nothing if the module is no term or too large.
fn compare(text: &str, levels: usize, longest: usize) -> Option<BTreeSet<Play>> {
    let module = module(text);
    let unfolded = unfold(&module, levels)?;
    let reading = read(&unfolded, &[]).unwrap_or_else(|why| panic!("{why:?}\n{unfolded}\n{text}"));
    let arena = Arena::new(&reading.judgement);
    let budget = Budget::default();
    let building = Building { reduce: true, most: 20_000, budget: &budget };
    let automaton = bottom_up(&reading.judgement, &arena, building).ok()?.model;
    let exports = module.procedures().filter(|(_, procedure)| procedure.exported).map(|(id, _)| id);
    let (exports, found) = (exports.collect(), BTreeSet::new());
    let mut decoding = Decoding { arena: &arena, automaton: &automaton, exports, longest, found };
    decoding.follow(automaton.initial, &Beginning::default());
    let inputs = Inputs::range(0, 2, 0);
    let bounds =
        Bounds { inputs, nesting: levels + 1, activations: usize::MAX, steps: 1_000, forget_dead: false };
    let complete = |play: &Play| play.0.last() == Some(&Move::Fail) || play.open().is_empty();
    let mut expected: BTreeSet<Play> =
        plays(&module, &bounds, longest).into_iter().filter(complete).collect();
    expected.insert(Play::default());
    let only = |one: &BTreeSet<Play>, other: &BTreeSet<Play>| {
        one.difference(other).map(|play| play.show(&module)).take(3).collect::<Vec<_>>()
    };
    let found = &decoding.found;
    assert!(
        *found == expected,
        "only by steps: {:?}, only unfolded: {:?}\n{text}",
        only(&expected, found),
        only(found, &expected)
    );
    Some(expected)
}

const BUCKET: &str = "module import now() : int%2; int%3 tokens := 2;
    export refill(k : int%3) = tokens := k;
    export take() : bool = if tokens = 0 then false else { let t = now() in if t = 1 then skip; assert(tokens > 0); tokens := tokens - 1; true };";

#[test]
fn a_library_that_is_called_back_is_a_term_at_each_nesting() {
    for levels in 0..3 {
        let count = compare(BUCKET, levels, 8).expect("it is small").len();
        println!("{levels}: {count} plays");
        assert!(count > 100);
    }
}

/// Compares random modules; gives how many there were, how many fail, and how many are called back.
fn compare_random(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let [mut compared, mut fail, mut nested] = [0; 3];
    for seed in seeds {
        let text = sample::plain_module(seed, 2 + (seed % 5) as usize);
        for levels in 0..2 {
            let Some(found) = compare(&text, levels, 4 + 2 * levels) else { continue };
            compared += 1;
            fail += usize::from(found.iter().any(|play| play.0.last() == Some(&Move::Fail)));
            nested +=
                usize::from(found.iter().any(|play| play.nested().iter().any(|nested| nested.reenters)));
        }
    }
    println!("{compared} modules compared, {fail} fail, {nested} are called back");
    [compared, fail, nested]
}

#[test]
fn random_modules_are_terms_at_each_nesting() {
    let [compared, fail, nested] = compare_random(0..300);
    assert!(compared > 200 && fail > 50 && nested > 20);
}

#[test]
#[ignore = "takes two minutes"]
fn ten_thousand_random_modules_are_terms() {
    let [compared, fail, nested] = compare_random(300..8_300);
    assert!(compared > 10_000 && fail > 1_000 && nested > 1_000);
}
