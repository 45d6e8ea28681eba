//! Telling answers of the server that are final from trouble that passes.

use super::error::{ClusterError, Fault};
use async_nats::jetstream::context::{
    CreateStreamErrorKind, GetStreamByNameErrorKind, GetStreamErrorKind, RequestErrorKind,
};
use async_nats::jetstream::stream::{ConsumerErrorKind, PurgeErrorKind};
use async_nats::jetstream::{Error, ErrorCode};
use std::fmt::{Debug, Display};

/// Kinds of errors that may carry an answer of the server.
pub(super) trait Answered: Clone + Debug + Display + PartialEq {
    fn answer(&self) -> Option<&Error>;
}

macro_rules! answered {
    ($($kind:ident),*) => {$(
        impl Answered for $kind {
            fn answer(&self) -> Option<&Error> {
                match self {
                    $kind::JetStream(error) => Some(error),
                    _ => None,
                }
            }
        }
    )*};
}

answered!(
    CreateStreamErrorKind,
    GetStreamErrorKind,
    GetStreamByNameErrorKind,
    ConsumerErrorKind,
    PurgeErrorKind
);

impl Answered for RequestErrorKind {
    fn answer(&self) -> Option<&Error> {
        None
    }
}

/// What an error means. Whatever is no answer (silence, nobody there while the server starts) passes.
pub(super) fn refusal<K: Answered>(error: &async_nats::error::Error<K>) -> Fault {
    if let Some(answer) = error.kind().answer() {
        return judge(answer);
    }
    let source = std::error::Error::source(error);
    match source.and_then(|s| s.downcast_ref::<Error>()) {
        Some(answer) => judge(answer),
        None => Fault::Passing(error.to_string()),
    }
}

/// What an answer means. Codes of 500 and above tell of the server's own trouble.
pub(super) fn judge(answer: &Error) -> Fault {
    match answer.error_code() {
        ErrorCode::STREAM_NOT_FOUND | ErrorCode::CONSUMER_NOT_FOUND => Fault::Missing,
        _ if answer.code() >= 500 => Fault::Passing(answer.to_string()),
        _ => Fault::Final(ClusterError::Server(answer.to_string())),
    }
}
