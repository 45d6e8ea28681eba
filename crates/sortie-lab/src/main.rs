//! The lab's program.

#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    sortie_lab::run()
}
