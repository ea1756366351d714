//! Modules with several threads: the engine agrees with the reference, and every failure is replayed.

use std::collections::BTreeMap;

use agon_base::budget::{Budget, Stop};
use agon_base::int::Int;
use agon_base::random::Random;
use agon_base::refused::Refused;
use agon_check::modules::threads::scheduled::{Prepared, explicit};
use agon_check::modules::threads::{self, Bounds, Found, check_giving, giving, intervals};
use agon_check::portfolio::Engine;
use agon_check::refine::RefinementOptions;
use agon_check::search::Observer;
use agon_check::verdict::{Reason, Verdict};
use agon_core::checks::{Kind, Watch};
use agon_core::eval::Patience;
use agon_core::module::play::Move;
use agon_core::module::sample::{Variation, with_recursive_mutexes};
use agon_core::module::target::Target;
use agon_core::module::threads::offers::{Giving, Offering};
use agon_core::module::threads::replay::{Act, Replayed, replay};
use agon_core::module::threads::search::search;
use agon_core::module::{Function, Module, ProcedureId};
use agon_ia::read::{ModuleReading, read_module};
use agon_ia::sample;
use agon_witness::library::Goal;
use agon_witness::library::threads::verify;

fn read(text: &str) -> Module {
    reading(text).module
}

/// The module is one of single accesses.
fn reading(text: &str) -> ModuleReading {
    match read_module(text, &[]) {
        Some(Ok(mut reading)) => {
            reading.module = reading.module.with_single_accesses();
            assert_eq!(reading.module.validate(), Ok(()), "{text}");
            reading
        }
        other => panic!("it is a module: {text}\n{other:#?}"),
    }
}

fn budget() -> Budget {
    Budget { transitions: Some(200_000), ..Budget::default() }
}

fn replayed(module: &Module, bounds: Bounds, acts: &[Act]) -> Result<Replayed, String> {
    replay(module, (bounds.threads, bounds.nesting), acts, Patience::steps(100_000))
}

/// What the environment gives to the reference, which keeps every stack as it is.
fn few(bounds: Bounds) -> Giving {
    Giving { activations: 5, ..giving(bounds) }
}

/// What exact data says, or intervals if it says nothing. Both together take turns, and either may be first.
fn check(module: &Module, bounds: Bounds, budget: &Budget, observe: &mut Observer<'_>) -> Found {
    let effort = RefinementOptions::default();
    let found = threads::check(Engine::Explicit, module, bounds, &effort, budget, observe);
    match found.verdict {
        Verdict::Unknown(Reason::SomeValues(_)) => {
            threads::check(Engine::Interval, module, bounds, &effort, budget, observe)
        }
        _ => found,
    }
}

/// What the engine says: the number of moves of a shortest play that fails, and what fails; nothing if it is safe.
fn failure(text: &str, threads: usize, nesting: usize) -> Option<(usize, Kind)> {
    let module = read(text);
    let bounds = Bounds { threads, nesting };
    match check(&module, bounds, &budget(), &mut |_| {}).verdict {
        Verdict::Safe => None,
        Verdict::Unknown(reason) => panic!("{reason:?}\n{text}"),
        Verdict::Unsafe(acts, ()) => {
            let seen = replayed(&module, bounds, &acts).unwrap_or_else(|why| panic!("{why}\n{text}"));
            let kind = seen.failure.as_ref().map(|failure| failure.check.kind);
            Some((seen.moves().len(), kind.expect("it fails")))
        }
    }
}

#[test]
fn one_access_is_atomic_and_an_expression_with_two_is_not() {
    let lost = "module{2} int%8 x; bool done; export add() = if not done then { x := x + 1; done := true };
        export look() = { int%8 a := x; int%8 b := x; assert(a = b) };";
    assert_eq!(failure(lost, 2, 1), Some((3, Kind::Assertion)));
    assert_eq!(failure(lost, 1, 1), None);
    let twice = "module{2} bool x; export flip() = x := true; export look() = assert(not (x <> x));";
    assert_eq!(failure(twice, 2, 1), Some((3, Kind::Assertion)));
    let once = "module{2} bool x; export flip() = x := true; export look() = { bool a := x; assert(a = a) };";
    assert_eq!(failure(once, 2, 1), None);
    let reread = "module{2} int%4 i; int%4 a[2]; export up() = i := 3; export get() : int%4 =
        if i < 2 then a[i] else 0;";
    assert_eq!(failure(reread, 2, 1), Some((3, Kind::Index)));
    assert_eq!(failure(reread, 1, 1), None);
}

