//! Hunting from Rust, in a few lines.

use sortie_hunt::{Campaign, CampaignError, HuntSettings, Reported, Target};
use sortie_intern::Interned;
use sortie_model::{Counts, Extreme, Model, System, Trace, Verdict};
use sortie_property::{Action, Deadlock, Extremes, Invariant, Property, PropertyError};
use sortie_search::genetic::{OwnFitness, Tally};
use sortie_witness::Witness;
use std::sync::Arc;
use std::time::Duration;

/// A hunt could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum HuntError {
    /// A pattern is malformed.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// The hunt itself failed.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
}

/// Prepares a hunt in a typed system.
pub fn hunt<S: System + 'static>(system: S) -> Hunter<Interned<S>> {
    hunt_model(Interned::new(system))
}

/// Prepares a hunt in any model.
pub fn hunt_model<M: Model + 'static>(model: M) -> Hunter<M> {
    let model = Arc::new(model);
    Hunter::new(model.clone(), model)
}

/// A hunt being prepared. Without a property it looks for deadlocks, or for what the text of a model suggests.
pub struct Hunter<M: ?Sized> {
    model: Arc<M>,
    /// The same model, whatever its type.
    searched: Arc<dyn Model>,
    /// Settings of the model, for witnesses.
    pub(crate) model_settings: Vec<String>,
    /// The properties that are looked for if no other is named.
    pub(crate) suggested: Vec<Box<dyn Property>>,
    pub(crate) properties: Vec<Box<dyn Property>>,
    settings: HuntSettings,
    fitness: Option<Box<OwnFitness<'static>>>,
    error: Option<HuntError>,
}

impl<M: Model + ?Sized + 'static> Hunter<M> {
    /// A hunt in a model, which is given with its type and without.
    pub(crate) fn new(model: Arc<M>, searched: Arc<dyn Model>) -> Self {
        Hunter {
            model,
            searched,
            model_settings: Vec::new(),
            suggested: vec![Box::new(Deadlock)],
            properties: Vec::new(),
            settings: HuntSettings::default(),
            fitness: None,
            error: None,
        }
    }

    /// The model to be searched.
    pub fn model(&self) -> &Arc<M> {
        &self.model
    }

    /// Looks for states without successors.
    pub fn deadlock(self) -> Self {
        self.property(Deadlock)
    }

    /// Looks for an action: `error`, `c10(lost)`, `LDres(_, a1, *)`.
    pub fn action(self, pattern: &str) -> Self {
        match Action::matching(pattern) {
            Ok(action) => self.property(action),
            Err(error) => self.fail(error.into()),
        }
    }

    /// Looks for any property.
    pub fn property(mut self, property: impl Property + 'static) -> Self {
        self.properties.push(Box::new(property));
        self
    }

    /// All settings at once, as the command line has them.
    pub fn settings(mut self, settings: HuntSettings) -> Self {
        self.settings = settings;
        self
    }

    /// The strategy, by name: see [`STRATEGIES`](crate::STRATEGIES). The default is `auto`.
    pub fn strategy(mut self, name: &str) -> Self {
        self.settings.strategy = Some(name.into());
        self
    }

    /// An option of the strategy, as on the command line: `.option("width", 32)`.
    pub fn option(mut self, name: &str, value: impl ToString) -> Self {
        self.settings.options.set(name, value);
        self
    }

    /// The seed; the default is 1.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// How many states may be expanded.
    pub fn max_states(mut self, states: u64) -> Self {
        self.settings.max_states = Some(states);
        self
    }

    /// How many bytes may be held. The default is three quarters of what the machine has.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.settings.memory = Some(bytes);
        self
    }

    /// How long it may take.
    pub fn time(mut self, time: Duration) -> Self {
        self.settings.time = Some(time);
        self
    }

    /// How many threads may work; the result is the same. The default is all that the machine has.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = threads;
        self
    }

    /// Goes on after a hit and collects every distinct one.
    pub fn keep_going(mut self) -> Self {
        self.settings.keep_going = true;
        self
    }

    /// Leaves traces as the search found them.
    pub fn no_shorten(mut self) -> Self {
        self.settings.shorten = false;
        self
    }

    /// Hunts.
    pub fn run(mut self) -> Result<Report, HuntError> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.properties.is_empty() {
            self.properties = self.suggested;
        }
        let target = Target::Model(&*self.searched, &self.properties);
        let campaign = Campaign {
            model_settings: &self.model_settings,
            fitness: self.fitness.as_deref(),
            ..Campaign::new(target, &self.settings)
        };
        let results = campaign.run()?;
        let finding = |reported: Reported| {
            let steps = reported.witness.steps.iter();
            Finding {
                property: self.properties[reported.property].name(),
                labels: steps.map(|step| step.label.clone()).collect(),
                record: reported.record,
                trace: reported.trace,
                witness: reported.witness,
            }
        };
        Ok(Report {
            verdict: results.verdict,
            counts: results.runs[0].counts,
            found: results.found.into_iter().map(finding).collect(),
        })
    }

    /// What makes a path fit, for genetic and best-first search: from what was counted along it and its last state. Larger is fitter.
    pub fn path_fitness(
        mut self,
        fitness: impl Fn(&Tally, Option<&[u32]>) -> i64 + Send + Sync + 'static,
    ) -> Self {
        self.fitness = Some(Box::new(fitness));
        self
    }

    fn fail(mut self, error: HuntError) -> Self {
        self.error.get_or_insert(error);
        self
    }
}

