//! Chromosomes that compete: the fittest have children, and the fittest of parents and children live on.

use super::chromosome::{Chromosome, Rate};
use super::fitness::{Measure, NOVEL, Tally};
use super::life::Life;
use super::reading::Encoding;
use sortie_model::Dice;

/// A choice by index takes about so many bits, so a choice by name changes as often as one of so many bits would.
const BITS_OF_A_CHOICE: u32 = 5;

/// The mutation rate is doubled at most so often.
const DOUBLINGS: u32 = 5;

/// How a population lives.
#[derive(Clone, Copy, Debug)]
pub struct Customs {
    /// How many live at a time.
    pub population: usize,
    /// How many of them have children.
    pub parents: usize,
    /// Whether children have two parents.
    pub crossover: bool,
    /// How often a bit of a child changes.
    pub mutation: Rate,
    /// How paths are written.
    pub encoding: Encoding,
}

/// One that lives.
struct Member {
    chromosome: Chromosome,
    fitness: i64,
    tally: Tally,
    states: Vec<u64>,
    /// Taken off its fitness.
    penalty: i64,
}

/// What there is to know of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Census {
    /// The fitness of the fittest.
    pub best: i64,
    /// That of the least fit.
    pub worst: i64,
    /// That of those who have children next, summed up.
    pub parents_sum: i128,
    /// How many they are.
    pub parents: u64,
}

/// A population, from one random beginning to its end.
pub struct Population {
    customs: Customs,
    /// The fittest first.
    members: Vec<Member>,
    /// The most bits that were read from any chromosome so far.
    length: usize,
    /// How often the mutation rate was doubled.
    doublings: u32,
    best: i64,
    /// Generations since the best became better.
    stale: u64,
}

impl Population {
    /// Nobody yet.
    pub fn new(customs: Customs) -> Self {
        Population {
            customs,
            members: Vec::new(),
            length: 0,
            doublings: 0,
            best: i64::MIN,
            stale: 0,
        }
    }

    /// How many are born into the next generation.
    pub fn births(&self) -> usize {
        match self.members.len() {
            0 => self.customs.population,
            _ => (self.customs.population - self.customs.parents).max(1),
        }
    }

    /// A new chromosome: one without bits at first, a child later.
    pub fn born(&self, dice: &mut Dice) -> Chromosome {
        let parents = &self.members[..self.customs.parents.min(self.members.len())];
        if parents.is_empty() {
            return Chromosome::default();
        }
        let first = dice.index(parents.len());
        let mut child = if self.customs.crossover && parents.len() > 1 && self.length > 0 {
            let other = (first + 1 + dice.index(parents.len() - 1)) % parents.len();
            let grain = self.customs.encoding.grain();
            let cut = dice.index(self.length.div_ceil(grain)) * grain;
            let [head, tail] = [first, other].map(|parent| &parents[parent].chromosome);
            head.cross(tail, cut, dice)
        } else {
            parents[first].chromosome.clone()
        };
        let rate = self.customs.mutation.times(1 << self.doublings);
        match self.customs.encoding {
            Encoding::Index => child.flip(self.length, rate, dice),
            Encoding::Name => {
                child.redraw_halves(self.length, rate.times(BITS_OF_A_CHOICE).halved(), dice);
            }
        }
        child
    }

    /// The newborn have lived: the fittest of them and of their parents make up the next generation. Of equals, the older come first.
    pub fn select(
        &mut self,
        lives: impl IntoIterator<Item = (Life, i64)>,
        measure: &Measure<'_>,
        archive: &mut Archive,
    ) -> Census {
        self.members.truncate(self.customs.parents);
        for (life, penalty) in lives {
            self.length = self.length.max(life.length);
            let states = Some(life.states).filter(|_| measure.uses_novelty);
            self.members.push(Member {
                fitness: life.fitness.saturating_sub(penalty),
                chromosome: life.chromosome,
                tally: life.tally,
                states: states.unwrap_or_default(),
                penalty,
            });
        }
        if measure.uses_novelty {
            for member in &mut self.members {
                let fitness = archive.fitness(measure, &mut member.tally, &member.states);
                member.fitness = fitness.saturating_sub(member.penalty);
            }
        }
        self.members
            .sort_by_key(|member| std::cmp::Reverse(member.fitness));
        self.members.truncate(self.customs.population);
        self.adapt()
    }

    /// Mutation becomes more frequent while all are equally fit, and normal again when the best becomes better.
    fn adapt(&mut self) -> Census {
        let fitness = |member: Option<&Member>| member.map_or(0, |member| member.fitness);
        let (best, worst) = (fitness(self.members.first()), fitness(self.members.last()));
        if best > self.best {
            self.best = best;
            self.stale = 0;
            self.doublings = 0;
        } else {
            self.stale += 1;
            if best == worst {
                self.doublings = (self.doublings + 1).min(DOUBLINGS);
            }
        }
        let parents = self.members.iter().take(self.customs.parents);
        Census {
            best,
            worst,
            parents: parents.len() as u64,
            parents_sum: parents.map(|member| i128::from(member.fitness)).sum(),
        }
    }

    /// Generations since the best became better.
    pub fn stale(&self) -> u64 {
        self.stale
    }

    /// The most bits that were read from any chromosome so far.
    pub fn length(&self) -> usize {
        self.length
    }

    /// How often a bit of a child changes at present, in multiples of the usual rate.
    pub fn mutation_factor(&self) -> u64 {
        1 << self.doublings
    }
}

/// By how many paths states were visited, roughly: states share counters.
pub struct Archive {
    visits: Vec<u8>,
}

/// Counters of an archive; a power of two.
const VISITS: usize = 1 << 22;

impl Archive {
    /// Nothing visited yet. Takes memory only if novelty counts.
    pub fn new(measure: &Measure<'_>) -> Self {
        let counters = if measure.uses_novelty { VISITS } else { 0 };
        Archive {
            visits: vec![0; counters],
        }
    }

    /// A path has visited these states.
    pub fn visit(&mut self, states: &[u64]) {
        if self.visits.is_empty() {
            return;
        }
        for state in states {
            let visits = &mut self.visits[*state as usize % VISITS];
            *visits = visits.saturating_add(1);
        }
    }

    /// How fit a path is at present, where novelty counts: how many of its states only one path has visited.
    pub fn fitness(&self, measure: &Measure<'_>, tally: &mut Tally, states: &[u64]) -> i64 {
        let novel = |state: &&u64| self.visits[**state as usize % VISITS] <= 1;
        tally.counters[NOVEL] = states.iter().filter(novel).count() as i64;
        measure.fitness(tally, None)
    }
}
