//! Modules: the engines agree with the references, and every failure is replayed.

use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_check::interval::Intervals;
use agon_check::modules::{Compiled, Found, each, explicit, of_slice, random};
use agon_check::predicate;
use agon_check::refine::RefinementOptions;
use agon_check::refine::modules;
use agon_check::verdict::Verdict;
use agon_core::checks::Watch;
use agon_core::module::eval::{Exit, Outcome, play};
use agon_core::module::inputs::Inputs;
use agon_core::module::sample::{Variation, on_bits};
use agon_core::module::tables;
use agon_core::module::{Calls, ImportId, Module, ProcedureId};
use agon_core::term::Operator;
use agon_ia::read::read_module;
use agon_ia::sample;

const STEPS: u64 = 400;

fn read(text: &str) -> Module {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading.module,
        other => panic!("it is a module: {text}\n{other:#?}"),
    }
}

/// The length of the play, if the module fails.
fn fails(module: &Module, found: &Found, text: &str) -> Option<usize> {
    match &found.verdict {
        Verdict::Unsafe(moves, ()) => {
            let played = play(module, moves.iter().cloned(), 1_000_000);
            let failed = matches!(played.outcome, Outcome::Ended(Exit::Fails(_)));
            assert!(failed, "{} does not fail: {:?}\n{text}", played.play.show(module), played.outcome);
            Some(played.play.0.len())
        }
        Verdict::Safe | Verdict::Unknown(_) => None,
    }
}

fn agree_among(
    seeds: std::ops::Range<u64>,
    engine: impl Fn(&Compiled) -> Found,
    shortest: bool,
) -> [usize; 3] {
    agree_on(seeds, sample::module, engine, shortest)
}

fn agree_on(
    seeds: std::ops::Range<u64>,
    sample: fn(u64, usize) -> String,
    engine: impl Fn(&Compiled) -> Found,
    shortest: bool,
) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in seeds {
        let text = sample(seed, 3 + (seed % 9) as usize);
        let module = read(&text);
        let varied = Variation::all(seed, &module);
        agrees(&text, module, &engine, shortest, &mut counts);
        agrees(&format!("{text}\n{varied}"), varied, &engine, shortest, &mut counts);
    }
    counts
}

/// An engine says of a module what the tables say.
fn agrees(
    text: &str,
    module: Module,
    engine: impl Fn(&Compiled) -> Found,
    shortest: bool,
    counts: &mut [usize; 3],
) {
    let found = engine(&Compiled::new(module.clone()));
    let length = fails(&module, &found, text);
    // The environment of the reference has one function of each type. It may need more to make the module fail.
    let reference = tables::tabulate(&module, &Inputs::range(0, 2, 1), 250, STEPS);
    let functions = text.contains("fn(");
    match (&found.verdict, reference) {
        (Verdict::Unknown(_), _) | (_, tables::Answer::Unknown) => counts[2] += 1,
        (Verdict::Safe, tables::Answer::Safe) => counts[0] += 1,
        (Verdict::Unsafe(..), tables::Answer::Fails(expected)) => {
            counts[1] += 1;
            let length = length.expect("it fails");
            let right =
                length == expected || (functions && length < expected) || (!shortest && length > expected);
            assert!(right, "{length} moves, not {expected}\n{text}");
        }
        (Verdict::Unsafe(..), tables::Answer::Safe) if functions => counts[1] += 1,
        (said, reference) => panic!("{said:?}, but the tables say {reference:?}\n{text}"),
    }
}

/// Procedures of the module's own give functions that the environment does not know.
#[test]
fn functions_are_given_back() {
    for engine in [&exact(u64::MAX) as &dyn Fn(&Compiled) -> Found, &intervals] {
        let [safe, fail, unknown] = agree_on(0..60, sample::choosing_module, engine, false);
        println!("{safe} safe, {fail} fail, {unknown} unknown");
        assert!(fail > 20 && safe + fail > 3 * unknown);
    }
}

