//! Who may come in: requests that know the token and are meant for this very address.

use super::http::{Head, Refusal};

/// What a request has to bring.
pub struct Gate {
    port: u16,
    token: String,
}

impl Gate {
    pub fn new(port: u16, token: String) -> Self {
        Gate { port, token }
    }

    /// What to open in a browser.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Refuses requests meant for another host (a name that somebody else made point here), from pages of another origin, and
    /// without the token.
    pub fn check(&self, head: &Head) -> Result<(), Refusal> {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = head.header("host").unwrap_or_default();
        if !hosts.iter().any(|own| own == host) {
            return Err(Refusal::new(403, "this is not the address of this server"));
        }
        if let Some(origin) = head.header("origin")
            && origin.strip_prefix("http://") != Some(host)
        {
            return Err(Refusal::new(403, "pages from elsewhere get no answer"));
        }
        let mut pairs = head.query.split('&');
        let in_query = pairs.find_map(|pair| pair.strip_prefix("token="));
        let in_header = head.header("authorization");
        let in_header = in_header.and_then(|value| value.strip_prefix("Bearer "));
        let given = in_header.or(in_query).unwrap_or_default();
        if !same(given.as_bytes(), self.token.as_bytes()) {
            let message = "the token is missing or wrong: open the address that was printed";
            return Err(Refusal::new(403, message));
        }
        Ok(())
    }
}

/// Compares in a time that does not tell how much is right.
fn same(given: &[u8], wanted: &[u8]) -> bool {
    let pairs = given.iter().zip(wanted);
    let difference = pairs.fold(0, |difference, (a, b)| difference | (a ^ b));
    given.len() == wanted.len() && difference == 0
}