#[test]
fn mutexes_have_owners() {
    let twice = "module{2} import f() : com; mutex m; export a() = { lock(m); f(); unlock(m) };";
    assert_eq!(failure(twice, 1, 1), None);
    assert_eq!(failure(twice, 1, 2), Some((4, Kind::Lock)), "the owner is the thread, not the activation");
    assert_eq!(failure(twice, 2, 1), None, "another thread waits");
    let stranger = "module{2} mutex m; export take() = lock(m); export give() = unlock(m);";
    assert_eq!(failure(stranger, 2, 1), Some((2, Kind::Unlock)), "the mutex is free");
    let strict = "module{2} mutex m; bool taken; export take() = if trylock(m) then taken := true;
        export give() = if taken then { taken := false; unlock(m) };";
    assert_eq!(failure(strict, 1, 1), None);
    assert_eq!(failure(strict, 2, 1), Some((3, Kind::Unlock)), "the owner is another thread");
    let tried = "module{2} mutex m; export a() = { lock(m); unlock(m) };
        export b() = { if not trylock(m) then abort; unlock(m) };";
    assert_eq!(failure(tried, 1, 3), None);
    assert_eq!(failure(tried, 2, 3), Some((3, Kind::Abort)));
    let own = "module{2} mutex m; export b() = { lock(m); if trylock(m) then abort; unlock(m) };";
    assert_eq!(failure(own, 2, 1), None, "a mutex that the thread holds is not taken by trying");
}

#[test]
fn a_deadlock_is_a_circle_of_owners() {
    let two = |first: &str, second: &str| {
        format!(
            "module{{2}} mutex a, b; export there() = {{ lock(a); lock(b); unlock(b); unlock(a) }};
            export back() = {{ lock({first}); lock({second}); unlock(a); unlock(b) }};"
        )
    };
    assert_eq!(failure(&two("b", "a"), 2, 1), Some((3, Kind::Deadlock)));
    assert_eq!(failure(&two("a", "b"), 2, 1), None);
    assert_eq!(failure(&two("b", "a"), 1, 3), None);
    let three = "module{3} mutex a, b, c; export x() = { lock(a); lock(b); unlock(b); unlock(a) };
        export y() = { lock(b); lock(c); unlock(c); unlock(b) };
        export z() = { lock(c); lock(a); unlock(a); unlock(c) };";
    assert_eq!(failure(three, 2, 1), None);
    assert_eq!(failure(three, 3, 1), Some((4, Kind::Deadlock)));
    let partial = "module{3} mutex a, b; bool x; export there() = { lock(a); lock(b); unlock(b); unlock(a) };
        export back() = { lock(b); lock(a); unlock(a); unlock(b) }; export free() = x := not x;";
    assert_eq!(failure(partial, 3, 1), Some((3, Kind::Deadlock)), "a third thread may still run");
    let semaphores = "module{2} sem a, b; export there() = { grab(a); grab(b); release(b); release(a) };
        export back() = { grab(b); grab(a); release(a); release(b) };";
    assert_eq!(failure(semaphores, 2, 1), None, "a semaphore has no owner");
    let held = "module{2} mutex m; export keep() = if not trylock(m) then skip; export wait() = { lock(m); unlock(m) };";
    assert_eq!(
        failure(held, 2, 1),
        Some((4, Kind::Lock)),
        "who waits for a thread that does nothing may go on"
    );
}

/// Programs of the corpus: their verdict with two threads and with one, by the engine and by the reference.
#[test]
fn the_engine_and_the_reference_say_what_the_corpus_says() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/threads");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("there are modules") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("it can be read");
        let module = read(&text);
        assert_eq!(module.threads, 2, "{text}");
        for (threads, line) in [(2, "//! unsafe: "), (1, "//! alone: unsafe")] {
            // Of numbers that are computed with, a few are tried.
            let nesting = if text.contains("//! skip explicit") { 1 } else { 2 };
            let found = failure(&text, threads, nesting);
            let bounds = Bounds { threads, nesting };
            let expected =
                search(&module, threads, few(bounds), 300_000).expect("there are few configurations");
            assert_eq!(found.map(|(moves, _)| moves), expected.failure.map(|(play, _)| play.len()), "{text}");
            assert_eq!(found.is_some(), text.contains(line), "{threads} threads: {text}");
        }
        count += 1;
    }
    assert!(count >= 8, "{count}");
}

