//! Equivalence of modules by relations between what they hold: pairs over full 32-bit data, traps with re-entry, and random
//! modules beside the tables over pairs.

use agon_base::budget::Budget;
use agon_base::random::Random;
use agon_check::equiv::{Engine, Options, Relation};
use agon_check::library::{Comparison, ModulesCompared, compare};
use agon_core::module::Module;
use agon_core::module::sample::Variation;
use agon_ia::read::{ModuleReading, read_module};
use agon_ia::sample;

fn reading(text: &str) -> ModuleReading {
    read_module(text, &[]).and_then(Result::ok).unwrap_or_else(|| panic!("it is a module: {text}"))
}

fn by(engine: Engine) -> Options {
    Options { engine, ..Options::new(Relation::Equivalence) }
}

fn compared(left: &ModuleReading, right: &ModuleReading, engine: Engine) -> ModulesCompared {
    let budget = Budget { transitions: Some(50_000), ..Budget::default() }.with_patience(300_000);
    let languages = [&left.document as _, &right.document as _];
    compare([&left.module, &right.module], languages, &by(engine), &budget, &mut |_| {})
        .unwrap_or_else(|why| panic!("{why}"))
}

fn word(comparison: &Comparison) -> &'static str {
    match comparison {
        Comparison::Holds => "equivalent",
        Comparison::Differs(_) => "inequivalent",
        Comparison::Unknown(_) => "unknown",
    }
}

/// The verdicts of relations for a pair, and for the pair with its sides exchanged.
fn both_ways(left: &str, right: &str) -> [&'static str; 2] {
    let [left, right] = [left, right].map(|text| reading(&format!("module {text}")));
    let of = |left, right| word(&compared(left, right, Engine::Product).comparison);
    let (one, other) = rayon::join(|| of(&left, &right), || of(&right, &left));
    [one, other]
}

#[track_caller]
fn equivalent(left: &str, right: &str) {
    assert_eq!(both_ways(left, right), ["equivalent"; 2], "{left}\n{right}");
}

#[track_caller]
fn inequivalent(left: &str, right: &str) {
    assert_eq!(both_ways(left, right), ["inequivalent"; 2], "{left}\n{right}");
}

#[test]
fn a_private_computation_may_be_cached() {
    equivalent(
        "i32 x; export set(a : i32) = x := a; export get() : i32 = x * 3 + 7;",
        "i32 x, c; bool valid; export set(a : i32) = { x := a; valid := false };
         export get() : i32 = { if not valid then { c := x * 3 + 7; valid := true }; c };",
    );
    // It is not done anew once the number has changed.
    inequivalent(
        "i32 x; export set(a : i32) = x := a; export get() : i32 = x * 3 + 7;",
        "i32 x, c; bool valid; export set(a : i32) = x := a;
         export get() : i32 = { if not valid then { c := x * 3 + 7; valid := true }; c };",
    );
    // What is asked of the environment is asked less often.
    inequivalent(
        "import rate() : i32; export get() : i32 = rate();",
        "import rate() : i32; i32 c; bool valid;
         export get() : i32 = { if not valid then { c := rate(); valid := true }; c };",
    );
}

#[test]
fn a_notification_may_not_be_moved_if_the_environment_calls_back() {
    let module = |body: &str, rest: &str| {
        format!("import changed(i32) : com; i32 x; export set(a : i32) = {{ {body} }}; {rest}")
    };
    let get = "export get() : i32 = x;";
    inequivalent(&module("x := a; changed(a)", get), &module("changed(a); x := a", get));
    // Without `get` nobody can look while `changed` runs, nor later.
    equivalent(&module("x := a; changed(a)", ""), &module("changed(a); x := a", ""));
    // What is notified is what was given, whatever happens to the cell meanwhile.
    equivalent(&module("x := a; changed(a)", get), &module("x := a; changed(x)", get));
    inequivalent(
        &module("x := a; changed(a); changed(a)", get),
        &module("x := a; changed(a); changed(x)", get),
    );
}

/// A difference is by re-entry only if the modules are equal without it.
#[test]
fn what_only_reentry_shows_is_said() {
    let only = |left: &str, right: &str| {
        let [left, right] = [left, right].map(|text| reading(&format!("module {text}")));
        match compared(&left, &right, Engine::Auto).comparison {
            Comparison::Differs(difference) => difference.only_by_reentry,
            other => panic!("{other:?}"),
        }
    };
    let module = |body: &str, get: &str| {
        format!(
            "import changed(i32) : com; i32 x; export set(a : i32) = {{ {body} }}; export get() : i32 = {get};"
        )
    };
    assert!(only(&module("x := a; changed(a)", "x"), &module("changed(a); x := a", "x")));
    // Another difference, which needs more moves, shows without.
    assert!(!only(
        &module("x := a; changed(a)", "x"),
        &module("changed(a); x := a", "if x = 7 then 8 else x")
    ));
    assert!(!only(&module("changed(a)", "x"), &module("changed(a + 1)", "x")));
}

