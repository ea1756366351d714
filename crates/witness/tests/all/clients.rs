//! Plays of modules over the corpus: true ones are confirmed by a client that is printed and read again, mutated ones are refused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agon_base::int::Int;
use agon_core::checks::{Check, Watch};
use agon_core::eval::Patience;
use agon_core::module::eval::{Exit, Outcome};
use agon_core::module::inputs::Inputs;
use agon_core::module::play::{Move, Play};
use agon_core::module::run::{Position, Reply};
use agon_core::module::sample::Variation;
use agon_core::module::stacks::{Bounds, plays as plays_of, search};
use agon_core::module::target::Target;
use agon_core::module::{Calls, Function, ImportId, Module};
use agon_ia::read::{Document, ModuleReading, read_module};
use agon_ia::sample;
use agon_witness::library::{Goal, run_closed, verify};

const STEPS: u64 = 100_000;

fn read(name: &str, text: &str) -> (Document, Module) {
    match read_module(text, &[]) {
        Some(Ok(ModuleReading { document, module, .. })) => (document, module),
        other => panic!("{name} is no module: {other:#?}\n{text}"),
    }
}

/// The modules of the corpus that say how they fail, each with the play.
fn corpus() -> Vec<(String, Document, Module, Play)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("there are modules")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let mut found = Vec::new();
    for path in files {
        let name = path.file_stem().expect("a name").to_string_lossy().to_string();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let play = text.lines().find_map(|line| line.strip_prefix("//! unsafe: "));
        let Some(play) = play.filter(|play| *play != "any") else { continue };
        let (document, module) = read(&name, &text);
        let play = Play::parse(&module, play).unwrap_or_else(|why| panic!("{name}: {why}"));
        found.push((name, document, module, play));
    }
    assert!(found.len() > 20, "{} modules", found.len());
    found
}

fn believed(document: &Document, module: &Module, play: &Play) -> bool {
    verify(module, document, play, &Goal::Fails, Patience::steps(STEPS)).is_ok()
}

/// Whether small steps play a play that fails.
fn plays(module: &Module, play: &Play) -> bool {
    let mut position = Position::default();
    for pair in play.0.chunks(2) {
        let legal = match &pair[0] {
            Move::Call(Function::Procedure(id), arguments) => {
                let procedure = module.procedure(*id);
                let sorts = &module.signature(procedure.signature).parameters;
                (procedure.exported || position.escaped.contains(id))
                    && sorts.len() == arguments.len()
                    && arguments.iter().zip(sorts).all(|(value, sort)| module.fits(value, sort))
            }
            Move::Return(value) => position.waits_for().is_some_and(|function| {
                match (&module.signature(module.type_of(function)).result, value) {
                    (Some(sort), Some(value)) => module.fits(value, sort),
                    (None, None) => true,
                    _ => false,
                }
            }),
            _ => false,
        };
        let reply = if legal { position.play(module, &pair[0], STEPS) } else { return false };
        match (reply, pair.get(1)) {
            (Reply::Moves(made), Some(given)) if made == *given => {}
            (Reply::Fails(_), Some(Move::Fail)) => return std::ptr::eq(&pair[1], &play.0[play.0.len() - 1]),
            _ => return false,
        }
    }
    false
}

#[test]
fn a_client_makes_the_module_fail_in_the_same_way_and_can_be_read_again() {
    for (name, document, module, play) in corpus() {
        let patience = Patience::steps(STEPS);
        let evidence = verify(&module, &document, &play, &Goal::Fails, patience)
            .unwrap_or_else(|why| panic!("{name}: {why:?}"));
        let failure = evidence.failure.expect("it fails");
        assert_eq!(evidence.marks.len(), play.0.len(), "{name}");
        let text = &evidence.closed.text;
        let (again, closed) = read(&name, text);
        assert_eq!(closed.validate(), Ok(()), "{name}");
        assert_eq!(closed.imports().count(), 0, "{name}\n{text}");
        assert_eq!(closed.procedures().filter(|(_, procedure)| procedure.exported).count(), 1, "{name}");
        match run_closed(&closed, Patience::steps(STEPS)) {
            Some(Exit::Fails(found)) => {
                let said = |document: &Document, failure: &agon_core::module::Failure| {
                    let span = failure.check.span;
                    document.text[span.start as usize..span.end as usize].replace(char::is_whitespace, "")
                };
                assert_eq!(found.check.kind, failure.check.kind, "{name}\n{text}");
                assert_eq!(found.index, failure.index, "{name}");
                assert_eq!(said(&again, &found), said(&document, &failure), "{name}\n{text}");
            }
            other => panic!("{name}: {other:?}\n{text}"),
        }
    }
}