#[test]
fn semaphores_wait_and_others_run_beside_a_loop() {
    let exclusive = "module{2} sem s; int%4 inside; export f() = { grab(s); inside := inside + 1;
        assert(inside = 1); inside := inside - 1; release(s) };";
    assert_eq!(failure(exclusive, 2, 1), None);
    let wide = exclusive.replace("sem s", "sem$2 s");
    assert_eq!(failure(&wide, 2, 1), Some((3, Kind::Assertion)));
    let looping =
        "module{2} bool x; export spin() = { x := true; while true do skip }; export see() = assert(not x);";
    assert_eq!(failure(looping, 2, 1), Some((3, Kind::Assertion)), "others run beside a loop");
}

#[test]
fn what_the_environment_may_give_is_tried_or_said() {
    let wide = |n: &str| {
        format!(
            "module{{2}} i32 x; export put(n : i32) = if n + 1 = 100 then x := 1;
            export get() = {{ i32 a := x; i32 b := x; assert(a = b or b <> {n}) }};"
        )
    };
    assert_eq!(failure(&wide("1"), 2, 1), Some((3, Kind::Assertion)), "what is given is computed with");
    assert_eq!(failure(&wide("2"), 2, 1), None);
    let small = Bounds { threads: 2, nesting: 1 };
    let module = read(&wide("2"));
    let some = check_giving(&module, 2, giving(small), &budget(), &mut |_| {}).verdict;
    assert!(matches!(some, Verdict::Unknown(Reason::SomeValues(_))), "{some:?}");
    let prepared = Prepared::new(&module, small).expect("it begins no threads");
    let found = explicit(&prepared, &budget(), &mut |_| {}).verdict;
    assert!(matches!(found, Verdict::Unknown(Reason::Stop(Stop::Unbounded(_)))), "{found:?}");
    let names = "module{2} fn() : com k; export put(f : fn() : com, g : fn() : com) = if f <> g then k := f;
        export old(f : fn() : com) = { fn() : com h := k; assert(h = null or f <> h or f = h) };
        export run() = { fn() : com f := k; if f <> null and f <> run then f() };";
    assert_eq!(failure(names, 2, 1), None);
    let kept = "module{2} fn() : com k; export put(f : fn() : com, g : fn() : com) = if f <> g and f <> null then k := f;
        export same(f : fn() : com) = { fn() : com h := k; assert(h = null or f <> h) };";
    assert_eq!(failure(kept, 1, 1), Some((4, Kind::Assertion)));
}

/// Inputs of large types that are only kept, passed on and compared: what may matter is tried.
#[test]
fn inputs_that_are_only_kept_and_compared_may_be_any() {
    let constant =
        "module{2} bool b; export put(n : i32) = if n = 100000 then b := true; export get() = assert(not b);";
    assert_eq!(failure(constant, 2, 1), Some((3, Kind::Assertion)));
    assert_eq!(failure(constant, 1, 1), Some((4, Kind::Assertion)));
    let order = |bound: &str| {
        format!(
            "module{{2}} int x := 7; export put(n : int) = if n > 7 and n < {bound} then x := n;
            export get() = assert(x = 7);"
        )
    };
    assert_eq!(failure(&order("8"), 2, 1), None);
    assert_eq!(failure(&order("9"), 2, 1), Some((3, Kind::Assertion)));
    let loads = |again: &str| {
        format!(
            "module{{2}} import load(i32) : i32; mutex m; i32 key, value; bool full;
            export get(k : i32) : i32 = {{
                bool hit; i32 found;
                lock(m); if full and key = k then {{ hit := true; found := value }}; unlock(m);
                if not hit then {{
                    found := load(k);
                    lock(m); {again} {{ key := k; value := found; full := true }}; unlock(m)
                }};
                found
            }};
            export twice(k : i32) = {{
                lock(m); bool there := full and key = k; i32 first := value; unlock(m);
                lock(m); assert(not there or not full or key <> k or value = first); unlock(m)
            }};"
        )
    };
    assert_eq!(failure(&loads("if full and key = k then skip else"), 1, 2), None);
    assert_eq!(failure(&loads(""), 1, 2), None);
    assert!(matches!(failure(&loads(""), 2, 1), Some((_, Kind::Assertion))));
}

