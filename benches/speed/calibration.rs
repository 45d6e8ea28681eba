//! How fast this machine is, compared with the one on which mCRL2 was measured.

use std::process::Command;

/// What the loop took there.
pub const REFERENCE: f64 = 2.8;

/// A tenth of the loop is enough to tell.
const LOOP: &str = "import time
t = time.process_time()
s = 0
for i in range(2_000_000): s += i * i % 7
print(10 * (time.process_time() - t))";

/// What the loop takes here, in seconds; none without CPython.
pub fn seconds() -> Option<f64> {
    let output = Command::new("python3").args(["-c", LOOP]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
