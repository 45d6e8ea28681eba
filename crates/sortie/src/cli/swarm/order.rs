//! What a swarm searches: everything that a worker must know to open it. It can be sent.

use super::super::hunt::{asked, properties};
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
    /// The texts of the properties, those made of conditions first.
    pub properties: Vec<String>,
}

impl Order {
    /// What the command line asks for.
    pub fn of(matches: &ArgMatches) -> Result<Order, Failure> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let name = text("model").ok_or_else(|| Failure::input("which model?"))?;
        let asked = asked(matches);
        let conditions = asked.iter().filter(|kind| kind.row.of_condition.is_some());
        let conditions = conditions.map(ToString::to_string);
        let others = properties(&asked)?;
        Ok(Order {
            model: ModelText::read(name, text("language"))?,
            settings: settings(matches)?,
            properties: conditions.chain(others.iter().map(|p| p.name())).collect(),
        })
    }

    /// Opens the model.
    pub fn open(&self) -> Result<(Opened, Site), Failure> {
        let kinds = self.properties.iter().map(|text| PropertyKind::parse(text));
        let kinds: Vec<PropertyKind> = kinds.collect();
        let wanted = Wanted::properties(kinds.clone());
        let mut opened = told(self.model.open(&self.settings, &wanted)?);
        let mut properties = std::mem::take(&mut opened.asked);
        properties.extend(self::properties(&kinds)?);
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