/// A random module that only keeps, passes on and compares what it is given.
fn keeps(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text =
        String::from("module{2}\nimport ask(int%4) : int%4;\nimport see(int%4) : com;\nint%4 x, y := 2;\n");
    let all = [
        "x := n",
        "y := n",
        "x := y",
        "y := ask(x)",
        "x := ask(n)",
        "see(y)",
        "if x = n then y := x",
        "if n = 2 then x := n",
        "if n < 2 then y := n else x := n",
        "if x <> y then assert(n <> x)",
        "assert(x <> n or y <> n)",
        "assert(n <> 3 or x = 0)",
    ];
    for name in ["one", "two"] {
        let statements: Vec<&str> = (0..1 + random.below(3)).map(|_| all[random.below(all.len())]).collect();
        text += &format!("export {name}(n : int%4) = {{ {} }};\n", statements.join("; "));
    }
    text
}

/// Values that stand for all are enough: the reference tries every value.
#[test]
fn values_that_stand_for_all_are_enough() {
    let (mut safe, mut fail) = (0, 0);
    for seed in 0..150 {
        let text = keeps(seed);
        let module = read(&text);
        let bounds = Bounds { threads: 2, nesting: 1 };
        let Some(expected) = search(&module, 2, few(bounds), 20_000) else { continue };
        let giving = Giving { most: 1, ..giving(bounds) };
        let found = check_giving(&module, 2, giving, &budget(), &mut |_| {});
        match (&found.verdict, &expected.failure) {
            (Verdict::Safe, None) => safe += 1,
            (Verdict::Unsafe(acts, ()), Some((play, _))) => {
                let seen = replayed(&module, bounds, acts).unwrap_or_else(|why| panic!("{why}\n{text}"));
                assert_eq!(seen.moves().len(), play.len(), "{seen:?}\n{play:?}\n{text}");
                fail += 1;
            }
            (said, expected) => panic!("{said:?}, but the reference says {expected:?}\n{text}"),
        }
    }
    println!("{safe} safe, {fail} fail");
    assert!(safe > 10 && fail > 60, "{safe} safe, {fail} fail");
}

/// A random module that computes with what it is given: any number of 32 bits.
fn computes(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("module{2}\nimport ask(i32) : i32;\nmutex m;\ni32 x, y := 2;\nbool done;\n");
    let all = [
        "if n > 3 then x := n - 3",
        "if n < 2 and n > -3 then y := n + 1",
        "{ lock(m); if x < 6 and n > 0 and n < 3 then x := x + n; unlock(m) }",
        "if x < 6 and n > 0 and n < 3 then x := x + n",
        "{ lock(m); y := x; x := y; unlock(m) }",
        "y := ask(1)",
        "if n % 7 = 5 then done := true",
        "{ lock(m); assert(x <= 8); unlock(m) }",
        "assert(x >= 0)",
        "assert(not done or n <> 5)",
        "assert(x <= 6)",
        "{ lock(m); assert(y <> 3); unlock(m) }",
        "{ i32 a := x; i32 b := x; assert(a <= b or b < 9) }",
        "if done then { lock(m); done := false; assert(not done); unlock(m) }",
    ];
    for name in ["one", "two"] {
        let statements: Vec<&str> = (0..1 + random.below(2)).map(|_| all[random.below(all.len())]).collect();
        text += &format!("export {name}(n : i32) = {{ {} }};\n", statements.join("; "));
    }
    text
}

/// Over intervals, nothing is said to be safe that fails with small numbers, and every failure is replayed.
#[test]
fn what_is_computed_with_is_decided() {
    let mut counts = Counts::default();
    for seed in 0..60 {
        let text = computes(seed);
        agree(&text, &read(&text), (1, 10 * MOST), &mut counts);
    }
    println!("{counts:?}");
    let [safe, fails, _] = counts.ways["intervals"];
    assert!(safe > 10 && fails > 5 && counts.fails > 2, "{counts:?}");
}

