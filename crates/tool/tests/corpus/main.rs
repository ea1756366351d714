//! The corpus: one test for each program and engine, so that one failure does not hide others and each can be run by name.
//!
//! ```text
//! cargo test --test corpus                       everything
//! cargo test --test corpus otf-ages              a program, by every engine
//! cargo test --test corpus partition::papers/    an engine, on a folder
//! ```
//!
//! A test is ignored if the program says that the engine cannot handle it. With `--ignored` it runs for a short while, and
//! must not give a wrong verdict.

mod claims;
mod compare;
mod modules;
mod semantics;
mod text;
#[path = "../tree/mod.rs"]
mod tree;
mod verdicts;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use claims::{Claims, Program, corpus};
use libtest_mimic::{Arguments, Trial};

/// How often the tests have seen something, over the whole corpus.
static SEEN: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());

/// Counts something that the tests must see.
fn seen(what: &'static str) {
    *SEEN.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += 1;
}

/// What the tests must see at least, so that they do not test too little.
const AT_LEAST: [(&str, usize); 19] = [
    ("programs", 200),
    ("modules", 60),
    ("modules that are safe", 15),
    ("modules that are unsafe", 15),
    ("modules with threads that are safe", 3),
    ("modules with threads that are unsafe", 3),
    ("checks that refined their data", 50),
    ("proofs by predicates", 50),
    ("proofs from the scopes that were found", 10),
    ("programs in two parts", 60),
    ("assumptions that pay", 1),
    ("programs that claim whether they get stuck", 2),
    ("models that the reference semantics agrees on", 20),
    ("concurrent models that the reference semantics agrees on", 10),
    ("sequential models with threads that the reference semantics agrees on", 20),
    ("comparisons", 60),
    ("checks that fail", 50),
    ("checks that hold", 50),
    ("checks that are never reached", 10),
];

/// A test of a program. It is ignored if the program says that the engine cannot handle it.
fn trial(
    group: &str,
    program: &Program,
    claims: &Claims,
    ignored: bool,
    run: impl FnOnce(&Program, &Claims) + Send + 'static,
) -> Trial {
    let (program, claims) = (program.clone(), claims.clone());
    let name = format!("{group}::{}", program.name);
    let test = move || {
        run(&program, &claims);
        Ok(())
    };
    Trial::test(name, test).with_ignored_flag(ignored)
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for program in corpus() {
        seen("programs");
        match Claims::read(&program.text) {
            Ok(claims) if modules::trials(&program, &claims, &mut trials) => {
                seen("modules");
                text::trials(&program, &claims, &mut trials);
            }
            Ok(claims) => {
                verdicts::trials(&program, &claims, &mut trials);
                semantics::trials(&program, &claims, &mut trials);
                compare::trials(&program, &claims, &mut trials);
                text::trials(&program, &claims, &mut trials);
            }
            Err(why) => {
                let name = format!("claims::{}", program.name);
                trials.push(Trial::test(name, move || Err(why.into())));
            }
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let whole = conclusion.num_filtered_out == 0 && !arguments.list && !arguments.ignored;
    if !whole || conclusion.has_failed() {
        return conclusion.exit_code();
    }
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    println!("{seen:#?}");
    let count = |what: &str| seen.get(what).copied().unwrap_or(0);
    let mut enough = true;
    for (what, least) in AT_LEAST.into_iter().filter(|(what, least)| count(what) < *least) {
        println!("too few {what}: {}, at least {least} were to be seen", count(what));
        enough = false;
    }
    let parts = count("parts that were tried");
    if count("parts that took too long") * 5 >= parts {
        println!("too many of {parts} parts took too long");
        enough = false;
    }
    if enough { ExitCode::SUCCESS } else { ExitCode::from(101) }
}
