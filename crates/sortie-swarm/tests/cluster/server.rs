//! A nats-server of our own, on a free loopback port and with a store of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether a program is there. With `SORTIE_REQUIRE_ALL=1` it has to be.
pub fn has(program: &str) -> bool {
    let found = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path)
            .chain([PathBuf::from("/usr/sbin")])
            .any(|folder| folder.join(program).is_file())
    });
    if !found {
        assert!(
            std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
            "{program} is not installed, and skipping is forbidden"
        );
        eprintln!("skipped: {program} is not installed");
    }
    found
}

/// A folder that goes away.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("sortie-cluster-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A free port below those that systems hand out to clients: one of these could be taken before the server has it.
fn free_port() -> u16 {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let offset = (std::process::id().wrapping_mul(97) + number) % 20_000;
        let port = 10_000 + u16::try_from(offset).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A server that is killed at the end of the test.
pub struct Server {
    pub port: u16,
    store: Folder,
    arguments: Vec<String>,
    process: Option<Child>,
}

impl Server {
    /// Chooses a port; nothing runs yet.
    pub fn prepared(arguments: &[&str]) -> Server {
        let port = free_port();
        Server {
            port,
            store: Folder::new(),
            arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
            process: None,
        }
    }

    /// `None` where there is no nats-server.
    pub fn started(arguments: &[&str]) -> Option<Server> {
        if !has("nats-server") {
            return None;
        }
        let mut server = Server::prepared(arguments);
        server.start();
        Some(server)
    }

    pub fn start(&mut self) {
        let program = if Path::new("/usr/sbin/nats-server").is_file() {
            "/usr/sbin/nats-server"
        } else {
            "nats-server"
        };
        let child = Command::new(program)
            .args([
                "-a",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-js",
                "-sd",
            ])
            .arg(&self.store.0)
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let child = self.process.insert(child);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "nats-server ended: {ended:?}");
            std::thread::yield_now();
        }
    }

    /// SIGKILL.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.process.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}
