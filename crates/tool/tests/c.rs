//! C files on the command line: preprocessing, options, settings, several files, environments that are compiled and run. Without a
//! C compiler, the tests that need one are ignored.

mod editor;
mod folder;
mod requires;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use editor::Editor;
use folder::Folder;
use libtest_mimic::{Arguments, Trial};
use requires::installed;
use serde_json::{Value, json};

/// A rate limiter that asks the clock between looking and taking.
const BUCKET: &str = "\
#include <assert.h>
#include \"clock.h\"
static int tokens = TOKENS, last;
int take(void)
{
    if (tokens == 0) return 0;
#ifdef FIXED
    tokens--;
    last = now();
#else
    last = now();
    tokens--;
#endif
    assert(tokens >= 0);
    return last == last;
}
void refill(int k) { if (k >= 0 && k <= 2) tokens = k; }
";
const CLOCK: &str = "extern int now(void);\n#define TOKENS 2\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// A folder with the rate limiter and its header.
fn bucket(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("bucket.c", BUCKET);
    folder.file("clock.h", CLOCK);
    folder
}

fn agon(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(folder).env_remove("CC").args(arguments).output().expect("agon can be run")
}

/// What `agon check -q` says, and its status.
fn check(folder: &Folder, arguments: &[&str]) -> (String, i32) {
    let output = agon(&folder.0, &[&["check", "-q"], arguments].concat());
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&said).into_owned(), output.status.code().expect("it ends by itself"))
}

#[track_caller]
fn says(folder: &Folder, arguments: &[&str], word: &str) -> String {
    let (said, _) = check(folder, arguments);
    assert!(said.starts_with(word), "{arguments:?}: {said}");
    said
}

fn a_file_is_a_module_and_its_play_has_places_in_c() {
    let folder = bucket("c module");
    let said = says(&folder, &["bucket.c"], "UNSAFE");
    for part in
        ["take()", "bucket.c:11", "re-entry", "`assert(tokens >= 0)` fails: tokens = -1", "tokens = 0"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("clock.h"), "no move is in the header: {said}");
    let said = says(&folder, &["bucket.c", "-DFIXED"], "SAFE");
    assert!(said.contains("signed overflow wraps"), "{said}");
    let json = agon(&folder.0, &["check", "bucket.c", "-q", "--format", "json"]);
    let answer: Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
    assert_eq!(answer["cause"]["place"]["line"], 14);
    assert_eq!(answer["cause"]["text"], "assert(tokens >= 0)");
    assert!(answer["environment"].as_str().is_some_and(|text| text.contains("agon_step")), "{answer:#}");
}

fn data_of_the_environment_and_orders_of_evaluation_are_said() {
    let folder = Folder::new("c data");
    let shared = "#include <assert.h>\nint count;\nextern void hook(void);\nvoid m(void) { count = 1; hook(); assert(count == 1); }\n";
    folder.file("shared.c", shared);
    let said = says(&folder, &["shared.c", "--confirm", "cc"], "UNSAFE");
    assert!(said.contains("    E  count = 0"), "{said}");
    assert!(!said.contains("is known"), "what stands for data of the environment is not shown: {said}");
    assert!(said.contains("`assert(count == 1)` fails"), "a line in pieces is one line: {said}");
    assert!(said.contains("the environment may change `count`"), "{said}");
    assert!(said.contains("\nconfirmed by"), "{said}");
    says(&folder, &["shared.c", "--private-data", "count"], "SAFE");
    let order = "#include <assert.h>\nstatic int n;\nextern int f(void);\nvoid set(int k) { n = k; }\nvoid m(void) { n = 0; int r = n + f(); assert(r == 0 || n == 0); }\n";
    folder.file("order.c", order);
    let said = says(&folder, &["order.c", "--returns", "f=0..1", "--confirm", "cc"], "UNSAFE");
    assert!(said.contains("·  order ") && !said.contains("order.2"), "{said}");
    assert!(said.contains("every order is tried"), "{said}");
}

