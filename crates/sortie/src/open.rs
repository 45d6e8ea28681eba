//! Models in files, in every language that sortie reads.

use crate::Hunter;
use sortie_model::Model;
use sortie_open::{OpenError, Settings, Wanted};

/// Opens a model by name: a file, `-` for standard input, or `gallery:NAME`.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("sortie-open-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("x.mcrl2").display().to_string();
/// std::fs::write(&path, "act step, error; proc P(n: Nat) = (n < 3) -> step . P(n + 1) <> error . delta; init P(0);")?;
/// let report = sortie::open(&path)?.hunt().action("error").run()?;
/// assert_eq!(report.found[0].labels, ["step", "step", "step", "error"]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open(name: &str) -> Result<Opened, OpenError> {
    open_with(name, &Settings::default(), &Wanted::default())
}

/// Opens a model by name, with constants and options of its language, and with conditions in the words of the model.
///
/// ```
/// use sortie::languages::{Settings, Wanted};
///
/// let settings = Settings::parse(["n=3"])?;
/// let opened = sortie::open_with("gallery:philosophers", &settings, &Wanted::default())?;
/// let report = opened.hunt().strategy("bfs").run()?;
/// assert_eq!(report.found[0].labels.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_with(name: &str, settings: &Settings, wanted: &Wanted) -> Result<Opened, OpenError> {
    sortie_open::open_with(name, None, settings, wanted).map(Opened)
}

/// An open model.
pub struct Opened(sortie_open::Opened);

impl Opened {
    /// The model with everything that belongs to it.
    pub fn into_parts(self) -> sortie_open::Opened {
        self.0
    }

    /// Prepares a hunt for the conditions that the model was opened with and for what is named later; if there is nothing of both, for what the
    /// model suggests.
    pub fn hunt(self) -> Hunter<dyn Model> {
        let suggested = self.0.suggested().properties;
        let model = self.0.model;
        let mut hunter = Hunter::new(model.clone(), model);
        hunter.model_settings = self.0.settings.listed();
        hunter.suggested = suggested;
        hunter.properties = self.0.asked;
        hunter
    }
}
