//! `sortie ui`: what the server answers to whom, and the page in a browser.

#![cfg(unix)]

mod browser;
mod program;

use browser::Browser;
use program::{check, folder, text};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running server.
struct Server {
    child: Child,
    address: String,
    port: u16,
    token: String,
}

impl Server {
    fn start(folder: &Path, arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sortie"))
            .current_dir(folder)
            .arg("ui")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let mut address = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out)
            .read_line(&mut address)
            .expect("it says where it is");
        let address = address.trim().to_owned();
        let rest = address.strip_prefix("http://127.0.0.1:").expect("loopback");
        let (port, token) = rest.split_once("/?token=").expect("a token");
        assert_eq!(token.len(), 32);
        Server {
            port: port.parse().expect("a port"),
            token: token.into(),
            child,
            address,
        }
    }

    /// Sends bytes as they are; the status and the whole answer. Zero if there is none.
    fn raw(&self, bytes: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("a limit");
        // It may close before everything is sent.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = text(&answer);
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        (status.unwrap_or(0), answer)
    }

    fn with_headers(&self, first: &str, headers: &str) -> u16 {
        self.raw(format!("{first} HTTP/1.1\r\n{headers}\r\n").as_bytes())
            .0
    }

    /// Sends a command as the page does.
    fn ask(&self, request: &str) -> (u16, Value) {
        let head = format!(
            "POST /api HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
            self.port,
            self.token,
            request.len()
        );
        let (status, answer) = self.raw(&[head.as_bytes(), request.as_bytes()].concat());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let value = serde_json::from_str(body);
        (
            status,
            value.unwrap_or_else(|error| panic!("{error}: {answer}")),
        )
    }

    fn command(&self, command: Value) -> (u16, Value) {
        self.ask(&json!({ "command": command }).to_string())
    }

    #[track_caller]
    fn fine(&self, command: Value) -> Value {
        let (status, value) = self.command(command);
        assert_eq!(status, 200, "{value}");
        value
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const TABLE: [&str; 3] = ["gallery:philosophers", "--set", "n=3"];

#[test]
fn only_who_knows_the_token_and_comes_from_here_is_answered() {
    let dir = folder("ui-gate");
    let server = Server::start(&dir, &TABLE);
    let (port, token) = (server.port, &server.token);
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let page = format!("GET /?token={token}");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(server.with_headers(&page, &host), 200);
    assert_eq!(
        server.with_headers(&page, &format!("Host: localhost:{port}\r\n")),
        200
    );
    assert_eq!(server.with_headers("GET /", &(host.clone() + &bearer)), 200);
    let own = format!("{host}Origin: http://127.0.0.1:{port}\r\n");
    assert_eq!(server.with_headers(&page, &own), 200);
    let wrong = token.replace(|c: char| c.is_ascii_digit(), "a");
    let nearly = &token[..31];
    for (first, headers) in [
        ("GET /", host.clone()),
        ("POST /api", host.clone()),
        ("GET /nothing", host.clone()),
        ("GET /?token=", host.clone()),
        (&format!("GET /?token={wrong}0"), host.clone()),
        (&format!("GET /?token={nearly}"), host.clone()),
        (&format!("GET /?token={token}0"), host.clone()),
        ("GET /", format!("{host}Authorization: Bearer {nearly}\r\n")),
        ("GET /", format!("{host}Authorization: {token}\r\n")),
        (&page, format!("{host}Authorization: Bearer wrong\r\n")),
        (&page, String::new()),
        (&page, format!("Host: evil.example:{port}\r\n")),
        (&page, "Host: 127.0.0.1\r\n".into()),
        (&page, "Host: 127.0.0.1:1\r\n".into()),
        (&page, format!("Host: 127.0.0.1:{port}.evil.example\r\n")),
        (&page, format!("{host}Origin: http://evil.example\r\n")),
        (&page, format!("{host}Origin: null\r\n")),
        (&page, format!("{host}Origin: https://127.0.0.1:{port}\r\n")),
        (&page, format!("{host}Origin: http://localhost:{port}\r\n")),
        (
            &format!("OPTIONS /api?token={token}"),
            format!("{host}Origin: http://evil.example\r\n"),
        ),
    ] {
        assert_eq!(
            server.with_headers(first, &headers),
            403,
            "{first}\n{headers}"
        );
    }
    let (_, answer) = server.raw(format!("{page} HTTP/1.1\r\n{host}\r\n").as_bytes());
    let head = answer
        .split_once("\r\n\r\n")
        .expect("a head")
        .0
        .to_lowercase();
    assert!(
        head.contains("content-security-policy: default-src 'none'"),
        "{head}"
    );
    assert!(!head.contains("access-control-allow"), "{head}");
    assert_eq!(
        server.with_headers(&format!("GET /nothing?token={token}"), &host),
        404
    );
    assert_eq!(
        server.with_headers(&format!("DELETE /?token={token}"), &host),
        405
    );
}

#[test]
fn garbage_is_refused_and_the_server_goes_on() {
    let dir = folder("ui-garbage");
    let server = Server::start(&dir, &TABLE);
    for bytes in [
        &b"\0\xff\xfe\r\n\r\n"[..],
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a",
        b"POST /api HTTP/1.1\r\nContent-Length: x\r\n\r\n",
    ] {
        let (status, answer) = server.raw(bytes);
        assert_eq!(status, 400, "{}: {answer}", text(bytes));
    }
    let endless = [b"GET / HTTP/1.1\r\n".to_vec(), b"a: b\r\n".repeat(5000)].concat();
    assert_eq!(server.raw(&endless).0, 431);
    assert_eq!(
        server
            .raw(b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")
            .0,
        413
    );
    assert_eq!(server.raw(b"").0, 0, "who says nothing hears nothing");
    for request in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"command":{}}"#,
        r#"{"command":{"do":"explode"}}"#,
        r#"{"command":{"do":"take"}}"#,
        r#"{"command":{"do":"take","number":-1,"version":0}}"#,
        r#"{"command":{"do":"take","number":0,"version":0}}"#,
        r#"{"command":{"do":"undo","steps":1e400}}"#,
        r#"{"command":{"do":"load","text":"nonsense"}}"#,
        r#"{"command":{"do":"save"}}"#,
        r#"{"command":{"do":"label","text":"nonsense"}}"#,
    ] {
        let (status, value) = server.ask(request);
        assert_eq!(status, 400, "{request}: {value}");
        assert!(value["error"].is_string(), "{request}: {value}");
    }
    let deep = "[".repeat(100_000);
    assert_eq!(server.ask(&deep).0, 400);
    let view = server.fine(json!({ "do": "view" }));
    assert_eq!(view["here"], 0);
    for (command, least) in [
        ("visit", json!({ "do": "visit", "node": 99999 })),
        ("lane", json!({ "do": "lane", "level": 1, "lane": 0 })),
        ("branch", json!({ "do": "branch", "number": 0 })),
        ("go", json!({ "do": "go", "step": 5 })),
    ] {
        let mut command_value = least;
        let view = server.fine(json!({ "do": "view" }));
        command_value["version"] = view["version"].clone();
        assert_eq!(server.command(command_value).0, 400, "{command}");
    }
}

