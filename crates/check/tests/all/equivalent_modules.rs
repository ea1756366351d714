//! Equivalence of modules: pairs agree with comparing all short plays, and every difference is replayed.

use std::collections::BTreeSet;
use std::iter::Sum;

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::random::Random;
use agon_check::equiv::{Options, Plays, Relation};
use agon_check::library::{self, Comparison};
use agon_check::modules::Compiled;
use agon_check::modules::pairs::{Compared, Different, comparable, compare};
use agon_check::verdict::Reason;
use agon_core::eval::Patience;
use agon_core::language::ModuleLanguage;
use agon_core::module::environment::{Environment, Step};
use agon_core::module::eval::{Exit, Outcome, play};
use agon_core::module::inputs::Inputs;
use agon_core::module::sample::Variation;
use agon_core::module::stacks::{Bounds, plays};
use agon_core::module::{Calls, ImportId, Module};
use agon_ia::read::{ModuleReading, read_module};
use agon_ia::sample;
use agon_witness::library::apart::{Apart, Known, Side, confirm, tell_apart};
use agon_witness::library::run_closed;
use rayon::prelude::*;

fn reading(text: &str) -> Option<ModuleReading> {
    read_module(text, &[]).and_then(Result::ok)
}

fn read(text: &str) -> Option<Module> {
    reading(text).map(|reading| reading.module)
}

fn compared(left: &Module, right: &Module) -> Compared {
    assert_eq!(comparable(left, right), Ok(()));
    let budget = Budget { transitions: Some(50_000), ..Budget::default() };
    let [left, right] = [left, right].map(|module| Compiled::new(module.clone()));
    compare(&left, &right, Plays::All, &budget, &mut |_| {}).0
}

fn all(module: &Module, length: usize) -> BTreeSet<String> {
    let inputs = Inputs::range(0, 2, 1);
    let bounds = Bounds { inputs, nesting: 9, activations: usize::MAX, steps: 400, forget_dead: false };
    plays(module, &bounds, length).iter().map(|play| play.show(module)).collect()
}

/// A module with a number changed somewhere.
fn mutant(text: &str, random: &mut Random) -> Option<String> {
    let (head, bodies) = text.split_once("let hidden")?;
    let places: Vec<usize> = bodies.match_indices(['0', '1', '2']).map(|(at, _)| at).collect();
    let place = *places.get(random.below(places.len().max(1)))?;
    let mut changed = bodies.to_string();
    let digit = ["0", "1", "2"][random.below(3)];
    changed.replace_range(place..=place, digit);
    Some(format!("{head}let hidden{changed}"))
}

/// The same module with operators on bits and imports that do less, the same for the same seed.
fn varied(module: &Module, seed: u64) -> Module {
    let mut module = module.clone();
    let mut variation = Variation::new(seed);
    variation.imports(&mut module);
    variation.operators(&mut module);
    if seed.is_multiple_of(2) {
        variation.assumptions(&mut module);
    }
    module
}

/// How often two modules are found to be what.
#[derive(Default, Debug)]
struct Counts {
    same: usize,
    different: usize,
    /// Only in plays that are too long to be compared.
    long: usize,
    unknown: usize,
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(all: I) -> Counts {
        all.fold(Counts::default(), |sum, one| Counts {
            same: sum.same + one.same,
            different: sum.different + one.different,
            long: sum.long + one.long,
            unknown: sum.unknown + one.unknown,
        })
    }
}

fn agrees(module: &Module, other: &Module) -> Counts {
    let mut counts = Counts::default();
    let itself = compared(module, module);
    assert!(matches!(itself, Compared::Equivalent | Compared::Unknown(_)), "{module}");
    let shorts = all(module, 5) == all(other, 5);
    match compared(module, other) {
        Compared::Equivalent => {
            counts.same += 1;
            assert!(shorts, "{module}\n{other}");
        }
        Compared::Different(moves) => {
            counts.different += 1;
            let [ours, theirs] =
                [(module, &moves.moves[0]), (other, &moves.moves[1])].map(|(module, moves)| {
                    let played = play(module, moves.iter().cloned(), 100_000);
                    assert!(!matches!(played.outcome, Outcome::Illegal(_)), "{:?}\n{module}", played.outcome);
                    (played.play.show(module), std::mem::discriminant(&played.outcome))
                });
            assert_ne!(ours, theirs, "{module}\n{other}");
            assert!(moves.moves[0].len() > 2 || !shorts, "{moves:?}\n{module}\n{other}");
            counts.long += usize::from(shorts);
        }
        Compared::Unknown(_) => counts.unknown += 1,
    }
    counts
}

