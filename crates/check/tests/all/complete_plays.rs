//! Modules compared by complete plays: tables agree with all short plays, relations agree with tables, and every difference is replayed.

use std::collections::BTreeSet;

use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::equiv::{Engine, Options, Plays, Relation};
use agon_check::library::{self, Comparison, Difference};
use agon_check::modules::Compiled;
use agon_check::modules::pairs::{Compared, compare};
use agon_check::solvers::Solvers;
use agon_core::module::Module;
use agon_core::module::eval::play;
use agon_core::module::inputs::Inputs;
use agon_core::module::stacks::{Bounds, plays};
use agon_ia::read::{ModuleReading, read_module};
use rayon::prelude::*;

const STEPS: u64 = 100_000;

fn reading(text: &str) -> ModuleReading {
    read_module(text, &[]).and_then(Result::ok).unwrap_or_else(|| panic!("it is a module: {text}"))
}

/// All complete plays of at most this many moves, or all plays.
fn short(module: &Module, which: Plays, length: usize) -> BTreeSet<String> {
    let inputs = Inputs::range(0, 2, 1);
    let bounds = Bounds { inputs, nesting: 9, activations: usize::MAX, steps: 400, forget_dead: false };
    let all = plays(module, &bounds, length).into_iter();
    let counts = all.filter(|play| which == Plays::All || play.is_complete());
    counts.map(|play| play.show(module)).collect()
}

fn compared(left: &Module, right: &Module, which: Plays) -> Compared {
    let budget = Budget { transitions: Some(50_000), ..Budget::default() };
    compare(&Compiled::new(left.clone()), &Compiled::new(right.clone()), which, &budget, &mut |_| {}).0
}

fn by(engine: Engine) -> Options {
    Options { engine, plays: Plays::Complete, ..Options::new(Relation::Equivalence) }
}

fn told(left: &ModuleReading, right: &ModuleReading, options: &Options) -> Comparison {
    let budget = Budget { transitions: Some(50_000), ..Budget::default() }.with_patience(300_000);
    let languages = [&left.document as _, &right.document as _];
    let told = library::compare([&left.module, &right.module], languages, options, &budget, &mut |_| {});
    told.unwrap_or_else(|why| panic!("{why}")).comparison
}

fn word(comparison: &Comparison) -> &'static str {
    match comparison {
        Comparison::Holds => "equivalent",
        Comparison::Differs(_) => "inequivalent",
        Comparison::Unknown(_) => "unknown",
    }
}

/// The verdicts of an engine for a pair, and for the pair with its sides exchanged.
fn both_ways(left: &str, right: &str, engine: Engine) -> [&'static str; 2] {
    let [left, right] = [left, right].map(|text| reading(&format!("module {text}")));
    let of = |left, right| word(&told(left, right, &by(engine)));
    let (one, other) = rayon::join(|| of(&left, &right), || of(&right, &left));
    [one, other]
}

/// A random module, some of whose ways never end, fail or end the process.
fn module(seed: u64, recursive: bool) -> String {
    let mut random = Random::new(seed);
    let mut statement = || {
        let value = ["n", "x", "0", "1", "n + 1", "x + n"][random.below(6)];
        match random.below(if recursive { 8 } else { 7 }) {
            0 => format!("say({value})"),
            1 => format!("x := ({value})"),
            2 => format!("if ask() then say({value})"),
            3 => format!("if x = {value} then diverge"),
            4 => format!("if ask() then {{ say({value}); diverge }}"),
            5 => format!("if n = {value} then abort"),
            6 => format!("if x = {value} then {{ say(1); while true do say(2) }}"),
            _ => format!("if ask() then hidden({value})"),
        }
    };
    let [body, run]: [Vec<String>; 2] = [2, 2].map(|size| (0..size).map(|_| statement()).collect());
    format!(
        "module import ask() : bool; import say(int%3) : com; int%3 x; \
         let hidden(n : int%3) = {{ {} }}; export run(n : int%3) = {{ hidden(n); {} }}; export get() : int%3 = x;",
        body.join("; "),
        run.join("; ")
    )
}

