//! Compiles the runtime that is loaded into hunted programs. It becomes part of this crate, so that the binary needs nothing beside it.

use std::path::PathBuf;
use std::process::Command;

const SOURCES: [&str; 10] = [
    "c11", "escape", "lock", "memory", "object", "schedule", "server", "thread", "time", "wait",
];

fn main() {
    println!("cargo:rerun-if-changed=runtime");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let supported = target("OS") == "linux"
        && target("ENV") == "gnu"
        && ["x86_64", "aarch64"].contains(&target("ARCH").as_str());
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it")).join("runtime.so");
    if !supported {
        std::fs::write(&out, []).expect("the output directory can be written to");
        return;
    }
    let compiler = cc::Build::new().opt_level(2).get_compiler();
    let mut command: Command = compiler.to_command();
    command.args([
        "-std=gnu17",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-fexceptions",
        "-O2",
        "-g1",
    ]);
    command.args(["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]);
    command.args(SOURCES.map(|name| format!("runtime/{name}.c")));
    command.arg("-o").arg(&out).args(["-ldl", "-lpthread"]);
    let status = command.status().expect("a C compiler is needed to build");
    assert!(
        status.success(),
        "the runtime for hunted programs does not compile"
    );
}