/// A random module whose procedures use locks, with no regard to whether they hold them.
fn locks(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("module{2}\nimport f() : com;\nmutex a, b;\nsem s;\nint%3 x;\n");
    let all = [
        "lock(a)",
        "lock(b)",
        "unlock(a)",
        "unlock(b)",
        "{ lock(a); x := x + 1; unlock(a) }",
        "{ lock(b); lock(a); x := 0; unlock(a); unlock(b) }",
        "{ lock(a); lock(b); x := 1; unlock(b); unlock(a) }",
        "if trylock(a) then unlock(a)",
        "if x = 0 then x := x + 1 else x := 0",
        "assert(x < 2 or x > 2)",
        "{ grab(s); x := 0; release(s) }",
        "f()",
    ];
    for name in ["one", "two"] {
        let statements: Vec<&str> = (0..1 + random.below(3)).map(|_| all[random.below(all.len())]).collect();
        text += &format!("export {name}() = {{ {} }};\n", statements.join("; "));
    }
    text
}

/// The reference is not asked if there are more configurations than this.
const MOST: usize = 3_000;

/// How often the engine and the reference say what.
#[derive(Default, Debug)]
struct Counts {
    safe: usize,
    fails: usize,
    interleaved: usize,
    deadlocks: usize,
    unknown: usize,
    /// How often each way found that a module is safe, that it fails, or nothing.
    ways: BTreeMap<&'static str, [usize; 3]>,
}

impl Counts {
    fn decided(&mut self, way: &'static str, fails: bool) {
        self.ways.entry(way).or_default()[usize::from(fails)] += 1;
    }

    fn open(&mut self, way: &'static str) {
        self.ways.entry(way).or_default()[2] += 1;
    }
}

/// What each way of running threads says: by small steps, on the machine with and without exchanging threads, over intervals.
fn ways(module: &Module, bounds: Bounds, budget: &Budget) -> Vec<(&'static str, Found)> {
    let small = check_giving(module, bounds.threads, giving(bounds), budget, &mut |_| {});
    let mut found = vec![("small steps", small)];
    if let Some(prepared) = Prepared::new(module, bounds) {
        assert_eq!(prepared.module().validate(), Ok(()), "{}", prepared.module());
        found.push(("machine", explicit(&prepared, budget, &mut |_| {})));
        let prepared = prepared.exchanging(false);
        found.push(("machine, no exchange", explicit(&prepared, budget, &mut |_| {})));
        let effort = RefinementOptions { iterations: 12, ..RefinementOptions::default() };
        found.push(("intervals", intervals(module, bounds, &effort, budget, &mut |_| {})));
    }
    found
}

/// The engines merge steps, know what a step does, forget what does not count, and exchange threads. The reference does none
/// of that.
fn agree(text: &str, module: &Module, (nesting, most): (usize, usize), counts: &mut Counts) {
    let bounds = Bounds { threads: 2, nesting };
    let budget = Budget { transitions: Some(10_000), ..Budget::default() };
    let Some(expected) = search(module, 2, few(bounds), most).filter(|found| !found.cut) else {
        counts.unknown += 1;
        return;
    };
    let wide = Offering::of_small_numbers(module, few(bounds)).left_out().is_some();
    for (way, found) in ways(module, bounds, &budget) {
        let exact = way != "intervals";
        match (&found.verdict, &expected.failure) {
            (Verdict::Unknown(_), _) => counts.open(way),
            (Verdict::Safe, None) => counts.decided(way, false),
            (Verdict::Unsafe(acts, ()), Some((play, _))) => {
                let seen =
                    replayed(module, bounds, acts).unwrap_or_else(|why| panic!("{way}: {why}\n{text}"));
                assert!(seen.failure.is_some(), "{way}: {seen:?}\n{text}");
                assert!(!exact || seen.moves().len() == play.len(), "{way}: {seen:?}\n{play:?}\n{text}");
                counts.decided(way, true);
            }
            // The reference tries a few values of large types.
            (Verdict::Unsafe(acts, ()), None) if wide => {
                let seen =
                    replayed(module, bounds, acts).unwrap_or_else(|why| panic!("{way}: {why}\n{text}"));
                assert!(seen.failure.is_some(), "{way}: {seen:?}\n{text}");
                counts.decided(way, true);
            }
            (said, expected) => panic!("{way}: {said:?}, but the reference says {expected:?}\n{text}"),
        }
    }
    match &expected.failure {
        None => counts.safe += 1,
        Some((_, failure)) => {
            let alone = search(module, 1, few(bounds), most);
            counts.fails += 1;
            counts.interleaved += usize::from(alone.is_some_and(|alone| alone.failure.is_none()));
            counts.deadlocks += usize::from(failure.check.kind == Kind::Deadlock);
        }
    }
}

