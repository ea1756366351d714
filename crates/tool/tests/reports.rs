//! Reports for build servers: SARIF is valid by the published schema, JUnit's XML can be read, annotations are single lines; and
//! all of them say what the answer says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jsonschema::Validator;
use quick_junit::{NonSuccessKind, Report, TestCaseStatus};
use serde_json::Value;

use folder::Folder;
use tree::files;

mod folder;
mod tree;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Runs `agon check` from the root, with a short time limit.
fn check(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(root()).args(["check", "-q", "--threads", "1"]).args(arguments);
    command.output().expect("it runs")
}

/// What `agon check` writes to standard output.
fn said(arguments: &[&str]) -> String {
    String::from_utf8(check(arguments).stdout).expect("it writes text")
}

fn validator() -> Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sarif/sarif-schema-2.1.0.json");
    let text = std::fs::read_to_string(path).expect("the schema is there");
    // The published schema has a pattern with a bracket that is not escaped, which is no pattern for the validator.
    let bracket = "[a-zA-Z]{2}]?$";
    assert!(text.contains(bracket), "another schema");
    let text = text.replace(bracket, r"[a-zA-Z]{2}\\]?$");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is one")
}

/// A SARIF report, after it has been validated.
#[track_caller]
fn sarif(validator: &Validator, arguments: &[&str]) -> Value {
    let text = said(&[&["--format", "sarif"], arguments].concat());
    let log: Value = serde_json::from_str(&text).expect("SARIF is JSON");
    let wrong: Vec<String> =
        validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{arguments:?}: {wrong:#?}\n{log:#}");
    log
}

const BUCKET: &str = "examples/bucket.ia";
const FIXED: &str = "examples/bucket-fixed.ia";
/// Where the recipes and the rules are described.
const CHAPTER: &str = "book/src/reports.md";

#[test]
fn a_report_about_the_corpus_is_valid_and_has_a_result_for_each_verdict_that_is_not_safe() {
    let validator = validator();
    let mut found = Vec::new();
    for folder in ["corpus/modules", "corpus/threads", "corpus/checks", "crates/tool/tests/cmd"] {
        found.extend(files(&root().join(folder), "ia"));
    }
    let names: Vec<&str> = found.iter().map(|path| path.to_str().expect("paths are text")).collect();
    assert!(names.len() > 40, "there are {} programs", names.len());
    let options = ["--time-limit", "2", "--all"];
    let log = sarif(&validator, &[&options[..], &names[..]].concat());
    let json = said(&[&["--format", "json"], &options[..], &names[..]].concat());
    let answers: Vec<Value> = serde_json::from_str(&json).expect("answers are a list");
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    let with =
        |kind| results.iter().filter(move |result| result["kind"] == kind && result["level"] != "warning");
    let checks = || answers.iter().flat_map(|answer| answer["checks"].as_array().expect("there is a list"));
    let verdict = |word: &str| checks().filter(|check| check["verdict"] == word).count();
    // What is undecided depends on the time, and two runs may differ in it; what was found does not.
    assert_eq!(with("fail").count(), verdict("unsafe"));
    assert_eq!(with("open").count() > 0, verdict("unknown") > 0);
    assert!(with("fail").count() > 20, "{} results", with("fail").count());
    for result in with("fail") {
        assert!(result["locations"][0]["physicalLocation"]["region"]["startLine"].is_u64(), "{result:#}");
    }
    let errors = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array();
    let errors = errors.expect("there are notifications").iter().filter(|said| said["level"] == "error");
    assert!(errors.count() > 0, "some of the programs have errors");
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn a_play_is_a_code_flow_with_nesting_and_changes() {
    let log = sarif(&validator(), &[BUCKET]);
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "agon/assert");
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][0]["id"], "agon/assert");
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], BUCKET);
    let flow = &result["codeFlows"][0]["threadFlows"];
    assert_eq!(flow.as_array().map(Vec::len), Some(1));
    let steps = flow[0]["locations"].as_array().expect("there are steps");
    let levels: Vec<u64> = steps.iter().filter_map(|step| step["nestingLevel"].as_u64()).collect();
    assert_eq!(levels, [0, 1, 2, 2, 1, 0], "take, now, take or refill, its end, the end of now, fail");
    let orders: Vec<u64> = steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
    assert_eq!(orders, [1, 2, 3, 4, 5, 6]);
    assert_eq!(steps[0]["kinds"], serde_json::json!(["call", "environment"]));
    assert_eq!(steps[3]["kinds"], serde_json::json!(["return", "library"]));
    assert_eq!(steps[5]["kinds"], serde_json::json!(["danger", "library"]));
    assert!(steps.iter().any(|step| step["state"]["tokens"]["text"] == "0"), "{steps:#?}");
    for step in steps {
        let region = &step["location"]["physicalLocation"]["region"];
        assert!(region["startLine"].is_u64(), "every move has a place: {step:#}");
    }
}

