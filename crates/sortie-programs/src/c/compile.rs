//! `sortie cc`: compiling a program so that every access to memory is seen.
//!
//! Compilers can call a function before every access, for tools that find races. Sources are compiled so, but instead of such a tool a few small
//! functions are linked that tell the hunter. Since a compiler that compiles and links at once would link its own, both are done apart.

use crate::Folder;
use crate::c::NativeError;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

static POINTS: &str = include_str!("runtime/points.c");
static HEADER: &str = include_str!("runtime/sortie.h");

const C_SOURCES: [&str; 1] = ["c"];
const CXX_SOURCES: [&str; 6] = ["cc", "cpp", "cxx", "c++", "C", "cp"];
/// Options with which a compiler does not link.
const NO_LINKING: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--version"];
/// Options whose value is the next argument.
const WITH_VALUE: [&str; 18] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-u",
    "-T",
    "-z",
];

/// Functions of the C library whose accesses to memory are told by wrappers in runtime/points.c.
const WRAPPED: [&str; 10] = [
    "memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strcpy", "strncpy", "strcat",
    "free",
];

/// A call of a compiler.
#[derive(Debug, PartialEq, Eq)]
struct Call {
    sources: Vec<String>,
    output: Option<String>,
    /// All other arguments, in their order.
    others: Vec<String>,
    links: bool,
}

impl Call {
    fn read(arguments: &[String]) -> Call {
        let mut call = Call {
            sources: Vec::new(),
            output: None,
            others: Vec::new(),
            links: !arguments.iter().any(|a| NO_LINKING.contains(&a.as_str())),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if argument == "-o" {
                call.output = rest.next().cloned();
            } else if WITH_VALUE.contains(&argument.as_str()) {
                call.others.push(argument.clone());
                call.others.extend(rest.next().cloned());
            } else if !argument.starts_with('-') && is_source(argument) {
                call.sources.push(argument.clone());
            } else if argument != "-fsanitize=thread" {
                call.others.push(argument.clone());
            }
        }
        call
    }

    fn is_cxx(&self) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|source| has_ending(source, &CXX_SOURCES))
    }
}

fn has_ending(file: &str, endings: &[&str]) -> bool {
    let ending = Path::new(file).extension().and_then(|e| e.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}

fn is_source(file: &str) -> bool {
    has_ending(file, &C_SOURCES) || has_ending(file, &CXX_SOURCES)
}

/// The header that programs may include.
pub fn header() -> &'static str {
    HEADER
}

/// Calls a compiler with these arguments, so that the program tells of its accesses to memory. Without a compiler's name: what `CC` or `CXX` says,
/// else `cc` or `c++`, by the endings of the sources.
pub fn compile(compiler: Option<&str>, arguments: &[String]) -> Result<ExitStatus, NativeError> {
    let call = Call::read(arguments);
    let compiler = match compiler {
        Some(name) => name.into(),
        None if call.is_cxx() => std::env::var_os("CXX").unwrap_or_else(|| "c++".into()),
        None => std::env::var_os("CC").unwrap_or_else(|| "cc".into()),
    };
    let failed = |error| NativeError::System {
        what: "write to the folder for temporary files",
        error,
    };
    let folder = Folder::new().map_err(failed)?;
    let [points, header, object] =
        ["points.c", "sortie.h", "points.o"].map(|name| folder.path().join(name));
    std::fs::write(&points, POINTS).map_err(failed)?;
    std::fs::write(header, HEADER).map_err(failed)?;
    let finish = |command: &mut Command| {
        command.status().map_err(|error| NativeError::NoStart {
            path: PathBuf::from(&compiler),
            error,
        })
    };
    let instrumented = || {
        let mut command = Command::new(&compiler);
        command.args(["-fsanitize=thread", "-I"]).arg(folder.path());
        command
    };
    if !call.links {
        let output = call.output.iter().flat_map(|output| ["-o", output]);
        let mut command = instrumented();
        return finish(command.args(&call.others).args(&call.sources).args(output));
    }
    let mut objects = Vec::new();
    for (number, source) in call.sources.iter().enumerate() {
        let object = folder.path().join(format!("{number}.o"));
        let mut command = instrumented();
        command.args(compiling(&call.others)).args(["-c", source]);
        let status = finish(command.arg("-o").arg(&object))?;
        if !status.success() {
            return Ok(status);
        }
        objects.push(object);
    }
    let mut plain = Command::new(&compiler);
    plain.args(["-x", "c", "-O2", "-fPIC", "-c"]).arg(points);
    let status = finish(plain.arg("-o").arg(&object))?;
    if !status.success() {
        return Ok(status);
    }
    objects.push(object);
    let mut link = Command::new(&compiler);
    link.args(objects).args(&call.others);
    link.args(WRAPPED.map(|name| format!("-Wl,--wrap={name}")));
    // The functions that tell the hunter are found when the program is loaded, if there is a hunter.
    link.args(["-pthread", "-Wl,-z,dynamic-undefined-weak", "-o"]);
    finish(link.arg(call.output.as_deref().unwrap_or("a.out")))
}

/// The arguments without what only a linker reads: objects and libraries.
fn compiling(others: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = others.iter();
    while let Some(argument) = rest.next() {
        let takes_value = WITH_VALUE.contains(&argument.as_str());
        let is_for_linker = ["-l", "-L", "-Wl,", "-Xlinker", "-u", "-T", "-z"]
            .iter()
            .any(|begin| argument.starts_with(begin));
        if argument.starts_with('-') && !is_for_linker {
            kept.push(argument.clone());
            kept.extend(takes_value.then(|| rest.next().cloned()).flatten());
        } else if takes_value {
            rest.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn sources_output_and_the_rest_are_told_apart() {
        let call = Call::read(&words(
            "-O1 -g a.c -I inc b.cpp lib.o -lm -fsanitize=thread -o prog",
        ));
        assert_eq!(call.sources, ["a.c", "b.cpp"]);
        assert_eq!(call.output.as_deref(), Some("prog"));
        assert_eq!(call.others, ["-O1", "-g", "-I", "inc", "lib.o", "-lm"]);
        assert!(call.links && call.is_cxx());
        assert_eq!(compiling(&call.others), ["-O1", "-g", "-I", "inc"]);
    }

    #[test]
    fn compiling_alone_does_not_link() {
        assert!(!Call::read(&words("-c a.c -o a.o")).links);
        assert!(!Call::read(&words("-E a.c")).links);
    }
}
