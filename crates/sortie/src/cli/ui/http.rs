//! As much of HTTP/1.1 as one page needs: one request per connection, with limits on size and time. What is not plain is refused.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The longest head of a request, in bytes.
const HEAD: usize = 16 << 10;

/// The longest body: a witness file is not longer.
pub const BODY: usize = 32 << 20;

/// A request must be complete after this time.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Headers that decide something must not be given twice.
const ONCE: &[&str] = &[
    "host",
    "origin",
    "authorization",
    "content-length",
    "content-type",
];

/// The head of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    pub method: String,
    /// Without the query.
    pub path: String,
    pub query: String,
    /// Names in small letters.
    headers: Vec<(String, String)>,
    /// How long the body is.
    pub length: usize,
}

impl Head {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| &value[..])
    }
}

/// An answer without a request that could be understood, or to one that is not allowed.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    pub message: String,
}

impl Refusal {
    pub fn new(status: u16, message: impl Into<String>) -> Self {
        Refusal {
            status,
            message: message.into(),
        }
    }

    fn bad(message: &str) -> Self {
        Refusal::new(400, message)
    }
}

/// A connection with a time by which its request must have come.
pub struct Incoming<'a> {
    stream: &'a TcpStream,
    until: Instant,
    /// What was read beyond the head.
    rest: Vec<u8>,
}

impl<'a> Incoming<'a> {
    pub fn new(stream: &'a TcpStream) -> Self {
        Incoming {
            stream,
            until: Instant::now() + PATIENCE,
            rest: Vec::new(),
        }
    }

    /// Reads some bytes; none is the end.
    fn some(&mut self, buffer: &mut [u8]) -> Result<usize, Refusal> {
        let left = self.until.saturating_duration_since(Instant::now());
        let late = || Refusal::new(408, "the request did not come in time");
        if left.is_zero() {
            return Err(late());
        }
        let waits = self.stream.set_read_timeout(Some(left));
        let read = waits.and_then(|()| self.stream.read(buffer));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => late(),
            _ => Refusal::bad("the connection broke off"),
        })
    }

    /// The head, or nothing if the connection ends before anything is said.
    pub fn head(&mut self) -> Result<Option<Head>, Refusal> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        let mut searched: usize = 0;
        loop {
            // The end may lie across two pieces.
            let from = searched.saturating_sub(3);
            if let Some(end) = find(&bytes[from..], b"\r\n\r\n") {
                let end = from + end;
                self.rest = bytes.split_off(end + 4);
                bytes.truncate(end);
                return parse(&bytes).map(Some);
            }
            searched = bytes.len();
            if bytes.len() > HEAD {
                return Err(Refusal::new(431, "the head of the request is too long"));
            }
            match self.some(&mut buffer)? {
                0 if bytes.is_empty() => return Ok(None),
                0 => return Err(Refusal::bad("the request ends within its head")),
                read => bytes.extend_from_slice(&buffer[..read]),
            }
        }
    }

    /// The body, as long as the head says.
    pub fn body(&mut self, length: usize) -> Result<Vec<u8>, Refusal> {
        let mut body = std::mem::take(&mut self.rest);
        if body.len() > length {
            return Err(Refusal::bad("there is more than one request"));
        }
        let mut buffer = [0; 16 << 10];
        while body.len() < length {
            let wanted = buffer.len().min(length - body.len());
            match self.some(&mut buffer[..wanted])? {
                0 => return Err(Refusal::bad("the request ends within its body")),
                read => body.extend_from_slice(&buffer[..read]),
            }
        }
        Ok(body)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut windows = bytes.windows(wanted.len());
    windows.position(|window| window == wanted)
}

