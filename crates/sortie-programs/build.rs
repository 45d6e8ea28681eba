//! Compiles the runtime that is loaded into hunted C programs. It becomes part of this crate, so that the binary needs nothing beside it.

fn main() {
    #[cfg(feature = "c")]
    compile_runtime();
}

#[cfg(feature = "c")]
const SOURCES: [&str; 10] = [
    "c11", "escape", "lock", "memory", "object", "schedule", "server", "thread", "time", "wait",
];

#[cfg(feature = "c")]
fn compile_runtime() {
    println!("cargo:rerun-if-changed=src/c/runtime");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let supported = target("OS") == "linux"
        && target("ENV") == "gnu"
        && ["x86_64", "aarch64"].contains(&target("ARCH").as_str());
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"))
        .join("runtime.so");
    if !supported {
        std::fs::write(&out, []).expect("the output directory can be written to");
        return;
    }
    let compiler = cc::Build::new().opt_level(2).get_compiler();
    let mut command = compiler.to_command();
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
    command.args(SOURCES.map(|name| format!("src/c/runtime/{name}.c")));
    command.arg("-o").arg(&out).args(["-ldl", "-lpthread"]);
    let status = command.status().expect("a C compiler is needed to build");
    assert!(
        status.success(),
        "the runtime for hunted programs does not compile"
    );
}
