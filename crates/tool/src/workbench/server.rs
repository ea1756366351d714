//! The server: it serves the page, and gives each request to a worker. It reads only files of the folder that it serves.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::sync::{Semaphore, mpsc};

use super::assets::asset;
use super::guard::{Guard, headers};
use super::library::{Library, about};
use super::requests::failed;
use super::worker::Allowance;
use crate::shape::event::Listed;
use crate::shape::request::Menu;
use crate::shape::{self, Version};

/// The longest request, in bytes.
pub const LONGEST_REQUEST: usize = 1 << 20;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long after its time limit a worker is ended that does not end by itself.
const GRACE: Duration = Duration::from_secs(3);
/// The most connections at once.
const MOST_CONNECTIONS: usize = 256;
/// The most requests that wait for a worker.
const MOST_WAITING: usize = 128;

/// The options of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen at.
    pub address: SocketAddr,
    /// Other host names of the server.
    pub names: Vec<String>,
    /// The folder whose programs are on the menu.
    pub folder: Option<PathBuf>,
    /// The limits of a request.
    pub allowance: Allowance,
    /// How many requests are answered at once.
    pub workers: usize,
}

/// A server that is bound to its address.
pub struct Server {
    listener: TcpListener,
    shared: Shared,
}

/// What all requests share.
struct Shared {
    guard: Guard,
    library: Library,
    program: PathBuf,
    allowance: Allowance,
    workers: Arc<Semaphore>,
    waiting: AtomicUsize,
}

type Answer = Response<Either<Full<Bytes>, Events>>;

impl Server {
    /// Binds the address.
    pub fn bind(options: &Options) -> io::Result<Server> {
        let listener = TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let own = match address.ip() {
            IpAddr::V6(ip) => format!("[{ip}]"),
            IpAddr::V4(ip) => ip.to_string(),
        };
        let from_here = address.ip().is_loopback() || address.ip().is_unspecified();
        let names = ["localhost", "127.0.0.1", "[::1]", &own].into_iter().filter(|_| from_here);
        let others =
            options.names.iter().map(String::as_str).chain((!address.ip().is_unspecified()).then_some(&*own));
        let shared = Shared {
            guard: Guard::new(names.chain(others), address.port()),
            library: Library::new(options.folder.as_deref()).map_err(|error| {
                let folder = options.folder.as_deref().unwrap_or(Path::new(".")).display();
                io::Error::new(error.kind(), format!("the folder `{folder}` cannot be read: {error}"))
            })?,
            program: std::env::current_exe()?,
            allowance: options.allowance,
            workers: Arc::new(Semaphore::new(options.workers)),
            waiting: AtomicUsize::new(0),
        };
        Ok(Server { listener, shared })
    }

    /// The address.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the process ends.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let shared = Arc::new(self.shared);
            let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
            loop {
                let permit = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
                let stream = match listener.accept().await {
                    Ok((stream, _)) => stream,
                    // The connection was closed before it was accepted, or there are too many; try again later.
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                };
                let shared = shared.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| answer(shared.clone(), request));
                    let mut builder = hyper::server::conn::http1::Builder::new();
                    builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(64 * 1024);
                    // A client that goes away ends only its own connection and request.
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                    drop(permit);
                });
            }
        })
    }
}

async fn answer(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let mut answer = match shared.guard.admit(request.method(), request.headers()) {
        Ok(()) => admitted(&shared, request).await,
        Err((status, why)) => said(status, why),
    };
    headers(answer.headers_mut());
    Ok(answer)
}

async fn admitted(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    match (&method, path.as_str()) {
        (&Method::GET, "/api/about") => data(shape::line(&about(&shared.library, shared.allowance))),
        (&Method::POST, "/api/program") => match body(request).await {
            Err(refused) => refused,
            Ok(body) => {
                let wanted = serde_json::from_slice::<Menu>(&body).ok();
                match wanted.and_then(|wanted| shared.library.text(&wanted.name)) {
                    Some(text) => data(shape::line(&Listed { version: Version, text })),
                    None => said(StatusCode::NOT_FOUND, "there is no such program"),
                }
            }
        },
        (&Method::POST, "/api/ask") => match body(request).await {
            Err(refused) => refused,
            Ok(body) => ask(shared, &body),
        },
        (&Method::GET | &Method::HEAD, path) => match asset(path) {
            Some(asset) => {
                let bytes =
                    if method == Method::HEAD { Bytes::new() } else { Bytes::from(asset.bytes.into_owned()) };
                response(StatusCode::OK, asset.kind, Either::Left(Full::new(bytes)))
            }
            None => said(StatusCode::NOT_FOUND, "there is nothing here"),
        },
        _ => {
            let mut answer = said(StatusCode::METHOD_NOT_ALLOWED, "nothing here is asked for in this way");
            answer.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
            answer
        }
    }
}

