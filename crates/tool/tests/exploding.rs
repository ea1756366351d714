//! Every command and engine obeys its limits on programs whose state space explodes. The tests measure the peak memory and the
//! processor time of the process, not wall-clock time. There is one test per command and program.
//!
//! `cargo test -p agon --test exploding -- --ignored` writes the table of docs/limits.md.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Output};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use wait4::Wait4;

use process::piped;

mod process;

/// The limits of each run.
const SECONDS: f64 = 1.0;
const MIB: f64 = 64.0;
const THREADS: f64 = 2.0;
/// How long a run may exceed its time limit.
const LATE: f64 = 1.0;

/// A program whose state space explodes.
struct Program {
    name: &'static str,
    what: &'static str,
    text: String,
    concurrent: bool,
    /// A part that an assumption can be learnt for.
    part: Option<&'static str>,
}

fn repeated(count: usize, between: &str, each: impl Fn(usize) -> String) -> String {
    (0..count).map(each).collect::<Vec<_>>().join(between)
}

fn programs() -> Vec<Program> {
    let doubled = repeated(40, "", |n| format!("let a{} = {{ a{n}; a{n} }} in\n", n + 1));
    let cells = repeated(6, " ", |n| format!("new int%1000 x{n} in"));
    let written = repeated(6, "; ", |n| format!("x{n} := e"));
    let several = repeated(8, " ", |n| format!("new int x{n} := e in"));
    let mixed = repeated(8, "; ", |n| format!("x{n} := x{n} * x{} + e", (n + 1) % 8));
    let ordered = repeated(8, " & ", |n| format!("x{n} < x{}", (n + 1) % 8));
    let nested = |depth: usize| format!("{}skip{}", "{ c; ".repeat(depth), " }".repeat(depth));
    let program = |name, what, text: String| {
        let concurrent = text.starts_with("concurrent");
        let part = [("f(", "f.1"), ("let a40", "a40")].into_iter().find(|(sign, _)| text.contains(sign));
        Program { name, what, text, concurrent, part: part.map(|(_, part)| part) }
    };
    vec![
        program("doubling", "forty definitions, each uses the one before it twice", {
            format!("c : com |-\nlet a0 = c in\n{doubled}a40")
        }),
        program("cells", "six cells of a thousand values", {
            format!(
                "f : com -> com, e : int%1000 |- {cells} f({{ {written} }}); if x0 = 1 & x0 = 2 then abort"
            )
        }),
        program("numbers", "eight cells of any integer, multiplied", {
            format!("f : com -> com, e : int |- {several} f({{ {mixed} }}); if {ordered} then abort")
        }),
        program("squares", "a number that is squared again and again", {
            "f : com -> com |- new int x := 2 in f(x := x * x); if x mod 7 = 5 then abort".into()
        }),
        program("array", "an array of 64 elements with 64 values each", {
            "f : com -> com, e : int%64 |- new int%64 a[64] in f(a[e] := e); if a[0] = 1 & a[0] = 3 then abort"
                .into()
        }),
        program("threads", "seven threads of six moves each", {
            format!("concurrent a : com, b : com |- {}", ["{ a; b; a; b; a; b }"; 7].join(" || "))
        }),
        program("shared", "four threads that share three cells", {
            "concurrent f : com{4} -> com, e : int%50 |- new int%50 x in new int%50 y in new int%50 z in \
             { f({ x := e; y := x; z := y }); assert(x < 50) }"
                .into()
        }),
        program("nested", "a text with 200,000 nested blocks", format!("c : com |- {}", nested(200_000))),
        program("long", "a text of 200,000 assignments", {
            let assignments = repeated(200_000, "; ", |n| format!("x := x + e * {n}"));
            format!("e : int |- new int x in {{ {assignments} }}")
        }),
    ]
}

/// A command, with the program's file in the place of `FILE` and a program with another model in that of `OTHER`.
struct Call {
    words: &'static str,
    /// Whether it accepts concurrent programs.
    concurrent: bool,
    /// Its standard input.
    input: fn(&Program) -> String,
}

