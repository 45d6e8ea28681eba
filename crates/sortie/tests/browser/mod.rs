//! A headless Chromium, driven over two pipes by its debugging protocol.
#![allow(dead_code, reason = "each test file uses its own part")]

use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// So long is waited for what has to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The browser's program; none if the test is to be skipped. With `SORTIE_REQUIRE_ALL=1` there has to be one.
fn program() -> Option<&'static str> {
    let is_there = |name: &&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    let found = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(is_there);
    if found.is_none() {
        let all = std::env::var("SORTIE_REQUIRE_ALL").as_deref() == Ok("1");
        assert!(!all, "there is no Chromium");
        println!("skipped: there is no Chromium");
    }
    found
}

/// One page in a browser of its own.
pub struct Browser {
    child: Child,
    commands: File,
    messages: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    /// What scripts and the network complained about.
    pub errors: Vec<String>,
}

impl Browser {
    /// Starts a browser that keeps its files in a folder; none if there is no browser.
    pub fn start(folder: &Path) -> Option<Browser> {
        let program = program()?;
        let pipe = |name: &str| -> PathBuf {
            let path = folder.join(name);
            let made = Command::new("mkfifo").arg(&path).status();
            assert!(
                made.is_ok_and(|status| status.success()),
                "a pipe can be made"
            );
            path
        };
        let (to, from) = (pipe("to-browser"), pipe("from-browser"));
        let child = Command::new("sh")
            .args(["-c", r#"exec "$@" 3<"$TO" 4>"$FROM""#, "sh", program])
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-pipe",
            ])
            .arg(format!(
                "--user-data-dir={}",
                folder.join("profile").display()
            ))
            .envs([("TO", &to), ("FROM", &from)])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell can be started");
        let commands = OpenOptions::new()
            .write(true)
            .open(&to)
            .expect("the pipe to it");
        let answers = File::open(&from).expect("the pipe from it");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let value = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let mut browser = Browser {
            child,
            commands,
            messages,
            session: None,
            sent: 0,
            errors: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let wanted = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.call("Target.attachToTarget", wanted);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.size(1280, 800);
        Some(browser)
    }

    /// Asks the browser for something.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let mut command = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = session.clone().into();
        }
        let text = format!("{command}\0");
        self.commands
            .write_all(text.as_bytes())
            .expect("the browser listens");
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|error| panic!("{method}: {error}"));
            if message["id"] == self.sent {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            let event = &message["params"];
            match message["method"].as_str() {
                Some("Runtime.exceptionThrown") => self.errors.push(event.to_string()),
                Some("Log.entryAdded") if event["entry"]["level"] == "error" => {
                    self.errors.push(event.to_string());
                }
                Some("Runtime.consoleAPICalled") if event["type"] == "error" => {
                    self.errors.push(event.to_string());
                }
                _ => {}
            }
        }
    }

    pub fn size(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// `light` or `dark`.
    pub fn scheme(&mut self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call(
            "Emulation.setEmulatedMedia",
            json!({ "features": features }),
        );
    }

    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let wanted =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", wanted);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// Waits until an expression on the page is true.
    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        // Between two pages there may be nothing to ask.
        let guarded = format!(
            "(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()"
        );
        while self.value(&guarded) != true {
            let page = self.value("document.body && document.body.innerText");
            assert!(Instant::now() < until, "never: {expression}\n{page}");
            sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key as a person would: a letter, or the name of a key.
    pub fn press(&mut self, key: &str) {
        let number = match key {
            "Enter" => 13,
            "Escape" => 27,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            letter => u32::from(letter.to_ascii_uppercase().as_bytes()[0]),
        };
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        let mut event = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": number });
        if !text.is_empty() {
            event["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", event);
        let event = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": number });
        self.call("Input.dispatchKeyEvent", event);
    }

    /// Clicks in the middle of what a selector finds first.
    pub fn click(&mut self, selector: &str) {
        let middle = format!(
            "(() => {{ const area = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [area.x + area.width / 2, area.y + area.height / 2]; }})()"
        );
        let middle = self.value(&middle);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Keeps a picture of the page, if the folder for pictures is named by `SORTIE_PICTURES`.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("SORTIE_PICTURES") else {
            return;
        };
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = decoded(answer["data"].as_str().expect("a picture"));
        fs::create_dir_all(&folder).expect("a folder for pictures");
        fs::write(Path::new(&folder).join(name), bytes).expect("a place for pictures");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bytes from base 64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| -> Option<u32> {
        let place = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        Some(place.into())
    };
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0u32, 0);
    for six in text.bytes().filter_map(value) {
        held = held << 6 | six;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}
