//! The server: it hands out the page, and each request to a worker. It reads no file but those of the folder it serves.

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

/// A request may be so long, in bytes.
pub const LONGEST_REQUEST: usize = 1 << 20;
/// A request must have come within this time.
const PATIENCE: Duration = Duration::from_secs(10);
/// A worker that does not end by itself is ended so long after its time.
const GRACE: Duration = Duration::from_secs(3);
/// So many connections are open at once.
const MOST_CONNECTIONS: usize = 256;
/// So many requests may wait for a worker.
const MOST_WAITING: usize = 128;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub address: SocketAddr,
    /// Other names that the server goes by.
    pub names: Vec<String>,
    /// The folder whose programs are on the menu.
    pub folder: Option<PathBuf>,
    /// What each request may use.
    pub allowance: Allowance,
    /// So many requests are answered at once.
    pub workers: usize,
}

/// A server that has its address, and listens when it is told to.
pub struct Server {
    listener: TcpListener,
    house: House,
}

/// What all requests share.
struct House {
    guard: Guard,
    library: Library,
    program: PathBuf,
    allowance: Allowance,
    workers: Arc<Semaphore>,
    waiting: AtomicUsize,
}

type Answer = Response<Either<Full<Bytes>, Events>>;

impl Server {
    /// Takes the address.
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
        let house = House {
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
        Ok(Server { listener, house })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the process ends.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let house = Arc::new(self.house);
            let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
            loop {
                let permit = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
                let stream = match listener.accept().await {
                    Ok((stream, _)) => stream,
                    // A connection that is gone before it was taken, or no room for more: later there may be.
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                };
                let house = house.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| answer(house.clone(), request));
                    let mut builder = hyper::server::conn::http1::Builder::new();
                    builder.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(64 * 1024);
                    // A client that goes away ends its connection and what was done for it, and nothing else.
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                    drop(permit);
                });
            }
        })
    }
}

async fn answer(house: Arc<House>, request: Request<Incoming>) -> Result<Answer, Infallible> {
    let mut answer = match house.guard.admit(request.method(), request.headers()) {
        Ok(()) => admitted(&house, request).await,
        Err((status, why)) => said(status, why),
    };
    headers(answer.headers_mut());
    Ok(answer)
}

async fn admitted(house: &Arc<House>, request: Request<Incoming>) -> Answer {
    let (method, path) = (request.method().clone(), request.uri().path().to_string());
    match (&method, path.as_str()) {
        (&Method::GET, "/api/about") => data(shape::line(&about(&house.library, house.allowance))),
        (&Method::POST, "/api/program") => match body(request).await {
            Err(refused) => refused,
            Ok(body) => {
                let wanted = serde_json::from_slice::<Menu>(&body).ok();
                match wanted.and_then(|wanted| house.library.text(&wanted.name)) {
                    Some(text) => data(shape::line(&Listed { version: Version, text })),
                    None => said(StatusCode::NOT_FOUND, "there is no such program"),
                }
            }
        },
        (&Method::POST, "/api/ask") => match body(request).await {
            Err(refused) => refused,
            Ok(body) => ask(house, &body),
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

/// The body of a request, if it is not too long and does not take too long.
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

/// Events, a line each, as they come.
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

/// Hands a request to a worker, and what that says to whoever asked.
fn ask(house: &Arc<House>, body: &Bytes) -> Answer {
    // One line, whatever it was before; and no worker is started for what is no data at all.
    let Ok(request) = serde_json::from_slice::<Value>(body) else {
        return said(StatusCode::BAD_REQUEST, "this is no request");
    };
    if house.waiting.load(Ordering::Relaxed) >= MOST_WAITING {
        return said(StatusCode::SERVICE_UNAVAILABLE, "too many requests are waiting; try again later");
    }
    let (send, events) = mpsc::channel(16);
    let (house, line) = (house.clone(), format!("{request}\n"));
    tokio::spawn(async move {
        house.waiting.fetch_add(1, Ordering::Relaxed);
        let permit = tokio::select! {
            permit = house.workers.acquire() => permit.ok(),
            () = send.closed() => None,
        };
        house.waiting.fetch_sub(1, Ordering::Relaxed);
        if permit.is_some()
            && let Err(error) = relay(&house.program, house.allowance, line, &send).await
        {
            let _ = send.send(event(&format!("no worker could be started: {error}"))).await;
        }
    });
    response(StatusCode::OK, "application/x-ndjson", Either::Right(Events(events)))
}

fn event(why: &str) -> Bytes {
    Bytes::from(shape::line(&failed(why)))
}

/// Starts a worker, passes on its events, and ends it when they end or nobody listens any more.
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
        // A worker that ends before it has read all is heard all the same.
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
    // Its input ends here, and so does it; if not, it is ended, before anybody is waited for.
    drop(input);
    worker.start_kill()?;
    if !answered && !send.is_closed() {
        let why = match in_time {
            true => "this request met a bug in agon, or the memory of the machine ran out",
            false => "the time ran out",
        };
        // Whoever does not listen is not waited for either.
        let _ = tokio::time::timeout(GRACE, send.send(event(why))).await;
    }
    worker.wait().await?;
    Ok(())
}

/// Whether an event is the last one. Within a text the quotes would be escaped.
fn is_last(line: &[u8]) -> bool {
    let says = |what: &[u8]| line.windows(what.len()).any(|part| part == what);
    says(b"\"event\":\"answer\"") || says(b"\"event\":\"failed\"")
}
