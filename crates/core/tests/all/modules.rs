//! Modules: their references say what their headers say.

use std::path::{Path, PathBuf};

use agon_base::source::Span;
use agon_core::checks::{Check, Kind};
use agon_core::module::eval::replay;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Play;
use agon_core::module::stacks::{Bounds, Found, plays, search};
use agon_core::module::tables::{Answer, tabulate};
use agon_core::module::{
    Base, Expression, Label, Local, LocalId, Module, Procedure, Signature, Sort, Statement,
};
use agon_core::types::Data;
use agon_ia::layout::layout;
use agon_ia::read::read_module;
use agon_ia::sample::registry;

/// At most this many positions are visited for one module.
const MOST: usize = 400_000;
/// The tables have at most this many members.
const MEMBERS: usize = 2_000;
const STEPS: u64 = 100_000;

#[track_caller]
fn module(name: &str, text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => {
            assert_eq!(reading.module.validate(), Ok(()), "{name}");
            reading.module
        }
        Some(Err(diagnostics)) => panic!("{name}: {diagnostics:#?}"),
        None => panic!("{name} is no module"),
    }
}

/// What a file says about itself: whether it is safe, or a play that fails, or how many moves of the environment's it has.
struct Claim {
    verdict: String,
    moves: Option<usize>,
    bounds: Bounds,
}

fn claim(text: &str) -> Claim {
    let line = |word: &str| {
        let prefix = format!("//! {word}");
        text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::trim)
    };
    let inputs: Vec<&str> = line("inputs:").expect("a module says its inputs").split_whitespace().collect();
    let (inputs, activations) = match inputs[..] {
        [range, "functions", functions, "nesting", nesting] => ([range, functions, nesting], "64"),
        [range, "functions", functions, "nesting", nesting, "activations", most] => {
            ([range, functions, nesting], most)
        }
        _ => panic!("{inputs:?}"),
    };
    let [range, functions, nesting] = inputs;
    let (from, to) = range.split_once("..").expect("a range");
    let number = |text: &str| text.parse::<i64>().expect("a number");
    let inputs = Inputs::range(number(from), number(to), number(functions) as usize);
    let verdict = line("unsafe:").map_or("safe", |play| play).to_string();
    assert!(verdict != "safe" || line("safe").is_some(), "a verdict is missing");
    let moves = line("moves:").map(|moves| number(moves) as usize);
    assert_eq!(
        verdict != "safe",
        moves.is_some(),
        "an unsafe module says how many moves the environment makes"
    );
    let (nesting, activations) = (number(nesting) as usize, number(activations) as usize);
    Claim {
        verdict,
        moves,
        bounds: Bounds { inputs, nesting, activations, steps: STEPS, forget_dead: false },
    }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("there are modules")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    files
}