/// A random module with recursion, and what it is: in some of them values name functions, in some any number is computed with, and in
/// some mutexes are recursive.
fn sampled(seed: u64) -> (String, Module) {
    let size = 2 + (seed % 6) as usize;
    let text = match seed % 4 {
        0 => sample::module(seed, size),
        1 => sample::unnamed_module(seed, size).replacen("get(n : int%3)", "get(n : i32)", 1),
        _ => sample::unnamed_module(seed, size),
    };
    let text = text.replacen("module", "module{2}", 1);
    let module = read(&text);
    match seed % 3 {
        0 => (text, with_recursive_mutexes(&module).with_single_accesses()),
        _ => (text, module),
    }
}

/// Random modules with threads, each with one that is varied.
fn agree_among(seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let (text, module) = sampled(seed);
        let checks = module.checks();
        let watch =
            checks.get(seed as usize % (checks.len() + 1)).map_or(Watch::All, |check| Watch::Only(*check));
        let nesting = 1 + (seed % 2) as usize;
        agree(&text, &module.watching(watch), (nesting, MOST), &mut counts);
        let varied = Variation::all(seed, &module).with_single_accesses().watching(watch);
        agree(&format!("{text}\n{varied}"), &varied, (nesting, MOST), &mut counts);
    }
    println!("{counts:?}");
    counts
}

#[test]
fn the_engine_agrees_with_the_reference() {
    let counts = agree_among(0..240);
    assert!(counts.safe > 120 && counts.fails > 40 && counts.interleaved > 3, "{counts:?}");
}

#[test]
#[ignore = "long: 10,000 random modules"]
fn the_engine_agrees_with_the_reference_on_many_modules() {
    let counts = agree_among(600..10_600);
    assert!(counts.safe > 1_300 && counts.fails > 1_100 && counts.interleaved > 200, "{counts:?}");
}

