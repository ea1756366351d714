//! The pa-semantics is sound, gets better with more predicates, and is exact with all of them; and the paper's examples.

use std::collections::{BTreeSet, HashSet};

use agon_games::arena::Arena;
use agon_games::automaton::{Automaton, Builder};
use agon_games::denote::predicates::{self, Abstract, NoAbstraction, erased};
use agon_games::denote::{Unfit, denote};
use agon_games::moves::{Label, Move};
use agon_lang::elaborate::elaborate;
use agon_lang::int::Int;
use agon_lang::normal::Predicates;
use agon_lang::parse::parse;
use agon_lang::sample::{self, Random};
use agon_lang::source::Span;
use agon_lang::term::{Construct, Judgement, New, Operator, TermId, VarId};
use agon_lang::types::{Data, Type};
use agon_solve::cached::Cached;
use agon_solve::embedded::Embedded;

fn judge(text: &str) -> Judgement {
    let (program, diagnostics) = parse(text);
    assert!(diagnostics.is_empty(), "{text}\n{diagnostics:?}");
    let (judgement, diagnostics) = elaborate(&program, &[]);
    judgement.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

fn abstracted(judgement: &Judgement, predicates: Predicates<'_>) -> Result<Abstract, NoAbstraction> {
    let mut solver = Cached::new(Embedded::default());
    predicates::denote(judgement, &Arena::new(judgement), predicates, &mut solver, 50_000)
}

fn everywhere(maximal: &[TermId]) -> Predicates<'_> {
    Predicates { annotated: false, maximal }
}

fn annotated(text: &str) -> Abstract {
    abstracted(&judge(text), Predicates { annotated: true, maximal: &[] }).expect("it has an abstraction")
}

/// The program's plays of the exact reference semantics, their data left out; nothing if they are too many.
fn concrete(judgement: &Judgement) -> Option<Automaton<Move<()>>> {
    let plays = match denote(judgement, &Arena::new(judgement)) {
        Ok(plays) => plays,
        Err(Unfit::TooLarge) => return None,
        Err(unfit) => panic!("{unfit:?}"),
    };
    let mut builder = Builder::new();
    for accepting in &plays.accepting {
        let state = builder.state();
        if *accepting {
            builder.accept(state);
        }
    }
    for from in 0..plays.states() as u32 {
        for (letter, to) in plays.edges(from) {
            builder.edge(from, Some(erased(&plays.letters[*letter as usize])), *to);
        }
    }
    Some(builder.determinize(plays.initial).minimal())
}

/// A word of the first automaton that is none of the second's, if there is one. Neither has dead ends.
fn beyond(first: &Automaton<Move<()>>, second: &Automaton<Move<()>>) -> Option<Vec<Move<()>>> {
    if first.transitions() == 0 {
        return None;
    }
    let mut seen = HashSet::from([(first.initial, second.initial)]);
    let mut waiting = vec![(first.initial, second.initial, vec![])];
    while let Some((a, b, word)) = waiting.pop() {
        if first.accepting[a as usize] && !second.accepting[b as usize] {
            return Some(word);
        }
        for (letter, to) in first.edges(a) {
            let letter = &first.letters[*letter as usize];
            let longer: Vec<_> = word.iter().chain([letter]).cloned().collect();
            match second.after(b, letter) {
                None => return Some(longer),
                Some(other) if seen.insert((*to, other)) => waiting.push((*to, other, longer)),
                Some(_) => {}
            }
        }
    }
    None
}

fn aborts(plays: &Automaton<Move<()>>) -> bool {
    plays.letters.iter().any(|m| m.label == Label::Abort)
}

fn shown(word: &[Move<()>], judgement: &Judgement) -> String {
    let arena = Arena::new(judgement);
    word.iter().map(|m| arena.show_with(m, |_, ()| "?".into())).collect::<Vec<_>>().join(" · ")
}

fn blocks(judgement: &Judgement) -> Vec<New> {
    let all = (0..judgement.terms.len() as u32).map(TermId);
    let news = all.filter_map(|term| match judgement.terms.construct(term) {
        Construct::New(new) => Some(new.clone()),
        _ => None,
    });
    news.collect()
}