#[test]
fn what_an_activation_keeps_stays_while_it_waits() {
    let module = |body: &str| {
        format!(
            "import ask() : i32; i32 x; export set(a : i32) = x := a; \
             export run(k : i32) : i32 = {{ {body} }};"
        )
    };
    equivalent(&module("i32 r := ask(); r + k"), &module("i32 r := k; r := r + ask(); r"));
    equivalent(
        &module("i32 was := x; was := was + ask(); was"),
        &module("i32 was := x; i32 r := ask(); r + was"),
    );
    inequivalent(&module("i32 was := x; i32 r := ask(); r + was"), &module("i32 r := ask(); r + x"));
}

/// What relates the cells of an activation to those of the module while it waits is known as long as nobody changes it.
#[test]
fn what_waits_may_be_related_to_the_cells_of_the_module() {
    let module = |guard: &str, body: &str| {
        format!(
            "import call(i32) : i32; bool busy; i32 last; \
             export run(x : i32) : i32 = if {guard} then -1 else {{ {body} }};"
        )
    };
    let with_cell = "busy := true; last := x; i32 r := call(x); busy := false; r + last";
    let with_local = "busy := true; last := x; i32 r := call(last); r := r + x; busy := false; r";
    equivalent(&module("busy", with_cell), &module("busy", with_local));
    // Without the guard, or if it is lifted too soon, a call from inside changes the cell.
    inequivalent(&module("false", with_cell), &module("false", with_local));
    let soon = "busy := true; last := x; busy := false; i32 r := call(x); r + last";
    inequivalent(&module("busy", soon), &module("busy", with_local));
    // The guard lets every second call through.
    inequivalent(&module("busy and last = 7", with_cell), &module("busy and last = 7", with_local));
}

/// What is counted up and down again is as it was, which only all calls together show.
#[test]
fn what_is_counted_up_and_down_again_is_as_it_was() {
    let module = |body: &str| {
        format!(
            "import ask() : com; i32 depth; export run() : i32 = {{ {body} }}; export get() : i32 = depth;"
        )
    };
    let verdicts = both_ways(
        &module("depth := depth + 1; i32 d := depth; ask(); depth := depth - 1; d"),
        &module("depth := depth + 1; ask(); depth := depth - 1; depth + 1"),
    );
    assert!(!verdicts.contains(&"inequivalent"), "{verdicts:?}");
    inequivalent(
        &module("depth := depth + 1; i32 d := depth; ask(); depth := d - 1; d"),
        &module("depth := depth + 1; i32 d := depth; ask(); depth := depth - 1; depth"),
    );
}

/// Two activations of two procedures wait, one above the other, and each relies on what the other one leaves alone.
#[test]
fn activations_above_each_other_are_told_apart() {
    let module = |first: &str, second: &str| {
        format!(
            "import f() : com; import g() : com; i32 x, y; bool inside; \
             export a(k : i32) : i32 = if inside then 0 else {{ inside := true; x := k; f(); inside := false; {first} }}; \
             export b(k : i32) : i32 = {{ y := k; g(); {second} }}; \
             export get() : i32 = x;"
        )
    };
    equivalent(&module("x", "k"), &module("k", "k"));
    // `b` may be called again while it waits.
    inequivalent(&module("x", "y"), &module("x", "k"));
}

#[test]
fn guards_and_arrays() {
    let put = |guard: &str, length: u32| {
        format!(
            "i32 t[{length}]; export put(i : i32, v : i32) = if {guard} then t[i] := v; \
             export get(i : i32) : i32 = if i >= 0 and i < 4 then t[i] else -1;"
        )
    };
    equivalent(&put("i >= 0 and i < 4", 4), &put("not (i < 0 or i > 3)", 4));
    equivalent(&put("i >= 0 and i < 4", 4), &put("i >= 0 and i < 4", 7));
    inequivalent(&put("i >= 0 and i < 4", 4), &put("i >= 0 and i <= 4", 4));
    // The array is long enough, and nobody reads what is behind.
    equivalent(&put("i >= 0 and i < 4", 4), &put("i >= 0 and i <= 4", 5));
    inequivalent(&put("i >= 0 and i < 4", 4), &put("i >= 0 and i < 3", 4));
}

