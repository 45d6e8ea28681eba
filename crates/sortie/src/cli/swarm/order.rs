//! What a campaign is about: everything a worker must know to do its jobs. It can be sent.

use super::super::hunt::{given, properties};
use super::super::source::{settings, told};
use super::super::{Failure, args};
use clap::ArgMatches;
use serde::{Deserialize, Serialize};
use sortie_open::{ModelText, Opened, Settings, Wanted};
use sortie_property::{Deadlock, Property, PropertyKind};
use sortie_search::{Options, Strategy, strategy};
use sortie_swarm::Signs;

/// A model, what is looked for in it, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub model: ModelText,
    pub settings: Settings,
    pub invariants: Vec<String>,
    /// The names of the other properties.
    pub properties: Vec<String>,
    pub strategy: String,
    pub options: Vec<(String, String)>,
    pub max_states: Option<u64>,
    /// Which steps belong to the subsystem.
    pub signs: Signs,
}

/// A model with what is looked for in it.
pub struct Site {
    pub opened: Opened,
    pub properties: Vec<Box<dyn Property>>,
}

impl Order {
    /// What the command line asks for, without a subsystem.
    pub fn of(matches: &ArgMatches) -> Result<Order, Failure> {
        let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
        let name = text("model").ok_or_else(|| Failure::input("which model?"))?;
        let order = Order {
            model: ModelText::read(name, text("language"))?,
            settings: settings(matches)?,
            invariants: given(matches, "invariant"),
            properties: properties(matches)?.iter().map(|p| p.name()).collect(),
            strategy: text("strategy").expect("there is a default").to_owned(),
            options: args::given_options(matches).pairs(),
            max_states: matches.get_one::<u64>("max-states").copied(),
            signs: Signs::Labels(Vec::new()),
        };
        order.strategy()?;
        Ok(order)
    }

    /// The strategy and its options.
    pub fn strategy(&self) -> Result<(&'static Strategy, Options), Failure> {
        let chosen = strategy(&self.strategy).map_err(Failure::input)?;
        let mut options = Options::default();
        for (name, value) in &self.options {
            options.set(name, value);
        }
        options.check(chosen).map_err(Failure::input)?;
        Ok((chosen, options))
    }

    /// Opens the model.
    pub fn open(&self) -> Result<Site, Failure> {
        let wanted = Wanted::invariants(self.invariants.clone());
        let mut opened = told(self.model.open(&self.settings, &wanted)?);
        let mut properties = std::mem::take(&mut opened.asked);
        for name in &self.properties {
            properties.push(
                PropertyKind::parse(name)
                    .property()
                    .map_err(Failure::input)?,
            );
        }
        if properties.is_empty() {
            properties.push(Box::new(Deadlock));
        }
        Ok(Site { opened, properties })
    }
}