/// Where only one check counts, the engines say the same as the tables.
#[test]
fn checks_are_told_apart() {
    let (mut safe, mut fail) = (0, 0);
    for seed in 0..120 {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let module = read(&text);
        for check in module.checks() {
            let watched = module.watching(Watch::Only(check));
            let reference = tables::tabulate(&watched, &Inputs::range(0, 2, 1), 250, STEPS);
            let functions = text.contains("fn(");
            for engine in [&exact(u64::MAX) as &dyn Fn(&Compiled) -> Found, &intervals] {
                let found = engine(&Compiled::new(watched.clone()));
                fails(&watched, &found, &text);
                match (&found.verdict, &reference) {
                    (Verdict::Unknown(_), _) | (_, tables::Answer::Unknown) => {}
                    (Verdict::Safe, tables::Answer::Safe) => safe += 1,
                    (Verdict::Unsafe(..), tables::Answer::Fails(_)) => fail += 1,
                    (Verdict::Unsafe(..), tables::Answer::Safe) if functions => fail += 1,
                    (said, reference) => panic!("{check:?}: {said:?}, but {reference:?}\n{text}"),
                }
            }
        }
    }
    println!("{safe} safe, {fail} fail");
    assert!(safe > 500 && fail > 50);
}

/// What an import may not do is never played, and what follows from it is a proof.
#[test]
fn imports_do_what_they_say() {
    // `now` is asked between looking at the tokens and taking one, and `log` takes one itself.
    let text = "module
        import now() : int%3;
        import log() : com;
        int%3 tokens := 1;
        export refill() = { tokens := 1; log() };
        export take() = if tokens > 0 then { let t = now() in assert(t < 2 or tokens = 0); tokens := tokens - 1 };";
    let now = ImportId(0);
    let log = ImportId(1);
    let [refill, take] = [0, 1].map(ProcedureId);
    let number = |n: u64| Int::from(n);
    let all = || Some((number(0), number(1)));
    for (returns, now_calls, now_ends, log_calls, expected) in [
        (None, Calls::Any, false, Calls::Any, Some(4)),
        (None, Calls::Nothing, false, Calls::Any, Some(4)),
        (all(), Calls::Any, false, Calls::Any, None),
        (None, Calls::Any, true, Calls::Any, None),
        (Some((number(2), number(2))), Calls::Nothing, false, Calls::Any, Some(4)),
        (None, Calls::Only(vec![refill]), false, Calls::Nothing, Some(4)),
        (all(), Calls::Only(vec![take]), false, Calls::Only(vec![refill]), None),
    ] {
        let mut module = read(text);
        module.restrict(now, returns, now_calls, now_ends);
        module.restrict(log, None, log_calls, false);
        assert_eq!(module.validate(), Ok(()));
        says(&module, expected);
    }
    // Only what the innermost import allows may be called: `log` may take while `now` is open, if `now` may refill.
    let text = "module
        import now() : com;
        import log() : com;
        int%3 open;
        export refill() = log();
        export take() = { assert(open = 0); open := 1; now(); open := 0 };";
    for (now_calls, log_calls, expected) in [
        (Calls::Any, Calls::Any, Some(4)),
        (Calls::Nothing, Calls::Any, None),
        (Calls::Only(vec![refill]), Calls::Any, Some(6)),
        (Calls::Only(vec![refill]), Calls::Nothing, None),
        (Calls::Only(vec![refill]), Calls::Only(vec![refill]), None),
        (Calls::Only(vec![refill]), Calls::Only(vec![take]), Some(6)),
    ] {
        let mut module = read(text);
        module.restrict(now, None, now_calls, false);
        module.restrict(log, None, log_calls, false);
        says(&module, expected);
    }
}

/// Members of a set in a mask, and how many there are. A guard is asked between the look and the change; if the fix is there, it
/// is looked for once more.
fn members(fixed: bool) -> Module {
    let again = if fixed { "if mask mod (1 * who) <> 0 then skip else" } else { "" };
    let text = format!(
        "module
        import may_join(i32) : i32;
        u32 mask, count;
        let ones(m : u32) : u32 = {{ u32 n; while m <> 0 do {{ n := n + m mod 1; m := m / 1 }}; n }};
        export join(who : i32) = if who < 0 or who > 3 then skip else if mask mod (1 * who) <> 0 then skip else {{
            let ok = may_join(who) in if ok = 0 then skip else {again} {{
                mask := -((-mask) mod (-(1 * who)));
                count := count + 1;
                assert(count = ones(mask)) }} }};
        export leave(who : i32) = if who < 0 or who > 3 then skip else
            if mask mod (1 * who) <> 0 then {{ mask := mask mod (-(1 * who)); count := count - 1 }};"
    );
    let operators = [
        (Operator::Multiply, Operator::ShiftLeft),
        (Operator::Divide, Operator::ShiftRight),
        (Operator::Modulo, Operator::BitAnd),
    ];
    on_bits(&read(&text), &operators)
}

