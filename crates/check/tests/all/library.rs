//! Questions about modules: verdicts, targets, single checks, and what every verdict assumes.

use agon_base::budget::{Budget, Stop};
use agon_check::library::{Question, Report, Task, Verdict, assumptions, check};
use agon_check::portfolio::Engine;
use agon_check::refine::RefinementOptions;
use agon_check::verdict::Reason;
use agon_core::module::target::Target;
use agon_ia::read::{ModuleReading, read_module};

/// A rate limiter that looks at its tokens before it asks the clock, and takes one afterwards.
const BUCKET: &str = "module
    import now() : int%2;
    import log(int%3) : com;
    int%3 tokens := 2;
    export refill(k : int%3) = tokens := k;
    export take() = if tokens > 0 then {
      if now() = 1 then log(tokens);
      assert(tokens > 0);
      tokens := tokens - 1
    };";

fn read(text: &str) -> ModuleReading {
    match read_module(text, &[]) {
        Some(Ok(reading)) => reading,
        other => panic!("it is no module: {other:#?}\n{text}"),
    }
}

fn ask(reading: &ModuleReading, question: &Question, budget: &Budget) -> Report {
    let ModuleReading { document, module, .. } = reading;
    let effort = &RefinementOptions::default();
    let task = Task { module, language: document, question, effort, budget };
    check(Engine::Auto, task, &mut |_| {})
}

fn verdict(text: &str, question: &Question) -> Verdict {
    ask(&read(text), question, &Budget::default()).verdict
}

/// The play of an unsafe module.
#[track_caller]
fn play(text: &str, question: &Question) -> String {
    match verdict(text, question) {
        Verdict::Unsafe(play, _) => play.show(&read(text).module),
        other => panic!("{other:?}\n{text}"),
    }
}

#[track_caller]
fn is_safe(text: &str, question: &Question) {
    let verdict = verdict(text, question);
    assert!(matches!(verdict, Verdict::Safe), "{verdict:?}\n{text}");
}

fn calls(text: &str, target: &str) -> Question {
    Question::Calls(Target::parse(&read(text).module, target).expect("it is a target"))
}

#[test]
fn a_shortest_play_calls_back() {
    assert_eq!(play(BUCKET, &Question::Fails), "take() · now() · refill(0) · ret · ret 0 · fail");
    is_safe(&BUCKET.replace("assert(tokens > 0);", ""), &Question::Fails);
    let takes_first = BUCKET.replace("if now() = 1 then log(tokens);", "");
    is_safe(&takes_first, &Question::Fails);
}

#[test]
fn a_target_is_a_call_with_its_arguments() {
    assert_eq!(play(BUCKET, &calls(BUCKET, "now()")), "take() · now()");
    assert_eq!(play(BUCKET, &calls(BUCKET, "log(_)")), "take() · now() · ret 1 · log(2)");
    let one = play(BUCKET, &calls(BUCKET, "log(1)"));
    assert!(one.ends_with("log(1)") && one.matches('·').count() == 5, "{one}");
    assert!(play(BUCKET, &calls(BUCKET, "log(0)")).contains("refill(0)"));
    let quiet = BUCKET.replace("log(tokens)", "if tokens = 3 then log(0)");
    is_safe(&quiet, &calls(&quiet, "log()"));
}

#[test]
fn what_is_no_target_is_refused() {
    let module = read(BUCKET).module;
    for (text, why) in [
        ("log", "parentheses"),
        ("log(", "`)` is missing"),
        ("log(1, 2)", "has 1 arguments, not 2"),
        ("log(3)", "`3` is no value of type `int%3`"),
        ("log(x)", "`x` is no value of type `int%3`"),
        ("take()", "the environment calls"),
        ("later()", "nothing is called `later`"),
        ("@99999999999999999999()", "nothing is called"),
    ] {
        let said = Target::parse(&module, text).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn a_check_is_asked_about_apart_from_the_others() {
    let text = "module int%3 a[2]; export put(i : int%3) = { if i = 2 then assert(i <> 2); a[i] := 1; assert(a[i] = 1) };";
    let reading = read(text);
    let said: Vec<_> = (reading.module.checks().into_iter())
        .map(|check| {
            let span = check.span;
            let word = ask(&reading, &Question::FailsAt(check), &Budget::default()).verdict.word();
            (&text[span.start as usize..span.end as usize], word)
        })
        .collect();
    let expected = [
        // The first check stops what the second one would see.
        ("assert(i <> 2)", "UNSAFE"),
        ("a[i]", "SAFE"),
        ("assert(a[i] = 1)", "SAFE"),
        ("a[i]", "SAFE"),
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_budget_that_is_used_up_gives_no_verdict() {
    let budget = Budget::default();
    budget.cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
    let verdict = ask(&read(BUCKET), &Question::Fails, &budget).verdict;
    let Verdict::Unknown(Reason::Stop(Stop::Cancelled) | Reason::Unconfirmed(_)) = verdict else {
        panic!("{verdict:?}");
    };
}

#[test]
fn what_is_assumed_names_the_imports_and_the_exports() {
    let list = assumptions(&read(BUCKET).module, None);
    assert!(list.iter().any(|line| line == "the environment has one thread"), "{list:?}");
    let back = "before it returns from now or log, the environment may call refill, take";
    assert!(list.iter().any(|line| line == back), "{list:?}");
    let closed = assumptions(&read("module int%2 n; export m() = n := 1;").module, None);
    assert!(closed.iter().all(|line| !line.contains("returns")), "{closed:?}");
    let given = assumptions(&read("module export m(k : fn() : com) = k();").module, None);
    assert!(given.iter().any(|line| line.contains("a function that it has given")), "{given:?}");
    let escapes = assumptions(&read("module let p() = skip; export get() : fn() : com = p;").module, None);
    assert!(escapes.iter().any(|line| line.contains("may call p as soon as")), "{escapes:?}");
}
