//! `agon serve`: the workbench in the browser.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;

use super::output::{remark, say};
use super::{Status, guard, seconds};
use crate::render::answer;
use crate::render::reader::Reader;
use crate::system::{cores, free_memory};
use crate::workbench::server::{self, Server};
use crate::workbench::worker::{self, Allowance};

#[derive(Args, Debug)]
pub(super) struct Options {
    /// A folder whose programs (`.ia` files) are added to the menu.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Open the page in the browser.
    #[arg(long)]
    open: bool,
    /// The port to listen at; 0 is any free port.
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// The address to listen at. Other machines can reach the server only if this is not a loopback address.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    address: IpAddr,
    /// Another host name of the server, as browsers send it. Requests to other names are refused.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    #[command(flatten)]
    allowance: Allowed,
    /// Answer at most N requests at once. The default is two for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,
}

/// The limits of a request.
#[derive(Args, Clone, Debug)]
pub(super) struct Allowed {
    /// The time limit of a request, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    time_limit: Duration,
    /// The memory limit of a request, in MiB. The default is a share of the free memory.
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<usize>,
}

impl Allowed {
    fn allowance(&self, workers: usize) -> Allowance {
        let share = || free_memory().map_or(1 << 30, |free| (free / (workers + 1)).clamp(1 << 27, 4 << 30));
        let memory = self.memory_limit.map_or_else(share, |mib| mib.saturating_mul(1 << 20));
        Allowance { time: self.time_limit, memory }
    }
}

pub(super) fn run(options: &Options) -> Status {
    let workers = options.workers.map_or_else(|| 2 * cores(), usize::from);
    let server = Server::bind(&server::Options {
        address: SocketAddr::new(options.address, options.port),
        names: options.host.clone(),
        folder: options.folder.clone(),
        allowance: options.allowance.allowance(workers),
        workers,
    });
    let (server, address) = match server.and_then(|server| server.address().map(|address| (server, address)))
    {
        Ok(server) => server,
        Err(error) => {
            let hint = match error.kind() {
                std::io::ErrorKind::AddrInUse => "; --port 0 takes any free port",
                _ => "",
            };
            remark(&format!("error: the page cannot be served: {error}{hint}\n"));
            return Status::Wrong;
        }
    };
    let page = match address.ip().is_unspecified() {
        true => format!("http://localhost:{}/", address.port()),
        false => format!("http://{address}/"),
    };
    say(&format!("The workbench is at {page}\n"));
    if !address.ip().is_loopback() {
        remark("Everyone who can reach this address can run checks on this machine.\n");
    }
    if address.ip().is_unspecified() && options.host.is_empty() {
        remark("Requests from other machines need a host name of the server: --host NAME.\n");
    }
    if options.open && !opened(&page) {
        remark("The browser could not be opened; open the page yourself.\n");
    }
    match server.run() {
        Ok(()) => Status::Holds,
        Err(error) => {
            remark(&format!("error: the server ended: {error}\n"));
            Status::Wrong
        }
    }
}

/// Opens a page in the user's browser.
fn opened(page: &str) -> bool {
    let command: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["cmd", "/c", "start"],
        _ => &["xdg-open"],
    };
    let started = Command::new(command[0])
        .args(&command[1..])
        .arg(page)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}

/// The options of a worker.
#[derive(Args, Debug)]
pub(super) struct WorkerOptions {
    #[command(flatten)]
    allowance: Allowed,
}

/// Answers one request of the workbench.
pub(super) fn work(options: &WorkerOptions) -> Status {
    let allowance = options.allowance.allowance(1);
    let reader = Reader::Page { all_time: true, all_memory: true };
    guard::last_words(Status::Undecided, move |limit| worker::unanswered(&answer::limit_for(limit, reader)));
    guard::limit(Instant::now().checked_add(allowance.time), Some(allowance.memory));
    worker::run(allowance);
    Status::Holds
}
