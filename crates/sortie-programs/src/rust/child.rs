//! The test, started again in a process of its own.
//!
//! Runs that fail never give back the stacks of their tasks, and some end the process. So a campaign runs in a child: the same executable, told by the
//! options of Rust's test harness to run this one test, and by the environment what for.

use super::ask::pulse;
use super::hunter::variable;
use super::outcome::{Found, Outcome};
use crate::Folder;
use sortie_search::schedulers::Answer;
use sortie_witness::answers_of;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const RESULT: &str = "SORTIE_CHILD_RESULT";
const HUNT: &str = "SORTIE_CHILD_HUNT";
const TEST: &str = "SORTIE_CHILD_TEST";
const DIARY: &str = "SORTIE_CHILD_DIARY";

/// So much of what a child printed last is kept.
const TAIL: usize = 1 << 14;

/// After so many seconds without a move a hunt is stuck.
const PATIENCE: u64 = 60;

/// So often it is looked at.
const LOOKING: Duration = Duration::from_secs(1);

/// What a child was started for.
pub(super) struct Errand {
    result: PathBuf,
    /// Which hunt of the test.
    pub hunt: u64,
    /// The test's name.
    pub test: String,
    /// Where every answer is to be written at once, since the process will not live to tell.
    pub diary: Option<PathBuf>,
}

/// What this process was started for, if it is a child.
pub(super) fn errand() -> Option<Errand> {
    Some(Errand {
        result: std::env::var_os(RESULT)?.into(),
        hunt: std::env::var(HUNT).ok()?.parse().ok()?,
        test: std::env::var(TEST).ok()?,
        diary: std::env::var_os(DIARY).map(PathBuf::from),
    })
}

impl Errand {
    /// Gives up when nothing moves for long: a task that waits outside of shuttle stops them all, and nobody would ever know.
    pub fn watch(&self) {
        let patience = Duration::from_secs(variable("SORTIE_STUCK").unwrap_or(PATIENCE));
        let result = self.result.clone();
        std::thread::spawn(move || {
            let mut last = (pulse(), Instant::now());
            loop {
                std::thread::sleep(LOOKING.min(patience));
                let now = pulse();
                if now != last.0 {
                    last = (now, Instant::now());
                } else if last.1.elapsed() >= patience {
                    let reason = format!(
                        "no task has come to a scheduling point for {} seconds. A task waits where shuttle does not see it (a lock or channel of \
                         std, a thread of std, input), or computes for long (then set SORTIE_STUCK to more seconds)",
                        patience.as_secs()
                    );
                    Errand::tell(&result, Err(reason));
                }
            }
        });
    }

    /// Tells the parent, and ends.
    pub fn deliver(self, outcome: Result<Outcome, String>) -> ! {
        Errand::tell(&self.result, outcome)
    }

    fn tell(result: &Path, outcome: Result<Outcome, String>) -> ! {
        let text = serde_json::to_string(&outcome).expect("texts and numbers are JSON");
        // Without a result the parent knows that something went wrong.
        let written = fs::write(result, text);
        process::exit(i32::from(written.is_err()))
    }
}

/// The name of the running test: the harness names the thread after it, and a closure knows the function it is in.
pub(super) fn test_name(closure: &str) -> Option<String> {
    let thread = std::thread::current();
    if let Some(name) = thread.name().filter(|name| *name != "main") {
        return Some(name.into());
    }
    let (_package, path) = closure.split_once("::")?;
    let end = path.find("::{{closure}}")?;
    Some(path[..end].into())
}