#[test]
fn each_thread_has_a_flow_with_its_accesses() {
    let found = files(&root().join("corpus/threads"), "ia");
    let unsafe_ = found.iter().map(|path| path.to_str().expect("paths are text")).find(|path| {
        let text = std::fs::read_to_string(path).expect("programs can be read");
        text.contains("//! unsafe") && text.contains("//! alone: safe")
    });
    let log = sarif(&validator(), &[unsafe_.expect("one is unsafe")]);
    let flows = &log["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"];
    assert!(flows.as_array().is_some_and(|flows| flows.len() > 1), "{log:#}");
    let mut orders: Vec<u64> = Vec::new();
    for flow in flows.as_array().into_iter().flatten() {
        let steps = flow["locations"].as_array().expect("there are steps");
        let own: Vec<u64> = steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
        assert!(own.is_sorted(), "{own:?}");
        orders.extend(own);
    }
    orders.sort_unstable();
    assert!(orders.iter().copied().eq(1..=orders.len() as u64), "each has its turn: {orders:?}");
}

#[test]
fn what_is_assumed_and_what_is_safe_are_notes() {
    let log = sarif(&validator(), &[FIXED]);
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(0));
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].as_array().expect("notes");
    let text = |n: usize| notes[n]["message"]["text"].as_str().unwrap_or("");
    assert!(text(0).starts_with("SAFE  "), "{}", text(0));
    assert!(text(1).starts_with("assumed: "), "{}", text(1));
}

#[test]
fn tests_of_junit_fail_where_verdicts_do() {
    let text = said(&["--format", "junit", BUCKET, FIXED, "crates/tool/tests/cmd/ill-typed.ia"]);
    let report = Report::deserialize_from_str(&text).expect("it is JUnit's XML");
    assert_eq!((report.tests, report.failures, report.errors), (3, 1, 1));
    let statuses: Vec<_> =
        report.test_suites.iter().flat_map(|suite| &suite.test_cases).map(|case| &case.status).collect();
    let TestCaseStatus::NonSuccess { kind, ty, description, .. } = statuses[0] else { panic!("{text}") };
    assert_eq!(*kind, NonSuccessKind::Failure);
    assert_eq!(ty.as_ref().map(|ty| ty.as_str()), Some("agon/assert"));
    assert!(description.as_ref().is_some_and(|text| text.as_str().contains("take()")), "{text}");
    assert!(matches!(statuses[1], TestCaseStatus::Success { .. }));
    assert!(matches!(statuses[2], TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. }));
}