/// A mutex is a flag: one thread that takes it twice fails, and so does one that gives it back without having it.
#[test]
fn mutexes_are_held_or_not() {
    let module = |cell: &str, add: &str, get: &str| {
        format!(
            "mutex m; i32 {cell}; export add(a : i32) = {{ lock(m); {add}; unlock(m) }}; export get() : i32 = {get};"
        )
    };
    equivalent(&module("x", "x := x + a", "x"), &module("y", "y := y - a", "-y"));
    inequivalent(&module("x", "x := x + a", "x"), &module("x", "x := x + a; lock(m)", "x"));
    let around = |body: &str| {
        format!("import cb() : com; mutex m; i32 x; export run(a : i32) : i32 = {{ {body}; x }};")
    };
    // A call from inside fails in the first only.
    inequivalent(&around("lock(m); cb(); x := a; unlock(m)"), &around("cb(); lock(m); x := a; unlock(m)"));
    // Whoever calls from inside fails, so nobody changes the cell meanwhile.
    equivalent(
        &around("lock(m); x := a; cb(); unlock(m)"),
        &around("lock(m); x := a; cb(); x := a; unlock(m)"),
    );
    inequivalent(&around("x := a; cb()"), &around("x := a; cb(); x := a"));
}

#[test]
fn cells_that_hold_something_at_first() {
    equivalent(
        "import tick(u32) : com; u32 n; export step() = { n := n + 1; tick(n) };",
        "import tick(u32) : com; u32 n := 100; export step() = { n := n + 1; tick(n - 100) };",
    );
    inequivalent(
        "u32 n; export step() : u32 = { n := n + 1; n };",
        "u32 n := 1; export step() : u32 = { n := n + 1; n };",
    );
}

#[test]
fn a_module_that_runs_for_ever_is_not_equal_to_one_that_moves() {
    let module = |body: &str| format!("import out(i32) : com; export run(n : i32) = {{ {body} }};");
    for (left, right) in [
        ("while true do skip; out(1)", "out(1)"),
        ("out(1); while true do skip", "out(1)"),
        ("i32 i := n; while i <> 0 do i := i - 2; out(1)", "out(1)"),
        ("if n = 123456 then while true do skip", "skip"),
    ] {
        let verdicts = both_ways(&module(left), &module(right));
        assert!(!verdicts.contains(&"equivalent"), "{left}\n{right}\n{verdicts:?}");
    }
    equivalent(
        &module("i32 i; while i < n do i := i + 1; out(1)"),
        &module("i32 i := n; while i > 0 do i := i - 1; out(1)"),
    );
}

/// Where a difference is one number among 2^32, and only after two calls.
#[test]
fn a_difference_for_one_number_is_found() {
    inequivalent(
        "i32 x; export set(a : i32) = x := a; export get() : i32 = x;",
        "i32 x; export set(a : i32) = x := a; export get() : i32 = if x + x = 86420 then 0 else x;",
    );
}

/// A random module with numbers changed somewhere.
fn mutant(text: &str, random: &mut Random) -> Option<String> {
    let (head, bodies) = text.split_once("let hidden")?;
    let places: Vec<usize> = bodies.match_indices(['0', '1', '2']).map(|(at, _)| at).collect();
    let mut changed = bodies.to_string();
    for _ in 0..4 {
        let place = *places.get(random.below(places.len().max(1)))?;
        changed.replace_range(place..=place, ["0", "1", "2"][random.below(3)]);
    }
    Some(format!("{head}let hidden{changed}"))
}

/// Relations and tables agree on random modules and versions of them, over small data.
fn agree(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let [mut same, mut different, mut unknown] = [0; 3];
    for seed in seeds {
        let text = sample::plain_module(seed, 3 + (seed % 9) as usize);
        let mut random = Random::new(seed);
        let Some(other) = mutant(&text, &mut random) else { continue };
        let Some(Ok(mut right)) = read_module(&other, &[]) else { continue };
        let mut left = reading(&text);
        if seed % 2 == 1 {
            let vary = |module: &mut Module| Variation::new(seed).imports(module);
            vary(&mut left.module);
            vary(&mut right.module);
        }
        let [by_tables, by_relations] = [Engine::Explicit, Engine::Product]
            .map(|engine| word(&compared(&left, &right, engine).comparison));
        match (by_tables, by_relations) {
            (_, "unknown") => unknown += 1,
            ("unknown", _) => {}
            (tables, relations) => {
                assert_eq!(tables, relations, "{text}\n{other}");
                *(if relations == "equivalent" { &mut same } else { &mut different }) += 1;
            }
        }
    }
    [same, different, unknown]
}

#[test]
fn relations_agree_with_tables() {
    let [same, different, unknown] = agree(0..200);
    println!("{same} equivalent, {different} inequivalent, {unknown} unknown");
    assert!(same > 40 && different > 5, "{same} {different} {unknown}");
}

#[test]
#[ignore = "takes minutes"]
fn relations_agree_with_tables_on_many() {
    let [same, different, unknown] = agree(0..1_000);
    println!("{same} equivalent, {different} inequivalent, {unknown} unknown");
    assert!(same > 200 && different > 100, "{same} {different} {unknown}");
}