fn response(status: StatusCode, kind: &'static str, body: Either<Full<Bytes>, Events>) -> Answer {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn said(status: StatusCode, text: &'static str) -> Answer {
    response(
        status,
        "text/plain; charset=utf-8",
        Either::Left(Full::new(Bytes::from_static(text.as_bytes()))),
    )
}

fn data(text: String) -> Answer {
    response(StatusCode::OK, "application/json", Either::Left(Full::new(Bytes::from(text))))
}

/// The body of a request, if it is neither too long nor too slow.
async fn body(request: Request<Incoming>) -> Result<Bytes, Answer> {
    let body = Limited::new(request.into_body(), LONGEST_REQUEST).collect();
    match tokio::time::timeout(PATIENCE, body).await {
        Err(_) => Err(said(StatusCode::REQUEST_TIMEOUT, "the request did not come in time")),
        Ok(Err(_)) => {
            Err(said(StatusCode::PAYLOAD_TOO_LARGE, "the request is longer than 1 MiB, or broke off"))
        }
        Ok(Ok(body)) => Ok(body.to_bytes()),
    }
}

/// A stream of events, one on each line.
struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// Gives a request to a worker, and streams its events to the client.
fn ask(shared: &Arc<Shared>, body: &Bytes) -> Answer {
    // The request is written on one line. No worker is started for text that is not JSON.
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        return said(StatusCode::BAD_REQUEST, "this is no request");
    };
    if shared.waiting.load(Ordering::Relaxed) >= MOST_WAITING {
        return said(StatusCode::SERVICE_UNAVAILABLE, "too many requests are waiting; try again later");
    }
    let (send, events) = mpsc::channel(16);
    let (shared, line) = (shared.clone(), format!("{request}\n"));
    tokio::spawn(async move {
        shared.waiting.fetch_add(1, Ordering::Relaxed);
        let permit = tokio::select! {
            permit = shared.workers.acquire() => permit.ok(),
            () = send.closed() => None,
        };
        shared.waiting.fetch_sub(1, Ordering::Relaxed);
        if permit.is_some()
            && let Err(error) = relay(&shared.program, shared.allowance, line, &send).await
        {
            let _ = send.send(event(&format!("no worker could be started: {error}"))).await;
        }
    });
    response(StatusCode::OK, "application/x-ndjson", Either::Right(Events(events)))
}

fn event(why: &str) -> Bytes {
    Bytes::from(shape::line(&failed(why)))
}

/// Starts a worker, passes on its events, and ends it when they end or the client has gone away.
async fn relay(
    program: &Path,
    allowance: Allowance,
    line: String,
    send: &mpsc::Sender<Bytes>,
) -> io::Result<()> {
    let mut worker = Command::new(program)
        .arg("worker")
        .arg("--time-limit")
        .arg(allowance.time.as_secs_f64().to_string())
        .arg("--memory-limit")
        .arg((allowance.memory >> 20).to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (Some(mut input), Some(output)) = (worker.stdin.take(), worker.stdout.take()) else { return Ok(()) };
    let overdue = tokio::time::sleep(allowance.time + GRACE);
    tokio::pin!(overdue);
    let mut output = BufReader::new(output);
    let mut answered = false;
    let talk = async {
        // The events of a worker are read even if it ends before it has read the whole request.
        let _ = input.write_all(line.as_bytes()).await;
        let mut line = Vec::new();
        while output.read_until(b'\n', &mut line).await? > 0 {
            answered = is_last(&line);
            if send.send(Bytes::from(std::mem::take(&mut line))).await.is_err() {
                break;
            }
        }
        Ok::<_, io::Error>(())
    };
    let in_time = tokio::select! {
        talked = talk => talked.map(|()| true)?,
        () = send.closed() => true,
        () = &mut overdue => false,
    };
    // A worker ends when its input does. It is killed all the same, before anything is waited for.
    drop(input);
    worker.start_kill()?;
    if !answered && !send.is_closed() {
        let why = match in_time {
            true => "this request met a bug in agon, or the memory of the machine ran out",
            false => "the time ran out",
        };
        // Do not wait for a client that does not read.
        let _ = tokio::time::timeout(GRACE, send.send(event(why))).await;
    }
    worker.wait().await?;
    Ok(())
}

/// Whether an event is the last one. Inside of a string its quotes would be escaped.
fn is_last(line: &[u8]) -> bool {
    let says = |what: &[u8]| line.windows(what.len()).any(|part| part == what);
    says(b"\"event\":\"answer\"") || says(b"\"event\":\"failed\"")
}