/// Starts the test again to do a hunt, and waits for what it says.
pub(super) fn send(test: Option<&str>, hunt: u64, is_heard: bool) -> Result<Outcome, String> {
    let test = test.ok_or(
        "which test is running? Neither the thread nor the closure tells, so it cannot be started again in a child process: \
         say Hunter::name(\"module::test\") or Hunter::in_process()",
    )?;
    let desk = Folder::new().map_err(|error| error.to_string())?;
    let child = Started::wait(test, hunt, &desk, false)?;
    if is_heard {
        print!("{}{}", child.printed, child.complained);
    }
    match fs::read_to_string(desk.path().join("result")) {
        Ok(text) => serde_json::from_str(&text).unwrap_or_else(|_| {
            Err(format!(
                "the child process for {test} told nonsense: {text}"
            ))
        }),
        Err(_) if child.status.success() => Err(format!(
            "the test harness does not know a test '{test}', so it was not run in a child process: say Hunter::name or Hunter::in_process"
        )),
        Err(_) => crashed(test, hunt, &desk, &child),
    }
}

/// What a crash was: the same again, but every answer is written down before it is given.
fn crashed(test: &str, hunt: u64, desk: &Folder, first: &Started) -> Result<Outcome, String> {
    let again = Started::wait(test, hunt, desk, true)?;
    let answers = fs::read_to_string(desk.path().join("answers")).unwrap_or_default();
    let words = answers.split_whitespace().filter_map(answers_of);
    let answers: Vec<Answer> = words.flatten().collect();
    let lines: Vec<&str> = first.complained.lines().collect();
    let mut shown: Vec<String> = vec!["it printed last:".into()];
    let last = lines.iter().skip(lines.len().saturating_sub(20));
    shown.extend(last.map(|line| format!("  {line}")));
    Ok(Outcome {
        failure: Some(Found {
            message: format!("crash: the process ended with {}", first.status),
            origin: format!(
                "in a run with {} answers, which was not shortened",
                answers.len()
            ),
            shown,
            answers,
            replays: again.status == first.status,
            ..Found::default()
        }),
        ..Outcome::default()
    })
}

/// A child that has ended.
struct Started {
    status: ExitStatus,
    printed: String,
    complained: String,
}

impl Started {
    fn wait(test: &str, hunt: u64, desk: &Folder, keeps_diary: bool) -> Result<Self, String> {
        let command = || -> std::io::Result<Started> {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .args([test, "--exact", "--nocapture", "--include-ignored"])
                .arg("--test-threads=1")
                .env(RESULT, desk.path().join("result"))
                .env(HUNT, hunt.to_string())
                .env(TEST, test)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            if keeps_diary {
                command.env(DIARY, desk.path().join("answers"));
            }
            let mut child = command.spawn()?;
            let (printed, complained) = (child.stdout.take(), child.stderr.take());
            let (printed, complained) = std::thread::scope(|scope| {
                let printed = scope.spawn(|| tail(printed));
                (tail(complained), printed.join().unwrap_or_default())
            });
            Ok(Started {
                status: child.wait()?,
                printed: complained,
                complained: printed,
            })
        };
        command().map_err(|error| format!("a child process for {test}: {error}"))
    }
}

/// The end of what can be read.
fn tail(source: Option<impl Read>) -> String {
    let Some(mut source) = source else {
        return String::new();
    };
    let mut kept: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count) = source.read(&mut buffer)
        && count > 0
    {
        kept.extend_from_slice(&buffer[..count]);
        if kept.len() > 2 * TAIL {
            kept.drain(..kept.len() - TAIL);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Opens the file in which a run writes its answers before it gives them.
pub(super) fn open_diary(file: &Path) -> Result<fs::File, String> {
    fs::File::create(file).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closure_knows_its_test() {
        let name = |closure: &'static str| {
            std::thread::Builder::new()
                .name("main".into())
                .spawn(move || test_name(closure))
                .expect("a thread")
                .join()
                .expect("no panic")
        };
        let inside = "package::queue::tests::lost::{{closure}}";
        assert_eq!(name(inside), Some("queue::tests::lost".into()));
        assert_eq!(name("package::lost"), None);
    }

    #[test]
    fn only_the_end_is_kept() {
        let text = "x".repeat(5 * TAIL) + "end";
        let kept = tail(Some(text.as_bytes()));
        assert!(kept.ends_with("xend") && kept.len() <= 2 * TAIL);
    }
}
