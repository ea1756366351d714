//! Pairs of the corpus over wide data: every type of numbers is written as `int`, `i32` or `u64`, and the verdicts are those
//! that were derived for it. A walk over few answers finds no difference between programs that are said to be equal.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::common::Sample;
use crate::common::types::{interface, number_types, with_few_answers, with_types};
use agon_base::budget::Budget;
use agon_check::equiv::{Comparison, Engine, Options, Relation, compare_with};
use rayon::prelude::*;

/// What holds of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Truth {
    Equal,
    Different,
    /// They differ, but only after a thousand million moves: nobody need find that.
    FarApart,
}

use Truth::{Different, Equal, FarApart};

/// A pair of programs of the corpus.
#[derive(Clone, Debug)]
struct Pair {
    name: String,
    texts: [String; 2],
    truth: Truth,
}

/// Which types are made wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Widening {
    /// All of them.
    All,
    /// Those that the environment knows of, wherever they stand. Counters and indices keep their sizes.
    Known,
}

const TYPES: [&str; 3] = ["int", "i32", "u64"];

/// What is claimed of pairs over small data does not hold of these over `int`, `i32` and `u64`, or is said of them alone.
///
/// Where a cell of the one wraps sooner than the other one's, that is seen after as many calls as it has values: `FarApart`.
const ALL: &[(&str, [Truth; 3])] = &[
    // Whatever has 2 added stays even, if the size is.
    ("assertion/twin", [Equal; 3]),
    ("meyer-sieber-5/modulo-3", [Equal; 3]),
    // The counter does not wrap at 3 any more.
    ("counted-loop/twin", [Equal; 3]),
    // 2n wraps sooner than n.
    ("counter-doubled/right", [Equal, FarApart, FarApart]),
    ("counter-doubled/twin", [Equal, FarApart, FarApart]),
    // All counters have the same size now.
    ("counter-up-down/modulo-6", [Equal; 3]),
    ("counter-up-down/twin", [Equal; 3]),
    ("toggle/twin", [Equal; 3]),
    // Nothing is brought into `int%3` or `int%2`.
    ("declared-argument/right", [Different; 3]),
    ("declared-argument/twin", [Equal; 3]),
    ("parameter-wraps/right", [Different; 3]),
    ("parameter-wraps/twin", [Equal; 3]),
    // The head of the ring leaves the array.
    ("queue/right", [Different; 3]),
    ("queue-shifted/right", [Different; 3]),
    // What is positive once is so for ever, or until it wraps.
    ("snapback/twin", [Equal, FarApart, FarApart]),
    // What is pushed need not be a bit.
    ("stack-encoding/right", [Different; 3]),
    // -2k wraps sooner than k; over `u64` it does so at once.
    ("half/right", [Equal, FarApart, Different]),
    // The negation of the least number wraps; without a sign, that of 1 is the greatest.
    ("maxmin/right", [Equal, Different, Different]),
    ("maxmin-wraps/right", [Equal, Different, Different]),
];

/// The same where only types that the environment knows of are wide.
const KNOWN: &[(&str, [Truth; 3])] = &[
    // The cells of the others wrap at 8 and at 6, which is seen after as many calls.
    ("counter-doubled/right", [Different; 3]),
    ("counter-doubled/twin", [Equal, FarApart, FarApart]),
    ("counter-up-down/wide", [Different; 3]),
    ("declared-argument/right", [Equal; 3]),
    ("half/right", [Equal, FarApart, Different]),
    ("maxmin/right", [Equal, Different, Different]),
    ("maxmin-wraps/right", [Equal, Different, Different]),
    ("stack-encoding/right", [Different; 3]),
];

/// These cannot be compared when their types are changed, as `bool` stays what it is: a variable of two values is given where
/// one of many is asked for, or the environment gives a Boolean to the first and a number to the second.
const ILL_TYPED: &[&str] = &["variable-parameter/right", "truth/truth-as-number"];

/// All pairs of a folder that claim to be equal or not.
fn pairs_of(folder: &Path, named: &str) -> Vec<Pair> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ia"))
        .collect();
    files.sort();
    let mut known: BTreeSet<BTreeSet<PathBuf>> = BTreeSet::new();
    let mut pairs = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the corpus can be read");
        for line in text.lines() {
            let Some(claim) = line.strip_prefix("//! ") else { continue };
            let Some((word, other)) = claim.split_once(": ") else { continue };
            let truth = match word {
                "equivalent" => Equal,
                "inequivalent" => Different,
                _ => continue,
            };
            let other = folder.join(other);
            if !known.insert([path.clone(), other.clone()].into()) {
                continue;
            }
            // The first is what the others are compared with.
            let ends = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let [first, second] = if ends(&path) == "left" { [&path, &other] } else { [&other, &path] };
            let texts = [first, second].map(|path| {
                let text = std::fs::read_to_string(path).expect("the other program can be read");
                let lines: Vec<&str> =
                    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
                lines.join("\n")
            });
            let first_name = if named.is_empty() { ends(first) } else { named.to_string() };
            pairs.push(Pair { name: format!("{first_name}/{}", ends(second)), texts, truth });
        }
    }
    pairs
}

/// All pairs of the corpus that have types of numbers.
fn pairs() -> Vec<Pair> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(root.join("equivalence"))
        .expect("the corpus can be read")
        .map(|entry| entry.expect("the corpus can be read").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut pairs: Vec<Pair> = folders.iter().flat_map(|folder| pairs_of(folder, &name(folder))).collect();
    pairs.extend(pairs_of(&root.join("concurrency"), ""));
    pairs
}

