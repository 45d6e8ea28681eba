//! Getting a connection and keeping it.

use super::envelope::OVERHEAD;
use super::error::ClusterError;
use super::options::{ClusterOptions, Login};
use async_nats::jetstream::{self, context::ContextBuilder};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions};
use std::time::Duration;

/// Between two attempts at something that did not work.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// A connection and what is needed to use it.
#[derive(Clone)]
pub(super) struct Link {
    pub client: Client,
    pub jetstream: jetstream::Context,
    pub prefix: String,
    /// The largest message, and the largest piece that fits in one with its envelope.
    pub message: usize,
    pub piece: usize,
}

/// The runtime of one blocking call. The connection has a thread of its own, so that it stays alive while the caller's
/// thread is busy with its logic.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, ClusterError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("sortie-cluster")
        .enable_all()
        .build()
        .map_err(|e| ClusterError::Options(format!("no runtime for the connection: {e}")))
}

/// Connects, waiting for a server that is not there. `waiting` hears why and says whether to go on.
pub(super) async fn connect(
    options: &ClusterOptions,
    waiting: &mut dyn FnMut(&str) -> bool,
) -> Result<Link, ClusterError> {
    options.validate()?;
    loop {
        match connect_once(options).await {
            Err(ClusterError::Unreachable { reason, .. }) => {
                if !waiting(&reason) {
                    return Err(ClusterError::Interrupted);
                }
                tokio::time::sleep(PAUSE).await;
            }
            settled => return settled,
        }
    }
}

/// One attempt.
pub(super) async fn connect_once(options: &ClusterOptions) -> Result<Link, ClusterError> {
    options.validate()?;
    let client = settings(options)
        .await?
        .connect(options.servers.as_slice())
        .await
        .map_err(|e| failure(options, &e))?;
    let message = options.limits.message.min(client.max_payload());
    let piece = message
        .checked_sub(OVERHEAD)
        .filter(|&n| n > 0)
        .ok_or_else(|| {
            ClusterError::Server(format!(
                "messages are limited to {message} bytes, which is too small"
            ))
        })?;
    Ok(Link {
        jetstream: ContextBuilder::new()
            .timeout(options.patience)
            .build(client.clone()),
        client,
        prefix: options.prefix.clone(),
        message,
        piece,
    })
}

async fn settings(options: &ClusterOptions) -> Result<ConnectOptions, ClusterError> {
    let unreadable =
        |what: &str, e: &dyn std::fmt::Display| ClusterError::Options(format!("{what}: {e}"));
    let mut settings = ConnectOptions::new()
        .name(&options.name)
        .connection_timeout(options.patience)
        .request_timeout(Some(options.patience))
        .reconnect_delay_callback(|attempts| {
            Duration::from_millis((attempts as u64 * 50).min(1000))
        });
    settings = match &options.login {
        Login::Anonymous => settings,
        Login::Credentials(path) => settings
            .credentials_file(path)
            .await
            .map_err(|e| unreadable(&format!("credentials file {}", path.display()), &e))?,
        Login::Password { user, password } => {
            settings.user_and_password(user.clone(), password.clone())
        }
        Login::Token(token) => settings.token(token.clone()),
        Login::Nkey(path) => {
            let seed = std::fs::read_to_string(path)
                .map_err(|e| unreadable(&format!("nkey file {}", path.display()), &e))?;
            settings.nkey(seed.trim().to_owned())
        }
    };
    if options.tls.required {
        settings = settings.require_tls(true);
    }
    for path in options.tls.authority.iter().chain(
        options
            .tls
            .client
            .iter()
            .flat_map(|(cert, key)| [cert, key]),
    ) {
        std::fs::metadata(path)
            .map_err(|e| unreadable(&format!("TLS file {}", path.display()), &e))?;
    }
    if let Some(authority) = &options.tls.authority {
        settings = settings.add_root_certificates(authority.clone());
    }
    if let Some((certificate, key)) = &options.tls.client {
        settings = settings.add_client_certificate(certificate.clone(), key.clone());
    }
    Ok(settings)
}

fn failure(options: &ClusterOptions, error: &ConnectError) -> ClusterError {
    let mut reason = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(deeper) = source {
        let text = deeper.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        source = deeper.source();
    }
    match error.kind() {
        ConnectErrorKind::ServerParse => ClusterError::Options(format!(
            "`{}` names no server: {reason}",
            options.servers.join(",")
        )),
        ConnectErrorKind::Authentication
        | ConnectErrorKind::AuthorizationViolation
        | ConnectErrorKind::Tls => ClusterError::Refused(reason),
        ConnectErrorKind::Io if untrusted(error) => ClusterError::Refused(reason),
        _ => ClusterError::Unreachable {
            servers: options.servers.join(","),
            reason,
        },
    }
}

/// A TLS handshake that fails on certificates arrives as an input error of kind "invalid data".
fn untrusted(error: &ConnectError) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(deeper) = source {
        let io = deeper.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::InvalidData) {
            return true;
        }
        source = deeper.source();
    }
    false
}
