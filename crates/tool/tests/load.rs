//! The server under load: many requests at once, valid and invalid ones, leave no trace.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use agon::shape::event::{About, Listed};
use agon::shape::request::Menu;
use agon_base::random::Random;
use agon_ia::sample::{arithmetic, concurrent, sequential, soup};
use serde_json::{Value, json};

use schema::{read, schema};
use served::Served;

mod schema;
mod served;

const ASK: &str = "POST /api/ask";
const REQUESTS: usize = 1_000;
const AT_ONCE: usize = 10;
/// The time limit of the test, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

fn start() -> Served {
    Served::start(&["--time-limit", "2", "--memory-limit", "200"])
}

/// The place of a server in the network.
fn address(server: &Served) -> &str {
    server.url.trim_end_matches('/').rsplit('/').next().expect("an address")
}

/// The memory of a server in KiB, where the system tells.
fn memory(server: &Served) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn files(server: &Served) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", server.id())).map_or(0, Iterator::count)
}

fn head(address: &str, what: &str, length: usize) -> String {
    format!(
        "{what} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    )
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time can be set");
    stream
}

/// The status and the body of the answer to a request to a worker.
fn asked(address: &str, body: &str) -> (u16, String) {
    answered(address, ASK, body)
}

/// The status and the body of the answer to a request.
fn answered(address: &str, what: &str, body: &str) -> (u16, String) {
    let mut stream = connect(address);
    stream.write_all(head(address, what, body.len()).as_bytes()).expect("the server listens");
    // A request that is too long may be answered before all of it is sent.
    let _ = stream.write_all(body.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_string()))
}

/// The last event of an answer, which comes in chunks.
fn last_event(body: &str) -> Option<Value> {
    let last = body.lines().rfind(|line| line.starts_with('{'))?;
    serde_json::from_str(last).ok()
}

/// A request about a random program.
fn request(random: &mut Random, seed: u64) -> Value {
    let size = 3 + random.below(12);
    let text = match random.below(5) {
        0 => concurrent(seed, size.min(8)),
        1 => arithmetic(seed, size.min(5)),
        2 => soup(seed, 40),
        _ => sequential(seed, size),
    };
    let program = json!({ "text": text });
    match random.below(6) {
        0 => json!({ "ask": "read", "program": program }),
        1 => json!({ "ask": "model", "program": program }),
        2 => json!({ "ask": "play", "program": program, "moves": ["run"] }),
        3 => json!({ "ask": "compare", "left": program, "right": { "text": sequential(seed + 1, size) } }),
        _ => json!({ "ask": "check", "program": program, "engine": "auto" }),
    }
}

/// The data about the server and about the programs on its menu is valid.
#[test]
fn the_menu_has_its_shapes() {
    let server = start();
    let data = |what, body: &str| -> Value {
        let (status, answer) = answered(address(&server), what, body);
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(&answer).expect("it is JSON")
    };
    let about: About = read(&schema("about"), &data("GET /api/about", ""), "about");
    assert!(about.programs.len() > 200, "{} programs", about.programs.len());
    let wanted = json!({ "version": 1, "name": about.programs[0] });
    let _: Menu = read(&schema("menu"), &wanted, "menu");
    let listed = data("POST /api/program", &wanted.to_string());
    let listed: Listed = read(&schema("listed"), &listed, "listed");
    assert!(listed.text.contains("|-") || listed.text.contains("\nmodule"), "{}", listed.text);
    assert_eq!(
        answered(address(&server), "POST /api/program", &json!({ "name": "no.ia" }).to_string()).0,
        404
    );
}

