//! What is explored: the list of `sortie-lab speed`.

use serde::Deserialize;
use sortie_lab::measure::{Speed, Task, timed};
use sortie_model::Model;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
struct List {
    models: String,
    /// Steps of random walks.
    walk: u64,
    specification: Vec<Specification>,
}

#[derive(Deserialize)]
pub struct Specification {
    pub name: String,
    file: String,
    /// mCRL2's states per second on the machine of the calibration.
    pub reference: Option<f64>,
    /// Whether that counts states that were met, of which few were expanded.
    #[serde(default)]
    pub reference_discovers: bool,
    /// Where the whole is too large.
    pub max_states: Option<u64>,
    /// Whether it is made of components rather than of data.
    #[serde(default)]
    pub network: bool,
    /// Steps of random walks, where not as many as elsewhere.
    walk: Option<u64>,
    #[serde(skip)]
    folder: String,
    #[serde(skip)]
    steps: u64,
}

/// All of them.
pub fn specifications() -> Vec<Specification> {
    let list: List =
        toml::from_str(include_str!("../../lab/speed.toml")).expect("the tests read the same list");
    let mut all = list.specification;
    for specification in &mut all {
        specification.folder.clone_from(&list.models);
        specification.steps = specification.walk.unwrap_or(list.walk);
    }
    all
}

impl Specification {
    /// In the folder of public specifications or in the workspace.
    pub fn path(&self) -> PathBuf {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let own = workspace.join(&self.file);
        if own.is_file() {
            return own;
        }
        workspace.join(&self.folder).join(&self.file)
    }

    pub fn open(&self) -> Result<impl Model + use<>, String> {
        let text = std::fs::read_to_string(self.path()).map_err(|error| error.to_string())?;
        sortie_mcrl2::open(&self.name, &text, &[])
            .map_err(|errors| format!("{}: {errors:?}", self.name))
    }

    /// Opens and explores in this process.
    pub fn measure(&self, task: &str) -> Result<Speed, String> {
        let (model, micros) = timed(|| self.open());
        let model = model?;
        let task = match task {
            "explore" => Task::Explore(self.max_states),
            "walk" => Task::Walk(self.steps),
            _ => return Err(format!("there is no task {task}")),
        };
        Speed::measure(&model, micros, task).map_err(|error| error.to_string())
    }

    /// Runs this program again for one task.
    pub fn in_process(&self, task: &str) -> Result<Speed, String> {
        let executable = std::env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new(executable)
            .args(["--one", task, &self.name])
            .output()
            .map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        serde_json::from_str(&text).map_err(|_| format!("{}: {text}{errors}", self.name))
    }
}
