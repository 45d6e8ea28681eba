//! The one page, put together from its parts. It needs nothing from elsewhere, and is told not to ask.

use super::http::Answer;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 3] = [
    include_str!("page.js"),
    include_str!("graph.js"),
    include_str!("highway.js"),
];

/// The page, whose script and style are marked.
pub fn page(mark: &str) -> Answer {
    let body = PAGE
        .replace("{mark}", mark)
        .replace("{style}", STYLE)
        .replace("{script}", &SCRIPTS.concat());
    let policy = format!(
        "Content-Security-Policy: default-src 'none'; script-src 'nonce-{mark}'; style-src 'nonce-{mark}'; connect-src 'self'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    Answer {
        status: 200,
        kind: "text/html; charset=utf-8",
        body: body.into_bytes(),
        headers: vec![policy],
    }
}
