//! Where addresses are: in which file, line and function, and what variables are called.

use crate::c::region::{Region, text};
use addr2line::Loader;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A place in the sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// `file:line`, or the module where the sources are not known.
    pub at: String,
    /// The function.
    pub function: String,
}

/// The parts of a program in memory.
#[derive(Default)]
pub struct Places {
    modules: Vec<Module>,
    loaders: RefCell<HashMap<PathBuf, Option<Loader>>>,
}

struct Module {
    base: u64,
    low: u64,
    high: u64,
    path: PathBuf,
}

impl Places {
    /// What the program told of its parts.
    pub fn new(region: &Region, program: &Path) -> Self {
        let modules = region.modules[..region.module_count as usize].iter();
        let modules = modules.map(|module| Module {
            base: module.base,
            low: module.low,
            high: module.high,
            path: match text(&module.path) {
                name if name.is_empty() => program.to_path_buf(),
                name => name.into(),
            },
        });
        Places {
            modules: modules.collect(),
            loaders: RefCell::default(),
        }
    }

    fn module(&self, address: u64) -> Option<&Module> {
        let mut modules = self.modules.iter();
        modules.find(|module| (module.low..module.high).contains(&address))
    }

    /// The place itself if it is the program's own, else the innermost of the frames that is.
    pub fn own(&self, frames: &[u64], address: u64) -> Place {
        let is_own = |address: &u64| {
            let module = self.module(*address);
            module.is_some_and(|module| !is_system(&module.path))
        };
        let mut candidates = std::iter::once(&address).chain(frames);
        let chosen = candidates.find(|address| is_own(address)).copied();
        self.place(chosen.unwrap_or(address))
    }

    /// Where a call returns to.
    pub fn place(&self, address: u64) -> Place {
        let Some(module) = self.module(address) else {
            return Place::default();
        };
        let name = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        };
        let mut place = Place {
            at: name(&module.path),
            function: String::new(),
        };
        // The call itself is before the place it returns to.
        let probe = (address - module.base).saturating_sub(1);
        self.with_loader(module, |loader| {
            if let Ok(Some(location)) = loader.find_location(probe)
                && let (Some(file), Some(line)) = (location.file, location.line)
            {
                place.at = format!("{}:{line}", name(Path::new(file)));
            }
            if let Ok(mut frames) = loader.find_frames(probe)
                && let Ok(Some(frame)) = frames.next()
                && let Some(function) = frame.function
                && let Ok(function) = function.demangle()
            {
                place.function = function.into_owned();
            } else if let Some(symbol) = loader.find_symbol(probe) {
                place.function = symbol.to_owned();
            }
        });
        place
    }

    /// What the variable at an address is called, where it has a name.
    pub fn variable(&self, address: u64) -> Option<String> {
        let module = self.module(address)?;
        let probe = address - module.base;
        let mut name = None;
        self.with_loader(module, |loader| {
            name = loader
                .find_symbol_info(probe)
                .map(|symbol| match probe - symbol.address() {
                    0 => symbol.name().to_owned(),
                    offset => format!("{}+{offset}", symbol.name()),
                });
        });
        name
    }

    fn with_loader(&self, module: &Module, mut look: impl FnMut(&Loader)) {
        let mut loaders = self.loaders.borrow_mut();
        let loader = loaders.entry(module.path.clone());
        if let Some(loader) = loader.or_insert_with(|| Loader::new(&module.path).ok()) {
            look(loader);
        }
    }
}

fn is_system(path: &Path) -> bool {
    let begins = ["/lib", "/usr/lib", "/lib64", "/proc", "linux-vdso.so.1"];
    begins.iter().any(|begin| path.starts_with(begin))
}
