//! All JSON that agon writes over the corpus is valid by its schema in `docs/schema`, and the same after reading it as its
//! type and writing it again.
//!
//! Every command takes an eighth of the programs, each another one. With `--ignored`, every command takes all of them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use agon::shape::answer::Answer;
use agon::shape::comparison::Comparison;
use agon::shape::diagnostic::Diagnostics;
use agon::shape::event::Event;
use agon::shape::model::{Model, NestedModel};
use agon::shape::request::Ask;
use agon::shape::specification::Specification;
use agon::shape::typing::{Enclosure, Typing};
use jsonschema::Validator;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use process::piped;
use schema::{read, schema};
use tree::files;

mod process;
mod schema;
mod tree;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// The programs that a test takes.
#[derive(Clone, Copy)]
enum Share {
    /// Every eighth one.
    Eighth,
    All,
}

impl Share {
    /// Of the corpus and of programs with errors, those that the n-th command takes.
    fn programs(self, n: usize) -> Vec<PathBuf> {
        let mut found = files(&root().join("corpus"), "ia");
        found.extend(files(&root().join("crates/tool/tests/cmd"), "ia"));
        assert!(found.len() > 200, "there are {} programs", found.len());
        let mine = |(at, path)| (at % self.parts() == n % self.parts()).then_some(path);
        found.into_iter().enumerate().filter_map(mine).collect()
    }

    fn parts(self) -> usize {
        match self {
            Share::Eighth => 8,
            Share::All => 1,
        }
    }

    /// As many as there must be at least, if there are some number in the whole corpus.
    fn of(self, least: usize) -> usize {
        least / self.parts()
    }
}

/// A schema, and the number of values that were validated by it.
struct Shape {
    name: &'static str,
    schema: Validator,
    seen: usize,
}

impl Shape {
    fn new(name: &'static str) -> Shape {
        Shape { name, schema: schema(name), seen: 0 }
    }

    /// Validates a value and reads it as its type.
    #[track_caller]
    fn has<T: Serialize + DeserializeOwned>(&mut self, value: &Value, what: &str) -> T {
        self.seen += 1;
        read(&self.schema, value, what)
    }

    #[track_caller]
    fn seen_at_least(&self, least: usize) {
        assert!(self.seen >= least, "{} of {} were seen", self.seen, self.name);
    }
}

/// Runs a command with some input; returns its output and its errors.
fn agon(arguments: &[&str], files: &[&Path], input: &str) -> (String, String) {
    let mut child = piped(Command::new(env!("CARGO_BIN_EXE_agon")).args(arguments).args(files));
    let mut stdin = child.stdin.take().expect("it listens");
    stdin.write_all(input.as_bytes()).expect("it listens");
    // A worker ends when its input is closed, so that stays open.
    let output = child.wait_with_output().expect("it ends");
    drop(stdin);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes text");
    (text(output.stdout), text(output.stderr))
}

/// The JSON that a command writes within a short time limit: its answer, or diagnostics.
fn written(command: &str, options: &[&str], files: &[&Path]) -> Result<Value, Vec<Value>> {
    let mut arguments = vec![command, "--format", "json", "-q", "--time-limit", "0.2", "--threads", "1"];
    arguments.extend(options);
    let (out, err) = agon(&arguments, files, "");
    if out.is_empty() {
        let lines = err.lines().filter(|line| line.starts_with('{'));
        return Err(lines.map(|line| serde_json::from_str(line).expect("it is JSON")).collect());
    }
    match serde_json::from_str(&out) {
        Ok(value) => Ok(value),
        // The time ran out while it wrote.
        Err(_) if err.starts_with("UNKNOWN") => Err(Vec::new()),
        Err(error) => panic!("{command} {files:?}: {error}\n{out}"),
    }
}