fn calls() -> Vec<Call> {
    let nothing: fn(&Program) -> String = |_| String::new();
    let call = |words| Call { words, concurrent: true, input: nothing };
    let sequential = |words| Call { concurrent: false, ..call(words) };
    let asks = |words, input| Call { input, ..call(words) };
    fn request(ask: &str, program: &Program) -> String {
        format!("{}\n", serde_json::json!({ "ask": ask, "program": { "text": program.text } }))
    }
    vec![
        call("check FILE --engine auto"),
        call("check FILE --engine auto --format json"),
        call("check FILE --engine explicit"),
        call("check FILE --engine explicit --order random"),
        call("check FILE --engine explicit --order shortest"),
        call("check FILE --engine explicit --no-reduction"),
        call("check FILE --engine interval"),
        call("check FILE --engine partition"),
        call("check FILE --engine partition --certify solver"),
        call("check FILE --engine predicate"),
        call("check FILE --engine predicate --predicates maximal"),
        sequential("check FILE --engine assume-guarantee"),
        sequential("check FILE --engine assume-guarantee --learner table"),
        sequential("assume FILE --component PART"),
        sequential("assume FILE --component PART --reach all --learner table"),
        call("equiv FILE OTHER"),
        call("approx FILE OTHER"),
        call("model FILE"),
        call("model FILE --format json"),
        call("model FILE --format dot"),
        call("model FILE --format aut"),
        call("model FILE --format cspm"),
        call("model FILE --format svg"),
        call("model FILE --bottom-up"),
        call("model FILE --revealed"),
        call("typing FILE"),
        call("print FILE"),
        call("listing FILE"),
        asks("play FILE", |_| "1\n".repeat(100)),
        asks("worker", |program| request("read", program)),
        asks("worker", |program| request("check", program)),
        asks("worker", |program| request("model", program)),
    ]
}

/// The resources that a run used.
struct Used {
    /// The exit status; none if a signal ended it.
    status: Option<i32>,
    /// Processor time, in seconds.
    seconds: f64,
    mib: f64,
    /// Its output.
    said: String,
}

/// Whether the command accepts the program.
fn fits(call: &Call, program: &Program) -> bool {
    (call.concurrent || !program.concurrent) && (program.part.is_some() || !call.words.contains("PART"))
}

fn run(folder: &Path, call: &Call, program: &Program) -> Used {
    let file = folder.join(format!("{}.ia", program.name));
    // The same program, and one move more.
    let other = folder.join(format!("{}-other.ia", program.name));
    let words = call.words.split(' ').map(|word| match word {
        "FILE" => file.as_os_str().to_owned(),
        "OTHER" => other.as_os_str().to_owned(),
        "PART" => program.part.expect("it has a part").into(),
        word => word.into(),
    });
    let mut command = Command::new(std::env::current_exe().expect("this test has a file"));
    command.arg(MEASURE).args(words).args([
        "--time-limit",
        &SECONDS.to_string(),
        "--memory-limit",
        &MIB.to_string(),
    ]);
    if !call.words.starts_with("worker") {
        command.args(["--threads", &THREADS.to_string()]);
    }
    let mut child = piped(&mut command);
    let mut input = child.stdin.take().expect("there is an input");
    let text = (call.input)(program);
    // A worker ends when its input is closed, so that stays open; other commands read it to its end.
    let stays_open = call.words == "worker";
    let writing = std::thread::spawn(move || {
        let _ = input.write_all(text.as_bytes()).and_then(|()| input.flush());
        stays_open.then_some(input)
    });
    let heard = [
        listen(child.stdout.take().expect("there is an output")),
        listen(child.stderr.take().expect("there is an output")),
    ];
    child.wait().expect("agon ends");
    drop(writing.join());
    let said = heard.map(|heard| heard.join().expect("it is heard")).concat();
    let (said, figures) = said.rsplit_once(MEASURE).expect("it was measured");
    let figures: Vec<f64> = figures.split_whitespace().map(|n| n.parse().expect("a number")).collect();
    let [status, seconds, mib] = figures[..] else { panic!("there are three figures, not {figures:?}") };
    Used { status: (status >= 0.0).then_some(status as i32), seconds, mib, said: said.into() }
}