/// Compares random modules with versions in which a number is changed, as they are and with imports that do less.
fn agree(seeds: std::ops::Range<u64>, sample: fn(u64, usize) -> String) -> [Counts; 2] {
    let of = |seed: u64| {
        let text = sample(seed, 3 + (seed % 9) as usize);
        let module = read(&text).unwrap_or_else(|| panic!("it is a module: {text}"));
        let mut random = Random::new(seed);
        let other = mutant(&text, &mut random).and_then(|text| read(&text))?;
        Some((agrees(&module, &other), agrees(&varied(&module, seed), &varied(&other, seed))))
    };
    let found: Vec<(Counts, Counts)> = seeds.into_par_iter().filter_map(of).collect();
    let (plain, restricted): (Vec<Counts>, Vec<Counts>) = found.into_iter().unzip();
    let [plain, restricted] = [plain, restricted].map(|counts| counts.into_iter().sum());
    println!("{plain:?}\n{restricted:?}");
    [plain, restricted]
}

#[test]
fn pairs_agree_with_comparing_short_plays() {
    let [plain, restricted] = agree(0..300, sample::plain_module);
    assert!(plain.same > 100 && plain.different > 25 && plain.unknown < 30);
    assert!(restricted.same > 100 && restricted.different > 15 && restricted.unknown < 30);
}

/// Modules are compared only if their imports do the same, and if no order is left open.
#[test]
fn what_is_not_compared_is_said() {
    let text = "module import f() : i32; export g() = skip;";
    let (plain, mut leaf) = (read(text).expect("a module"), read(text).expect("a module"));
    leaf.restrict(ImportId(0), Some((Int::ZERO, Int::ONE)), Calls::Nothing, false);
    let why = comparable(&plain, &leaf).expect_err("their imports differ");
    assert!(why.contains("`() : i32, returns 0 to 1, calls nothing` in the second"), "{why}");
    assert_eq!(comparable(&leaf, &leaf), Ok(()));
    let mut open = plain.clone();
    open.choice("order", 2);
    assert!(comparable(&open, &open).is_err_and(|why| why.contains("order of evaluation")));
}

/// Two modules that differ only in what an import would have to do to tell them apart are equal if it does not do that.
#[test]
fn what_an_import_does_not_do_tells_nothing_apart() {
    let module = |get: &str, after: &str| {
        let text = format!(
            "module import f() : int%3; bool inside; int%3 x; \
             export set(k : int%3) = if inside then x := k; export get() : int%3 = {get}; \
             export ask() : int%3 = {{ int%3 was; inside := true; x := 0; was := f(); inside := false; {after} }};"
        );
        read(&text).unwrap_or_else(|| panic!("it is a module: {text}"))
    };
    let plain = module("x", "was");
    // Three others that differ: in a call inside of `f`, where `f` returns 0, and where `f` returns.
    let called = module("if inside then 2 - x else x", "was");
    let zero = module("x", "if was = 0 then 1 else was");
    let returned = module("x", "was + 1");
    let procedure = |name: &str| {
        let found = plain.procedures().find(|(_, procedure)| &*procedure.name == name).map(|(id, _)| id);
        found.expect("it is there")
    };
    let only = |name: &str| Calls::Only(vec![procedure(name)]);
    let range = |low: u64, high: u64| Some((Int::from(low), Int::from(high)));
    let rows = [
        // What `f` does, and which of the three are different then.
        (None, Calls::Any, false, [true, true, true]),
        (None, Calls::Nothing, false, [false, true, true]),
        (None, only("get"), false, [true, true, true]),
        (None, only("set"), false, [false, true, true]),
        (None, only("ask"), false, [false, true, true]),
        (range(1, 2), Calls::Any, false, [true, false, true]),
        (range(0, 0), Calls::Nothing, false, [false, true, true]),
        (None, Calls::Any, true, [true, false, false]),
        (None, Calls::Nothing, true, [false, false, false]),
    ];
    for (returns, calls, ends, different) in rows {
        let restricted = |module: &Module| {
            let mut module = module.clone();
            module.restrict(ImportId(0), returns.clone(), calls.clone(), ends);
            module
        };
        let plain = restricted(&plain);
        for (other, different) in [&called, &zero, &returned].into_iter().zip(different) {
            let other = restricted(other);
            assert_eq!(all(&plain, 6) != all(&other, 6), different, "{plain}\n{other}");
            match compared(&plain, &other) {
                Compared::Equivalent => assert!(!different, "{plain}\n{other}"),
                Compared::Different(_) => assert!(different, "{plain}\n{other}"),
                Compared::Unknown(reason) => panic!("{reason:?}\n{plain}\n{other}"),
            }
        }
    }
}

