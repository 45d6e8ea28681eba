//! Populations, one after another, until the search ends.

use super::depths::Depths;
use super::fitness::Measure;
use super::life::{Life, Limits};
use super::population::{Archive, Census, Customs, Population};
use super::search::Search;
use crate::SearchError;
use sortie_model::Event;

/// How populations follow one another.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How each of them lives.
    pub customs: Customs,
    /// How many generations follow the first.
    pub generations: u64,
    /// After so many without a better best, the next population begins.
    pub patience: u64,
    /// How many populations there are at most.
    pub epochs: Option<u64>,
    /// How deep paths go, if that is said.
    pub depth: Option<u64>,
    /// What is taken off the fitness of a path to an error when the hunt goes on after it.
    pub penalty: i64,
    /// Whether to tell of every generation.
    pub tell: bool,
}

impl Settings {
    /// Of a hunt that goes on after errors, or does not: then nothing needs to be taken off.
    pub fn going_on(self, goes_on: bool) -> Settings {
        let penalty = if goes_on { self.penalty } else { 0 };
        Settings { penalty, ..self }
    }
}

/// Evolves populations until the search ends.
pub fn evolve(
    search: &mut Search<'_>,
    settings: &Settings,
    measure: &Measure<'_>,
) -> Result<(), SearchError> {
    let mut archive = Archive::new(measure);
    let mut depths = Depths::new(settings.depth);
    for epoch in 0.. {
        if !search.goes_on(epoch, settings.epochs) {
            break;
        }
        let mut era = Era {
            search,
            settings,
            measure,
            archive: &mut archive,
            epoch,
            depth: depths.next(),
        };
        era.pass()?;
    }
    Ok(())
}

/// The time of one population.
struct Era<'e, 'a> {
    search: &'e mut Search<'a>,
    settings: &'e Settings,
    measure: &'e Measure<'e>,
    archive: &'e mut Archive,
    epoch: u64,
    depth: u64,
}

impl Era<'_, '_> {
    fn pass(&mut self) -> Result<(), SearchError> {
        let mut population = Population::new(self.settings.customs);
        for generation in 0..=self.settings.generations {
            let lives = self.generation(generation, &population)?;
            lives
                .iter()
                .for_each(|life| self.archive.visit(&life.states));
            let penalty = self.settings.penalty;
            let lives = lives.into_iter().map(|life| life.penalised(penalty));
            let census = population.select(lives, self.measure, self.archive);
            self.tell(generation, &population, census);
            if self.search.end.is_some() || population.stale() >= self.settings.patience {
                break;
            }
        }
        Ok(())
    }

    fn generation(
        &mut self,
        generation: u64,
        population: &Population,
    ) -> Result<Vec<Life>, SearchError> {
        let limits = Limits {
            depth: self.depth,
            states: u64::MAX,
            choices: usize::MAX,
        };
        let (seed, epoch) = (self.search.hunt.seed, self.epoch);
        let bear = |index| {
            let mut dice = Search::dice(seed, epoch, generation, index);
            (population.born(&mut dice), dice)
        };
        self.search.generation(population.births(), limits, bear)
    }

    fn tell(&self, generation: u64, population: &Population, census: Census) {
        if !self.settings.tell {
            return;
        }
        self.search.hunt.observer.event(&Event::Generation {
            epoch: self.epoch,
            generation,
            depth: self.depth,
            best: census.best,
            worst: census.worst,
            parents_sum: census.parents_sum,
            parents: census.parents,
            length: population.length() as u64,
            mutation_factor: population.mutation_factor(),
        });
    }
}