impl<S: System + 'static> Hunter<Interned<S>> {
    /// Looks for states in which a condition does not hold.
    pub fn invariant(
        self,
        name: &str,
        holds: impl Fn(&S::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        let model = Arc::clone(&self.model);
        let holds = move |packed: &[u32]| holds(model.state(packed));
        self.property(Invariant::new(name, holds))
    }

    /// What makes a path fit, for genetic and best-first search: how good its last state is. Larger is fitter.
    ///
    /// ```
    /// use sortie::System;
    ///
    /// /// A lock with sixteen wheels of ten digits, turned in any order.
    /// struct Lock;
    ///
    /// impl System for Lock {
    ///     type State = [u8; 16];
    ///     type Action = usize;
    ///     fn initial(&self) -> [u8; 16] {
    ///         [0; 16]
    ///     }
    ///     fn steps(&self, wheels: &[u8; 16], out: &mut Vec<(usize, [u8; 16])>) {
    ///         for wheel in 0..16 {
    ///             let mut next = *wheels;
    ///             next[wheel] = (next[wheel] + 1) % 10;
    ///             out.push((wheel, next));
    ///         }
    ///     }
    /// }
    ///
    /// let right = |wheels: &[u8; 16]| wheels.iter().filter(|digit| **digit == 3).count();
    /// let report = sortie::hunt(Lock)
    ///     .invariant("is locked", move |wheels| right(wheels) < 16)
    ///     .strategy("best-first")
    ///     .fitness(move |wheels| wheels.iter().map(|digit| 3 - (i64::from(*digit) - 3).abs()).sum())
    ///     .run()?;
    /// assert_eq!(report.found[0].labels.len(), 48);
    /// # Ok::<(), sortie::HuntError>(())
    /// ```
    pub fn fitness(self, fitness: impl Fn(&S::State) -> i64 + Send + Sync + 'static) -> Self {
        let model = Arc::clone(&self.model);
        self.path_fitness(move |_, end| end.map_or(0, |end| fitness(model.state(end))))
    }

    /// Looks for the largest and the smallest value of a quantity.
    pub fn extremes(
        self,
        name: &str,
        observe: impl Fn(&S::State) -> Option<i64> + Send + Sync + 'static,
    ) -> Self {
        let model = Arc::clone(&self.model);
        let observe = move |packed: &[u32]| observe(model.state(packed));
        self.property(Extremes::of_states(name, observe))
    }
}

/// What a hunt can say.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// What it cost.
    pub counts: Counts,
    /// What was found, replayed and shortened.
    pub found: Vec<Finding>,
}

/// Something found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was looked for.
    pub property: String,
    /// The labels of the trace.
    pub labels: Vec<String>,
    /// Which end and value, for an extreme.
    pub record: Option<(Extreme, i64)>,
    /// The trace in the model's own numbers.
    pub trace: Trace,
    /// The witness, for a file.
    pub witness: Witness,
}
