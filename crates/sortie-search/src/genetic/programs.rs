//! Genetic search (Godefroid and Khurshid) among the runs of a program: a run is a string of bits, its fitness is counted while it goes on, and the fittest have children. See
//! [`genetic`](super), whose parts are used here.
//!
//! The fitness is an expression over what runs [count](sortie_model::Chooser::count), `states` (moves), `enabled` (tasks that could move, summed up), and
//! `novel`: [pairs](crate::schedulers::pairs) of uses of an object that no other run showed. A generation is a round. Runs end where the program ends, so that depths do not take turns.

use super::chromosome::Chromosome;
use super::fitness::{ENABLED, Measure, OFFERED, STATES, Tally};
use super::life::Life;
use super::population::{Archive, Population};
use super::reading::Reading;
use super::{Rules, Settings, bad_fitness, check_parents};
use crate::schedulers::pairs::Pairs;
use crate::schedulers::record::is_move;
use crate::schedulers::search::{Done, RunStart, Search};
use crate::{Options, SearchError};
use sortie_model::{Choice, Counts, Dice, End, Spending, Verdict};

/// The fitness of a run if no expression is given.
const USUAL: &str = "deadlock + 10 * novelty";

pub(crate) struct Genetic {
    measure: Measure<'static>,
    settings: Settings,
    population: Population,
    visits: Archive,
    newborn: Vec<Life>,
    generation: u64,
    epoch: u64,
    over: Option<Verdict>,
}

impl Genetic {
    pub(crate) fn of(options: &Options, keeps_going: bool) -> Result<Self, SearchError> {
        check_parents(options)?;
        let rules = Rules::of(options);
        let fitness = rules.fitness.unwrap_or(USUAL);
        let measure =
            Measure::of_runs(fitness).map_err(|expected| bad_fitness(fitness, expected))?;
        Ok(Genetic {
            population: Population::new(rules.settings.customs),
            visits: Archive::new(&measure),
            measure,
            settings: rules.settings.going_on(keeps_going),
            newborn: Vec::new(),
            generation: 0,
            epoch: 0,
            over: None,
        })
    }

    /// A run reads this chromosome.
    fn reading(&self, chromosome: Chromosome, dice: Dice) -> Reading<Chromosome> {
        Reading::new(chromosome, self.settings.customs.encoding, dice)
    }

    /// Nothing that a run can read.
    fn nothing(&self) -> Reading<Chromosome> {
        self.reading(Chromosome::default(), Dice::new(0))
    }
}

/// One run.
pub(crate) struct Living {
    reading: Reading<Chromosome>,
    tally: Tally,
    pairs: Pairs,
}

impl Search for Genetic {
    type Player = Living;
    type Lesson = Life;

    fn player(&self) -> Living {
        Living {
            reading: self.nothing(),
            tally: self.measure.tally(),
            pairs: Pairs::default(),
        }
    }

    fn round(&self, _first: u64) -> u64 {
        self.population.births() as u64
    }

    fn begin(&self, player: &mut Living, _start: RunStart, mut dice: Dice) {
        let chromosome = self.population.born(&mut dice);
        player.reading = self.reading(chromosome, dice);
        player.tally = self.measure.tally();
        player.pairs.begin();
    }

    fn choose(&self, player: &mut Living, choice: &Choice<'_>) -> usize {
        let chosen = player.reading.choose(choice);
        if is_move(choice.kind) {
            player.tally.add(STATES, 1);
            player.tally.add(ENABLED, choice.alternatives as i64);
            player.tally.add(OFFERED, choice.alternatives as i64);
            if self.measure.uses_novelty {
                player.pairs.moved(choice, chosen, 0);
            }
        }
        chosen
    }

    fn count(&self, player: &mut Living, name: &str, amount: i64) {
        if let Some(place) = self.measure.place(name) {
            player.tally.add(place, amount);
        }
    }

    fn end(&self, player: &mut Living, done: &Done<'_>) -> Life {
        let reading = std::mem::replace(&mut player.reading, self.nothing());
        let tally = std::mem::take(&mut player.tally);
        let pairs = player.pairs.distinct().iter();
        Life {
            fitness: self.measure.fitness(&tally, None),
            length: reading.length(),
            chromosome: reading.into_chromosome(),
            tally,
            states: pairs.map(|(pair, _)| *pair).collect(),
            counts: Counts::default(),
            found: matches!(done.end, End::Failed(_)),
            sights: Vec::new(),
            front: (0, 0),
        }
    }

    fn learn(&mut self, _run: u64, life: Life) {
        self.visits.visit(&life.states);
        self.newborn.push(life);
    }

    fn reflect(&mut self) {
        let settings = &self.settings;
        let lives = self.newborn.drain(..);
        let lives = lives.map(|life| life.penalised(settings.penalty));
        self.population
            .select(lives, &self.measure, &mut self.visits);
        self.generation += 1;
        let is_stale = self.population.stale() >= settings.patience;
        if self.generation > settings.generations || is_stale {
            self.population = Population::new(self.settings.customs);
            self.generation = 0;
            self.epoch += 1;
            if self.settings.epochs == Some(self.epoch) {
                self.over = Some(Verdict::Spent(Spending::Epochs));
            }
        }
    }

    fn over(&self) -> Option<Verdict> {
        self.over.clone()
    }
}