/// A random module whose private procedure calls itself where the environment says so.
fn recursive_module(seed: u64, size: usize) -> String {
    let mut random = Random::new(seed);
    let mut value = || ["n", "x", "0", "1", "2", "n + 1", "x + n"][random.below(7)];
    let mut values: Vec<&str> = (0..3 * size).map(|_| value()).collect();
    let mut next = || values.pop().unwrap_or("0");
    let mut random = Random::new(seed + 1);
    let mut statement = || match random.below(5) {
        0 => format!("say({})", next()),
        1 => format!("x := {}", next()),
        2 => format!("if ask() then hidden({})", next()),
        3 => format!("if ask() then {{ hidden({}); say({}) }}", next(), next()),
        _ => format!("if x = {} then say({})", next(), next()),
    };
    let body: Vec<String> = (0..size).map(|_| statement()).collect();
    format!(
        "module import ask() : bool; import say(int%3) : com; int%3 x; \
         let hidden(n : int%3) = {{ {} }}; export run(k : int%3) = hidden(k); export get() : int%3 = x;",
        body.join("; ")
    )
}

#[test]
fn pairs_with_recursion_agree_with_comparing_short_plays() {
    let sample = |seed: u64, size: usize| recursive_module(seed, 1 + size / 3);
    let [plain, restricted] = agree(0..120, sample);
    assert!(plain.same > 30 && plain.different > 30 && plain.unknown < 10);
    assert!(restricted.same > 30 && restricted.different > 15 && restricted.unknown < 10);
}

/// Modules whose private procedure calls itself around an import.
fn walking(body: &str) -> Module {
    let text = format!("module import ask() : bool; import say(int%3) : com; {body}");
    read(&text).unwrap_or_else(|| panic!("it is a module: {text}"))
}

#[test]
fn recursion_around_an_import_is_compared_in_step() {
    let walk = walking(
        "let walk(n : int%3) : int%3 = if ask() then { int%3 m := walk(n + 1); say(m); m } else n; \
         export run() = say(walk(0));",
    );
    // Another name, one more local, and another order of what nobody sees.
    let stroll = walking(
        "let stroll(n : int%3) : int%3 = { bool more := ask(); \
           if not more then n else { int%3 next := n + 1; int%3 m := stroll(next); say(m); m } }; \
         export run() = { int%3 m := stroll(0); say(m) };",
    );
    assert!(matches!(compared(&walk, &stroll), Compared::Equivalent));
    // What is handed back is another number, so the first move behind the recursion differs.
    let wrong = walking(
        "let walk(n : int%3) : int%3 = if ask() then { int%3 m := walk(n + 1); say(n); m } else n; \
         export run() = say(walk(0));",
    );
    let Compared::Different(moves) = compared(&walk, &wrong) else { panic!("they differ") };
    let shown = play(&walk, moves.moves[0].iter().cloned(), STEPS).play.show(&walk);
    assert_eq!(shown, "run() · ask() · ret true · ask() · ret false · say(1)");
    // A loop puts nothing on the stack.
    let count = walking(
        "export run() = { int%3 n; int%3 m; while ask() do { n := n + 1; m := n }; while n > 0 do { say(m); n := n - 1 }; say(m) };",
    );
    // Its counter wraps, which is seen at some depth.
    assert!(matches!(compared(&walk, &count), Compared::Different(_)));
    let bounded = walking(
        "let walk(n : int%4) = if n < 2 then { if ask() then { walk(n + 1); say(0) } }; export run() = walk(0);",
    );
    let looping = walking(
        "export run() = { int%4 n; bool go := true; \
           while go do { if n < 2 then { if ask() then n := n + 1 else go := false } else go := false }; \
           while n > 0 do { say(0); n := n - 1 } };",
    );
    assert!(matches!(compared(&bounded, &looping), Compared::Unknown(_)));
    // A difference before the stacks are out of step is found all the same.
    let silent = walking("export run() = say(0);");
    assert!(matches!(compared(&walk, &silent), Compared::Different(_)));
}