/// All predicates x = n over the cells of a program with finite data.
fn equations(judgement: &mut Judgement) -> Vec<TermId> {
    let mut found = Vec::new();
    for New { variable, data, length, .. } in blocks(judgement) {
        let size = data.size().and_then(|size| size.to_u64()).expect("finite data");
        for element in 0..length.unwrap_or(1) {
            for code in 0..size {
                let mut add = |construct, ty| judgement.terms.add(construct, ty, Span::new(0, 0));
                let mut place = add(Construct::Variable(variable), Type::Var(data.clone()));
                if let Some(length) = length {
                    let index = add(Construct::Number(Int::from(element)), Type::Exp(Data::Int));
                    place = add(Construct::Variable(variable), Type::Array(data.clone(), length));
                    place = add(Construct::Index(place, index), Type::Var(data.clone()));
                }
                let read = add(Construct::Read(place), Type::Exp(data.clone()));
                let number = add(Construct::Number(data.value(code)), Type::Exp(Data::Int));
                found.push(add(Construct::Binary(Operator::Equal, read, number), Type::Exp(Data::Bool)));
            }
        }
    }
    found
}

/// All conditions of a program that are pure values over its cells.
fn conditions(judgement: &Judgement) -> Vec<TermId> {
    let cells: BTreeSet<VarId> = blocks(judgement).iter().map(|new| new.variable).collect();
    let terms = &judgement.terms;
    let pure = |guard: TermId| {
        let mut waiting = vec![guard];
        while let Some(term) = waiting.pop() {
            match terms.construct(term) {
                Construct::Variable(var) if cells.contains(var) => {}
                Construct::Number(_)
                | Construct::Unary(..)
                | Construct::Binary(..)
                | Construct::Wrap(..)
                | Construct::If(..)
                | Construct::Read(_)
                | Construct::Index(..) => terms.construct(term).each_child(|child| waiting.push(child)),
                _ => return false,
            }
        }
        true
    };
    let all = (0..terms.len() as u32).map(TermId);
    let guards = all.filter_map(|term| match terms.construct(term) {
        Construct::If(guard, ..) | Construct::While(guard, _) => Some(*guard),
        _ => None,
    });
    guards.filter(|guard| pure(*guard)).collect()
}

#[derive(Default, Debug)]
struct Counts {
    compared: usize,
    too_large: usize,
    /// The solver did not know something: division by what O gives.
    unknown: usize,
    with_cells: usize,
    safe: usize,
    inexact: usize,
}

/// Compares the abstract plays of each seed's program with the concrete ones, over more and more predicates.
fn compare(seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let text = sample::sequential(seed, 3 + (seed % 17) as usize);
        let mut judgement = judge(&text);
        let Some(concrete) = concrete(&judgement) else {
            counts.too_large += 1;
            continue;
        };
        let (conditions, equations) = (conditions(&judgement), equations(&mut judgement));
        let mut random = Random::new(seed);
        let some: Vec<TermId> =
            conditions.iter().chain(&equations).copied().filter(|_| random.one_in(3)).collect();
        let most: Vec<TermId> = some
            .iter()
            .chain(&conditions)
            .chain(&equations)
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let scopes = [&[][..], &some, &most];
        let models: Result<Vec<Abstract>, _> =
            scopes.iter().map(|maximal| abstracted(&judgement, everywhere(maximal))).collect();
        let models = match models {
            Ok(models) => models,
            Err(NoAbstraction::TooLarge) => {
                counts.too_large += 1;
                continue;
            }
            Err(reason) => panic!("seed {seed}: {reason:?}\n{text}"),
        };
        for (model, maximal) in models.iter().zip(scopes) {
            // Theorem 2: nothing is lost.
            if let Some(word) = beyond(&concrete, &model.plays) {
                panic!(
                    "seed {seed}: lost over {} predicates\n{text}\n{}",
                    maximal.len(),
                    shown(&word, &judgement)
                );
            }
        }
        if models.iter().any(|model| model.unknown > 0) {
            counts.unknown += 1;
            continue;
        }
        for pair in models.windows(2) {
            // Proposition 3: with more predicates there are no more plays.
            if let Some(word) = beyond(&pair[1].plays, &pair[0].plays) {
                panic!("seed {seed}: more predicates, more plays\n{text}\n{}", shown(&word, &judgement));
            }
        }
        // Proposition 4: with all equations, the plays are exact.
        if let Some(word) = beyond(&models[2].plays, &concrete) {
            panic!("seed {seed}: inexact\n{text}\n{}", shown(&word, &judgement));
        }
        assert_eq!(models[2].aborts(), aborts(&concrete));
        counts.compared += 1;
        counts.with_cells += usize::from(!equations.is_empty());
        counts.safe += usize::from(!aborts(&concrete) && !equations.is_empty());
        counts.inexact += usize::from(models[0].plays != concrete);
    }
    counts
}

#[test]
fn abstract_plays_are_sound_monotone_and_in_the_end_exact() {
    let counts = compare(0..1000);
    eprintln!("{counts:?}");
}
