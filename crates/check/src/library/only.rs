//! The smallest difference between two modules in words, decided by comparing them again.

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_core::eval::Patience;
use agon_core::module::eval::{Exit, Outcome, Played, play_within};
use agon_core::module::play::{Move, Play};
use agon_core::module::{Function, Module, Sort};

use super::{Difference, search};
use crate::equiv;
use crate::equiv::only::{self, Restriction};
use crate::modules::Compiled;
use crate::modules::pairs::Compared;
use crate::search::Observer;

/// What is known of a difference, in words.
pub(super) fn words(
    modules: [&Module; 2],
    difference: &Difference,
    options: &equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Vec<String> {
    let mut words = Vec::new();
    if !difference.only_by_reentry {
        words.extend(only_for(modules, &difference.plays[0], options, budget, observe));
    }
    for (played, which) in difference.plays.iter().zip(["first", "second"]) {
        if matches!(played.outcome, Outcome::Ended(Exit::Diverges)) {
            words.push(format!("the {which} diverges"));
        }
    }
    if is_swapped(modules, &difference.plays, budget) {
        words.push("other order of calls".into());
    }
    words
}

/// Whether each module makes next the call that the other one has made, once its own call has returned.
fn is_swapped(modules: [&Module; 2], plays: &[Played; 2], budget: &Budget) -> bool {
    let shown = |n: usize, played: &Move| Play(vec![played.clone()]).show(modules[n]);
    let last = |n: usize| plays[n].play.0.last().filter(|played| matches!(played, Move::Call(..)));
    let (Some(left), Some(right)) = (last(0), last(1)) else { return false };
    let calls = [shown(0, left), shown(1, right)];
    let next = |n: usize| {
        let (function, _) = *plays[n].play.open().last()?;
        let result = &modules[n].signature(modules[n].type_of(function)).result;
        let answer = result.as_ref().map(|_| Int::ZERO);
        let moves = plays[n].play.of_environment().cloned().chain([Move::Return(answer)]);
        let played = play_within(modules[n], moves, Patience::within(budget)).play;
        played.0.get(plays[n].play.0.len() + 1).map(|m| shown(n, m))
    };
    calls[0] != calls[1] && next(0).as_ref() == Some(&calls[1]) && next(1).as_ref() == Some(&calls[0])
}

/// What the environment gives in a play of a module: the function, which number of the move, and the number.
fn given(module: &Module, play: &Play) -> Vec<(Function, usize, Int)> {
    let mut all: Vec<(Function, usize, Int)> = Vec::new();
    for (n, played) in play.0.iter().enumerate().step_by(2) {
        match played {
            Move::Call(function @ Function::Procedure(id), arguments) => {
                let sorts = &module.signature(module.procedure(*id).signature).parameters;
                let numbers = arguments.iter().enumerate().zip(sorts);
                let numbers = numbers.filter(|(_, sort)| matches!(sort, Sort::Data(_)));
                all.extend(numbers.map(|((n, value), _)| (*function, n, value.clone())));
            }
            Move::Return(Some(value)) => {
                let before = Play(play.0[..n].to_vec());
                let open = before.open().last().map(|(function, _)| *function);
                let Some(function @ Function::Import(id)) = open else { continue };
                let import = module.import(id);
                let result = &module.signature(import.signature).result;
                if matches!(result, Some(Sort::Data(_))) && !import.choice && module.share_of(id).is_none() {
                    all.push((function, 0, value.clone()));
                }
            }
            _ => {}
        }
    }
    all.reverse();
    let mut seen: Vec<(Function, usize, Int)> = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

/// Which numbers a difference between two modules needs, in words; nothing if that is not known.
fn only_for(
    modules: [&Module; 2],
    played: &Played,
    options: &equiv::Options,
    budget: &Budget,
    observe: &mut Observer<'_>,
) -> Option<String> {
    let [first, second] = modules;
    let restrictions = given(first, &played.play).into_iter().flat_map(|(function, n, number)| {
        let (name, sort) = match function {
            Function::Procedure(id) => {
                let procedure = first.procedure(id);
                let parameter = procedure.locals.get(n).and_then(|local| local.name.as_deref());
                let name = match parameter {
                    Some(parameter) => format!("{}.{parameter}", procedure.name),
                    None => format!("{}.{}", procedure.name, n + 1),
                };
                (name, first.signature(procedure.signature).parameters.get(n).cloned())
            }
            Function::Import(id) => {
                let import = first.import(id);
                (import.name.to_string(), first.signature(import.signature).result.clone())
            }
            Function::Foreign(_) => (String::new(), None),
        };
        let range = match (function, sort) {
            (Function::Import(id), _) if first.import(id).returns.is_some() => {
                first.import(id).returns.clone()
            }
            (_, Some(Sort::Data(data))) => data.range(),
            _ => None,
        };
        let useful = move |restriction: &Restriction| restriction.leaves_any(range.as_ref());
        Restriction::of(&number)
            .into_iter()
            .filter(useful)
            .map(move |restriction| (function, n, name.clone(), restriction))
    });
    let restrictions: Vec<_> = only::few(restrictions).collect();
    restrictions.into_iter().find_map(|(function, n, name, restriction)| {
        let without = restriction.without(n);
        let [mut left, mut right] = [first.clone(), second.clone()];
        match function {
            Function::Procedure(id) => {
                left.assume_call(id, without.clone());
                let own = &first.procedure(id).name;
                let same = second.procedures().find(|(_, other)| other.exported && other.name == *own);
                right.assume_call(same?.0, without);
            }
            Function::Import(id) => {
                left.assume_answer(id, without.clone());
                let same = second.imports().find(|(_, other)| other.name == first.import(id).name);
                same.into_iter().for_each(|(id, _)| right.assume_answer(id, without.clone()));
            }
            Function::Foreign(_) => return None,
        }
        let (options, budget) = only::little(options, budget);
        let compiled = [Compiled::new(left), Compiled::new(right)];
        let (compared, ..) = search([&compiled[0], &compiled[1]], &options, &budget, observe, &mut None);
        matches!(compared, Compared::Equivalent).then(|| restriction.words(&name))
    })
}
