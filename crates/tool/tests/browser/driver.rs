//! A headless browser, controlled by its debugging protocol.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

use crate::requires::installed;

/// The time limit of the test, long enough for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A page in a browser of its own.
pub struct Page {
    browser: Child,
    profile: PathBuf,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    calls: u64,
    /// Errors in the page.
    pub complaints: Vec<String>,
}

/// The browser, if there is one.
pub fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| installed(name))
}

impl Page {
    /// An empty page.
    pub fn open() -> Page {
        static PROFILES: AtomicU32 = AtomicU32::new(0);
        let program = browser().expect("a chromium is installed (on Debian: apt-get install chromium)");
        let number = PROFILES.fetch_add(1, Ordering::Relaxed);
        let profile = std::env::temp_dir().join(format!("agon-browser-{}-{number}", std::process::id()));
        let mut browser = Command::new(program)
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--disable-extensions", "--disable-background-networking", "--remote-debugging-port=0"])
            .args(["--window-size=1360,860", "--force-prefers-reduced-motion", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let said = BufReader::new(browser.stderr.take().expect("it can be listened to"));
        let mut lines = said.lines();
        let address = loop {
            let line = lines.next().expect("the browser says where it listens").expect("it speaks text");
            if let Some(address) = line.strip_prefix("DevTools listening on ") {
                break address.to_string();
            }
        };
        // The rest of its output is not needed, but must be read.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address).expect("the browser can be talked to");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).expect("a time can be set");
        }
        let mut page = Page { browser, profile, socket, session: None, calls: 0, complaints: Vec::new() };
        let target = page.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = page.call("Target.attachToTarget", attach);
        page.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            page.call(domain, json!({}));
        }
        page
    }

    /// Calls a method of the browser's protocol.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let id = self.calls;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let Message::Text(text) = self.socket.read().expect("the browser answers") else { continue };
            let said: Value = serde_json::from_str(&text).expect("the browser speaks JSON");
            if said["id"] == id {
                assert!(said["error"].is_null(), "{method}: {}", said["error"]);
                return said["result"].clone();
            }
            self.note(&said);
        }
    }

    /// Records errors in the page.
    fn note(&mut self, said: &Value) {
        match said["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(said["params"]["exceptionDetails"].to_string());
            }
            Some("Log.entryAdded") if said["params"]["entry"]["level"] == "error" => {
                self.complaints.push(said["params"]["entry"].to_string());
            }
            _ => {}
        }
    }

    /// Visits an address, and waits until the workbench is ready.
    pub fn visit(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url }));
        self.wait("document.body?.dataset.ready === 'yes'");
        // A layout may take long on a busy machine.
        self.eval(&format!("document.body.dataset.patience = {}", PATIENCE.as_millis()));
    }

    /// The value of a JavaScript expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let said = self.call("Runtime.evaluate", params);
        assert!(said["exceptionDetails"].is_null(), "{expression}: {}", said["exceptionDetails"]);
        said["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let started = Instant::now();
        while self.eval(&format!("Boolean({expression})")) != true {
            if started.elapsed() > PATIENCE {
                let shown = self.eval("document.querySelector('main').innerText");
                panic!("{expression} is still not true; {:?}\nthe page says: {shown}", self.complaints);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a verdict.
    #[track_caller]
    pub fn waits_for(&mut self, verdict: &str) {
        self.wait(&format!("document.querySelector('#verdict .word')?.innerText === {}", json!(verdict)));
    }

    /// Has the program checked, and waits for a verdict.
    #[track_caller]
    pub fn check(&mut self, verdict: &str) {
        self.click("#check");
        self.waits_for(verdict);
    }

    /// Has the model drawn.
    #[track_caller]
    pub fn draw(&mut self) {
        self.click("#model");
        self.wait("document.querySelector('.said')?.innerText.includes('drawn in')");
    }

    /// The text of an element.
    pub fn text(&mut self, selector: &str) -> String {
        let said = self.eval(&format!("document.querySelector({})?.innerText ?? ''", json!(selector)));
        said.as_str().unwrap_or("").to_string()
    }

    /// Clicks on the middle of an element.
    #[track_caller]
    pub fn click(&mut self, selector: &str) {
        // What is drawn meanwhile moves it, so its place must be the same for two pictures.
        let place = self.eval(&format!(
            "(async () => {{ let last; for (let n = 0; n < 100; n++) {{ const e = document.querySelector({}); \
             e?.scrollIntoView({{ block: 'nearest' }}); const b = e?.getBoundingClientRect(); \
             const now = b && [b.x + b.width / 2, b.y + b.height / 2]; \
             if (now && last && now[0] === last[0] && now[1] === last[1]) return now; \
             last = now; await new Promise(requestAnimationFrame); }} return last; }})()",
            json!(selector)
        ));
        assert!(place.is_array(), "there is no {selector}");
        for kind in ["mousePressed", "mouseReleased"] {
            let params =
                json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Clicks a button, and again until the click has met it.
    pub fn click_button(&mut self, selector: &str) {
        // What is drawn meanwhile may move it away from under the mouse. Then it is tried again.
        for _ in 0..20 {
            // Its place must be the same for two pictures.
            let place = self.eval(&format!(
                "(async () => {{ let last; for (let n = 0; n < 100; n++) {{ const e = document.querySelector({0}); \
                 e?.scrollIntoView({{ block: 'nearest' }}); const b = e?.getBoundingClientRect(); \
                 const now = b && [b.x + b.width / 2, b.y + b.height / 2]; \
                 if (now && last && now[0] === last[0] && now[1] === last[1]) {{ window.missed = true; \
                 addEventListener('click', (click) => {{ \
                 window.missed = !document.querySelector({0})?.contains(click.target); }}, \
                 {{ capture: true, once: true }}); return now; }} \
                 last = now; await new Promise(requestAnimationFrame); }} return last; }})()",
                json!(selector)
            ));
            assert!(place.is_array(), "there is no {selector}");
            for kind in ["mousePressed", "mouseReleased"] {
                let params =
                    json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
                self.call("Input.dispatchMouseEvent", params);
            }
            if self.eval("window.missed === true") == false {
                return;
            }
        }
        panic!("{selector} moves away from the mouse");
    }

    /// Presses a key, with or without Ctrl.
    pub fn press(&mut self, key: &str, ctrl: bool) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "Tab" => (9, ""),
            "Home" => (36, ""),
            "End" => (35, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            "Escape" => (27, ""),
            " " => (32, " "),
            other => (u32::from(other.as_bytes()[0].to_ascii_uppercase()), other),
        };
        let modifiers = if ctrl { 2 } else { 0 };
        let text = if ctrl { "" } else { text };
        let down = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
        for kind in [down, "keyUp"] {
            let mut params =
                json!({ "type": kind, "key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers });
            if kind == "keyDown" {
                params["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Types a text into the focused element.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Replaces the text of an editor, as a user would.
    pub fn fill(&mut self, selector: &str, text: &str) {
        self.eval(&format!("document.querySelector({}).select()", json!(selector)));
        self.write(text);
    }

    /// Sets the preferred colour scheme, light or dark.
    pub fn prefer(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// A screenshot as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let said = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let data = said["data"].as_str().expect("there is a picture");
        base64::engine::general_purpose::STANDARD.decode(data).expect("it is base64")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
        // Child processes of the browser may still write there.
        for _ in 0..40 {
            if std::fs::remove_dir_all(&self.profile).is_ok() || !self.profile.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