/// All plays that one change makes of a play: a move left out, two moves in the other order, a value by one larger or smaller.
fn mutants(play: &Play) -> Vec<Play> {
    let mut list = Vec::new();
    for n in 0..play.0.len() {
        let mut dropped = play.clone();
        dropped.0.remove(n);
        list.push(dropped);
        if n + 1 < play.0.len() {
            let mut swapped = play.clone();
            swapped.0.swap(n, n + 1);
            list.push(swapped);
        }
        let values = match &play.0[n] {
            Move::Call(_, values) => values.len(),
            Move::Return(Some(_)) => 1,
            _ => 0,
        };
        for at in 0..values {
            for by in [-1i64, 1] {
                let mut changed = play.clone();
                match &mut changed.0[n] {
                    Move::Call(_, values) => values[at] = values[at].add(&Int::from(by)),
                    Move::Return(Some(value)) => *value = value.add(&Int::from(by)),
                    _ => {}
                }
                list.push(changed);
            }
        }
    }
    list.retain(|other| other != play);
    list
}

#[test]
fn mutated_plays_are_refused() {
    let (mut refused, mut accepted) = (0, 0);
    for (name, document, module, play) in corpus() {
        assert!(believed(&document, &module, &play) && plays(&module, &play), "{name}");
        for mutant in mutants(&play) {
            let believed = believed(&document, &module, &mutant);
            assert_eq!(believed, plays(&module, &mutant), "{name}: {mutant:?}");
            if believed { accepted += 1 } else { refused += 1 }
        }
    }
    println!("{refused} mutants refused, {accepted} are plays that fail as well");
    assert!(refused > 300 && accepted < refused / 5);
}

#[test]
fn a_call_that_was_looked_for_is_confirmed_and_another_one_is_not() {
    let text = "module import tell(int%4) : com; int%4 n; export add(k : int%4) = { n := n + k; tell(n) };";
    let (document, module) = read("tell", text);
    let play = Play::parse(&module, "add(3) · tell(3) · ret · ret · add(3) · tell(2)").expect("it is a play");
    let target = |text: &str| Target::parse(&module, text).expect("it is a target");
    let verify =
        |target: Target| verify(&module, &document, &play, &Goal::Calls(target), Patience::steps(STEPS));
    let closed = verify(target("tell(2)")).expect("it is played").closed;
    assert!(verify(target("tell(_)")).is_ok() && verify(target("tell()")).is_ok());
    assert!(verify(target("tell(3)")).is_err());
    let (_, closed) = read("closed", &closed.text);
    assert!(matches!(run_closed(&closed, Patience::steps(STEPS)), Some(Exit::Fails(_))));
}

fn bounds() -> Bounds {
    let inputs = Inputs::range(0, 2, 1);
    Bounds { inputs, nesting: 3, activations: 6, steps: 400, forget_dead: true }
}

/// At most this many positions are visited for one module.
const MOST: usize = 2_000;

/// Plays of random modules that fail have clients, which are printed, read and run.
#[test]
fn random_modules_that_fail_have_clients() {
    let (mut clients, mut nested, mut own) = (0, 0, 0);
    for seed in 0..300 {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let (document, module) = read("random", &text);
        let all = plays_of(&module, &Bounds { activations: usize::MAX, ..bounds() }, 6);
        // Of many plays, those that have the most calls inside of calls.
        let mut failing: Vec<&Play> = all.iter().filter(|play| play.0.last() == Some(&Move::Fail)).collect();
        let reentries = |play: &Play| play.nested().iter().filter(|nested| nested.reenters).count();
        failing.sort_by_key(|play| std::cmp::Reverse((reentries(play), play.show(&module).contains('@'))));
        for play in failing.into_iter().take(10) {
            let shown = play.show(&module);
            let evidence = verify(&module, &document, play, &Goal::Fails, Patience::steps(STEPS))
                .unwrap_or_else(|why| panic!("{shown}: {why:?}\n{text}"));
            let failure = evidence.failure.expect("it fails");
            let (_, closed) = read("closed", &evidence.closed.text);
            match run_closed(&closed, Patience::steps(STEPS)) {
                Some(Exit::Fails(found)) => {
                    assert_eq!(found.check.kind, failure.check.kind, "{shown}\n{text}");
                }
                other => panic!("{shown}: {other:?}\n{}", evidence.closed.text),
            }
            clients += 1;
            nested += usize::from(reentries(play) > 0);
            own += usize::from(shown.contains('@'));
        }
    }
    println!("{clients} clients, {nested} call back, {own} have functions of their own");
    assert!(clients > 800 && nested > 100 && own > 100);
}

