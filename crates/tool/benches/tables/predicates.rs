//! [PRED]: scopes of predicates, minimal and maximal.

use std::fmt::Write;
use std::time::{Duration, Instant};

use agon::session::Session;
use agon_base::budget::Budget;
use agon_base::int::Int;
use agon_base::source::Source;
use agon_check::portfolio::Engine;
use agon_check::predicate::Scheme;
use agon_check::question::Order;
use agon_check::refine::RefinementOptions;
use agon_check::verdict::{Report, Verdict};

use super::root;

/// How long a proof is repeated; the shortest time counts, since most proofs are too short to measure once.
const REPEATED: Duration = Duration::from_millis(500);
/// The time limit of a proof.
const PATIENCE: Duration = Duration::from_secs(60);

/// Proves a program safe several times: the shortest time, and the report.
fn prove(text: &str, defines: &[(&str, u64)], scheme: Scheme) -> (f64, Report) {
    let defines: Vec<_> = defines.iter().map(|(name, value)| (name.to_string(), Int::from(*value))).collect();
    let mut shortest = f64::INFINITY;
    let begun = Instant::now();
    loop {
        let started = Instant::now();
        let session = Session::open(Source::new("program", text), defines.clone()).expect("it is a program");
        let question = session.question("abort", Order::Fixed).expect("every program may abort");
        let budget = Budget { deadline: Some(started + PATIENCE), ..Budget::default() };
        let engine = Engine::Predicate(scheme);
        let report = session.check(&question, engine, &RefinementOptions::default(), &budget, &mut |_| {});
        assert!(matches!(report.verdict, Verdict::Safe), "{:?}\n{text}", report.verdict);
        shortest = shortest.min(started.elapsed().as_secs_f64());
        if begun.elapsed() > REPEATED {
            return (shortest, report);
        }
    }
}

fn corpus(file: &str) -> String {
    std::fs::read_to_string(root().join("corpus").join(file)).expect("the corpus can be read")
}

fn asked(report: &Report) -> (u64, usize) {
    report.predicated().map_or((0, 0), |predicated| (predicated.asked, predicated.alive))
}

/// Seconds, iterations, queries and live predicates of both schemes, and their ratio.
fn both(text: &str) -> String {
    let (long, widest) = prove(text, &[], Scheme::Maximal);
    let (short, tightest) = prove(text, &[], Scheme::Minimal);
    let mut row = String::new();
    for (seconds, report) in [(long, &widest), (short, &tightest)] {
        let (questions, alive) = asked(report);
        let _ = write!(row, " {seconds:.5} | {} | {questions} | {alive} |", report.iterations);
    }
    format!("{row} {:.1} |", long / short)
}

/// Tricks like number magic: a number is added to a number of times, with an assertion each time.
fn tricks(n: u64) -> String {
    let mut text = String::from(
        "stooge : int, distract : com |-\nnew int m in new int n in\nn := stooge; distract;\nm := !n; distract; \
         assert(m = n)",
    );
    for k in 1..n {
        let sum = k * (k + 1) / 2;
        let _ = write!(text, ";\nm := !m + {k}; distract; assert(m = {sum} + n)");
    }
    text
}

pub fn scopes() -> String {
    let columns = "seconds | iterations | questions | alive |";
    let mut text = format!(
        "Seconds, iterations, questions asked of the solver and the most predicates alive at once, with `--predicates \
         maximal` and `minimal`, and how many times longer the first takes; beside the seconds that the paper reports of \
         MAGE, which asks Yices. The shortest of many runs in one process.\n\n\
         | program | MAGE: maximal | minimal | maximal: {columns} minimal: {columns} ratio |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    );
    for (name, file, theirs) in [
        ("number magic (Example 3)", "papers/pred-number-magic-integers.ia", ["250", "2"]),
        ("Example 4", "papers/pred-example-4-integers.ia", ["7.5", "0.75"]),
    ] {
        let _ = writeln!(text, "| {name} | {} | {} |{}", theirs[0], theirs[1], both(&corpus(file)));
        println!("predicates, {name}");
    }
    for n in [5, 10, 20] {
        let _ = writeln!(text, "| {n} tricks | – | – |{}", both(&tricks(n)));
        println!("predicates, {n} tricks");
    }
    text += "\nA trick is a number that is added to the one that was thought of, with an assertion; each has a predicate of \
             its own. Bubble sort of integers that the environment gives, sorted in the end \
             (corpus/predicates/bubble-sort.ia), and a ring whose count is head minus tail modulo its size \
             (corpus/predicates/buffer.ia), with minimal scopes:\n\n\
             | program | size | seconds | iterations | questions | states |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |\n";
    let sizes = [
        ("bubble sort", "predicates/bubble-sort.ia", "n", &[2, 3, 4, 5, 6][..]),
        ("buffer", "predicates/buffer.ia", "size", &[2, 4, 8, 16, 32, 64]),
    ];
    for (name, file, constant, sizes) in sizes {
        for size in sizes {
            let (seconds, report) = prove(&corpus(file), &[(constant, *size)], Scheme::Minimal);
            let _ = writeln!(
                text,
                "| {name} | {size} | {seconds:.5} | {} | {} | {} |",
                report.iterations,
                asked(&report).0,
                report.states
            );
            println!("predicates, {name} of {size}");
        }
    }
    text
}