#[test]
fn silent_recursion_without_an_end_is_divergence() {
    let endless = |body: &str| walking(&format!("let r(n : int%3) = {body}; export run() = r(0);"));
    let deeper = endless("r(n + 1)");
    let again = endless(
        "while true do { bool b := n = 2; if not b then { int%3 m := n; while m < 2 do m := m + 1 }; if n < 1 then r(1) }",
    );
    assert!(matches!(compared(&deeper, &deeper), Compared::Equivalent));
    assert!(matches!(compared(&deeper, &again), Compared::Equivalent));
    let loops = walking("let r(n : int%3) = if n < 2 then r(n + 1); export run() = while true do r(0);");
    assert!(matches!(compared(&deeper, &loops), Compared::Equivalent));
    let ends = endless("if n < 2 then r(n + 1)");
    assert!(matches!(compared(&ends, &ends), Compared::Equivalent));
    let Compared::Different(moves) = compared(&deeper, &ends) else { panic!("one of them returns") };
    assert_eq!(moves.moves[0].len(), 1);
}

#[test]
fn modules_of_the_corpus_are_equivalent_to_themselves() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("the corpus can be listed").collect();
    let number = files.len();
    let of = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.expect("it can be listed").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().to_string();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let module = read(&text).expect("it is a module");
        match compared(&module, &module) {
            Compared::Equivalent => Some(name),
            Compared::Unknown(_) => None,
            Compared::Different(moves) => panic!("{name}: {moves:?}"),
        }
    };
    let same: Vec<String> = files.into_par_iter().filter_map(of).collect();
    println!("{} of {number} equivalent", same.len());
    for name in ["recursion-around-a-call", "recursion-around-a-call-wrong", "tree-walk", "tree-walk-wrong"] {
        assert!(same.iter().any(|known| known == name), "{name}: {same:?}");
    }
    assert!(same.len() > 30);
}

const STEPS: u64 = 100_000;

/// How a closed module ends, as it is printed.
fn ends(text: &str) -> Option<Exit> {
    let closed = read(text).unwrap_or_else(|| panic!("it is a module: {text}"));
    run_closed(&closed, Patience::steps(STEPS))
}

/// The steps of an environment that decide whether it aborts.
fn deciding(environment: &mut Environment) -> impl Iterator<Item = &mut Step> {
    let parts = environment.parts.iter_mut().flat_map(|part| &mut part.steps);
    let steps = environment.opening.iter_mut().chain(parts).map(|(_, step)| step);
    steps.filter(|step| matches!(step, Step::LastCall(_, _, Some(_)) | Step::AbortIf(_)))
}

/// The environments with what they look for changed: another value, or nothing.
fn mutants(apart: &Apart) -> Vec<Apart> {
    let change = |change: &dyn Fn(&mut Step)| {
        let mut mutant = apart.clone();
        mutant.environments.iter_mut().for_each(|environment| deciding(environment).for_each(change));
        mutant
    };
    let other = |value: &Int| if value.is_zero() { Int::ONE } else { Int::ZERO };
    let values = change(&|step| match step {
        Step::LastCall(_, _, Some(Some(value))) => *value = other(value),
        Step::AbortIf(values) => values.iter_mut().take(1).for_each(|value| *value = other(value)),
        _ => {}
    });
    let nothing = change(&|step| *step = Step::Return(None));
    let swapped = Apart { with: 1 - apart.with, ..apart.clone() };
    [values, nothing, swapped].into_iter().filter(|mutant| mutant != apart).collect()
}

/// Tells two modules apart by an environment, which is printed, read again and run. Returns with how many changes it was refused.
fn told_apart(modules: [&ModuleReading; 2], moves: &Different) -> usize {
    let plays = [0, 1].map(|n| play(&modules[n].module, moves.moves[n].iter().cloned(), STEPS));
    let side = |n: usize| Side {
        module: &modules[n].module,
        language: &modules[n].document as &dyn ModuleLanguage,
        play: &plays[n].play,
    };
    let sides = [side(0), side(1)];
    let shown = [0, 1].map(|n| plays[n].play.show(sides[n].module));
    let known = Known { pairs: &moves.pairs, data: moves.data.as_ref(), complete: None };
    let apart =
        tell_apart(sides, known, Patience::steps(STEPS)).unwrap_or_else(|why| panic!("{shown:?}: {why:?}"));
    assert!(matches!(ends(&apart.closed.text), Some(Exit::Fails(_))), "{}", apart.closed.text);
    let other = sides[1 - apart.with];
    let closed = other.language.close_module(other.module, &apart.environments[1 - apart.with]);
    assert!(!matches!(ends(&closed.text), Some(Exit::Fails(_))), "{}", closed.text);
    let mutants = mutants(&apart);
    for mutant in &mutants {
        // A value that was changed may be that of the other module, but that one is not to abort.
        let told = confirm(sides, mutant, Patience::steps(STEPS));
        assert!(told.is_err(), "{shown:?}: {mutant:?}");
    }
    mutants.len()
}

