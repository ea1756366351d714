//! Plays of modules over the corpus: true ones are confirmed by a client that is printed and read again, mutated ones are refused.

use std::path::{Path, PathBuf};

use agon_base::int::Int;
use agon_core::eval::Patience;
use agon_core::module::Module;
use agon_core::module::eval::Exit;
use agon_core::module::play::{Move, Play};
use agon_core::module::run::{Position, Reply};
use agon_core::module::target::Target;
use agon_ia::read::{Document, ModuleReading, read_module};
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
            Move::Call(agon_core::module::Function::Procedure(id), arguments) => {
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