#[test]
fn bits_of_large_numbers_are_kept_apart() {
    for (fixed, expected) in [(false, Some(8)), (true, None)] {
        let module = members(fixed);
        let effort = RefinementOptions::default();
        let found = modules::check(
            &Intervals::of_modules(),
            &Compiled::new(module.clone()),
            &effort,
            &budget(),
            &mut |_| {},
        );
        let text = module.to_string();
        println!("{:?} {} states, {} edges", found.verdict, found.states, found.transitions);
        assert_eq!(fails(&module, &found, &text), expected, "{:?}", found.verdict);
        assert!(!matches!(found.verdict, Verdict::Unknown(_)), "{:?}", found.verdict);
    }
}

/// A condition on what is shifted, multiplied or divided is a condition on the number itself.
#[test]
fn scales_are_cut_where_that_decides() {
    let operators = [(Operator::Multiply, Operator::ShiftLeft), (Operator::Divide, Operator::ShiftRight)];
    for (condition, expected) in [
        ("n / 24 = 100", Some(2)),
        ("n / 24 > 127", None),
        ("(n / 4) * 4 + 3 = 1000003", Some(2)),
        ("(n / 4) * 4 = 1000004", None),
        ("(7 - n / 3) * 1 < -2000000", Some(2)),
    ] {
        let text = format!("module export f(n : i32) = assert(not ({condition}));");
        let module = on_bits(&read(&text), &operators);
        let effort = RefinementOptions { iterations: 20, ..RefinementOptions::default() };
        let found = modules::check(
            &Intervals::of_modules(),
            &Compiled::new(module.clone()),
            &effort,
            &budget(),
            &mut |_| {},
        );
        assert!(!matches!(found.verdict, Verdict::Unknown(_)), "{condition}: {:?}", found.verdict);
        assert_eq!(fails(&module, &found, &text), expected, "{condition}");
    }
}

/// All engines say the same about a module: it is safe, or its shortest play that fails has this many moves.
fn says(module: &Module, expected: Option<usize>) {
    let text = module.to_string();
    for engine in [&exact(u64::MAX) as &dyn Fn(&Compiled) -> Found, &exact(0), &intervals, &by_predicates] {
        let found = engine(&Compiled::new(module.clone()));
        assert!(matches!(found.verdict, Verdict::Safe | Verdict::Unsafe(..)), "{:?}\n{text}", found.verdict);
        assert_eq!(fails(module, &found, &text), expected, "{}\n{text}", found.engine);
    }
}

fn budget() -> Budget {
    Budget { transitions: Some(200_000), ..Budget::default() }
}

fn exact(few: u64) -> impl Fn(&Compiled) -> Found {
    move |compiled| explicit(compiled, few, &budget(), &mut |_| {})
}

fn intervals(compiled: &Compiled) -> Found {
    let effort = RefinementOptions { iterations: 60, ..RefinementOptions::default() };
    modules::check(&Intervals::of_modules(), compiled, &effort, &budget(), &mut |_| {})
}

fn by_predicates(compiled: &Compiled) -> Found {
    by_predicates_in(compiled, 6)
}

/// How often predicates ask the budget before they give up.
const PATIENCE: u64 = 1_000;

fn by_predicates_in(compiled: &Compiled, iterations: usize) -> Found {
    let effort = RefinementOptions { iterations, ..RefinementOptions::default() };
    let budget = Budget { transitions: Some(2_000), ..Budget::default() }.with_patience(PATIENCE);
    predicate::modules::check(compiled, &effort, &budget, &mut |_| {})
}

#[test]
fn the_search_for_a_shortest_play_agrees_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300, exact(u64::MAX), true);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 120 && fail > 80);
}