#[test]
fn spoiled_requests_are_all_answered() {
    let dir = folder("ui-spoiled");
    let server = Server::start(&dir, &TABLE);
    let body = r#"{"command":{"do":"undo","steps":1}}"#;
    let proper = format!(
        "POST /api?token={} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: {}\r\n\r\n{body}",
        server.token,
        server.port,
        body.len()
    );
    assert_eq!(server.raw(proper.as_bytes()).0, 200);
    let mut dice = sortie_model::Dice::new(1);
    for round in 0..400 {
        let mut bytes = proper.clone().into_bytes();
        for _ in 0..=dice.index(3) {
            let place = dice.index(bytes.len());
            match dice.index(3) {
                0 => bytes[place] = dice.index(256) as u8,
                1 => bytes.truncate(place.max(1)),
                _ => bytes.insert(place, b"\r\n :?{\0"[dice.index(7)]),
            }
        }
        let (status, answer) = server.raw(&bytes);
        let expected = [200, 400, 403, 404, 405, 413, 501, 505];
        assert!(
            expected.contains(&status),
            "round {round}: {answer}\n{}",
            text(&bytes)
        );
    }
    server.fine(json!({ "do": "view" }));
}

#[test]
fn who_is_too_slow_is_told_so_and_hinders_nobody() {
    let dir = folder("ui-slow");
    let server = Server::start(&dir, &TABLE);
    let mut slow = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ")
        .expect("it listens");
    server.fine(json!({ "do": "view" }));
    slow.set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a limit");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn commands_walk_through_the_model() {
    let dir = folder("ui-commands");
    let server = Server::start(&dir, &TABLE);
    let view = server.fine(json!({ "do": "view" }));
    assert_eq!(view["choices"].as_array().map(Vec::len), Some(3), "{view}");
    assert_eq!(
        view["graph"]["nodes"].as_array().map(Vec::len),
        Some(4),
        "{view}"
    );
    let taken = server.fine(json!({ "do": "take", "number": 1, "version": view["version"] }));
    assert_eq!(
        (&taken["here"], &taken["path"][0]["label"]),
        (&json!(1), &json!("take_left(1)"))
    );
    assert_eq!(taken["state"][0]["before"], "thinking");
    let late = json!({ "do": "take", "number": 1, "version": view["version"] });
    assert_eq!(server.command(late).0, 409, "what was shown has changed");
    for philosopher in [2, 3] {
        server.fine(json!({ "do": "label", "text": format!("take_left({philosopher})") }));
    }
    let view = server.fine(json!({ "do": "view" }));
    assert_eq!(view["violated"], json!(["deadlock"]));
    let saved = server.fine(json!({ "do": "save" }));
    let witness = saved["witness"].as_str().expect("a text");
    fs::write(dir.join("saved.witness"), witness).expect("the test's own file");
    check(
        &dir,
        &["replay", "gallery:philosophers", "saved.witness"],
        0,
        "reproduced: deadlock, 3 steps",
    );
    // A state of the graph is gone to; the path that was left is kept.
    let view = server.fine(json!({ "do": "visit", "node": 2, "version": view["version"] }));
    assert_eq!(
        (&view["here"], view["left"].as_array().map(Vec::len)),
        (&json!(1), Some(1))
    );
    let view = server.fine(json!({ "do": "branch", "number": 1, "version": view["version"] }));
    assert_eq!((&view["here"], &view["length"]), (&json!(0), &json!(3)));
    let loaded = server.fine(json!({ "do": "load", "text": witness }));
    assert_eq!(
        (&loaded["here"], &loaded["length"], &loaded["property"]),
        (&json!(0), &json!(3), &json!("deadlock"))
    );
    // Levels of a highway: each state but the first comes from the level before.
    let highway = server.fine(json!({ "do": "highway", "width": 6, "levels": 5, "seed": 1 }));
    let levels = highway["levels"].as_array().expect("levels");
    assert_eq!(levels[0].as_array().map(Vec::len), Some(1));
    for (level, lanes) in levels.iter().enumerate().skip(1) {
        let lanes = lanes.as_array().expect("lanes");
        assert!((1..=6).contains(&lanes.len()), "{highway}");
        let before = levels[level - 1].as_array().map_or(0, Vec::len) as u64;
        assert!(
            lanes
                .iter()
                .all(|lane| lane["from"].as_u64().is_some_and(|from| from < before))
        );
    }
    let bad = levels
        .iter()
        .flat_map(|lanes| lanes.as_array().expect("lanes"));
    assert!(
        bad.filter(|lane| lane["violates"] == true).count() == 1,
        "the deadlock is marked: {highway}"
    );
    let last = levels.len() - 1;
    let view = server
        .fine(json!({ "do": "lane", "level": last, "lane": 0, "version": loaded["version"] }));
    assert_eq!(view["here"], json!(last));
    let undone = server.fine(json!({ "do": "undo", "steps": 1000 }));
    assert_eq!(undone["here"], 0);
    let (_, filtered) = server.ask(r#"{"filter":"(2)","command":{"do":"view"}}"#);
    assert_eq!(
        (&filtered["fitting"], &filtered["all"]),
        (&json!(1), &json!(3))
    );
}

#[test]
fn the_picture_stays_small_however_long_the_path_is() {
    let dir = folder("ui-long");
    let server = Server::start(&dir, &["gallery:philosophers", "--set", "n=12"]);
    for _ in 0..20 {
        let view = server.fine(json!({ "do": "random", "steps": 400 }));
        let nodes = view["graph"]["nodes"].as_array().expect("nodes");
        assert!(nodes.len() <= 1200, "{}", nodes.len());
        let here = view["graph"]["here"].as_u64().expect("here") as usize;
        assert!(here < nodes.len());
        if view["violated"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
        {
            server.fine(json!({ "do": "undo", "steps": 100 }));
        }
    }
    let view = server.fine(json!({ "do": "view" }));
    let node = view["graph"]["nodes"].as_array().map_or(0, Vec::len) - 1;
    server.fine(json!({ "do": "visit", "node": node, "version": view["version"] }));
    let view = server.fine(json!({ "do": "undo", "steps": 1_000_000 }));
    assert_eq!(
        (&view["here"], &view["graph"]["nodes"][0]["level"]),
        (&json!(0), &json!(0))
    );
}

#[test]
fn an_interrupt_ends_it() {
    let dir = folder("ui-interrupt");
    let mut server = Server::start(&dir, &TABLE);
    let interrupt = Command::new("kill")
        .args(["-INT", &server.child.id().to_string()])
        .status();
    assert!(interrupt.is_ok_and(|status| status.success()));
    let status = server.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    check(&dir, &["ui", "missing.aut"], 2, "cannot be read");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("a port").port().to_string();
    check(
        &dir,
        &["ui", "gallery:ring", "--port", &port],
        3,
        "cannot be listened on",
    );
}

#[test]
fn the_page_works_in_a_browser() {
    let dir = folder("ui-browser");
    let Some(mut browser) = Browser::start(&dir) else {
        return;
    };
    let server = Server::start(&dir, &["gallery:philosophers", "--set", "n=4"]);
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('.choice').length === 4");
    let count = |selector: &str| format!("document.querySelectorAll({selector:?}).length");
    assert_eq!(browser.value(&count("#graph circle")), 5);
    // By keyboard: the second step, back, on again.
    for key in ["ArrowDown", "Enter"] {
        browser.press(key);
    }
    browser.wait("document.getElementById('where').textContent === 'step 1 of 1'");
    browser.wait(
        "document.querySelector('#fields .changed').textContent.includes('has the left fork')",
    );
    browser.wait("document.querySelectorAll('#graph .edge.path').length === 1");
    browser.press("u");
    browser.wait("document.getElementById('where').textContent === 'step 0 of 1'");
    browser.press("ArrowRight");
    browser.wait("document.getElementById('where').textContent === 'step 1 of 1'");
    // A filter, by typing.
    for key in ["/", "(", "3", ")"] {
        browser.press(key);
    }
    browser.wait("document.querySelectorAll('.choice').length === 1");
    for key in ["Escape", "Enter"] {
        browser.press(key);
    }
    browser.wait("document.getElementById('where').textContent === 'step 2 of 2'");
    browser.value("at('filter').value = ''; at('count').value = 25; ask({ do: 'view' })");
    browser.press("n");
    browser.wait("view.here > 2");
    browser.picture("ui-graph-light.png");
    browser.scheme("dark");
    browser.picture("ui-graph-dark.png");
    // A click on a state goes there.
    browser.press("f");
    browser.picture("ui-graph-fit-dark.png");
    browser.click("#graph circle");
    browser.wait("view.here === 0 && view.left.length <= 1");
    // The highway.
    browser.press("h");
    browser.wait("document.querySelectorAll('#highway circle').length > 20");
    browser.picture("ui-highway-dark.png");
    browser.scheme("light");
    browser.picture("ui-highway-light.png");
    browser.press("f");
    browser.click("#highway circle:last-of-type");
    browser.wait("view.here > 5");
    // A witness is loaded and played to its end.
    browser.press("g");
    let commands =
        "for (const i of [1, 2, 3, 4]) await ask({ do: 'label', text: `take_left(${i})` });";
    browser.value(&format!("(async () => {{ await go(0); {commands} }})()"));
    browser.wait("document.getElementById('violated').textContent === 'deadlock'");
    browser.picture("ui-deadlock-light.png");
    browser.value("(async () => { const saved = await ask({ do: 'save' }); await ask({ do: 'load', text: saved.witness }); })()");
    browser.wait("view.here === 0 && view.length === 4 && view.property === 'deadlock'");
    browser.value("at('speed').value = '200'");
    browser.press(" ");
    browser.wait("view.here === 4 && player === null");
    browser.press("?");
    browser.wait("document.getElementById('help').open");
    browser.picture("ui-help-light.png");
    browser.press("Escape");
    browser.wait("!document.getElementById('help').open");
    browser.size(400, 900);
    browser.picture("ui-narrow-light.png");
    assert_eq!(
        browser.value("document.documentElement.scrollWidth <= 400"),
        true
    );
    assert_eq!(browser.errors, [""; 0]);
}

#[test]
fn hundreds_of_states_stay_usable_in_a_browser() {
    let dir = folder("ui-large");
    let Some(mut browser) = Browser::start(&dir) else {
        return;
    };
    let server = Server::start(&dir, &["gallery:philosophers", "--set", "n=12"]);
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('.choice').length === 12");
    browser.value(
        "(async () => { for (let i = 0; i < 150; i += 1) { await ask({ do: 'random', steps: 1 }); \
         if (view.violated.length) await ask({ do: 'undo', steps: 15 }); } })()",
    );
    browser.wait("document.querySelectorAll('#graph circle').length > 200");
    browser.picture("ui-large.png");
    assert!(browser.value("view.graph.nodes.length < 1201") == true);
    let time = browser.value("(() => { const from = performance.now(); drawGraph(true); return performance.now() - from; })()");
    assert!(
        time.as_f64().is_some_and(|time| time < 3000.0),
        "drawing takes {time} ms"
    );
    browser.press("f");
    browser.picture("ui-large-fit.png");
    assert_eq!(browser.errors, [""; 0]);
}
