//! The language server: programs in an editor, over standard input and output.
//!
//! Requests about a text are answered at once. Checks and models run in threads, one for each document, and end when the
//! text changes.

mod diagnostics;
mod document;
mod hover;
mod meaning;
mod outline;
mod rename;
mod requests;
mod runs;
mod text;

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use agon_base::int::Int;
use gen_lsp_types as lsp;
use lsp_server::{Connection, ErrorCode, ExtractError, Message, Notification, Request, RequestId, Response};
use serde::Deserialize;

use crate::c::is_c;
use document::Document;

/// The request for one of the commands.
const EXECUTE: &str = lsp::LspRequestMethod::WorkspaceExecuteCommand.as_str();
/// The command that checks a document.
const CHECK: &str = "agon.check";
/// The command that builds the model of a document.
const MODEL: &str = "agon.model";

/// The options that the client may set when it starts the server.
#[derive(Deserialize, Clone, Debug)]
#[serde(default, rename_all = "camelCase")]
struct Options {
    /// Constants with other values than in the program.
    define: HashMap<String, serde_json::Value>,
    /// The time limit of a run, in seconds.
    time_limit: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { define: HashMap::new(), time_limit: 60.0 }
    }
}

/// What all threads of the server share.
struct Shared {
    sender: crossbeam_channel::Sender<Message>,
    documents: Mutex<HashMap<lsp::Uri, Document>>,
    define: Vec<(String, Int)>,
    time_limit: Duration,
    /// Whether the client can refresh its code lenses on request.
    refreshes: bool,
    /// Whether the client shows progress.
    shows_progress: bool,
}

impl Shared {
    fn documents(&self) -> MutexGuard<'_, HashMap<lsp::Uri, Document>> {
        self.documents.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that has gone away is noticed where messages are read.
        let _ = self.sender.send(message.into());
    }

    fn notify<N: lsp::Notification>(&self, params: N::Params) {
        self.send(Notification::new(N::METHOD.into(), params));
    }

    fn ask<R: lsp::Request>(&self, id: RequestId, params: R::Params) {
        self.send(Request::new(id, R::METHOD.into(), params));
    }

    /// Sends the diagnostics of a document to the client.
    fn publish(&self, uri: &lsp::Uri) {
        let documents = self.documents();
        let Some(document) = documents.get(uri) else { return };
        self.notify::<lsp::PublishDiagnosticsNotification>(lsp::PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics: diagnostics::all(document, uri),
            version: Some(document.version),
        });
    }
}

/// Serves the client on standard input and output until it shuts the server down; an error, if it goes away without that.
pub fn run() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let served = serve(connection);
    threads.join().map_err(|error| error.to_string())?;
    served
}