/// Runs a command on programs, and validates answers and diagnostics. Returns their numbers.
fn over<T: Serialize + DeserializeOwned>(
    programs: &[PathBuf],
    name: &'static str,
    command: &str,
    options: &[&str],
) -> (usize, usize) {
    let (mut shape, mut refused) = (Shape::new(name), Shape::new("diagnostics"));
    for path in programs {
        let of = format!("{command} {options:?} {}", path.display());
        match written(command, options, &[path]) {
            Ok(value) => _ = shape.has::<T>(&value, &of),
            Err(list) => list.iter().for_each(|value| _ = refused.has::<Diagnostics>(value, &of)),
        }
    }
    (shape.seen, refused.seen)
}

/// Answers of `check` with its ways to ask.
fn checks(share: Share) {
    let ways: [(&[&str], usize); 6] = [
        (&[], 200),
        (&["--engine", "partition"], 200),
        (&["--engine", "predicate"], 200),
        (&["--engine", "assume-guarantee"], 200),
        (&["--all"], 200),
        (&["--deadlock"], 20),
    ];
    let mut refused = 0;
    for (n, (options, least)) in ways.into_iter().enumerate() {
        let (answers, others) = over::<Answer>(&share.programs(n), "answer", "check", options);
        assert!(answers > share.of(least), "{options:?}: {answers} answers");
        refused += others;
    }
    assert!(refused > 5, "{refused} refused");
}

#[test]
fn answers_of_check() {
    checks(Share::Eighth);
}

#[test]
fn several_files_give_a_list() {
    let list = Share::All.programs(0);
    let files: Vec<&Path> = list.iter().take(3).map(PathBuf::as_path).collect();
    let value = written("check", &[], &files).expect("there are answers");
    let mut shape = Shape::new("answer");
    value.as_array().expect("it is a list").iter().for_each(|one| _ = shape.has::<Answer>(one, "check"));
    shape.seen_at_least(3);
}

/// Models of terms and of modules, and judgements of typing.
fn models(share: Share) {
    let is_module =
        |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains("\nmodule"));
    let (modules, terms): (Vec<PathBuf>, Vec<PathBuf>) = share.programs(0).into_iter().partition(is_module);
    let (models, _) = over::<Model>(&terms, "model", "model", &[]);
    assert!(models > share.of(100), "{models} models");
    let (models, _) = over::<NestedModel>(&modules, "nested-model", "model", &[]);
    assert!(models > share.of(30), "{models} models of modules");
    let (judgements, refused) = over::<Typing>(&Share::All.programs(0), "typing", "typing", &[]);
    assert!(judgements > 200 && refused > 5, "{judgements} judgements, {refused} refused");
    let folder = root().join("crates/tool/tests/cmd/typing");
    let mut shape = Shape::new("enclosure");
    for context in ["keeps.ia", "breaks.ia"] {
        let context = folder.join(context);
        let options = ["--in", context.to_str().expect("paths are text")];
        let value = written("typing", &options, &[&folder.join("pair.ia")]).expect("there is an answer");
        shape.has::<Enclosure>(&value, "typing --in");
    }
    shape.seen_at_least(2);
}

#[test]
fn models_and_judgements() {
    models(Share::Eighth);
}

/// Comparisons of each program with the next one.
fn compared(share: Share) {
    let (mut shape, mut refused) = (Shape::new("comparison"), Shape::new("diagnostics"));
    let all = Share::All.programs(0);
    for (n, command) in ["equiv", "approx"].into_iter().enumerate() {
        for pair in all.windows(2).skip(n).step_by(share.parts()) {
            match written(command, &[], &[&pair[0], &pair[1]]) {
                Ok(value) => _ = shape.has::<Comparison>(&value, command),
                Err(list) => list.iter().for_each(|value| _ = refused.has::<Diagnostics>(value, command)),
            }
        }
    }
    shape.seen_at_least(share.of(50));
    refused.seen_at_least(share.of(50));
}

#[test]
fn comparisons() {
    compared(Share::Eighth);
}

