//! Programs with pointers: what gcc's sanitizers say about them, and what we say.
//!
//! Memory that is not set holds 0 where the sanitizers look, and something else in an optimised build: if the two differ, a program
//! has read what was never set. If they agree, all our runs do the same as theirs. If a sanitizer speaks, one of our runs fails in the
//! same way at the same line: our runs differ by the object whose number does not come again.

use agon_c::options::Options;
use agon_c::read::{Unit, read};
use agon_core::checks::Kind;

use crate::batches::{self, Build, Ran};
use crate::ours;
use crate::random::Program;
use crate::tally::Tally;

/// More objects than a program has of one kind at once.
const OBJECTS: u64 = 12;
/// More runs than a program has.
const RUNS: usize = 3_000;

/// What is different, and how many programs did what.
pub fn compare(programs: &[Program]) -> (Vec<String>, Tally) {
    let all: Vec<&Program> = programs.iter().collect();
    let zeros = batches::run(&all, Build::Zeros);
    let clean: Vec<&Program> = all
        .iter()
        .zip(&zeros)
        .filter(|(_, ran)| ran.failure.is_none())
        .map(|(program, _)| *program)
        .collect();
    let mut optimised = batches::run(&clean, Build::OptimisedGarbage).into_iter();
    let optimised: Vec<Option<Ran>> =
        zeros.iter().map(|ran| ran.failure.is_none().then(|| optimised.next()).flatten()).collect();
    let (mut wrong, mut tally) = (Vec::new(), Tally::default());
    let options = Options { objects: OBJECTS, ..Options::default() };
    for (n, program) in programs.iter().enumerate() {
        tally.programs += 1;
        let unit = Unit { name: format!("p{}.c", program.tag), text: program.text.clone() };
        let reading = match read(&[unit], &|_| Some(program.text.clone()), &options) {
            Ok(reading) => reading,
            Err((source, found)) => {
                let why = ours::shown(&source, &found);
                wrong.push(format!("program {} is refused: {why:?}\n{}", program.tag, program.text));
                continue;
            }
        };
        let diverges = |run: &Ran| matches!(&run.failure, Some((_, kind)) if kind == ours::DIVERGES);
        let runs = ours::all_runs(program, &reading.module, RUNS);
        let Some(runs) = runs.filter(|runs| !runs.iter().any(diverges)) else {
            tally.left += 1;
            continue;
        };
        let what = difference(program, &runs, &zeros[n], optimised[n].as_ref());
        match what {
            Some(what) => wrong.push(format!("program {}: {what}\n{}", program.tag, program.text)),
            None if runs.iter().any(|run| run.failure.is_some()) => tally.special += 1,
            None => tally.clean += 1,
        }
    }
    (wrong, tally)
}

/// What is different. If a sanitizer speaks there is no optimised run.
fn difference(program: &Program, runs: &[Ran], zeros: &Ran, optimised: Option<&Ran>) -> Option<String> {
    let unset =
        |run: &Ran| matches!(&run.failure, Some((_, kind)) if *kind == format!("{:?}", Kind::Uninitialised));
    let unset = runs.iter().any(unset);
    if program.partial && unset {
        // What was never set may not matter to gcc's programs.
        return None;
    }
    let Some(optimised) = optimised else {
        if runs.iter().any(|run| differs(run, zeros).is_none()) {
            return None;
        }
        // What was never set may have led there.
        let garbage = if unset { batches::run(&[program], Build::Garbage) } else { Vec::new() };
        let led = garbage.iter().any(|garbage| garbage != zeros);
        return (!led).then(|| format!("none of {runs:?}: {zeros:?}"));
    };
    if zeros != optimised {
        return (!unset)
            .then(|| format!("{zeros:?} and optimised {optimised:?} differ, but ours are {runs:?}"));
    }
    runs.iter().find_map(|run| differs(run, zeros))
}

/// What is different between a run of ours and one of gcc's.
fn differs(ours: &Ran, theirs: &Ran) -> Option<String> {
    let at = ours.moves.iter().zip(&theirs.moves).position(|(ours, theirs)| ours != theirs);
    if let Some(at) = at {
        return Some(format!("move {at}: `{}`, but gcc's `{}`", ours.moves[at], theirs.moves[at]));
    }
    let same = match (&ours.failure, &theirs.failure) {
        (None, None) => true,
        (Some((line, kind)), Some((place, message))) => line == place && means(message, kind),
        _ => false,
    };
    let same = same && ours.moves.len() == theirs.moves.len();
    (!same).then(|| format!("{:?}, but gcc's {:?}", ours.failure, theirs.failure))
}

/// Whether a message of a sanitizer's is about a check of ours.
fn means(message: &str, kind: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let expected: &[Kind] = if says(&["null pointer", "SEGV on unknown address 0x0000000000"]) {
        &[Kind::NullPointer, Kind::Null]
    } else if says(&["SEGV on unknown address"]) {
        &[Kind::Constant]
    } else if says(&["use-after"]) {
        &[Kind::Dead]
    } else if says(&["param-overlap"]) {
        &[Kind::Overlap]
    } else if says(&["double-free", "not malloc"]) {
        &[Kind::Free]
    } else if says(&["buffer-overflow", "buffer-underflow", "invalid-pointer-pair", "out of bounds"]) {
        &[Kind::Pointer, Kind::Index]
    } else {
        return ours::is_about(message, kind);
    };
    expected.iter().any(|expected| format!("{expected:?}") == kind)
}
