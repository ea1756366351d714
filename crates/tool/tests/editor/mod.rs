//! A scripted editor: it talks to the language server over the server's standard input and output.

use std::io::BufReader;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use lsp_server::{Message, Notification, Request, RequestId, Response};
use serde_json::{Value, json};

/// How long an answer may take, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// An editor that talks to a language server, about one document.
pub struct Editor {
    /// The address of the document.
    uri: String,
    server: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Message>,
    requests: i32,
    /// Notifications that arrived while the test waited for something else.
    notified: Vec<Notification>,
    pub version: i32,
}

impl Editor {
    pub fn start(uri: &str) -> Editor {
        let mut server = Command::new(env!("CARGO_BIN_EXE_agon"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = server.stdin.take();
        let mut output = BufReader::new(server.stdout.take().expect("it can be listened to"));
        let (hear, heard) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(message)) = Message::read(&mut output) {
                if hear.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor =
            Editor { uri: uri.into(), server, input, heard, requests: 0, notified: Vec::new(), version: 0 };
        let capabilities = json!({
            "workspace": { "codeLens": { "refreshSupport": true } },
            "window": { "workDoneProgress": true },
        });
        let said = editor.ask(
            "initialize",
            json!({ "capabilities": capabilities, "initializationOptions": { "define": { "n": 3 } } }),
        );
        assert_eq!(said["capabilities"]["renameProvider"]["prepareProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    pub fn send(&mut self, message: Message) {
        message.write(self.input.as_mut().expect("it listens")).expect("it listens");
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.into(), params).into());
    }

    pub fn begin(&mut self, method: &str, params: Value) -> RequestId {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        self.send(Request::new(id.clone(), method.into(), params).into());
        id
    }

    pub fn hear(&mut self) -> Message {
        self.heard.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// The response to a request. Requests of the server are granted meanwhile.
    pub fn response(&mut self, id: &RequestId) -> Response {
        loop {
            match self.hear() {
                Message::Response(response) if response.id == *id => return response,
                Message::Notification(notification) => self.notified.push(notification),
                Message::Request(request) => self.send(Response::new_ok(request.id, Value::Null).into()),
                Message::Response(other) => panic!("nobody asked for {other:?}"),
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        let response = self.response(&id);
        response.response_result.unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    pub fn refused(&mut self, method: &str, params: Value) -> String {
        let id = self.begin(method, params);
        self.response(&id).response_result.expect_err("it is refused").message
    }

    pub fn open(&mut self, text: &str) -> Value {
        self.version += 1;
        self.tell(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": self.uri, "languageId": "agon", "version": self.version, "text": text } }),
        );
        self.diagnostics()
    }

    pub fn change(&mut self, text: &str) -> Value {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
        self.diagnostics()
    }

    /// The next diagnostics about this version of the text.
    pub fn diagnostics(&mut self) -> Value {
        loop {
            let mut notified = std::mem::take(&mut self.notified);
            let found = notified.iter().position(|notification| {
                notification.method == "textDocument/publishDiagnostics"
                    && notification.params["version"] == self.version
            });
            if let Some(found) = found {
                return notified.swap_remove(found).params["diagnostics"].clone();
            }
            match self.hear() {
                Message::Notification(notification) => self.notified.push(notification),
                Message::Request(request) => self.send(Response::new_ok(request.id, Value::Null).into()),
                Message::Response(other) => panic!("nobody asked for {other:?}"),
            }
        }
    }

    pub fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        self.ask(method, json!({ "textDocument": { "uri": self.uri }, "position": position }))
    }

    pub fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        drop(self.input.take());
        let status = self.server.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}