/// A pair over a wide type; nothing if it has no types of numbers to be made wide.
fn widened(pair: &Pair, widening: Widening, to: &str) -> Option<[String; 2]> {
    let known: BTreeSet<String> = pair
        .texts
        .iter()
        .flat_map(|text| {
            let end = interface(text);
            number_types(text)
                .into_iter()
                .filter(move |(from, _)| *from < end)
                .map(|(a, b)| text[a..b].to_string())
        })
        .collect();
    let texts = pair.texts.clone().map(|text| {
        with_types(&text, |_, old| (widening == Widening::All || known.contains(old)).then(|| to.to_string()))
    });
    (texts != pair.texts).then_some(texts)
}

/// What is true of a pair over a wide type.
fn truth(pair: &Pair, widening: Widening, n: usize) -> Truth {
    let table = if widening == Widening::All { ALL } else { KNOWN };
    let said = table.iter().find(|(name, _)| *name == pair.name);
    said.map_or(pair.truth, |(_, truths)| truths[n])
}

fn compared(texts: &[String; 2], engine: Engine, patience: u64) -> Comparison {
    let [left, right] = texts.clone().map(Sample::new);
    let options = Options { engine, ..Options::new(Relation::Equivalence) };
    let budget = Budget { transitions: Some(200_000), ..Budget::default() }.with_patience(patience);
    compare_with(left.subject(), right.subject(), &options, &budget, &mut |_| {})
        .unwrap_or_else(|why| panic!("{why}\n{}\n---\n{}", texts[0], texts[1]))
        .comparison
}

/// What a short walk says, or relations if that says nothing. Threads are walked last.
fn decided(texts: &[String; 2], patience: u64) -> Comparison {
    let threads = texts[0].contains("concurrent") || texts[0].contains("||");
    let tries = match threads {
        true => [(Engine::Product, patience), (Engine::Explicit, 400)],
        false => [(Engine::Explicit, 20), (Engine::Product, patience)],
    };
    let [first, second] = tries;
    match compared(texts, first.0, first.1) {
        Comparison::Unknown(..) => compared(texts, second.0, second.1),
        found => found,
    }
}

/// How many pairs were compared over each type, and how many of them were decided.
#[derive(Default, Debug)]
struct Tally {
    pairs: [usize; 3],
    decided: [usize; 3],
}

/// Compares the pairs whose numbers are chosen, over all types, and prints what is open.
fn compare_all(widening: Widening, patience: u64, chosen: impl Fn(usize) -> bool) -> Tally {
    let of = |(number, pair): &(usize, Pair)| {
        let mut tally = Tally::default();
        for (n, to) in TYPES.iter().enumerate() {
            let Some(texts) = widened(pair, widening, to) else { continue };
            if ILL_TYPED.contains(&&*pair.name) {
                continue;
            }
            tally.pairs[n] += 1;
            let place =
                format!("{number} {} over {to}, {widening:?}\n{}\n---\n{}", pair.name, texts[0], texts[1]);
            let expected = truth(pair, widening, n);
            let began = std::time::Instant::now();
            let found = decided(&texts, patience);
            let word = match &found {
                Comparison::Holds => {
                    assert_eq!(expected, Equal, "{place}");
                    let few =
                        compared(&texts.clone().map(|text| with_few_answers(&text)), Engine::Explicit, 200);
                    assert!(!matches!(few, Comparison::Differs(_)), "few answers tell them apart: {place}");
                    "equivalent"
                }
                Comparison::Differs(_) => {
                    assert_ne!(expected, Equal, "{place}");
                    "inequivalent"
                }
                Comparison::Unknown(_, reason) => {
                    assert!(!reason.is_bug(), "{place}\n{reason:?}");
                    println!("open: {number} {} over {to}, {expected:?}: {reason:?}", pair.name);
                    "unknown"
                }
            };
            tally.decided[n] += usize::from(word != "unknown");
            println!("{:6.2} s {word} {number} {} {to}", began.elapsed().as_secs_f64(), pair.name);
        }
        tally
    };
    let pairs: Vec<_> = pairs().into_iter().enumerate().filter(|(number, _)| chosen(*number)).collect();
    let plus = |a: [usize; 3], b: [usize; 3]| std::array::from_fn(|n| a[n] + b[n]);
    pairs.par_iter().map(of).reduce(Tally::default, |a, b| Tally {
        pairs: plus(a.pairs, b.pairs),
        decided: plus(a.decided, b.decided),
    })
}

fn print(widening: Widening, tally: &Tally) {
    for (n, to) in TYPES.iter().enumerate() {
        println!("{widening:?} {to}: {} of {} decided", tally.decided[n], tally.pairs[n]);
    }
}

#[test]
#[ignore = "takes minutes"]
fn most_pairs_of_the_corpus_are_decided_over_wide_data() {
    for widening in [Widening::All, Widening::Known] {
        let tally = compare_all(widening, 400_000, |_| true);
        print(widening, &tally);
        for (n, to) in TYPES.iter().enumerate() {
            assert!(tally.decided[n] * 5 >= tally.pairs[n] * 4, "{widening:?} {to}: {tally:?}");
        }
    }
}

#[test]
fn some_pairs_of_the_corpus_are_decided_over_wide_data() {
    let tally = compare_all(Widening::All, 100_000, |number| number % 6 == 1);
    print(Widening::All, &tally);
    for (n, to) in TYPES.iter().enumerate() {
        assert!(tally.decided[n] * 5 >= tally.pairs[n] * 4, "{to}: {tally:?}");
    }
}
