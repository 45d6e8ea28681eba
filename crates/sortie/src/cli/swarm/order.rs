//! What a swarm searches: everything that a worker must know to open it. It can be sent.

use super::super::hunt::{given, properties};
use super::super::source::{settings, told};
use super::super::{Failure, args};
use clap::ArgMatches;
use serde::{Deserialize, Serialize};
use sortie_open::{ModelText, Opened, Settings, Wanted};
use sortie_property::{Deadlock, PropertyKind};
use sortie_swarm::{SearchSettings, Signs, Site};

/// A model and what is looked for in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub model: ModelText,
    pub settings: Settings,
    pub invariants: Vec<String>,
    /// The texts of the other properties.
    pub properties: Vec<String>,
}

impl Order {
    /// What the command line asks for.
    pub fn of(matches: &ArgMatches) -> Result<Order, Failure> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let name = text("model").ok_or_else(|| Failure::input("which model?"))?;
        Ok(Order {
            model: ModelText::read(name, text("language"))?,
            settings: settings(matches)?,
            invariants: given(matches, "invariant"),
            properties: properties(matches)?.iter().map(|p| p.name()).collect(),
        })
    }

    /// Opens the model.
    pub fn open(&self) -> Result<(Opened, Site), Failure> {
        let wanted = Wanted::invariants(self.invariants.clone());
        let mut opened = told(self.model.open(&self.settings, &wanted)?);
        let mut properties = std::mem::take(&mut opened.asked);
        for text in &self.properties {
            let property = PropertyKind::parse(text).property();
            properties.push(property.map_err(Failure::input)?);
        }
        if properties.is_empty() {
            properties.push(Box::new(Deadlock));
        }
        let model = opened.model.clone();
        Ok((opened, Site { model, properties }))
    }
}

/// How the command line asks for it to be searched, without a subsystem.
pub fn search(matches: &ArgMatches) -> Result<SearchSettings, Failure> {
    let strategy = matches.get_one::<String>("strategy");
    let search = SearchSettings {
        strategy: strategy.expect("there is a default").to_owned(),
        options: args::given_options(matches).pairs(),
        max_states: matches.get_one::<u64>("max-states").copied(),
        signs: Signs::Labels(Vec::new()),
    };
    search.strategy().map_err(Failure::input)?;
    Ok(search)
}