/// Understands a head, without the empty line at its end.
fn parse(bytes: &[u8]) -> Result<Head, Refusal> {
    let plain = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'\t' | b' '..=b'~');
    if !bytes.iter().all(plain) {
        return Err(Refusal::bad("the head of the request is not plain text"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Refusal::bad("this is not text"))?;
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let words: Vec<&str> = first.split(' ').collect();
    let improper = || Refusal::bad("the request has no proper first line");
    let [method, target, version] = words[..] else {
        return Err(improper());
    };
    if !is_token(method) || !target.starts_with('/') || first.contains(['\r', '\n', '\t']) {
        return Err(improper());
    }
    if version != "HTTP/1.1" && version != "HTTP/1.0" {
        return Err(Refusal::new(505, "only HTTP/1.1 is spoken here"));
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(Refusal::bad("a header has no value"));
        };
        if !is_token(name) || value.contains(['\r', '\n']) {
            return Err(Refusal::bad("a header is malformed"));
        }
        let name = name.to_ascii_lowercase();
        if ONCE.contains(&&name[..]) && headers.iter().any(|(known, _)| *known == name) {
            return Err(Refusal::bad("a header is given twice"));
        }
        headers.push((name, value.trim().to_owned()));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut head = Head {
        method: method.into(),
        path: path.into(),
        query: query.into(),
        headers,
        length: 0,
    };
    if head.header("transfer-encoding").is_some() {
        return Err(Refusal::new(501, "the body must have a length"));
    }
    if let Some(length) = head.header("content-length") {
        let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(Refusal::bad("the length of the body is not a number"));
        }
        head.length = match length.parse() {
            Ok(length) if length <= BODY => length,
            _ => return Err(Refusal::new(413, "the body is too long")),
        };
    }
    Ok(head)
}

fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

/// What is sent back.
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
    /// Further headers, each a whole line.
    pub headers: Vec<String>,
}

impl Answer {
    /// A value as JSON.
    pub fn json(status: u16, value: &serde_json::Value) -> Self {
        Answer {
            status,
            kind: "application/json",
            body: value.to_string().into_bytes(),
            headers: Vec::new(),
        }
    }

    /// Sends it, and ends the connection.
    pub fn send(&self, mut stream: &TcpStream) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n",
            self.status,
            reason(self.status),
            self.kind,
            self.body.len()
        );
        for header in &self.headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.shutdown(std::net::Shutdown::Write)?;
        drain(stream);
        Ok(())
    }
}

/// Reads what is left for a moment: a connection that is closed with something unread may lose the answer.
fn drain(mut stream: &TcpStream) {
    let until = Instant::now() + Duration::from_secs(1);
    let mut buffer = [0; 16 << 10];
    while let left @ 1.. = until.saturating_duration_since(Instant::now()).as_millis() {
        let wait = Duration::from_millis(u64::try_from(left).unwrap_or(1));
        let waits = stream.set_read_timeout(Some(wait));
        if !matches!(waits.and_then(|()| stream.read(&mut buffer)), Ok(1..)) {
            break;
        }
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        let value = serde_json::json!({ "error": refusal.message });
        Answer::json(refusal.status, &value)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_requests_are_understood() {
        let head = parse(b"POST /api?token=a HTTP/1.1\r\nHost: localhost:1\r\ncontent-LENGTH: 12")
            .expect("a proper head");
        assert_eq!((&head.path[..], &head.query[..]), ("/api", "token=a"));
        assert_eq!(head.header("host"), Some("localhost:1"));
        assert_eq!(head.length, 12);
    }

    #[test]
    fn everything_else_is_refused() {
        let refused: &[(&[u8], u16)] = &[
            (b"", 400),
            (b"GET", 400),
            (b"GET / HTTP/1.1 x", 400),
            (b"GET  / HTTP/1.1", 400),
            (b"GET http://a/ HTTP/1.1", 400),
            (b"G\x00T / HTTP/1.1", 400),
            (b"G(T / HTTP/1.1", 400),
            (b"GET /\xff HTTP/1.1", 400),
            (b"GET / HTTP/2", 505),
            (b"GET / HTTP/1.1\r\nHost", 400),
            (b"GET / HTTP/1.1\r\nHost : a", 400),
            (b"GET / HTTP/1.1\r\n folded: a", 400),
            (b"GET / HTTP/1.1\r\na: b\nHost: c", 400),
            (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b", 400),
            (b"GET / HTTP/1.1\r\nContent-Length: -1", 400),
            (b"GET / HTTP/1.1\r\nContent-Length: ", 400),
            (
                b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999",
                413,
            ),
            (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked", 501),
        ];
        for (bytes, status) in refused {
            let shown = String::from_utf8_lossy(bytes);
            let refusal = parse(bytes).expect_err(&shown);
            assert_eq!(refusal.status, *status, "{shown}: {}", refusal.message);
        }
    }
}