/// What no text says has clients as well: operators on bits, imports that do less, choices. Other plays are refused.
#[test]
fn varied_modules_that_fail_have_clients() {
    let (mut clients, mut chosen, mut refused) = (0, 0, 0);
    for seed in 0..300 {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let (document, plain) = read("random", &text);
        let module = Variation::all(seed, &plain);
        let bounds = Bounds { activations: usize::MAX, ..bounds() };
        let all = plays_of(&module, &bounds, 6);
        let ends = |play: &&Play| play.0.last() == Some(&Move::Fail);
        for play in all.iter().filter(ends).take(10) {
            let shown = play.show(&module);
            verify(&module, &document, play, &Goal::Fails, Patience::steps(STEPS))
                .unwrap_or_else(|why| panic!("{shown}: {why:?}\n{module}"));
            clients += 1;
            chosen += usize::from(shown.contains("order."));
        }
        // Of the module whose imports do everything there are more plays.
        let mut free = module.clone();
        for id in (0..).map(ImportId).take(module.imports().count()) {
            free.restrict(id, None, Calls::Any, false);
        }
        let known: BTreeSet<&Play> = all.iter().collect();
        let more = plays_of(&free, &bounds, 6);
        for play in more.iter().filter(|play| ends(play) && !known.contains(play)).take(10) {
            let verified = verify(&module, &document, play, &Goal::Fails, Patience::steps(STEPS));
            assert!(verified.is_err(), "{}\n{module}", play.show(&module));
            refused += 1;
        }
    }
    println!("{clients} clients, {chosen} with choices, {refused} plays are refused");
    assert!(clients > 500 && chosen > 50 && refused > 100);
}

/// A module that watches one check fails just there, and the module with a target fails just where the call is made.
#[test]
fn checks_and_calls_are_told_apart() {
    let (mut checks, mut calls) = (0, 0);
    for seed in 0..400 {
        let text = sample::module(seed, 3 + (seed % 7) as usize);
        let (_, module) = read("random", &text);
        let all = plays_of(&module, &Bounds { activations: usize::MAX, ..bounds() }, 4);
        for check in module.checks() {
            let watched = module.watching(Watch::Only(check));
            let found = search(&watched, &bounds(), MOST);
            let least = all
                .iter()
                .filter(|play| fails_at(&module, play) == Some(check))
                .map(|play| play.0.len())
                .min();
            let Some(found) = found else { continue };
            let length = found.failure.as_ref().map(|(play, _)| play.0.len());
            if let Some((play, failure)) = &found.failure {
                assert_eq!(failure.check, check);
                assert_eq!(fails_at(&module, play), Some(check), "{}\n{text}", play.show(&module));
                checks += 1;
            }
            assert!(least.is_none() || length == least, "{length:?}, {least:?}\n{text}");
        }
        for (id, import) in module.imports() {
            let any = vec![None; module.signature(import.signature).parameters.len()];
            let target = Target { function: Function::Import(id), arguments: any };
            let makes = |play: &&Play| match play.0.last() {
                Some(Move::Call(function, arguments)) => target.is(*function, arguments),
                _ => false,
            };
            let least = all.iter().filter(makes).map(|play| play.0.len()).min();
            let reaching = module.reaching(&target);
            assert_eq!(reaching.validate(), Ok(()), "{text}");
            let Some(found) = search(&reaching, &bounds(), MOST) else { continue };
            let length = found.failure.map(|(play, _)| play.0.len());
            assert!(least.is_none() || length == least, "{length:?}, {least:?}\n{text}");
            calls += usize::from(length.is_some());
        }
    }
    println!("{checks} checks fail, {calls} calls are made");
    assert!(checks > 100 && calls > 100);
}

/// The check that a play fails at.
fn fails_at(module: &Module, play: &Play) -> Option<Check> {
    match agon_core::module::eval::play(module, play.of_environment().cloned(), STEPS).outcome {
        Outcome::Ended(Exit::Fails(failure)) => Some(failure.check),
        _ => None,
    }
}