#[test]
fn the_engine_agrees_with_the_reference_on_locks() {
    let mut counts = Counts::default();
    for seed in 0..300 {
        let text = locks(seed);
        let module = read(&text);
        // The failure that is looked for is a deadlock, or an assertion, or anything.
        let checks = module.checks().into_iter();
        let mut rare = checks.filter(|check| matches!(check.kind, Kind::Deadlock | Kind::Assertion));
        let watch = rare.next_back().filter(|_| seed % 3 != 0).map_or(Watch::All, Watch::Only);
        agree(&text, &module.watching(watch), (1 + (seed % 2) as usize, MOST), &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.safe > 20 && counts.interleaved > 20 && counts.deadlocks > 10, "{counts:?}");
}

/// A schedule of which one act is left out, or made by another thread, is refused or leads elsewhere.
#[test]
fn schedules_that_are_none_are_refused() {
    let text = "module{2} mutex a, b; export there() = { lock(a); lock(b); unlock(b); unlock(a) };
        export back() = { lock(b); lock(a); unlock(a); unlock(b) };";
    let module = read(text);
    let bounds = Bounds { threads: 2, nesting: 1 };
    let Verdict::Unsafe(acts, ()) = check(&module, bounds, &budget(), &mut |_| {}).verdict else {
        panic!("it deadlocks");
    };
    for n in 0..acts.len() {
        let mut fewer = acts.clone();
        fewer.remove(n);
        let fails = |acts: &[Act]| replayed(&module, bounds, acts).is_ok_and(|seen| seen.failure.is_some());
        assert!(!fails(&fewer), "{fewer:?}");
        let mut other = acts.clone();
        other[n].thread = 1 - other[n].thread;
        assert!(!fails(&other), "{other:?}");
    }
    assert!(replayed(&module, bounds, &[acts.clone(), acts.clone()].concat()).is_err(), "it is over");
}

/// What the interpreter says of a schedule: the module in an environment that was run, if the schedule is believed.
fn closed(reading: &ModuleReading, bounds: Bounds, acts: &[Act], goal: &Goal) -> Result<String, Refused> {
    let within = (bounds.threads, bounds.nesting);
    let language = &reading.document;
    let (_, closed) = verify(&reading.module, language, within, acts, goal, Patience::steps(100_000))?;
    Ok(closed.expect("the language has threads").text)
}

/// What a text fails with if its environment calls its exports, each once, in threads of its own.
fn fails_again(text: &str) -> Option<Kind> {
    let module = read(text);
    let threads = usize::try_from(module.threads).expect("there are few");
    let bounds = Bounds { threads, nesting: 1 };
    match check(&module, bounds, &budget(), &mut |_| {}).verdict {
        Verdict::Unsafe(acts, ()) => {
            let seen = replayed(&module, bounds, &acts).unwrap_or_else(|why| panic!("{why}\n{text}"));
            seen.failure.map(|failure| failure.check.kind)
        }
        Verdict::Safe => None,
        Verdict::Unknown(reason) => panic!("{reason:?}\n{text}"),
    }
}

/// The environment that is made from a schedule is a program: it is read again, and makes the module fail.
#[test]
fn environments_with_threads_are_programs() {
    let mut count = 0;
    for seed in 0..400 {
        let text = match seed % 2 {
            0 => locks(seed),
            _ => sample::module(seed, 2 + (seed % 6) as usize).replacen("module", "module{2}", 1),
        };
        let reading = reading(&text);
        let bounds = Bounds { threads: 2, nesting: 2 };
        let budget = Budget { transitions: Some(10_000), ..Budget::default() };
        let found = check(&reading.module, bounds, &budget, &mut |_| {});
        let Verdict::Unsafe(acts, ()) = found.verdict else { continue };
        let closed = closed(&reading, bounds, &acts, &Goal::Fails);
        let closed = closed.unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let kind = replayed(&reading.module, bounds, &acts).expect("it was followed").failure;
        let again = fails_again(&closed);
        assert!(again.is_some(), "{kind:?}\n{closed}");
        count += 1;
    }
    println!("{count} environments");
    assert!(count > 150, "{count}");
}

/// A schedule of which one act is left out, made by another thread, or made with another number is refused, or fails otherwise.
#[test]
fn environments_of_schedules_that_are_none_are_refused() {
    let text = "module{2} import ask(int%3) : int%3; int%3 x, y; mutex m;
        export put(n : int%3) = { lock(m); int%3 a := x; y := ask(n); unlock(m); if y = 2 and a = 0 then x := y };
        export get() : int%3 = { int%3 a := x; int%3 b := x; assert(a = b or n_is(b)); b };
        let n_is(n : int%3) : bool = n < 2;";
    let reading = reading(text);
    let bounds = Bounds { threads: 2, nesting: 1 };
    let Verdict::Unsafe(acts, ()) = check(&reading.module, bounds, &budget(), &mut |_| {}).verdict else {
        panic!("it fails");
    };
    let right = closed(&reading, bounds, &acts, &Goal::Fails).expect("it is followed");
    assert_eq!(fails_again(&right), Some(Kind::Assertion), "{right}");
    for n in 0..acts.len() {
        let mut fewer = acts.clone();
        fewer.remove(n);
        let mut other = acts.clone();
        other[n].thread = 1 - other[n].thread;
        for wrong in [fewer, other] {
            let refused = closed(&reading, bounds, &wrong, &Goal::Fails);
            assert!(refused.is_err(), "{wrong:?}");
        }
        let answers = acts[n].played.iter().filter(|played| matches!(played, Move::Return(_)));
        for _ in answers {
            let mut wrong = acts.clone();
            wrong[n].played = Some(Move::Return(Some(Int::ONE)));
            assert!(closed(&reading, bounds, &wrong, &Goal::Fails).is_err(), "{wrong:?}");
        }
    }
    let twice = [acts.clone(), acts.clone()].concat();
    assert!(closed(&reading, bounds, &twice, &Goal::Fails).is_err(), "it is over");
    let target = Target::parse(&reading.module, "ask(1)").expect("it is a call");
    assert!(closed(&reading, bounds, &acts, &Goal::Calls(target.clone())).is_err(), "it fails");
    // A call that is looked for: the environment aborts when it is made.
    let call = |thread, played| Act { thread, played };
    let put = Move::Call(Function::Procedure(ProcedureId(0)), vec![Int::ONE]);
    let acts = [call(1, Some(put)), call(1, None), call(1, None), call(1, None)];
    let made = closed(&reading, bounds, &acts, &Goal::Calls(target.clone())).expect("it is made");
    assert_eq!(fails_again(&made), Some(Kind::Abort), "{made}");
    assert!(closed(&reading, bounds, &acts[..3], &Goal::Calls(target)).is_err(), "it is not made yet");
}
