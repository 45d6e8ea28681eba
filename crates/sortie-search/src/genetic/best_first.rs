//! Best-first search as a special case: no mutation, no crossover, chromosomes as long as the generation is old, and the children of a
//! parent are its path with each possible next choice. With one parent this is a greedy search, with more a beam.

use super::chromosome::Chromosome;
use super::depths::Depths;
use super::fitness::Measure;
use super::life::{Life, Limits};
use super::population::Archive;
use super::search::Search;
use crate::SearchError;
use sortie_model::Dice;

/// How to search.
pub struct Beam<'a> {
    /// How many paths are made longer at a time.
    pub parents: usize,
    /// How often to begin at most.
    pub epochs: Option<u64>,
    /// How many choices a path has at most, if that is said.
    pub depth: Option<u64>,
    /// How fit a path is.
    pub measure: &'a Measure<'a>,
}

/// A path that can be made longer.
struct Parent {
    chromosome: Chromosome,
    fitness: i64,
    /// Decides between equals.
    lot: u64,
    /// Bits of its choices, and how many alternatives there are for the next one.
    front: (usize, usize),
}

/// Searches from the initial state until everything ends or the depth is reached, then again with other lots.
pub fn search_best_first(search: &mut Search<'_>, beam: &Beam<'_>) -> Result<(), SearchError> {
    let mut depths = Depths::new(beam.depth);
    let mut archive = Archive::new(beam.measure);
    for epoch in 0.. {
        if !search.goes_on(epoch, beam.epochs) {
            break;
        }
        extend(search, beam, epoch, depths.next(), &mut archive)?;
    }
    Ok(())
}

/// Makes the best paths longer, choice by choice.
fn extend(
    search: &mut Search<'_>,
    beam: &Beam<'_>,
    epoch: u64,
    depth: u64,
    archive: &mut Archive,
) -> Result<(), SearchError> {
    let mut births = vec![Chromosome::default()];
    for choices in 0..=depth {
        let limits = Limits {
            depth: choices,
            states: u64::MAX,
            choices: choices as usize,
        };
        let seed = search.hunt.seed;
        let bear = |index: usize| {
            let dice = Search::dice(seed, epoch, choices, index);
            (births[index].clone(), dice)
        };
        let mut lives = search.generation(births.len(), limits, bear)?;
        if search.end.is_some() {
            break;
        }
        if beam.measure.uses_novelty {
            lives.iter().for_each(|life| archive.visit(&life.states));
            for life in &mut lives {
                life.fitness = archive.fitness(beam.measure, &mut life.tally, &life.states);
            }
        }
        let parent = |(index, life): (usize, Life)| Parent {
            lot: Search::dice(seed, epoch, choices, index).bits(),
            chromosome: life.chromosome,
            fitness: life.fitness,
            front: life.front,
        };
        let mut parents: Vec<Parent> = lives.into_iter().enumerate().map(parent).collect();
        parents.retain(|parent| parent.front.1 > 0);
        parents.sort_by_key(|parent| (std::cmp::Reverse(parent.fitness), parent.lot));
        parents.truncate(beam.parents);
        births = parents.iter().flat_map(children).collect();
        if births.is_empty() {
            break;
        }
    }
    Ok(())
}

/// The path of a parent with each of the next choices.
fn children(parent: &Parent) -> Vec<Chromosome> {
    let (at, alternatives) = parent.front;
    if alternatives == 1 {
        return vec![parent.chromosome.clone()];
    }
    let bits = (alternatives - 1).ilog2() + 1;
    let child = |chosen: usize| {
        let mut chromosome = parent.chromosome.clone();
        // The bits that are not there yet are written over at once.
        chromosome.read(at, bits, &mut Dice::new(0));
        chromosome.write(at, bits, chosen as u32);
        chromosome
    };
    (0..alternatives).map(child).collect()
}