#[test]
fn proofs_agree_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300, exact(0), true);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 120 && fail > 80);
}

/// Intervals, one check at a time.
fn one_at_a_time(compiled: &Compiled) -> Found {
    let effort = RefinementOptions { iterations: 60, ..RefinementOptions::default() };
    each::intervals(compiled, 0, &effort, &budget(), &mut |_| {})
}

#[test]
fn random_environments_find_most_failures_and_no_others() {
    let budget = Budget { transitions: Some(300), ..Budget::default() };
    let ([safe, found, open], [_, all, _]) = rayon::join(
        || agree_among(0..60, |compiled| random::check(compiled, &budget), false),
        || agree_among(0..60, exact(u64::MAX), true),
    );
    assert_eq!(safe, 0, "it proves nothing");
    assert!(open > 0 && found <= all && 10 * found >= 9 * all, "{found} of {all}");
}

#[test]
fn one_check_at_a_time_is_enough() {
    let [safe, fail, unknown] = agree_among(0..200, one_at_a_time, false);
    assert!(safe > 80 && fail > 80, "{safe} safe, {fail} fail, {unknown} unknown");
}

#[test]
fn summaries_of_procedures_that_call_nobody_change_nothing() {
    let mut summarised = 0;
    let mut counts = [0; 3];
    for seed in 0..200 {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let mut module = read(&text);
        module.summarised = module.silent();
        summarised += module.summarised.len();
        agrees(&text, module, exact(u64::MAX), true, &mut counts);
    }
    let [safe, fail, unknown] = counts;
    assert!(safe > 40 && fail > 40 && summarised > 20, "{safe} {fail} {unknown}, {summarised} summarised");
}

/// A slice of a module fails wherever the module does, and what is found in slices is what the tables say: of all checks together, and of each
/// alone.
#[test]
fn slices_fail_where_their_modules_do() {
    let (mut counts, mut smaller, mut more) = ([0; 3], 0, 0);
    for seed in 0..150 {
        let text = sample::module(seed, 3 + (seed % 9) as usize);
        let module = read(&text);
        let varied = Variation::all(seed, &module);
        for module in [&module, &varied] {
            let checks = module.checks().into_iter().take(4).map(Watch::Only);
            for watch in checks.chain([Watch::All]) {
                let module = module.watching(watch);
                let sliced = module.sliced();
                assert_eq!(sliced.validate(), Ok(()), "{text}\n{sliced}");
                smaller += usize::from(sliced.to_string() != module.to_string());
                let answer = |module: &Module| tables::tabulate(module, &Inputs::range(0, 2, 1), 250, STEPS);
                match (answer(&module), answer(&sliced)) {
                    (tables::Answer::Unknown, _) | (_, tables::Answer::Unknown) => {}
                    (tables::Answer::Safe, tables::Answer::Safe) => {}
                    (tables::Answer::Safe, tables::Answer::Fails(_)) => more += 1,
                    (tables::Answer::Fails(n), tables::Answer::Fails(m)) if m <= n => {}
                    (whole, slice) => panic!("{whole:?}, but the slice {slice:?}\n{module}\n{sliced}"),
                }
                let ask =
                    |_: &Compiled| of_slice(&module, true, &budget(), |compiled| exact(u64::MAX)(compiled));
                agrees(&text, module.clone(), ask, false, &mut counts);
            }
        }
    }
    let [safe, fail, unknown] = counts;
    println!(
        "{safe} safe, {fail} fail, {unknown} without an answer, {smaller} smaller, {more} that fail alone"
    );
    assert!(safe > 200 && fail > 100 && smaller > 200);
}

/// What is split no more than excludes a counterexample.
fn sparing(compiled: &Compiled) -> Found {
    let effort = RefinementOptions { iterations: 90, spare_from: 0, ..RefinementOptions::default() };
    modules::check(&Intervals::of_modules(), compiled, &effort, &budget(), &mut |_| {})
}

#[test]
fn sparing_refinement_agrees_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..200, sparing, false);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 80 && fail > 50);
}

#[test]
fn intervals_agree_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..300, intervals, false);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 120 && fail > 80);
}