fn capabilities() -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        text_document_sync: Some(lsp::TextDocumentSyncKind::Full.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        rename_provider: Some(
            lsp::RenameOptions { prepare_provider: Some(true), ..Default::default() }.into(),
        ),
        document_formatting_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        code_lens_provider: Some(lsp::CodeLensOptions {
            resolve_provider: Some(false),
            ..Default::default()
        }),
        execute_command_provider: Some(lsp::ExecuteCommandOptions {
            commands: vec![CHECK.into(), MODEL.into()],
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// Serves one client.
pub fn serve(connection: Connection) -> Result<(), String> {
    let (id, params) = connection.initialize_start().map_err(|error| error.to_string())?;
    // Only the parameters that are needed are read; the others may have any form.
    let part = |name: &str| params.get(name).cloned().unwrap_or_default();
    let options: Options = serde_json::from_value(part("initializationOptions")).unwrap_or_default();
    let can: lsp::ClientCapabilities = serde_json::from_value(part("capabilities")).unwrap_or_default();
    let result = lsp::InitializeResult {
        capabilities: capabilities(),
        server_info: Some(lsp::ServerInfo {
            name: "agon".into(),
            version: Some(env!("CARGO_PKG_VERSION").into()),
        }),
    };
    let result = serde_json::to_value(result).map_err(|error| error.to_string())?;
    connection.initialize_finish(id, result).map_err(|error| error.to_string())?;
    let define = options.define.iter().filter_map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        Some((name.clone(), Int::parse(&text)?))
    });
    let shared = Arc::new(Shared {
        sender: connection.sender.clone(),
        documents: Mutex::default(),
        define: define.collect(),
        time_limit: Duration::try_from_secs_f64(options.time_limit).unwrap_or(Duration::from_secs(60)),
        refreshes: can.workspace.and_then(|w| w.code_lens).and_then(|lens| lens.refresh_support)
            == Some(true),
        shows_progress: can.window.and_then(|window| window.work_done_progress) == Some(true),
    });
    let mut server = Server { shared, runs: HashMap::new(), unread: HashMap::new() };
    let listened = server.listen(&connection);
    // Runs that are still active end with their documents.
    server.shared.documents().clear();
    listened
}

/// The path of a document that is a file.
fn path(uri: &lsp::Uri) -> Option<PathBuf> {
    let mut bytes = uri.as_ref().strip_prefix("file://")?.bytes();
    let mut path = Vec::new();
    while let Some(byte) = bytes.next() {
        path.push(match byte {
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(path).ok().map(PathBuf::from)
}

struct Server {
    shared: Arc<Shared>,
    /// The document of each run, by its request and by its progress token.
    runs: HashMap<String, lsp::Uri>,
    /// Texts that have arrived and are not parsed yet. Of several changes in a row, only the last is parsed.
    unread: HashMap<lsp::Uri, (String, i32)>,
}

impl Server {
    fn listen(&mut self, connection: &Connection) -> Result<(), String> {
        loop {
            let message = match connection.receiver.try_recv() {
                Ok(message) => message,
                Err(_) => {
                    self.read_all();
                    match connection.receiver.recv() {
                        Ok(message) => message,
                        Err(_) => return Err("the client went away without saying so".into()),
                    }
                }
            };
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request).map_err(|error| error.to_string())? {
                        return Ok(());
                    }
                    self.read_all();
                    let id = request.id.clone();
                    // A bug that one request meets must not end the others.
                    if catch_unwind(AssertUnwindSafe(|| self.request(request))).is_err() {
                        let message = "this request met a bug in agon; please report it".into();
                        self.shared.send(Response::new_err(id, ErrorCode::InternalError as i32, message));
                    }
                }
                Message::Notification(notification) => {
                    let _ = catch_unwind(AssertUnwindSafe(|| self.notification(notification)));
                }
                Message::Response(_) => {}
            }
        }
    }

    /// Parses the texts that have arrived last.
    fn read_all(&mut self) {
        for (uri, (text, version)) in std::mem::take(&mut self.unread) {
            let name = uri.as_ref().rsplit('/').next().unwrap_or("program");
            let read = || match path(&uri).filter(|path| is_c(path)) {
                Some(path) => Document::read_c(&path, text, version),
                None => Document::read(name, text, version, &self.shared.define),
            };
            let Ok(document) = catch_unwind(AssertUnwindSafe(read)) else { continue };
            self.shared.documents().insert(uri.clone(), document);
            self.shared.publish(&uri);
        }
    }

    /// Handles a notification; an error, if its parameters cannot be read.
    fn notification(&mut self, notification: Notification) -> serde_json::Result<()> {
        use lsp::LspNotificationMethod as On;
        let Notification { method, params } = notification;
        match On::from(method.as_str()) {
            On::TextDocumentDidOpen => {
                let params: lsp::DidOpenTextDocumentParams = serde_json::from_value(params)?;
                let lsp::TextDocumentItem { uri, text, version, .. } = params.text_document;
                self.unread.insert(uri, (text, version));
            }
            On::TextDocumentDidChange => {
                let params: lsp::DidChangeTextDocumentParams = serde_json::from_value(params)?;
                let version = params.text_document.version;
                let uri = params.text_document.text_document_identifier.uri;
                // The server has asked for whole texts.
                let Some(lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(change)) =
                    params.content_changes.into_iter().next_back()
                else {
                    return Ok(());
                };
                // A run on the previous text is of no use any more.
                self.shared.documents().entry(uri.clone()).and_modify(Document::stop);
                self.unread.insert(uri, (change.text, version));
            }
            On::TextDocumentDidClose => {
                let params: lsp::DidCloseTextDocumentParams = serde_json::from_value(params)?;
                let uri = params.text_document.uri;
                self.unread.remove(&uri);
                self.shared.documents().remove(&uri);
                let (diagnostics, version) = (Vec::new(), None);
                self.shared.notify::<lsp::PublishDiagnosticsNotification>(lsp::PublishDiagnosticsParams {
                    uri,
                    diagnostics,
                    version,
                });
            }
            On::CancelRequest => {
                let params: lsp::CancelParams = serde_json::from_value(params)?;
                let id = match params.id {
                    lsp::Id::Int(n) => RequestId::from(n),
                    lsp::Id::String(text) => RequestId::from(text),
                };
                self.stop(&id.to_string());
            }
            On::WindowWorkDoneProgressCancel => {
                let params: lsp::WorkDoneProgressCancelParams = serde_json::from_value(params)?;
                if let lsp::ProgressToken::String(token) = params.token {
                    self.stop(&token);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn stop(&mut self, run: &str) {
        if let Some(uri) = self.runs.remove(run) {
            self.shared.documents().entry(uri).and_modify(Document::stop);
        }
    }

    fn request(&mut self, request: Request) {
        if request.method == EXECUTE {
            return self.execute(request);
        }
        let response = requests::answer(&self.shared, request);
        self.shared.send(response);
    }

    /// Starts the run of a code lens.
    fn execute(&mut self, request: Request) {
        let id = request.id.clone();
        let refuse = |message: String| {
            self.shared.send(Response::new_err(id.clone(), ErrorCode::InvalidParams as i32, message));
        };
        let params: lsp::ExecuteCommandParams = match request.extract(EXECUTE) {
            Ok((_, params)) => params,
            Err(ExtractError::JsonError { error, .. }) => return refuse(error.to_string()),
            Err(ExtractError::MethodMismatch(_)) => return refuse("this is another method".into()),
        };
        let arguments = params.arguments.unwrap_or_default();
        let Some(uri) = arguments.first().and_then(|uri| uri.as_str()).map(lsp::Uri::from) else {
            return refuse(format!("`{}` needs the document's address", params.command));
        };
        let target = arguments.get(1).and_then(|target| target.as_str()).unwrap_or("abort").to_string();
        let task = match params.command.as_str() {
            CHECK => runs::Task::Check(target),
            MODEL => runs::Task::Model,
            other => return refuse(format!("there is no command `{other}`")),
        };
        let (session, version, flag) = {
            let mut documents = self.shared.documents();
            let Some(document) = documents.get_mut(&uri) else {
                drop(documents);
                return refuse(format!("`{uri}` is not open"));
            };
            let Some(session) = document.session.clone() else {
                drop(documents);
                return refuse("the program has errors".into());
            };
            (session, document.version, document.begin())
        };
        let token = format!("agon-{id}");
        let live: HashSet<lsp::Uri> = self.shared.documents().keys().cloned().collect();
        // There is one run for each document; earlier ones have ended.
        self.runs.retain(|_, other| live.contains(other) && *other != uri);
        self.runs.insert(id.to_string(), uri.clone());
        self.runs.insert(token.clone(), uri.clone());
        let shared = self.shared.clone();
        std::thread::spawn(move || {
            runs::run(&shared, runs::Run { id, token, uri, version, session, task, flag })
        });
    }
}