fn options_reach_the_preprocessor() {
    let folder = Folder::new("c options");
    let inside = folder.0.join("inc");
    std::fs::create_dir_all(&inside).expect("a folder can be made");
    std::fs::write(inside.join("clock.h"), CLOCK).expect("a file can be written");
    folder.file("bucket.c", BUCKET);
    folder.file("first.h", "#define FIXED\n");
    let (said, status) = check(&folder, &["bucket.c"]);
    assert_eq!(status, 2);
    assert!(said.contains("E0602") && said.contains("clock.h") && said.contains("bucket.c:2:"), "{said}");
    assert!(
        said.contains("assert.h, ") && said.contains("-I FOLDER"),
        "it says which headers there are: {said}"
    );
    says(&folder, &["bucket.c", "-I", "inc"], "UNSAFE");
    says(&folder, &["bucket.c", "-Iinc", "-DFIXED"], "SAFE");
    says(&folder, &["bucket.c", "-Iinc", "-DFIXED", "-UFIXED"], "UNSAFE");
    says(&folder, &["bucket.c", "-Iinc", "--include", "first.h"], "SAFE");
    let (said, status) =
        check(&folder, &[root().join("examples/bucket.ia").to_str().expect("text"), "--leaf", "now"]);
    assert_eq!(status, 2);
    assert!(said.contains("`--leaf` applies to C files"), "{said}");
}

fn a_build_says_how_its_files_are_compiled() {
    let folder = bucket("c build");
    std::fs::rename(folder.0.join("clock.h"), folder.0.join("moved.h")).expect("a file can be moved");
    let inside = folder.0.join("build/generated");
    std::fs::create_dir_all(&inside).expect("a folder can be made");
    std::fs::write(inside.join("clock.h"), CLOCK).expect("a file can be written");
    let (directory, file) = (folder.0.join("build"), "../bucket.c");
    let command = "cc -O2 -Igenerated -DFIXED -o bucket.o -c ../bucket.c";
    let list = json!([{ "directory": directory, "file": file, "command": command }]);
    std::fs::write(directory.join("compile_commands.json"), list.to_string()).expect("a file can be written");
    says(&folder, &["bucket.c"], "SAFE");
    says(&folder, &["bucket.c", "-UFIXED"], "UNSAFE");
    let arguments = ["cc", "-I", "generated", "-c", "../bucket.c"];
    let list = json!([{ "directory": directory, "file": file, "arguments": arguments }]);
    let other = folder.file("other.json", &list.to_string());
    says(&folder, &["bucket.c", "--compile-commands", other.to_str().expect("text")], "UNSAFE");
    let broken = folder.file("broken.json", "{");
    let (said, status) = check(&folder, &["bucket.c", "--compile-commands", broken.to_str().expect("text")]);
    assert_eq!(status, 2);
    assert!(said.contains("is no list of compilations"), "{said}");
}

fn settings_beside_the_sources_are_options() {
    let folder = bucket("c settings");
    folder.file("agon.toml", "define = [\"FIXED\"]\nquiet = true\n");
    let (said, status) = check(&folder, &["bucket.c"]);
    assert_eq!(status, 0, "{said}");
    folder.file("agon.toml", "entry = [\"refill\"]\n");
    let said = says(&folder, &["bucket.c"], "SAFE");
    assert!(said.contains("the environment calls `refill` only"), "an assumption is said: {said}");
    folder.file("agon.toml", "leaves = [\"now\"]\n");
    let (said, status) = check(&folder, &["bucket.c"]);
    assert_eq!(status, 2);
    assert!(said.contains("there is no option `--leaves`"), "{said}");
    folder.file("agon.toml", "time-limit = \"soon\"\n");
    let (said, status) = check(&folder, &["bucket.c"]);
    assert_eq!(status, 2);
    assert!(said.contains("agon.toml") && said.contains("`soon` is not a number of seconds"), "{said}");
}

fn several_files_are_one_module() {
    let folder = Folder::new("c files");
    folder.file("state.h", "extern void set(int k);\nextern int get(void);\n");
    folder.file("state.c", "#include \"state.h\"\nstatic int kept;\nvoid set(int k) { kept = k; }\nint get(void) { return kept; }\n");
    let user = "#include <assert.h>\n#include \"state.h\"\nextern void hook(void);\nvoid use(void) { set(1); hook(); assert(get() == 1); }\n";
    folder.file("use.c", user);
    let said = says(&folder, &["use.c", "state.c"], "UNSAFE");
    assert!(said.contains("use.c:4") && said.contains("state.c:3"), "both files are named: {said}");
    let private = ["use.c", "state.c", "--entry", "use"];
    let said = says(&folder, &private, "SAFE");
    assert!(said.contains("the environment calls `use` only"), "{said}");
    let said = says(&folder, &["use.c"], "UNSAFE");
    assert!(!said.contains("state.c"), "alone, `get` may give anything: {said}");
    // A verdict for each program: the C files are one of them.
    let example = root().join("examples/bucket.ia");
    let (said, _) = check(&folder, &["use.c", example.to_str().expect("text"), "state.c", "--exit-zero"]);
    let heads = said.lines().filter(|line| line.contains(": UNSAFE  ")).count();
    assert_eq!(heads, 2, "{said}");
}