#[test]
fn annotations_are_single_lines() {
    let text = said(&["--format", "github", BUCKET, FIXED, "crates/tool/tests/cmd/ill-typed.ia"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("::error file=examples/bucket.ia,line=12,endLine=12,col="), "{text}");
    assert!(lines[0].contains("title=agon%3A UNSAFE (agon/assert)::"), "{text}");
    assert!(lines[0].contains("%0A"), "the play is in the message: {text}");
    assert_eq!(lines[1], format!("{FIXED}: SAFE  no environment makes it fail"));
    assert!(lines[2].starts_with("::error file=crates/tool/tests/cmd/ill-typed.ia,line="), "{text}");
}

#[test]
fn a_report_is_written_to_a_file_and_the_status_can_be_zero() {
    let folder = Folder::new("reports");
    let file = folder.0.join("agon.sarif");
    let name = file.to_str().expect("paths are text");
    let done = check(&["--format", "sarif", "-o", name, "--exit-zero", BUCKET]);
    assert_eq!(done.status.code(), Some(0));
    assert!(done.stdout.is_empty());
    let text = std::fs::read_to_string(&file).expect("the report is there");
    assert_eq!(text, said(&["--format", "sarif", BUCKET]));
    assert_eq!(check(&["-o", name, BUCKET]).status.code(), Some(1));
    let text = std::fs::read_to_string(&file).expect("the report is there");
    assert_eq!(text, said(&[BUCKET]), "text is written to a file, too");
    // A program with errors, and a file that cannot be written, stay errors.
    let wrong = ["--exit-zero", "crates/tool/tests/cmd/ill-typed.ia"];
    assert_eq!(check(&wrong).status.code(), Some(2));
    let nowhere = folder.0.join("missing/report");
    let done = check(&["-o", nowhere.to_str().expect("paths are text"), "--exit-zero", BUCKET]);
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("cannot be written"), "{said}");
}

#[test]
fn an_undecided_program_is_open_and_a_limit_is_reported_in_every_format() {
    let wide = "corpus/papers/pred-example-1-integers.ia";
    let options = ["--engine", "explicit", "--time-limit", "0.2", wide];
    let log = sarif(&validator(), &options);
    let result = &log["runs"][0]["results"][0];
    assert_eq!((&result["kind"], &result["level"]), (&"open".into(), &"none".into()), "{log:#}");
    let text = said(&[&["--format", "github"], &options[..]].concat());
    assert!(text.starts_with("::warning file="), "{text}");
    let text = said(&[&["--format", "junit"], &options[..]].concat());
    let report = Report::deserialize_from_str(&text).expect("it is JUnit's XML");
    assert_eq!((report.tests, report.errors), (1, 1));
    assert_eq!(check(&options).status.code(), Some(3));
    assert_eq!(check(&[&["--exit-zero"], &options[..]].concat()).status.code(), Some(0));
}

#[test]
fn the_recipe_runs() {
    let page = std::fs::read_to_string(root().join(CHAPTER)).expect("the chapter is there");
    let calls = page.lines().filter_map(|line| line.trim_start().strip_prefix("- run: agon "));
    let runs: Vec<&str> = calls.filter(|line| line.starts_with("check ")).collect();
    assert_eq!(runs.len(), 2, "the recipe calls agon twice");
    let folder = Folder::new("recipe");
    std::fs::create_dir(folder.0.join("examples")).expect("a folder can be made");
    folder.file(BUCKET, &std::fs::read_to_string(root().join(BUCKET)).expect("an example can be read"));
    let run = |line: &str| {
        let words = shlex::split(line).expect("it is a command");
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.current_dir(&folder.0).args(words).output().expect("it runs")
    };
    assert_eq!(run(runs[0]).status.code(), Some(0), "a report can be uploaded");
    let text = std::fs::read_to_string(folder.0.join("agon.sarif")).expect("there is a report");
    let log: Value = serde_json::from_str(&text).expect("SARIF is JSON");
    assert!(validator().is_valid(&log));
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "agon/assert");
    let done = run(runs[1]);
    assert_eq!(done.status.code(), Some(1), "the build fails");
    assert!(done.stdout.starts_with(b"::error file=examples/bucket.ia,line="), "{done:?}");
}

