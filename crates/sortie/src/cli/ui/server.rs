//! Accepts connections and answers each in a thread of its own.

use super::super::output::complain;
use super::api::Session;
use super::gate::Gate;
use super::http::{Answer, Head, Incoming, Refusal};
use super::page;
use serde_json::Value;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// More connections at once are turned away: browsers open a handful.
const CONNECTIONS: usize = 64;

struct Server {
    gate: Gate,
    /// Marks the page's own script and style, so that no other runs.
    mark: String,
    session: Mutex<Session>,
    open: AtomicUsize,
}

/// Answers until the program is ended.
pub fn serve(listener: &TcpListener, gate: Gate, mark: String, session: Session) -> io::Result<()> {
    let server = Arc::new(Server {
        gate,
        mark,
        session: Mutex::new(session),
        open: AtomicUsize::new(0),
    });
    for stream in listener.incoming() {
        // A connection that is gone before it is accepted concerns nobody.
        let Ok(stream) = stream else { continue };
        let own = Arc::clone(&server);
        if server.open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            server.open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let answer = move || {
            let _one = One(&own.open);
            own.answer(&stream);
        };
        if let Err(error) = std::thread::Builder::new().spawn(answer) {
            server.open.fetch_sub(1, Ordering::Relaxed);
            complain(format_args!("a request is not answered: {error}"));
        }
    }
    Ok(())
}

/// One connection, counted as long as it is open.
struct One<'a>(&'a AtomicUsize);

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Server {
    fn answer(&self, stream: &TcpStream) {
        let mut incoming = Incoming::new(stream);
        let answer = match incoming.head() {
            Ok(None) => return,
            Ok(Some(head)) => self.respond(&head, &mut incoming),
            Err(refusal) => Err(refusal),
        };
        // Somebody who does not wait for the answer does not want it.
        let _ = answer.unwrap_or_else(Answer::from).send(stream);
    }

    fn respond(&self, head: &Head, incoming: &mut Incoming<'_>) -> Result<Answer, Refusal> {
        self.gate.check(head)?;
        let body = incoming.body(head.length)?;
        match (&head.method[..], &head.path[..]) {
            ("GET", "/") => Ok(page::page(&self.mark)),
            ("POST", "/api") => {
                let request: Value = serde_json::from_slice(&body)
                    .map_err(|error| Refusal::new(400, format!("this is not JSON: {error}")))?;
                let session = self.session.lock();
                let mut session = session.map_err(|_| {
                    Refusal::new(500, "an earlier request failed: start the program again")
                })?;
                let (status, value) = session.carry_out(&request);
                Ok(Answer::json(status, &value))
            }
            (_, "/" | "/api") => Err(Refusal::new(405, "this is not done so")),
            _ => Err(Refusal::new(404, "there is nothing here")),
        }
    }
}