/// The same with one word changed.
fn mutant(text: &str, random: &mut Random) -> String {
    let (head, bodies) = text.split_once("let hidden").expect("there is a private procedure");
    let words = ["say(0)", "say(1)", "say(n)", "diverge", "abort", "x := (1)", "x := (n)", "say(x)", "skip"];
    let places: Vec<(usize, &str)> = words.iter().flat_map(|word| bodies.match_indices(word)).collect();
    let Some((at, word)) = places.get(random.below(places.len().max(1))).copied() else {
        return text.into();
    };
    let mut changed = bodies.to_string();
    changed.replace_range(at..at + word.len(), words[random.below(words.len())]);
    format!("{head}let hidden{changed}")
}

/// Says of each pair whether it is equal by all plays and by the complete ones.
fn agrees(left: &ModuleReading, right: &ModuleReading, recursive: bool) -> [Option<bool>; 2] {
    let modules = [&left.module, &right.module];
    [Plays::All, Plays::Complete].map(|which| {
        let shorts = short(modules[0], which, 5) == short(modules[1], which, 5);
        match compared(modules[0], modules[1], which) {
            Compared::Equivalent => {
                assert!(shorts, "{which:?}\n{}\n{}", modules[0], modules[1]);
                Some(true)
            }
            Compared::Different(found) => {
                assert_eq!(found.complete.is_some(), which == Plays::Complete);
                let with = found.complete.map_or(0, |complete| complete.with);
                let of = |n: usize| play(modules[n], found.moves[with].iter().cloned(), STEPS).play;
                let [ours, theirs] = [of(with), of(1 - with)].map(|play| (play.is_complete(), play));
                if which == Plays::Complete {
                    assert!(ours.0, "{}\n{}", ours.1.show(modules[with]), modules[with]);
                }
                assert_ne!(ours.1.show(modules[with]), theirs.1.show(modules[1 - with]));
                let few = found.moves[with].len() <= 2;
                // Where stacks are not in step, some ways are not followed, and the play need not be a shortest one.
                let expected = if recursive { few && shorts } else { few == shorts };
                assert!(!expected, "{which:?} {found:?}\n{}\n{}", modules[0], modules[1]);
                Some(false)
            }
            Compared::Unknown(_) => None,
        }
    })
}

/// Counts pairs: equal, different by all plays only, different by complete plays, undecided.
fn agree(seeds: std::ops::Range<u64>, recursive: bool) -> [usize; 4] {
    let of = |seed: u64| {
        let text = module(seed, recursive);
        let other = mutant(&text, &mut Random::new(seed));
        let [all, complete] = agrees(&reading(&text), &reading(&other), recursive);
        // Complete plays are plays.
        assert!(all != Some(true) || complete != Some(false), "{text}\n{other}");
        match (all, complete) {
            (Some(true), Some(true)) => [1, 0, 0, 0],
            (Some(false), Some(true)) => [0, 1, 0, 0],
            (_, Some(false)) => [0, 0, 1, 0],
            _ => [0, 0, 0, 1],
        }
    };
    let found: Vec<[usize; 4]> = seeds.into_par_iter().map(of).collect();
    let sum = found.iter().fold([0; 4], |sum, one| [0, 1, 2, 3].map(|n| sum[n] + one[n]));
    println!("equal, only all plays differ, complete plays differ, undecided: {sum:?}");
    sum
}

#[test]
fn tables_agree_with_short_plays() {
    let [same, only_all, differ, unknown] = agree(0..400, false);
    assert!(same > 100 && only_all > 15 && differ > 50 && unknown < 10);
}

#[test]
fn tables_with_recursion_agree_with_short_plays() {
    let [same, only_all, differ, unknown] = agree(0..300, true);
    assert!(same > 50 && only_all > 5 && differ > 30 && unknown < 150);
}