fn a_preprocessed_file_needs_no_compiler() {
    let folder = bucket("c preprocessed");
    let text = "extern int now(void);\nvoid __agon_assert(int);\n# 1 \"lost.c\"\nstatic int n;\nvoid f(void) { n = now(); __agon_assert(n == n); }\n";
    folder.file("ready.i", text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(&folder.0).env("CC", "no such compiler");
    let output = command.args(["check", "-q", "ready.i"]).output().expect("agon can be run");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    command.current_dir(&folder.0).env("CC", "no-such-compiler -x");
    let output = command.args(["check", "-q", "bucket.c"]).output().expect("agon can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("E0602") && said.contains("`no-such-compiler` cannot be started"), "{said}");
    assert!(said.contains("install a C compiler"), "{said}");
}

/// Compiles the library with the environment; returns how the program ends.
fn compiled(folder: &Folder, name: &str, options: &[&str]) -> Output {
    let program = folder.0.join(name);
    let mut command = Command::new("gcc");
    command.current_dir(&folder.0).args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program);
    let made = command.args(options).args(["bucket.c", "env.c"]).output().expect("gcc can be run");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Command::new(program).output().expect("it can be run")
}

fn the_environment_compiles_and_fails_with_the_bug_alone() {
    let folder = bucket("c environment");
    folder.file("bucket.c", &BUCKET.replace("return last == last;", "(void)last; return 1;"));
    says(&folder, &["bucket.c", "--environment", "env.c"], "UNSAFE");
    let failed = compiled(&folder, "buggy", &[]);
    assert_eq!(failed.status.code(), None, "it is aborted: {failed:?}");
    assert!(String::from_utf8_lossy(&failed.stderr).contains("Assertion `tokens >= 0' failed"), "{failed:?}");
    assert_eq!(compiled(&folder, "fixed", &["-DFIXED"]).status.code(), Some(0));
}

fn a_compiler_confirms() {
    let folder = bucket("c confirm");
    let said = says(&folder, &["bucket.c", "--confirm", "gcc"], "UNSAFE");
    assert!(said.contains("confirmed by `gcc`: the program fails: "), "{said}");
    assert!(said.contains("Assertion `tokens >= 0' failed"), "{said}");
    let said = says(&folder, &["bucket.c", "--confirm", "no-such-compiler"], "UNSAFE");
    assert!(said.contains("not confirmed by `no-such-compiler`: "), "{said}");
    // An index out of bounds and a call through null are seen as well.
    folder.file("bounds.c", "static int a[2];\nvoid f(int i) { a[i] = 1; }\n");
    let said = says(&folder, &["bounds.c", "--confirm", "gcc"], "UNSAFE");
    assert!(said.contains("\nconfirmed by") && said.contains("out of bounds for type"), "{said}");
    folder.file("null.c", "static void (*f)(void);\nvoid g(void) { f(); }\n");
    let said = says(&folder, &["null.c", "--confirm", "gcc"], "UNSAFE");
    assert!(said.contains("the program fails: AddressSanitizer: SEGV"), "{said}");
    let freed = "#include <stdlib.h>\nstatic int *p;\nvoid set(void) { if (!p) { p = malloc(sizeof *p); *p = 1; } }\nvoid end(void) { free(p); }\nint get(void) { return p ? *p : 0; }\n";
    folder.file("freed.c", freed);
    let said = says(&folder, &["freed.c", "--confirm", "gcc"], "UNSAFE");
    assert!(said.contains("the program fails: AddressSanitizer: "), "{said}");
    let twice = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid take(void) { pthread_mutex_lock(&m); }\n";
    folder.file("twice.c", twice);
    let said = says(&folder, &["twice.c", "--confirm", "gcc"], "UNSAFE");
    assert!(said.contains("confirmed by `gcc`: the program waits for a mutex that it holds"), "{said}");
    folder.file("sum.c", "static int n;\nvoid add(int k) { n = n + k; }\n");
    let said = says(&folder, &["sum.c", "--check", "overflow", "--confirm", "gcc"], "UNSAFE");
    assert!(said.contains("signed integer overflow"), "{said}");
    says(&folder, &["sum.c"], "SAFE");
    let json = agon(&folder.0, &["check", "null.c", "-q", "--format", "json", "--confirm", "gcc"]);
    let answer: Value = serde_json::from_slice(&json.stdout).expect("it is JSON");
    assert_eq!(answer["confirmed"]["fails"], true);
    assert_eq!(answer["confirmed"]["compiler"], "gcc");
}

fn other_commands_take_c_files_or_say_that_they_do_not() {
    let folder = bucket("c commands");
    let run = |arguments: &[&str]| {
        let output = agon(&folder.0, arguments);
        let said = [output.stdout, output.stderr].concat();
        (String::from_utf8_lossy(&said).into_owned(), output.status.code())
    };
    // The counter is moved before or behind the call that may call back.
    let early = "extern void hook(void);\nstatic unsigned char n;\nint f(void) { n++; hook(); return n; }\n";
    folder.file("early.c", early);
    folder.file("again.c", &early.replace("n++", "n = n + 1"));
    folder.file("late.c", &early.replace("n++; hook();", "hook(); n++;"));
    let (said, status) = run(&["equiv", "early.c", "again.c", "-q"]);
    assert_eq!(status, Some(0), "{said}");
    let (said, status) = run(&["equiv", "early.c", "late.c", "-q"]);
    assert_eq!(status, Some(1), "{said}");
    let (said, status) = run(&["listing", "bucket.c"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("take"), "{said}");
    // The values of `int` are not tried one by one; those of `unsigned char` are.
    let (said, status) = run(&["model", "bucket.c"]);
    assert_eq!(status, Some(3));
    assert!(said.starts_with("UNKNOWN") && said.contains("more values than are tried"), "{said}");
    let (said, status) = run(&["model", "early.c", "-q", "--leaf", "hook"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("f.1 waits for hook in line 3, which calls nothing\n"), "{said}");
    assert_eq!(said.lines().filter(|line| line.contains("f.1   E  ret   L  ret")).count(), 256, "{said}");
    folder.file("orders.c", "extern _Bool a(void), b(void);\n_Bool f(void) { return a() | b(); }\n");
    let (said, status) = run(&["model", "orders.c", "-q"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("·  order 1     L  b()"), "{said}");
    let (left, _) = run(&["model", "orders.c", "-q", "--evaluation", "left"]);
    assert!(!left.contains("order") && left.contains("E  f()   L  a()"), "{left}");
    let (said, status) = run(&["approx", "early.c", "late.c"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("modules are compared with `agon equiv`"), "{said}");
    let (said, status) = run(&["assume", "early.c", "--component", "f"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("E0501") && said.contains("is a C file"), "{said}");
    let (said, status) = run(&["print", "bucket.c"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("only agon's own language is laid out"), "{said}");
}

fn an_editor_shows_the_play_and_leaves_errors_in_c_to_others() {
    let folder = bucket("c editor");
    let uri = format!("file://{}", folder.0.join("bucket.c").display()).replace(' ', "%20");
    let mut editor = Editor::start(&uri);
    assert_eq!(editor.open(BUCKET), json!([]));
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = editor.ask("textDocument/codeLens", document.clone());
    assert_eq!(lenses.as_array().map(Vec::len), Some(2), "{lenses}");
    let check = json!({ "command": "agon.check", "arguments": [uri] });
    let answer = editor.ask("workspace/executeCommand", check.clone());
    assert_eq!(answer["verdict"], "unsafe");
    let said = editor.diagnostics();
    assert_eq!(said[0]["range"]["start"]["line"], 13, "{said}");
    let places: Vec<_> = said[0]["relatedInformation"].as_array().into_iter().flatten().collect();
    assert_eq!(places.len(), 6, "{said}");
    assert!(places.iter().all(|place| place["location"]["uri"] == uri.as_str()), "{said}");
    // What is in the editor counts, not what is in the file.
    assert_eq!(editor.change(&format!("#define FIXED\n{BUCKET}")), json!([]));
    assert_eq!(editor.ask("workspace/executeCommand", check.clone())["verdict"], "safe");
    assert_eq!(editor.diagnostics(), json!([]));
    // A C compiler says what is wrong here; what agon does not take, agon says.
    for wrong in
        ["int f(void) { return missing; }", "int f(void { }", "#include \"no such file\"", "int f(void) {"]
    {
        assert_eq!(editor.change(wrong), json!([]), "{wrong}");
        assert!(editor.refused("workspace/executeCommand", check.clone()).contains("errors"));
    }
    let said = editor.change("static float level;\nvoid f(int x) { level = x; }\n");
    assert_eq!(said[0]["code"], "E0603", "{said}");
    assert_eq!(editor.at("textDocument/hover", 1, 2), Value::Null);
    assert_eq!(
        editor.ask(
            "textDocument/formatting",
            json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } })
        ),
        Value::Null
    );
    editor.stop();
}

/// The last event of a worker that is asked something about a text in C.
fn asked(request: &Value) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon"));
    let mut child =
        command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it listens");
    writeln!(input, "{request}").expect("it listens");
    let output = child.wait_with_output().expect("it ends");
    // A worker ends when its input is closed, so that stays open.
    drop(input);
    let text = String::from_utf8(output.stdout).expect("it writes text");
    serde_json::from_str(text.lines().last().expect("it says something")).expect("it is JSON")
}

fn the_page_steps_through_c_and_includes_no_files() {
    let text = BUCKET.replace("#include \"clock.h\"", "extern int now(void);\n#define TOKENS 2");
    let program = json!({ "text": text, "name": "program", "language": "c" });
    let said = asked(&json!({ "ask": "check", "program": program }));
    assert_eq!((&said["event"], &said["verdict"]), (&json!("answer"), &json!("unsafe")), "{said:#}");
    let lines: Vec<_> =
        said["play"].as_array().into_iter().flatten().map(|step| &step["place"]["line"]).collect();
    assert_eq!(lines, [&json!(5), &json!(12), &json!(18), &json!(18), &Value::Null, &json!(15)], "{said:#}");
    let said = asked(&json!({ "ask": "play", "program": program, "moves": ["refill(1)", "ret"] }));
    assert_eq!(said["event"], "answer", "{said:#}");
    let said = asked(&json!({ "ask": "layout", "program": program }));
    assert_eq!(said["event"], "failed");
    let secret = root().join("README.md");
    for text in [
        format!("#include \"{}\"\n", secret.display()),
        format!("#line 1 \"{}\"\nint f(void) {{ return 1.5; }}\n", secret.display()),
    ] {
        for name in ["program", "x.i", "/etc/hostname"] {
            let program = json!({ "text": text, "name": name, "language": "c" });
            let said = asked(&json!({ "ask": "read", "program": program }));
            assert!(!said.to_string().contains("agon checks a program fragment"), "{said:#}");
            assert_eq!(said["typed"], false, "{said:#}");
        }
    }
}

fn a_verdict_holds_up_to_bounds_that_can_be_met() {
    let folder = Folder::new("bounds");
    let include = "#define _GNU_SOURCE\n#include <pthread.h>\nextern void cb(void);\n";
    let mutex = "static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\n";
    let body = "pthread_mutex_lock(&m); cb(); pthread_mutex_unlock(&m);";
    folder.file("held.c", &format!("{include}{mutex}void f(void) {{ {body} }}"));
    let guarded = format!("static int n; void f(void) {{ if (n++ < 2) {{ {body} }} n--; }}");
    folder.file("twice.c", &format!("{include}{mutex}{guarded}"));
    folder.file("without.c", &format!("{include}void f(void) {{ cb(); }}"));
    let bound = "8 locks of a recursive mutex at once";
    let said = says(&folder, &["held.c"], "SAFE");
    assert!(said.starts_with(&format!("SAFE  up to {bound}: no environment")), "{said}");
    let said = says(&folder, &["twice.c"], "SAFE");
    assert!(said.starts_with("SAFE  no environment"), "{said}");
    let said = says(&folder, &["held.c", "--all"], "SAFE");
    assert!(said.contains(&format!("SAFE is meant up to {bound}.")), "{said}");
    for format in ["sarif", "junit", "github"] {
        let (said, status) = check(&folder, &["held.c", "--format", format]);
        assert!(said.contains(&format!("up to {bound}: no environment")) && status == 0, "{said}");
    }
    let (said, _) = check(&folder, &["held.c", "--format", "json"]);
    let answer: Value = serde_json::from_str(&said).expect("it is JSON");
    assert_eq!((&answer["verdict"], &answer["up_to"]), (&json!("safe"), &json!([bound])));
    let equiv = |other: &str| {
        let output = agon(&folder.0, &["equiv", "-q", "held.c", other]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // The same text does the same beyond the bound.
    assert!(equiv("held.c").starts_with("EQUIVALENT  held.c and held.c have"), "{}", equiv("held.c"));
    folder.file(
        "renamed.c",
        &format!("{include}{mutex}void f(void) {{ {body} }}")
            .replace("m;", "own;")
            .replace("&m", "&own")
            .replace(" m =", " own ="),
    );
    assert!(
        equiv("renamed.c").starts_with(&format!("EQUIVALENT  up to {bound}: ")),
        "{}",
        equiv("renamed.c")
    );
    assert!(equiv("twice.c").starts_with("INEQUIVALENT"), "{}", equiv("twice.c"));
    let said = equiv("without.c");
    assert!(said.starts_with(&format!("UNKNOWN  the model is exact up to {bound}")), "{said}");
}

fn a_program_with_main_runs_once() {
    let folder = Folder::new("closed");
    let text = "#include <assert.h>\nextern int get(int);\nextern int limit;\nstatic int n;\nvoid other(void) { n++; }\n\
        int main(int argc, char **argv)\n{\n    int a = get(1), b = limit;\n    assert(n == 0);\n    assert(a != 5 || b != 7);\n}\n";
    folder.file("whole.c", text);
    let said = says(&folder, &["whole.c", "--confirm", "cc"], "UNSAFE");
    assert!(said.starts_with("UNSAFE  a run of the program fails\n"), "{said}");
    for line in ["  get(1) = 5", "  limit = 7", "`get`, `limit` are not defined", "confirmed by `cc`"] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    // As a library it is called again and again.
    let said = says(&folder, &["whole.c", "--library"], "UNSAFE");
    assert!(said.contains("an environment makes the module fail") && said.contains("E  main("), "{said}");
    says(&folder, &["whole.c", "--private", "main", "--leaf", "get"], "SAFE");
    for (name, text, message) in [
        ("arguments.c", "int main(int argc, char **argv) { return argc; }", "`main` reads its arguments"),
        ("pointer.c", "void (*f(void))(void); int main(void) { f()(); }", "`f` is not defined"),
        (
            "any.c",
            "extern char *__VERIFIER_nondet_pchar(void); int main(void) { return __VERIFIER_nondet_pchar() != 0; }",
            "gives any pointer",
        ),
    ] {
        folder.file(name, text);
        let (said, status) = check(&folder, &[name]);
        assert!(said.contains(message) && status == 2, "{said}");
    }
    let (said, status) = check(&folder, &["whole.c", "--threads-of-environment", "2"]);
    assert!(said.contains("E0621") && status == 2, "{said}");
}

const UNREACH: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
const OVERFLOW: &str = "CHECK( init(main()), LTL(G ! overflow) )\n";
const MEMORY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\nCHECK( init(main()), LTL(G valid-memtrack) )\n";

/// A folder with properties and programs.
fn properties(name: &str) -> Folder {
    let folder = Folder::new(name);
    let race = "CHECK( init(main()), LTL(G ! data-race) )";
    let cleanup = "CHECK( init(main()), LTL(G valid-memcleanup) )";
    let all = [
        ("unreach", UNREACH),
        ("overflow", OVERFLOW),
        ("memory", MEMORY),
        ("race", race),
        ("cleanup", cleanup),
    ];
    for (name, text) in all {
        folder.file(&format!("{name}.prp"), text);
    }
    let given =
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n#include <assert.h>\n";
    let more = "#include <pthread.h>\n#include <stdlib.h>\nstatic int **kept, shared;\nstatic pthread_mutex_t m;\n\
        static void *work(void *p) { pthread_mutex_lock(&m); shared++; pthread_mutex_unlock(&m); return p; }\n\
        static void spin(void) { while (1) shared = 1; }\n\
        static void drop(int **p) { *p = 0; spin(); }\n\
        static void deeper(int *p) { deeper(p); if (p) *p = 1; }\n\
        static void ends(int *p) { if (p) abort(); }\n";
    for (name, text) in [
        (
            "reaches",
            "int x = __VERIFIER_nondet_int();\n  int y = __VERIFIER_nondet_int();\n  if (x > 3 && x + y == 9)\n    reach_error();",
        ),
        ("asserts", "int x = __VERIFIER_nondet_int();\n  assert(x != 3);"),
        ("overflows", "int x = __VERIFIER_nondet_int();\n  if (x > 0)\n    x = x + 1;"),
        ("unset", "int x;\n  if (x != x)\n    reach_error();"),
        ("indexes", "int a[3] = {0};\n  int x = __VERIFIER_nondet_int();\n  if (x > 0)\n    a[x] = 1;"),
        ("argument", "return argc;"),
        ("lost", "int *p = malloc(sizeof *p);\n  *p = 1;"),
        ("reached", "kept = malloc(sizeof *kept);\n  *kept = malloc(sizeof **kept);"),
        ("freed", "int *p = malloc(sizeof *p);\n  free(p);"),
        ("lost-for-ever", "int *p = malloc(sizeof *p);\n  p = 0;\n  for (;;) ;"),
        ("kept-for-ever", "int *p = malloc(sizeof *p);\n  for (;;) *p = 1;"),
        ("lost-in-a-call", "int *p = malloc(sizeof *p);\n  p = 0;\n  spin();"),
        ("kept-in-a-call", "int *p = malloc(sizeof *p);\n  spin();\n  *p = 1;"),
        ("lent-for-ever", "int *p = malloc(sizeof *p);\n  drop(&p);"),
        ("lost-by-goto", "int *p = malloc(sizeof *p);\n  p = 0;\nagain:\n  goto again;"),
        ("lost-deep", "int *p = malloc(sizeof *p);\n  p = 0;\n  deeper(p);"),
        ("kept-deep", "int *p = malloc(sizeof *p);\n  deeper(p);"),
        ("lost-and-aborts", "int *p = malloc(sizeof *p);\n  p = 0;\n  abort();"),
        ("kept-and-aborts", "int *p = malloc(sizeof *p);\n  ends(p);"),
        ("lost-and-asserts", "int *p = malloc(sizeof *p);\n  p = 0;\n  assert(p != 0);"),
        (
            "lost-in-turns",
            "while (__VERIFIER_nondet_int()) {\n    int *p = malloc(sizeof *p);\n    *p = 1;\n  }\n  for (;;) ;",
        ),
        (
            "lost-by-a-thread",
            "int *p = malloc(sizeof *p);\n  pthread_t t;\n  p = 0;\n  pthread_create(&t, 0, work, 0);\n  for (;;) ;",
        ),
        ("races", "pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  shared = 1;\n  pthread_join(t, 0);"),
        ("ordered", "pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  pthread_join(t, 0);\n  shared = 1;"),
        (
            "waits",
            "pthread_t t;\n  pthread_create(&t, 0, work, 0);\n  pthread_mutex_lock(&m);\n  pthread_join(t, 0);\n  reach_error();",
        ),
    ] {
        let parameters = if name == "argument" { "int argc, char **argv" } else { "void" };
        let more = if text.contains("malloc") || text.contains("pthread") { more } else { "" };
        folder
            .file(&format!("{name}.c"), &format!("{given}{more}int main({parameters})\n{{\n  {text}\n}}\n"));
    }
    folder
}

fn properties_have_answers_in_the_words_of_sv_comp() {
    let folder = properties("properties");
    for (property, program, answer) in [
        ("unreach", "reaches", "false(unreach-call)"),
        ("unreach", "asserts", "true"),
        ("unreach", "overflows", "true"),
        ("unreach", "unset", "unknown"),
        ("unreach", "indexes", "unknown"),
        ("unreach", "argument", "unknown"),
        ("overflow", "reaches", "false(no-overflow)"),
        ("overflow", "asserts", "true"),
        ("overflow", "overflows", "false(no-overflow)"),
        ("memory", "indexes", "false(valid-deref)"),
        ("memory", "reaches", "true"),
        ("memory", "lost", "false(valid-memtrack)"),
        ("memory", "reached", "true"),
        ("memory", "freed", "true"),
        ("memory", "lost-for-ever", "false(valid-memtrack)"),
        ("memory", "kept-for-ever", "true"),
        ("memory", "lost-in-a-call", "unknown"),
        ("memory", "kept-in-a-call", "true"),
        ("memory", "lent-for-ever", "unknown"),
        ("memory", "lost-by-goto", "false(valid-memtrack)"),
        ("memory", "lost-deep", "unknown"),
        ("memory", "kept-deep", "true"),
        ("memory", "lost-and-aborts", "unknown"),
        ("memory", "kept-and-aborts", "true"),
        ("memory", "lost-and-asserts", "unknown"),
        ("memory", "lost-in-turns", "false(valid-memtrack)"),
        ("memory", "lost-by-a-thread", "unknown"),
        ("cleanup", "lost", "false(valid-memcleanup)"),
        ("cleanup", "reached", "false(valid-memcleanup)"),
        ("cleanup", "freed", "true"),
        ("race", "asserts", "true"),
        ("race", "races", "false(no-data-race)"),
        ("race", "ordered", "true"),
        ("unreach", "waits", "false(unreach-call)"),
        ("unreach", "ordered", "true"),
    ] {
        let files = [format!("{program}.c"), "--property".into(), format!("{property}.prp")];
        let output =
            agon(&folder.0, &["check", "-q", "--data-model", "LP64", &files[0], &files[1], &files[2]]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said.lines().last(), Some(answer), "{property} {program}: {said}");
    }
    folder.file("wrong.prp", "G ! overflow");
    let (said, status) = check(&folder, &["reaches.c", "--property", "wrong.prp"]);
    assert!(said.contains("is no property") && status == 2, "{said}");
    folder.file("library.c", "int f(void) { return 1; }");
    let (said, status) = check(&folder, &["library.c", "--property", "unreach.prp"]);
    assert!(said.contains("this is a library") && status == 2, "{said}");
}

fn a_witness_is_confirmed_and_a_wrong_one_is_refused() {
    let folder = properties("witnesses");
    let validate = |witness: &str, program: &str| {
        let output = agon(&folder.0, &["validate", "-q", witness, program]);
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    for (property, program) in
        [("unreach", "reaches"), ("overflow", "overflows"), ("memory", "indexes"), ("unreach", "asserts")]
    {
        let [program, witness] = [format!("{program}.c"), format!("{program}.yml")];
        check(&folder, &[&program, "--property", &format!("{property}.prp"), "--witness", &witness]);
        let said = validate(&witness, &program);
        assert!(said.starts_with("CONFIRMED"), "{property} {program}: {said}");
    }
    let witness = std::fs::read_to_string(folder.0.join("reaches.yml")).expect("it was written");
    let lines: Vec<&str> = witness.lines().map(str::trim).collect();
    for line in [
        "- entry_type: violation_sequence",
        "format_version: \"2.0\"",
        "type: function_return",
        "format: acsl_expression",
        "data_model: LP64",
    ] {
        assert!(lines.iter().any(|found| found.ends_with(line)), "{line}\n{witness}");
    }
    // Another value, another place, another text, a value less.
    let value = witness.find("== ").expect("there is a value");
    let digits = witness[value + 3..].find('\n').expect("the value ends");
    let other = format!("{}3{}", &witness[..value + 3], &witness[value + 3 + digits..]);
    folder.file("value.yml", &other);
    assert!(validate("value.yml", "reaches.c").starts_with("REFUSED  no run"), "{other}");
    folder.file("place.yml", &witness.replace("line: 9", "line: 8"));
    assert!(validate("place.yml", "reaches.c").starts_with("REFUSED  the property cannot"), "{witness}");
    folder.file("call.yml", &witness.replace("line: 6", "line: 7"));
    assert!(validate("call.yml", "reaches.c").starts_with("REFUSED"), "{witness}");
    assert!(validate("reaches.yml", "asserts.c").starts_with("REFUSED  it is about another text"));
    // What a witness leaves open is searched for.
    let first = witness.find("- segment:").expect("there are segments");
    let second = first + 1 + witness[first + 1..].find("- segment:").expect("there are several");
    folder.file("open.yml", &format!("{}{}", &witness[..first], &witness[second..]));
    let said = validate("open.yml", "reaches.c");
    assert!(said.starts_with("CONFIRMED  a run with its value violates"), "{said}");
    folder.file("broken.yml", "- entry_type: [");
    assert!(validate("broken.yml", "reaches.c").contains("is not a witness"));
}

fn main() -> ExitCode {
    let (cc, gcc) = (installed("cc"), installed("gcc"));
    let tests: [(&str, bool, fn()); 16] = [
        (
            "properties_have_answers_in_the_words_of_sv_comp",
            cc,
            properties_have_answers_in_the_words_of_sv_comp,
        ),
        (
            "a_witness_is_confirmed_and_a_wrong_one_is_refused",
            cc,
            a_witness_is_confirmed_and_a_wrong_one_is_refused,
        ),
        ("a_program_with_main_runs_once", cc && gcc, a_program_with_main_runs_once),
        ("a_verdict_holds_up_to_bounds_that_can_be_met", cc, a_verdict_holds_up_to_bounds_that_can_be_met),
        (
            "data_of_the_environment_and_orders_of_evaluation_are_said",
            cc,
            data_of_the_environment_and_orders_of_evaluation_are_said,
        ),
        (
            "a_file_is_a_module_and_its_play_has_places_in_c",
            cc,
            a_file_is_a_module_and_its_play_has_places_in_c,
        ),
        ("options_reach_the_preprocessor", cc, options_reach_the_preprocessor),
        ("a_build_says_how_its_files_are_compiled", cc, a_build_says_how_its_files_are_compiled),
        ("settings_beside_the_sources_are_options", cc, settings_beside_the_sources_are_options),
        ("several_files_are_one_module", cc, several_files_are_one_module),
        ("a_preprocessed_file_needs_no_compiler", true, a_preprocessed_file_needs_no_compiler),
        (
            "the_environment_compiles_and_fails_with_the_bug_alone",
            cc && gcc,
            the_environment_compiles_and_fails_with_the_bug_alone,
        ),
        ("a_compiler_confirms", cc && gcc, a_compiler_confirms),
        (
            "an_editor_shows_the_play_and_leaves_errors_in_c_to_others",
            cc,
            an_editor_shows_the_play_and_leaves_errors_in_c_to_others,
        ),
        (
            "the_page_steps_through_c_and_includes_no_files",
            cc,
            the_page_steps_through_c_and_includes_no_files,
        ),
        (
            "other_commands_take_c_files_or_say_that_they_do_not",
            cc,
            other_commands_take_c_files_or_say_that_they_do_not,
        ),
    ];
    let trials: Vec<Trial> =
        tests.into_iter().map(|(name, there, run)| requires::trial(name, there, run)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