#[test]
fn predicates_agree_with_the_tables() {
    let [safe, fail, unknown] = agree_among(0..100, by_predicates, false);
    println!("{safe} safe, {fail} fail, {unknown} without an answer");
    assert!(safe > 10 && fail > 5);
}

/// What an activation has read before it calls out is not what the cell holds afterwards.
#[test]
fn what_was_read_stays_what_it_was() {
    let text = |answers: &str| {
        format!(
            "module
            import f() : com;
            i32 x;
            let g() : i32 = {{ f(); x }};
            export set(v : i32) = {answers};
            export m() = assert(x = g());"
        )
    };
    for (answers, expected) in [("x := v", Some(6)), ("{ x := x + 1; x := x - 1 }", None)] {
        let module = read(&text(answers));
        let found = by_predicates(&Compiled::new(module.clone()));
        assert!(!matches!(found.verdict, Verdict::Unknown(_)), "{answers}: {:?}", found.verdict);
        assert_eq!(fails(&module, &found, answers), expected);
    }
}

/// A loop that is never left is gone round until nothing new is known, not as often as it goes: terms would only get longer.
#[test]
fn a_loop_without_end_is_decided() {
    let text = |condition: &str, round: &str, wrong: &str| {
        format!(
            "module
            import tell(int%3) : com;
            int%3 x, y := 1;
            export run() = {{
                while {condition} do {{
                    {round};
                    {wrong}
                }};
                assert(false)
            }};
            export give(n : int%3) = {{ x := n; tell(y) }};"
        )
    };
    let undecided = "if x < y then skip else x := x + 1; y := x + y";
    for (condition, round, wrong, expected) in [
        ("true", undecided, "skip", None),
        ("x = x", undecided, "skip", None),
        ("true", undecided, "assert(x + y <> 1)", Some(2)),
        ("true", "x := x + x; y := y + y", "skip", None),
        ("2 = 2", "x := x + y; y := y + x", "assert(x = 0 or y <> x)", Some(4)),
    ] {
        says(&read(&text(condition, round, wrong)), expected);
    }
}

/// Where cells count calls or are restored after them, predicates relate what they hold to what they held.
#[test]
fn relations_agree_with_the_tables() {
    let by_relations = |compiled: &Compiled| by_predicates_in(compiled, 12);
    for engine in [&by_relations as &dyn Fn(&Compiled) -> Found, &intervals] {
        let [safe, fail, unknown] = agree_on(0..100, sample::counting_module, engine, false);
        println!("{safe} safe, {fail} fail, {unknown} without an answer");
        assert!(safe > 10 && fail > 5);
    }
}

#[test]
#[ignore = "long: 2,000 random modules"]
fn relations_agree_with_the_tables_on_many_modules() {
    let mut all = [0; 3];
    for first in (100..2_100).step_by(100) {
        let found = agree_on(first..first + 100, sample::counting_module, by_predicates, false);
        (0..3).for_each(|n| all[n] += found[n]);
        let [safe, fail, unknown] = all;
        println!("up to {}: {safe} safe, {fail} fail, {unknown} without an answer", first + 100);
    }
    assert!(all[0] > 400 && all[1] > 200);
}

#[test]
#[ignore = "long: 10,000 random modules"]
fn predicates_agree_with_the_tables_on_many_modules() {
    let mut all = [0; 3];
    for first in (100..10_100).step_by(100) {
        let found = agree_among(first..first + 100, by_predicates, false);
        (0..3).for_each(|n| all[n] += found[n]);
        let [safe, fail, unknown] = all;
        println!("up to {}: {safe} safe, {fail} fail, {unknown} without an answer", first + 100);
    }
    assert!(all[0] > 4_000 && all[1] > 2_000);
}

#[test]
#[ignore = "long: 10,000 random modules with each engine"]
fn engines_agree_with_the_tables_on_many_modules() {
    for (name, found) in [
        ("search", agree_among(300..10_300, exact(u64::MAX), true)),
        ("proofs", agree_among(300..10_300, exact(0), true)),
        ("intervals", agree_among(300..10_300, intervals, false)),
    ] {
        let [safe, fail, unknown] = found;
        println!("{name}: {safe} safe, {fail} fail, {unknown} without an answer");
        assert!(safe > 4_000 && fail > 2_500);
    }
}