/// Small modules with the verdicts by all plays and by complete ones.
const SMALL: [(&str, &str, bool, bool); 12] = [
    // What is said before a loop without end is in no complete play.
    ("export run() = { say(1); diverge };", "export run() = { say(2); diverge };", false, true),
    ("export run() = { say(1); diverge };", "export run() = diverge;", false, true),
    ("export run() = { say(1) };", "export run() = { say(2) };", false, false),
    // While it is called, the environment can call something that returns, and that is no complete play.
    (
        "export run() = { say(1); diverge }; export get() : int%3 = 1;",
        "export run() = { say(2); diverge }; export get() : int%3 = 1;",
        false,
        true,
    ),
    // Something that is seen meanwhile is in no complete play, unless the module ends it.
    (
        "int%3 x; export run() = { x := 1; say(0); x := 0; diverge }; export get() : int%3 = x;",
        "int%3 x; export run() = { x := 2; say(0); x := 0; diverge }; export get() : int%3 = x;",
        false,
        true,
    ),
    (
        "int%3 x; export run() = { x := 1; say(0); diverge }; export get() : int%3 = { if x = 1 then abort; 0 };",
        "int%3 x; export run() = { x := 2; say(0); diverge }; export get() : int%3 = { if x = 1 then abort; 0 };",
        false,
        false,
    ),
    // A failure ends a play.
    ("export run() = abort;", "export run() = diverge;", false, false),
    ("export run() = { say(1); abort };", "export run() = { say(2); abort };", false, false),
    // The flag keeps the module from returning.
    (
        "bool flag; export run() = { say(1); if not flag then diverge }; export set() = skip;",
        "bool flag; export run() = { say(2); if not flag then diverge }; export set() = skip;",
        false,
        true,
    ),
    (
        "bool flag; export run() = { say(1); if not flag then diverge }; export set() = flag := true;",
        "bool flag; export run() = { say(2); if not flag then diverge }; export set() = flag := true;",
        false,
        false,
    ),
    // A nested call differs, and what is around it never returns; but it can be made outside as well.
    (
        "export run() = { say(0); diverge }; export get() : int%3 = 1;",
        "export run() = { say(0); diverge }; export get() : int%3 = 2;",
        false,
        false,
    ),
    // Only the call around it decides whether a nested call is in a complete play.
    (
        "bool inside; export run() = { inside := true; say(0); diverge }; export get() : int%3 = if inside then 1 else 0;",
        "bool inside; export run() = { inside := true; say(0); diverge }; export get() : int%3 = if inside then 2 else 0;",
        false,
        true,
    ),
];

#[test]
fn complete_plays_and_all_plays() {
    for (left, right, all, complete) in SMALL {
        let with_say = |text: &str| reading(&format!("module import say(int%3) : com; {text}"));
        let [first, second] = [left, right].map(with_say);
        let found = agrees(&first, &second, false);
        assert_eq!(found, [Some(all), Some(complete)], "{left}\n{right}");
        assert_eq!(agrees(&second, &first, false), found, "{left}\n{right}");
    }
}

/// Every difference comes with an environment that is run with both modules.
#[test]
fn differences_by_complete_plays_are_confirmed() {
    let mut confirmed = 0;
    for seed in 1_000..1_200 {
        let text = module(seed, seed % 2 == 1);
        let other = mutant(&text, &mut Random::new(seed));
        let [left, right] = [reading(&text), reading(&other)];
        let Compared::Different(_) = compared(&left.module, &right.module, Plays::Complete) else { continue };
        match told(&left, &right, &by(Engine::Explicit)) {
            Comparison::Differs(difference) => {
                let Difference { plays, apart, .. } = *difference;
                assert!(plays[apart.with].play.is_complete());
                confirmed += 1;
            }
            other => panic!("{other:?}\n{text}"),
        }
    }
    println!("{confirmed} differences confirmed");
    assert!(confirmed > 30);
}