/// The first argument of this test when it only measures agon. A process starts with the peak memory of its parent, so agon
/// is started by a small process.
const MEASURE: &str = "--measure-agon";

/// Runs agon with the rest of the arguments, and writes its resources at the end: status, seconds and MiB.
fn measure() {
    let agon = Command::new(env!("CARGO_BIN_EXE_agon")).args(std::env::args_os().skip(2)).spawn();
    let used = agon.expect("agon can be started").wait4().expect("agon ends");
    let seconds = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    let mib = used.rusage.maxrss as f64 / f64::from(1 << 20);
    eprintln!("{MEASURE} {} {seconds} {mib}", used.status.code().unwrap_or(-1));
}

/// The end of the output; all of it is read.
fn listen(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut part = vec![0; 1 << 16];
        while let Ok(n @ 1..) = from.read(&mut part) {
            kept.extend_from_slice(&part[..n]);
            kept.drain(..kept.len().saturating_sub(1 << 16));
        }
        String::from_utf8_lossy(&kept).into_owned()
    })
}

/// How a run exceeded its limits.
fn wrong(used: &Used) -> Option<String> {
    let short: String = used.said.chars().take(300).collect();
    if !matches!(used.status, Some(0 | 1 | 3)) {
        return Some(format!("it ended with {:?}: {short}", used.status));
    }
    let most = MIB * 1.1 + 20.0;
    if used.mib > most {
        return Some(format!("{:.1} MiB, and {most:.1} are allowed: {short}", used.mib));
    }
    if used.said.contains("the memory ran out") && used.mib < MIB / 3.0 {
        return Some(format!("it gave up with {:.1} MiB: {short}", used.mib));
    }
    let most = (SECONDS + LATE) * THREADS;
    if used.seconds > most {
        return Some(format!("{:.2} s of processor time, and {most:.2} are allowed: {short}", used.seconds));
    }
    None
}

fn write_programs(folder: &Path) {
    for program in programs() {
        let write = |name: String, text: &str| {
            std::fs::write(folder.join(name), text).expect("the program can be written");
        };
        write(format!("{}.ia", program.name), &program.text);
        let (context, body) = program.text.split_once("|-").expect("there is a turnstile");
        write(format!("{}-other.ia", program.name), &format!("{context}, last : com |- {{ {body} }}; last"));
    }
}

/// Starts agon without limits, and sends it a signal when it is running.
fn signalled(folder: &Path, words: &str, signal: Signal, busy: bool) -> Output {
    let file = folder.join("doubling.ia");
    let words = words.split(' ').map(|word| if word == "FILE" { file.as_os_str() } else { word.as_ref() });
    let mut child = piped(Command::new(env!("CARGO_BIN_EXE_agon")).args(words));
    while !is_ready(&child, busy) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process has a number"));
    // Its input stays open, so that it does not end before the signal.
    let input = child.stdin.take();
    kill(pid, signal).expect("the signal can be sent");
    let output = child.wait_with_output().expect("agon ends");
    drop(input);
    output
}

/// Whether a process handles signals, and, if it should be busy, has worked for a while.
fn is_ready(child: &Child, busy: bool) -> bool {
    let read = |file: &str| {
        std::fs::read_to_string(format!("/proc/{}/{file}", child.id())).expect("the process is there")
    };
    let status = read("status");
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    let hears = blocked.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask != 0));
    // The fourteenth field is the processor time, in ticks of 10 ms.
    let stat = read("stat");
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    hears && (!busy || ticks >= 20)
}