/// Every line of a recipe that calls agon, also those that are not in a workflow. They are run in a folder with a project that keeps its
/// claims; lines with a program of their own are run with that.
#[test]
fn every_line_of_a_recipe_that_calls_agon_runs() {
    let mut lines = Vec::new();
    for file in [CHAPTER, "action.yml", ".pre-commit-hooks.yaml"] {
        let text = std::fs::read_to_string(root().join(file)).expect("it is there");
        let call = |line: &str| {
            let line = line.trim_start().trim_start_matches("- ");
            let line = line.strip_prefix("run: ").or(line.strip_prefix("entry: ")).unwrap_or(line);
            line.strip_prefix("agon ").map(|line| (file, line.replace("${{ inputs.run }}", "test .")))
        };
        // A report in SARIF is about checks.
        let call = |line: &str| {
            call(line).map(|(file, line)| match line.contains("sarif") {
                true => (file, line.replace("test .", "check examples/bucket.ia")),
                false => (file, line),
            })
        };
        lines.extend(text.lines().filter_map(call));
    }
    assert!(lines.len() >= 10, "{lines:?}");
    let folder = Folder::new("recipes");
    for made in ["project/examples", "project/src", "base/src"] {
        std::fs::create_dir_all(folder.0.join(made)).expect("a folder can be made");
    }
    let bucket = std::fs::read_to_string(root().join(BUCKET)).expect("an example can be read");
    folder.file(&format!("project/{BUCKET}"), &bucket);
    folder.file("project/kept.ia", "//! safe\nskip\n");
    for version in ["base", "project"] {
        folder.file(&format!("{version}/src/bucket.ia"), &bucket);
    }
    for (file, line) in lines {
        let mut words = shlex::split(&line).expect("it is a command");
        if line == "fmt" {
            words.push("kept.ia".into());
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        let output = command.current_dir(folder.0.join("project")).args(&words).output().expect("it runs");
        // The example is unsafe.
        let wanted = if line.contains("bucket") && !line.contains("--exit-zero") { 1 } else { 0 };
        assert_eq!(output.status.code(), Some(wanted), "{file}: agon {line}\n{output:?}");
    }
}

#[test]
fn every_rule_is_in_the_docs() {
    let page = std::fs::read_to_string(root().join(CHAPTER)).expect("the chapter is there");
    let code = include_str!("../src/render/report.rs");
    let mut rules: Vec<&str> = code.split('"').filter(|part| part.starts_with("agon/")).collect();
    rules.dedup();
    assert!(rules.len() >= 10, "{rules:?}");
    for rule in rules {
        assert!(page.contains(&format!("| `{rule}` |")), "{rule} is not in {CHAPTER}");
    }
}

/// A comparison is reported as well: one result for each pair that differs, and the client is its message.
#[test]
fn comparisons_are_reported() {
    let folders = ["crates/tool/tests/cmd/folders/old", "crates/tool/tests/cmd/folders/new"];
    let run = |format: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
        command.current_dir(root()).args(["equiv", "-q", "--format", format, "--exit-zero"]).args(folders);
        let output = command.output().expect("it runs");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).expect("it writes text")
    };
    let log: Value = serde_json::from_str(&run("sarif")).expect("SARIF is JSON");
    let wrong: Vec<String> = validator().iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{log:#}");
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    let message = |n: usize| results[n]["message"]["text"].as_str().expect("it has a message");
    assert_eq!(results.len(), 2, "{log:#}");
    assert!(results.iter().all(|result| result["ruleId"] == "agon/equivalence" && result["kind"] == "fail"));
    assert!(message(0).contains("table.c is gone"), "{log:#}");
    assert!(message(1).contains("calls back") && message(1).contains("int main(void)"), "{log:#}");
    let notes = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
    assert!(notes.contains("EQUIVALENT  no environment"), "{notes}");
    let annotations = run("github");
    assert_eq!(annotations.lines().filter(|line| line.starts_with("::error ")).count(), 2, "{annotations}");
    assert!(annotations.contains("EQUIVALENT  no environment"), "{annotations}");
    let tests = Report::deserialize_from_str(&run("junit")).expect("JUnit's XML can be read");
    assert_eq!(tests.failures, 2);
}