/// The events that answer a request of the workbench.
fn asked(request: &Value, schema: &mut Shape, events: &mut Shape) -> Vec<Value> {
    let of = format!("{} {}", request["ask"], request["program"]["name"]);
    let valid: Vec<String> = schema.schema.iter_errors(request).map(|error| error.to_string()).collect();
    assert!(valid.is_empty(), "{of} is no request: {valid:?}");
    serde_json::from_value::<Ask>(request.clone()).expect("a request can be read");
    let (out, _) =
        agon(&["worker", "--time-limit", "0.2", "--memory-limit", "1000"], &[], &format!("{request}\n"));
    let list: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert!(!list.is_empty(), "{of} is not answered");
    list.iter().for_each(|event| _ = events.has::<Event>(event, &of));
    list
}

/// Answers of the workbench, and assumptions.
fn workbench(share: Share) {
    let (mut requests, mut events) = (Shape::new("request"), Shape::new("event"));
    let (mut specifications, mut answers) = (Shape::new("specification"), Shape::new("answer"));
    let folder = std::env::temp_dir().join(format!("agon-shapes-{}-{}", std::process::id(), share.parts()));
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for path in share.programs(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let program = json!({ "text": text, "name": path.display().to_string() });
        let mut ask = |request: Value| asked(&request, &mut requests, &mut events);
        let read = ask(json!({ "version": 1, "ask": "read", "program": program }));
        ask(json!({ "ask": "layout", "program": program }));
        ask(json!({ "ask": "check", "program": program, "time_limit": 0.1, "memory_limit": 500 }));
        ask(json!({ "ask": "check", "program": program, "engine": "partition", "iterations": 3 }));
        ask(json!({ "ask": "model", "program": program }));
        ask(json!({ "ask": "model", "program": program, "around": 0 }));
        ask(json!({ "ask": "play", "program": program, "moves": ["run"] }));
        let twin = json!({ "text": "f : com |- f", "define": { "n": "2" } });
        ask(json!({ "ask": "compare", "left": program, "right": twin, "approximation": true }));
        let parts = read.last().and_then(|answer| answer["parts"].as_array()).cloned().unwrap_or_default();
        for part in parts.iter().filter_map(Value::as_str).take(1) {
            ask(json!({ "ask": "check", "program": program, "part": part }));
            let Ok(value) = written("assume", &["--component", part], &[&path]) else { continue };
            specifications.has::<Specification>(&value, "assume");
            let file = folder.join("assumption.json");
            std::fs::write(&file, value.to_string()).expect("a file can be written");
            let options = ["--against", file.to_str().expect("paths are text")];
            if let Ok(value) = written("check", &options, &[&path]) {
                answers.has::<Answer>(&value, "check --against");
            }
        }
    }
    std::fs::remove_dir_all(folder).expect("what was made can be removed");
    events.seen_at_least(share.of(1500));
    specifications.seen_at_least(share.of(5));
    answers.seen_at_least(share.of(3).max(1));
}

#[test]
fn the_workbench_and_specifications() {
    workbench(Share::Eighth);
}

#[test]
#[ignore = "two minutes"]
fn every_command_over_the_whole_corpus() {
    checks(Share::All);
    models(Share::All);
    compared(Share::All);
    workbench(Share::All);
}

#[test]
fn what_is_wrong_is_seen() {
    let mut answer =
        written("check", &[], &[&root().join("examples/counter.ia")]).expect("there is an answer");
    let shape = Shape::new("answer");
    assert!(shape.schema.is_valid(&answer));
    answer["verdict"] = "perhaps".into();
    assert!(!shape.schema.is_valid(&answer), "a verdict is one of three words");
    answer["verdict"] = "unsafe".into();
    answer["version"] = 2.into();
    assert!(!shape.schema.is_valid(&answer), "there is one version");
    assert!(serde_json::from_value::<Answer>(answer).is_err());
}