#[test]
fn the_references_say_what_the_headers_say() {
    let mut wrong = Vec::new();
    for path in files() {
        let name = path.file_stem().expect("a name").to_string_lossy().to_string();
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        if let Err(why) = says_what_it_should(&name, &text) {
            wrong.push(format!("{name}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn says_what_it_should(name: &str, text: &str) -> Result<(), String> {
    let Claim { verdict, moves: claimed, bounds } = claim(text);
    let module = module(name, text);
    let Found { failure, positions, cut } =
        search(&module, &bounds, MOST).ok_or("there are too many positions")?;
    // Private procedures that call themselves around an import have no bound of their own.
    if cut != text.contains("activations") {
        return Err(format!("something is cut off: {cut}"));
    }
    let forgetful = Bounds { forget_dead: true, ..bounds.clone() };
    let fewer = search(&module, &forgetful, MOST).ok_or("there are too many positions")?;
    if fewer.failure != failure || fewer.positions > positions {
        return Err(format!("without dead locals: {fewer:?}"));
    }
    // The tables know no bound on the nesting.
    let answer = tabulate(&module, &bounds.inputs, MEMBERS, STEPS);
    println!("{name}: {positions} positions, {} without dead locals, tables {answer:?}", fewer.positions);
    let Some((play, _)) = failure else {
        return match (verdict.as_str(), answer) {
            ("safe", Answer::Safe | Answer::Unknown) => Ok(()),
            (verdict, answer) => Err(format!("no play fails, tables {answer:?}, expected {verdict}")),
        };
    };
    let shown = play.show(&module);
    let moves = play.of_environment().count();
    if !(verdict == shown || verdict == "any") || Some(moves) != claimed {
        return Err(format!("`{shown}` has {moves} moves, expected {verdict}"));
    }
    if Play::parse(&module, &shown).as_ref() != Ok(&play) {
        return Err(format!("`{shown}` is read as another play"));
    }
    if let Err((at, why)) = replay(&module, &play, STEPS) {
        return Err(format!("`{shown}` is refused at {at}: {why}"));
    }
    match answer {
        Answer::Unknown => Ok(()),
        Answer::Fails(length) if length == play.0.len() => Ok(()),
        answer => Err(format!("`{shown}`, but the tables say {answer:?}")),
    }
}

#[test]
fn the_files_are_laid_out() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let laid_out = layout(&text).unwrap_or_else(|| panic!("{path:?} has no layout"));
        assert_eq!(layout(&laid_out).as_ref(), Some(&laid_out), "{path:?}");
    }
}

#[test]
fn a_registry_grows_with_its_slots() {
    for slots in 1..=3 {
        let inputs = Inputs::range(0, 3, 0);
        let safe = module("registry", &registry(slots, false));
        assert_eq!(tabulate(&safe, &inputs, 10_000, STEPS), Answer::Safe, "{slots}");
        let buggy = module("registry", &registry(slots, true));
        assert_eq!(tabulate(&buggy, &inputs, 10_000, STEPS), Answer::Fails(8), "{slots}");
        let bounds = Bounds { inputs, nesting: 2, activations: 8, steps: STEPS, forget_dead: true };
        let found = search(&buggy, &bounds, MOST).expect("there are few positions");
        let play = found.failure.map(|(play, _)| play.show(&buggy));
        assert_eq!(play.as_deref(), Some("add(0) · ret · notify() · call(0) · del(0) · ret · ret · fail"));
    }
}

#[test]
fn the_registries_of_the_corpus_are_those_of_the_samples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    for (file, buggy) in [("registry.ia", false), ("registry-wrong.ia", true)] {
        let text = std::fs::read_to_string(folder.join(file)).expect("the file can be read");
        assert!(text.ends_with(&registry(3, buggy)), "{file}");
    }
}

/// A module that no front end made: the program is left with a number, which is no failure.
#[test]
fn a_module_may_end_the_program() {
    let mut module = Module::default();
    let sort = Sort::Data(Data::Int);
    let signature = module.add_signature(Signature { parameters: vec![sort.clone()], result: None });
    let parameter = Local { name: Some("n".into()), sort, length: None, span: Span::default() };
    let leave = module.add_procedure(Procedure {
        name: "leave".into(),
        signature,
        exported: true,
        locals: vec![parameter],
        body: vec![],
        span: Span::default(),
    });
    let n = module.add(Expression::Load(Base::Local(LocalId(0)).whole()), Span::default());
    let body = [Statement::Branch(n, Label(1), Label(2)), Statement::Exit(n), Statement::Return(None)];
    let locals = module.procedure(leave).locals.clone();
    module.define(leave, locals, body.map(|statement| (statement, Span::default())).to_vec());
    let inputs = Inputs::range(0, 1, 0);
    let bounds =
        Bounds { inputs: inputs.clone(), nesting: 1, activations: 1, steps: STEPS, forget_dead: false };
    let shown: Vec<_> = plays(&module, &bounds, 4).iter().map(|play| play.show(&module)).collect();
    let expected = [
        "leave(0) · ret",
        "leave(0) · ret · leave(0) · ret",
        "leave(0) · ret · leave(1) · exit 1",
        "leave(1) · exit 1",
    ];
    assert_eq!(shown, expected);
    for play in expected.map(|text| Play::parse(&module, text).expect("it is a play")) {
        assert_eq!(replay(&module, &play, STEPS), Ok(()));
    }
    let behind = Play::parse(&module, "leave(1) · exit 1 · leave(0) · ret").expect("it can be read");
    assert_eq!(replay(&module, &behind, STEPS), Err((2, "the play is over before".into())));
    assert_eq!(tabulate(&module, &inputs, 100, STEPS), Answer::Safe);
}

#[test]
fn checks_are_listed_in_the_order_of_the_text() {
    let text = "module int a[2]; fn() : com k; mutex m; export f(n : int) = { lock(m); a[n] := 1 / a[0]; k(); unlock(m); assert(n mod 2 = 0); abort };";
    let module = module("checks", text);
    let shown = |check: &Check| (check.kind, &text[check.span.start as usize..check.span.end as usize]);
    let checks = module.checks();
    assert_eq!(
        checks.iter().map(shown).collect::<Vec<_>>(),
        [
            (Kind::Lock, "lock(m)"),
            (Kind::Index, "a[n]"),
            (Kind::Division, "1 / a[0]"),
            (Kind::Index, "a[0]"),
            (Kind::Null, "k()"),
            (Kind::Unlock, "unlock(m)"),
            (Kind::Assertion, "assert(n mod 2 = 0)"),
            (Kind::Division, "n mod 2"),
            (Kind::Abort, "abort"),
        ]
    );
}