/// Relations are looked for between modules that go on alone as well.
#[test]
fn relations_agree_with_tables_on_complete_plays() {
    let of = |seed: u64| {
        let text = module(seed, false);
        let other = mutant(&text, &mut Random::new(seed));
        let [left, right] = [reading(&text), reading(&other)];
        let [tables, relations] =
            [Engine::Explicit, Engine::Product].map(|engine| word(&told(&left, &right, &by(engine))));
        assert!(tables == "unknown" || relations == "unknown" || tables == relations, "{text}\n{other}");
        let only_all = matches!(compared(&left.module, &right.module, Plays::All), Compared::Different(_));
        (relations, only_all)
    };
    let found: Vec<(&str, bool)> = (0..160u64).into_par_iter().map(of).collect();
    let count = |which: (&str, bool)| found.iter().filter(|one| **one == which).count();
    let unknown = found.iter().filter(|(word, _)| *word == "unknown").count();
    let [same, alone] = [false, true].map(|only_all| count(("equivalent", only_all)));
    let differ = count(("inequivalent", true));
    println!("{same} equal, {alone} equal by complete plays only, {differ} different, {unknown} unknown");
    assert!(same > 40 && alone > 3 && differ > 20, "{same} {alone} {differ} {unknown}");
}

#[test]
fn complete_plays_over_full_width() {
    let context = "import say(i32) : com; import ask() : i32;";
    for (left, right, verdict) in [
        (
            "export run(k : i32) = { say(k); diverge };",
            "export run(k : i32) = { say(k + 1); diverge };",
            "equivalent",
        ),
        ("export run(k : i32) = say(k);", "export run(k : i32) = say(k + 1);", "inequivalent"),
        (
            "i32 x; export run(k : i32) = { x := k; say(k); diverge }; export get() : i32 = 7;",
            "i32 x; export run(k : i32) = { x := k; say(-k); diverge }; export get() : i32 = 7;",
            "equivalent",
        ),
        // What is kept says that it never returns.
        (
            "i32 x; export run(k : i32) = { x := k; say(k); while x = k do skip }; export get() : i32 = 7;",
            "i32 x; export run(k : i32) = { x := k; say(-k); while x = k do skip }; export get() : i32 = 7;",
            "unknown",
        ),
        // Only one number lets it return.
        (
            "export run(k : i32) = { say(1); if ask() <> 123456 then diverge };",
            "export run(k : i32) = { say(2); if ask() <> 123456 then diverge };",
            "inequivalent",
        ),
        (
            "i32 x; export run(k : i32) = { x := x + k; if x = 5 then { say(x); diverge } };",
            "i32 x; export run(k : i32) = { x := x + k; if x = 5 then diverge };",
            "equivalent",
        ),
        (
            "i32 x; export run(k : i32) = { x := x + k; if x = 5 then { say(x); diverge } };",
            "i32 x; export run(k : i32) = { x := x - k; if x = 5 then diverge };",
            "inequivalent",
        ),
    ] {
        let verdicts =
            both_ways(&format!("{context} {left}"), &format!("{context} {right}"), Engine::Product);
        if verdict == "unknown" {
            assert!(!verdicts.contains(&"inequivalent"), "{left}\n{right}");
        } else {
            assert_eq!(verdicts, [verdict; 2], "{left}\n{right}");
        }
    }
}

/// A certificate says which plays it is about.
#[test]
fn certificates_of_complete_plays() {
    let context = "module import say(i32) : com; i32 x;";
    let body = |said: &str| {
        reading(&format!(
            "{context} export run(k : i32) = {{ x := x + k; if x = 5 then {{ say({said}); diverge }} }};"
        ))
    };
    let [left, right] = [body("x"), body("k")];
    let budget = Budget::default();
    let languages = [&left.document as _, &right.document as _];
    let modules = [&left.module, &right.module];
    let compared =
        library::compare(modules, languages, &by(Engine::Product), &budget, &mut |_| {}).expect("comparable");
    assert!(matches!(compared.comparison, Comparison::Holds), "{:?}", compared.comparison);
    let certificate = compared.proof.and_then(|proof| proof.certificate).expect("a certificate");
    assert_eq!(certificate.plays, Plays::Complete);
    let again = |plays: Plays| {
        let certificate = agon_check::equiv::Written { plays, ..(*certificate).clone() };
        let checked = library::recheck(modules, &certificate, &Solvers::default(), &budget);
        matches!(checked.expect("comparable").comparison, Comparison::Holds)
    };
    assert!(again(Plays::Complete));
    assert!(!again(Plays::All));
}
