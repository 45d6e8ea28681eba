//! Sessions of an asynchronous server: what was true before an `await` need not be true after it.

use crate::Version;
use crate::concurrency::sync::Mutex;

/// Open sessions, of which there may be only so many.
#[derive(Debug)]
pub struct Sessions {
    open: Mutex<usize>,
    most: usize,
}

impl Sessions {
    /// None is open.
    pub fn new(most: usize) -> Self {
        Sessions {
            open: Mutex::new(0),
            most,
        }
    }

    /// How many are open.
    pub fn open(&self) -> usize {
        *self.open.lock().expect("nobody panics with the lock")
    }

    /// Opens a session after the client has been greeted, if there is room.
    ///
    /// The broken version looks for room, greets, and then takes the room that may be gone. The repaired version takes it at once.
    pub async fn enter(&self, greeting: impl Future<Output = ()>, version: Version) -> bool {
        {
            let mut open = self.open.lock().expect("nobody panics with the lock");
            if *open >= self.most {
                return false;
            }
            if version == Version::Repaired {
                *open += 1;
            }
        }
        greeting.await;
        if version == Version::Broken {
            *self.open.lock().expect("nobody panics with the lock") += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concurrency::sync::Arc;
    use sortie_programs::rust::shuttle::future;

    fn two_clients(version: Version) {
        future::block_on(async move {
            let sessions = Arc::new(Sessions::new(1));
            let clients: Vec<_> = (0..2)
                .map(|_| {
                    let sessions = sessions.clone();
                    future::spawn(async move { sessions.enter(future::yield_now(), version).await })
                })
                .collect();
            for client in clients {
                client.await.expect("no panic");
            }
            assert!(sessions.open() <= 1, "more sessions than there is room for");
        });
    }

    #[test]
    fn there_is_room_for_every_session() {
        crate::hunting::hunt(two_clients, "more sessions than there is room for");
    }
}
