//! Modules: their references say what their headers say.

use std::path::{Path, PathBuf};

use agon_core::module::Module;
use agon_core::module::eval::replay;
use agon_core::module::inputs::Inputs;
use agon_core::module::play::Play;
use agon_core::module::stacks::{Bounds, Found, search};
use agon_core::module::tables::{Answer, tabulate};
use agon_ia::layout::layout;
use agon_ia::read::read_module;

/// At most so many positions are visited for one module.
const MOST: usize = 400_000;
/// The tables have at most so many members.
const MEMBERS: usize = 2_000;
const STEPS: u64 = 100_000;

#[track_caller]
fn module(name: &str, text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        Some(Err(diagnostics)) => panic!("{name}: {diagnostics:#?}"),
        None => panic!("{name} is no module"),
    }
}

/// What a file says about itself: whether it is safe, or a play that fails, or how many moves of the environment's it has.
struct Claim {
    verdict: String,
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
    let (nesting, activations) = (number(nesting) as usize, number(activations) as usize);
    Claim { verdict, bounds: Bounds { inputs, nesting, activations, steps: STEPS } }
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
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
    let Claim { verdict, bounds } = claim(text);
    let module = module(name, text);
    let Found { failure, positions, cut } =
        search(&module, &bounds, MOST).ok_or("there are too many positions")?;
    // Private procedures that call themselves around an import have no bound of their own.
    if cut != text.contains("activations") {
        return Err(format!("something is cut off: {cut}"));
    }
    // The tables know no bound on the nesting.
    let answer = tabulate(&module, &bounds.inputs, MEMBERS, STEPS);
    println!("{name}: {positions} positions, tables {answer:?}");
    let Some((play, _)) = failure else {
        return match (verdict.as_str(), answer) {
            ("safe", Answer::Safe | Answer::Unknown) => Ok(()),
            (verdict, answer) => Err(format!("no play fails, tables {answer:?}, expected {verdict}")),
        };
    };
    let shown = play.show(&module);
    let moves = play.of_environment().count();
    if verdict != shown && verdict != format!("any {moves}") {
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
