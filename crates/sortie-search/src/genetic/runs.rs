//! Genetic search over anything that runs and asks.

use super::fitness::Measure;
use super::life::{Life, Walker};
use super::reading::{Encoding, Reading};
use super::search::{Host, Search, Terms};
use super::{Chromosome, Rules};
use crate::{Options, SearchError};
use sortie_model::{
    Budget, Choice, Chooser, Counts, Dice, End, Flow, Observer, Verdict, View, Walk,
};

/// What is to be evolved.
pub struct Runs<'a> {
    /// Makes what runs, once for each thread.
    pub walk: &'a dyn Fn() -> Box<dyn Walk + Send + 'a>,
    /// The options of the strategy `genetic`; names in the fitness stand for what the runs [count](Chooser::count).
    pub options: Options,
    /// What may be spent; a run counts as many states as it arrives at places.
    pub budget: Budget,
    /// Hears what happens.
    pub observer: &'a dyn Observer,
    /// Decides all random choices.
    pub seed: u64,
    /// How many threads may work; never changes the result.
    pub threads: usize,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evolved {
    /// The answer.
    pub verdict: Verdict,
    /// How the first run that failed did so, with its answers: with the same answers it fails in the same way.
    pub failure: Option<(String, Vec<usize>)>,
    /// What it cost.
    pub counts: Counts,
}

impl Runs<'_> {
    /// Evolves runs until one fails or the budget is spent.
    ///
    /// ```
    /// use sortie_model::*;
    /// use sortie_search::Options;
    /// use sortie_search::genetic::Runs;
    ///
    /// /// Throws a coin forty times and fails if there are only heads.
    /// struct Coins;
    ///
    /// struct Sides;
    /// impl Names for Sides {
    ///     fn name(&self, index: usize) -> String {
    ///         ["heads", "tails"][index].into()
    ///     }
    /// }
    ///
    /// impl Walk for Coins {
    ///     fn run(&mut self, chooser: &mut dyn Chooser, _limit: u64) -> Result<End, ModelError> {
    ///         let mut heads = 0;
    ///         for _ in 0..40 {
    ///             if chooser.choose(Choice::new(2, Kind::Toss, &Sides)) == 0 {
    ///                 chooser.count("heads", 1);
    ///                 heads += 1;
    ///             }
    ///         }
    ///         Ok(if heads == 40 { End::Failed("only heads".into()) } else { End::DeadEnd })
    ///     }
    /// }
    ///
    /// let evolved = Runs {
    ///     walk: &|| Box::new(Coins),
    ///     options: Options::default().with("fitness", "heads"),
    ///     budget: Budget::default(),
    ///     observer: &Silent,
    ///     seed: 1,
    ///     threads: 1,
    /// }
    /// .evolve()?;
    /// assert_eq!(evolved.failure, Some(("only heads".into(), vec![0; 40])));
    /// # Ok::<(), sortie_search::SearchError>(())
    /// ```
    pub fn evolve(&self) -> Result<Evolved, SearchError> {
        let rules = Rules::of(&self.options);
        let fitness = rules.fitness.unwrap_or("deadlock");
        let measure =
            Measure::of_runs(fitness).map_err(|expected| super::bad_fitness(fitness, expected))?;
        let encoding = rules.settings.customs.encoding;
        let walkers = (0..self.threads.max(1))
            .map(|_| Walker::new((self.walk)(), &measure, encoding, &self.budget.stop))
            .collect();
        let terms = Terms {
            budget: &self.budget,
            max_states: self.budget.max_states.unwrap_or(rules.endless),
            observer: self.observer,
            seed: self.seed,
        };
        let mut search = Search::new(terms, walkers);
        let mut first = FirstFailure::default();
        super::evolve(&mut search, &rules.settings, &measure, &mut first)?;
        let failure = match first.0 {
            Some((message, chromosome, depth)) => {
                Some((message, self.answers(chromosome, encoding, depth)?))
            }
            None => None,
        };
        Ok(Evolved {
            verdict: search.end.expect("the search ends when there is an end"),
            failure,
            counts: search.counts,
        })
    }

    /// The answers that a chromosome stands for.
    fn answers(
        &self,
        mut chromosome: Chromosome,
        encoding: Encoding,
        depth: u64,
    ) -> Result<Vec<usize>, SearchError> {
        let mut again = Again {
            reading: Reading::new(&mut chromosome, encoding, Dice::new(0)),
            answers: Vec::new(),
            depth,
        };
        let end = (self.walk)().run(&mut again, depth.saturating_add(1))?;
        match end {
            End::Failed(_) => Ok(again.answers),
            _ => Err(SearchError::LostPath {
                step: again.answers.len(),
            }),
        }
    }
}

#[derive(Default)]
struct FirstFailure(Option<(String, Chromosome, u64)>);

impl Host for FirstFailure {
    fn take(&mut self, life: &mut Life) -> bool {
        if let Some(message) = life.failure.take() {
            self.0 = Some((message, life.chromosome.clone(), life.counts.depth));
        }
        self.0.is_some()
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Repeats a run and writes down its answers.
struct Again<'a> {
    reading: Reading<'a>,
    answers: Vec<usize>,
    depth: u64,
}

impl Chooser for Again<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let answer = self.reading.choose(&choice);
        self.answers.push(answer);
        answer
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        if view.taken > self.depth {
            Flow::Stop
        } else {
            Flow::Go
        }
    }
}
