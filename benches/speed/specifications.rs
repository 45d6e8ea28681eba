//! What is explored: the list of `sortie-lab speed`, and the published specifications where they are there.

use serde::Deserialize;
use sortie_lab::measure::{Speed, Task, timed};
use sortie_model::Model;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
struct List {
    /// The folder with the files, seen from the workspace.
    models: Option<String>,
    /// Steps of random walks.
    walk: Option<u64>,
    specification: Vec<Specification>,
}

#[derive(Deserialize)]
pub struct Specification {
    pub name: String,
    file: String,
    #[serde(default)]
    set: BTreeMap<String, u64>,
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
    folder: PathBuf,
    #[serde(skip)]
    steps: u64,
}

/// All of them.
pub fn specifications() -> Vec<Specification> {
    let read = |text| toml::from_str::<List>(text).expect("a list of specifications");
    let own = read(include_str!("../../lab/speed.toml"));
    let walk = own.walk.expect("the lab says how far to walk");
    let published = read(include_str!("published.toml"));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for list in [own, published] {
        let folder = workspace.join(list.models.unwrap_or_default());
        for mut specification in list.specification {
            specification.folder.clone_from(&folder);
            specification.steps = specification.walk.unwrap_or(walk);
            all.push(specification);
        }
    }
    all
}

impl Specification {
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file)
    }

    pub fn open(&self) -> Result<impl Model + use<>, String> {
        let text = std::fs::read_to_string(self.path()).map_err(|error| error.to_string())?;
        let set = self.set.iter();
        let set: Vec<_> = set.map(|(n, v)| (n.clone(), v.to_string())).collect();
        sortie_mcrl2::open(&self.name, &text, &set)
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