#[test]
fn random_modules_are_told_apart_by_environments() {
    let (mut told, mut refused, mut diverging) = (0, 0, 0);
    for seed in 1_000..1_300 {
        let text = sample::plain_module(seed, 3 + (seed % 9) as usize);
        let module = reading(&text).unwrap_or_else(|| panic!("it is a module: {text}"));
        let mut random = Random::new(seed);
        let Some(other) = mutant(&text, &mut random).and_then(|text| reading(&text)) else { continue };
        let Compared::Different(moves) = compared(&module.module, &other.module) else { continue };
        let over = |n: usize, module: &Module| play(module, moves.moves[n].iter().cloned(), STEPS).outcome;
        let ended = [over(0, &module.module), over(1, &other.module)];
        let silent = |ended: &Outcome| matches!(ended, Outcome::Ended(Exit::Stopped(_) | Exit::Diverges));
        diverging += ended.iter().filter(|ended| silent(ended)).count();
        told += 1;
        refused += told_apart([&module, &other], &moves);
    }
    println!(
        "{told} pairs, {refused} changed environments refused, {diverging} modules that never move again"
    );
    assert!(told > 30 && refused > 60 && diverging > 1);
}

#[test]
fn modules_of_the_corpus_are_told_apart_by_environments() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/modules");
    let mut told = 0;
    for file in std::fs::read_dir(&folder).expect("the corpus can be listed") {
        let path = file.expect("it can be listed").path();
        let name = path.file_stem().expect("it has a name").to_string_lossy().to_string();
        let Some(base) = name.strip_suffix("-fixed").or_else(|| name.strip_suffix("-wrong")) else {
            continue;
        };
        let text =
            |name: &str| std::fs::read_to_string(folder.join(format!("{name}.ia"))).expect("it exists");
        let [left, right] = [text(base), text(&name)].map(|text| reading(&text).expect("it is a module"));
        if comparable(&left.module, &right.module).is_err() {
            continue;
        }
        if let Compared::Different(moves) = compared(&left.module, &right.module) {
            told += 1;
            assert!(told_apart([&left, &right], &moves) > 0, "{name}");
        }
    }
    println!("{told} pairs");
    assert!(told > 10);
}

/// A module is equivalent to itself, whatever is in it: procedures that call themselves and that nobody calls, names, threads.
#[test]
fn a_module_is_equivalent_to_itself() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut count = 0;
    for folder in ["modules", "threads"] {
        for file in std::fs::read_dir(root.join(folder)).expect("the corpus can be listed") {
            let path = file.expect("it can be listed").path();
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let Some(module) = reading(&text) else { continue };
            let languages = [&module.document as &dyn ModuleLanguage; 2];
            let options = Options::new(Relation::Equivalence);
            let modules = [&module.module, &module.module];
            let compared = library::compare(modules, languages, &options, &Budget::default(), &mut |_| {});
            let compared = compared.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            assert!(matches!(compared.comparison, Comparison::Holds), "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 70, "{count}");
}

/// The reason is not that any number may be given, where relations would have covered all numbers.
#[test]
fn why_relations_are_not_looked_for_is_said() {
    let of = |body: &str| format!("module import on(fn() : com) : com; let say() = skip; {body}");
    let [left, right] = ["x + 1", "x + 2 - 1"].map(|value| {
        let text = of(&format!("export f(x : i32) : i32 = {{ on(say); {value} }};"));
        reading(&text).unwrap_or_else(|| panic!("it is a module: {text}"))
    });
    let languages = [&left.document as &dyn ModuleLanguage, &right.document];
    let options = Options::new(Relation::Equivalence);
    let budget = Budget { transitions: Some(50_000), ..Budget::default() };
    let compared = library::compare([&left.module, &right.module], languages, &options, &budget, &mut |_| {});
    let Comparison::Unknown(Reason::FewTried(Some(why))) = compared.expect("comparable").comparison else {
        panic!("it is another reason")
    };
    assert!(why.contains("names of functions"), "{why}");
}