fn signals(folder: &Path) -> Result<(), Failed> {
    let limits = "--memory-limit 4000 --threads 2";
    for (words, says) in [
        (format!("check FILE --engine explicit {limits}"), "UNKNOWN"),
        (format!("check FILE --engine auto {limits} --format json"), "\"verdict\": \"unknown\""),
        (format!("model FILE {limits}"), "UNKNOWN"),
    ] {
        for signal in [Signal::SIGINT, Signal::SIGTERM] {
            let output = signalled(folder, &words, signal, true);
            let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
            if output.status.code() != Some(3) || !said.contains(says) {
                return Err(format!("{words}, {signal}: {:?}, {said}", output.status).into());
            }
        }
    }
    for words in ["play FILE", "lsp", "print -", "typing -", "serve --port 0"] {
        for (signal, status) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let output = signalled(folder, words, signal, false);
            if output.status.code() != Some(status) {
                return Err(format!("{words}, {signal}: {:?}", output.status).into());
            }
        }
    }
    Ok(())
}

/// Writes docs/limits.md.
fn table(folder: &Path) -> Result<(), Failed> {
    let mut text = format!(
        "# Limits\n\n\
         Every command and engine over programs that explode, with `--time-limit {SECONDS}` and `--memory-limit {MIB}`, in \
         {THREADS} threads: seconds of processor time and peak memory of the process, in MiB, as the system says them, and the \
         exit status (0 and 1: it was answered; 3: `UNKNOWN`). No process may have more than the limit, a tenth of it and 20 \
         MiB, here {:.0} MiB, and none may give up for memory before it has a third of the limit. \
         `cargo test -p agon --test exploding` checks this; with `-- --ignored` it writes this page.\n\n",
        MIB * 1.1 + 20.0
    );
    for program in programs() {
        let _ = writeln!(text, "- `{}`: {}", program.name, program.what);
    }
    let names: Vec<_> = programs().iter().map(|program| format!(" {} |", program.name)).collect();
    let _ = writeln!(text, "\n| command |{}\n| --- |{}", names.concat(), " --- |".repeat(names.len()));
    let mut failures = String::new();
    for call in calls() {
        let asks =
            (call.input)(&Program { name: "", what: "", text: String::new(), concurrent: false, part: None });
        let asks = asks.split('"').nth(3).filter(|_| call.words == "worker");
        let words = call.words.replace(" FILE", "").replace(" OTHER", "");
        let _ = write!(text, "| `{words}`{} |", asks.map_or(String::new(), |ask| format!(", {ask}")));
        for program in programs() {
            if !fits(&call, &program) {
                text += " – |";
                continue;
            }
            let used = run(folder, &call, &program);
            if let Some(why) = wrong(&used) {
                let _ = writeln!(failures, "{words}, {}: {why}", program.name);
            }
            let status = used.status.unwrap_or(-1);
            let _ = write!(text, " {:.1} s, {:.0} MiB, {status} |", used.seconds, used.mib);
        }
        text.push('\n');
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/limits.md");
    std::fs::write(page, text).expect("the page can be written");
    if failures.is_empty() { Ok(()) } else { Err(failures.into()) }
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == MEASURE) {
        measure();
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    let path = std::env::temp_dir().join(format!("agon-exploding-{}", std::process::id()));
    let path: &'static Path = Box::leak(path.into_boxed_path());
    std::fs::create_dir_all(path).expect("a folder can be made");
    write_programs(path);
    let mut trials = Vec::new();
    for program in programs() {
        let program: &'static Program = Box::leak(Box::new(program));
        for (n, call) in calls().into_iter().enumerate() {
            if !fits(&call, program) {
                continue;
            }
            let name =
                format!("{} {} ({n})", program.name, call.words.replace(" FILE", "").replace(" OTHER", ""));
            trials.push(Trial::test(name, move || match wrong(&run(path, &call, program)) {
                Some(why) => Err(why.into()),
                None => Ok(()),
            }));
        }
    }
    trials.push(Trial::test("signals", || signals(path)));
    trials.push(Trial::test("table", || table(path)).with_ignored_flag(true));
    let conclusion = libtest_mimic::run(&arguments, trials);
    std::fs::remove_dir_all(path).expect("the folder can be removed");
    conclusion.exit_code()
}