#[test]
fn a_thousand_requests_leave_nothing_behind() {
    let server = start();
    let address = address(&server);
    for seed in 0..20 {
        asked(address, &request(&mut Random::new(seed), seed).to_string());
    }
    let before = (memory(&server), files(&server));
    let next = AtomicUsize::new(0);
    let times: Mutex<Vec<Duration>> = Mutex::default();
    let (answered, cut, refused) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= REQUESTS {
                        return;
                    }
                    let mut random = Random::new(7_000 + n as u64);
                    let body = request(&mut random, n as u64).to_string();
                    match random.below(10) {
                        // Clients that go away in the middle of the request, or of the answer.
                        0 => {
                            let mut stream = connect(address);
                            let part = random.below(body.len());
                            let _ = stream.write_all(head(address, ASK, body.len()).as_bytes());
                            let _ = stream.write_all(&body.as_bytes()[..part]);
                            let _ = stream.shutdown(Shutdown::Both);
                            cut.fetch_add(1, Ordering::Relaxed);
                        }
                        1 => {
                            let mut stream = connect(address);
                            let _ = stream.write_all((head(address, ASK, body.len()) + &body).as_bytes());
                            std::thread::sleep(Duration::from_millis(random.below(20) as u64));
                            drop(stream);
                            cut.fetch_add(1, Ordering::Relaxed);
                        }
                        // Requests that are too long, no requests, and requests to another host name.
                        2 => {
                            let (status, _) = asked(address, &format!("\"{}\"", "x".repeat(1 << 21)));
                            assert!(status == 413 || status == 0, "{status}");
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                        3 => {
                            let (status, body) = asked(address, &soup(n as u64, 30));
                            let said = last_event(&body);
                            assert!(
                                status == 400 || said.is_some_and(|event| event["event"] == "failed"),
                                "{status}"
                            );
                            let mut stream = connect(address);
                            let _ = stream.write_all(
                                b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n",
                            );
                            let mut answer = String::new();
                            let _ = stream.read_to_string(&mut answer);
                            assert!(answer.starts_with("HTTP/1.1 421"), "{answer}");
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                        _ => {
                            let asked_at = Instant::now();
                            let (status, answer) = asked(address, &body);
                            let event = last_event(&answer);
                            let kind = event.as_ref().and_then(|event| event["event"].as_str()).unwrap_or("");
                            assert!(
                                status == 200 && matches!(kind, "answer" | "failed"),
                                "{status} {answer}\n{body}"
                            );
                            // Errors are about the program; there are no internal errors.
                            let message =
                                event.as_ref().and_then(|event| event["message"].as_str()).unwrap_or("");
                            assert!(
                                !message.contains("bug") && !message.contains("worker"),
                                "{message}\n{body}"
                            );
                            answered.fetch_add(1, Ordering::Relaxed);
                            times.lock().expect("nobody panics here").push(asked_at.elapsed());
                        }
                    }
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    // Workers of clients that went away are ended.
    let waiting = Instant::now();
    while server.workers() > 0 && waiting.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(server.workers(), 0);
    let after = (memory(&server), files(&server));
    let mut times = times.into_inner().expect("nobody panicked");
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_millis();
    println!(
        "{REQUESTS} requests, {AT_ONCE} at a time, in {seconds:.1} s: {} answered, {} cut off, {} refused; \
         answers after {} ms (half), {} ms (95 of 100), {} ms (all); memory {:?} KiB before, {:?} KiB after",
        answered.load(Ordering::Relaxed),
        cut.load(Ordering::Relaxed),
        refused.load(Ordering::Relaxed),
        at(0.5),
        at(0.95),
        at(1.0),
        before.0,
        after.0
    );
    if let (Some(before), Some(after)) = (before.0, after.0) {
        assert!(after < before + 20 * 1024, "{before} KiB before, {after} KiB after");
    }
    assert!(after.1 <= before.1 + 2, "{} files open before, {} after", before.1, after.1);
    let (status, answer) =
        asked(address, &json!({ "ask": "check", "program": { "text": "abort" } }).to_string());
    assert_eq!(
        (status, last_event(&answer).map(|event| event["verdict"].clone())),
        (200, Some("unsafe".into()))
    );
}

/// A program whose check takes too long for a test.
#[cfg(target_os = "linux")]
const ENDLESS: &str = "e : i32 |- new i32 a in new i32 b in new i32 c in while true do { a := e; b := a * b + e; \
                       c := c * a + b; if c * c = 7919 * a + 3 & b > 123456 then abort }";

/// A request is answered even if its worker is killed, and other requests are not affected.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_dies_ends_its_request_alone() {
    let server = start();
    let address = address(&server);
    let body = json!({ "ask": "check", "program": { "text": ENDLESS } }).to_string();
    std::thread::scope(|scope| {
        let dying = scope.spawn(|| asked(address, &body));
        let started = Instant::now();
        while server.workers() == 0 && started.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = server.id();
        let worker = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let worker = worker.split_whitespace().next().expect("the request has a worker");
        let killed = Command::new("kill").args(["-9", worker]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        let (status, answer) = dying.join().expect("it is answered");
        let event = last_event(&answer).expect("it is answered");
        assert_eq!((status, event["event"].as_str()), (200, Some("failed")), "{answer}");
        assert!(event["message"].as_str().is_some_and(|text| text.contains("bug in agon")), "{event}");
    });
    // A worker that is not killed ends at its time limit.
    let (_, answer) = asked(address, &body);
    let event = last_event(&answer).expect("it is answered");
    assert_eq!(
        (event["verdict"].as_str(), event["event"].as_str()),
        (Some("unknown"), Some("answer")),
        "{event}"
    );
    assert_eq!(server.workers(), 0);
}
