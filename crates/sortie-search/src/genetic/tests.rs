//! What every genetic search must keep, on models and on walks that are none.

use super::chromosome::{Chromosome, Rate};
use super::fitness::Measure;
use super::life::{Life, Limits, Walker};
use super::population::{Archive, Customs, Population};
use super::reading::{Encoding, Reading};
use crate::{Hunt, Options, strategy};
use sortie_model::{
    Budget, Choice, Dice, Event, Identity, Key, Kind, LabelId, Model, ModelError, ModelWalk, Names,
    Observer, Silent, Spending, Steps, Stop, StopReason, Verdict,
};
use sortie_property::{Action, Deadlock, Property};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alternatives with numbers for names.
struct Numbers(Vec<u64>);

impl Names for Numbers {
    fn name(&self, index: usize) -> String {
        self.0[index].to_string()
    }

    fn key(&self, index: usize) -> Key {
        Key {
            who: self.0[index] / 100,
            what: self.0[index],
        }
    }
}

fn question(names: &Numbers) -> Choice<'_> {
    Choice::new(names.0.len(), Kind::Step, names)
}

/// Who and what of a few alternatives of three who move.
fn names(count: usize) -> Numbers {
    Numbers((0..count as u64).map(|n| n % 3 * 100 + n).collect())
}

/// Hypothesis: a choice read from fresh bits by index is uniform, for any number of alternatives, after other choices. 20,000 draws
/// each; the bounds of chi-square are exceeded in one of 10,000 cases.
#[test]
fn choices_by_index_are_uniform() {
    let small = [(2, 15.2), (3, 18.5), (5, 23.6)];
    let large = [(8, 29.9), (17, 44.5), (34, 71.5)];
    for (seed, (count, bound)) in (1..).zip(small.into_iter().chain(large)) {
        let mut dice = Dice::new(seed);
        let mut seen = vec![0f64; count];
        let all = names(count);
        for _ in 0..20_000 {
            let mut chromosome = Chromosome::default();
            let mut reading =
                Reading::new(&mut chromosome, Encoding::Index, Dice::new(dice.bits()));
            reading.choose(&question(&names(5)));
            seen[reading.choose(&question(&all))] += 1.0;
        }
        let expected = 20_000.0 / count as f64;
        let chi: f64 = seen.iter().map(|n| (n - expected).powi(2) / expected).sum();
        assert!(chi < bound, "{count} alternatives: chi-square {chi}");
    }
}

/// Hypothesis: by name, a fresh gene prefers each of three movers equally, and each of the four things one can do. 30,000 genes, seed 1;
/// chi-square with 11 degrees of freedom exceeds 37.4 in one of 10,000 cases.
#[test]
fn choices_by_name_are_uniform_over_movers_and_deeds() {
    let mut dice = Dice::new(1);
    let all = names(12);
    let mut seen = [0f64; 12];
    for _ in 0..30_000 {
        let mut chromosome = Chromosome::default();
        let mut reading = Reading::new(&mut chromosome, Encoding::Name, Dice::new(dice.bits()));
        seen[reading.choose(&question(&all))] += 1.0;
    }
    let chi: f64 = seen.iter().map(|n| (n - 2500.0).powi(2) / 2500.0).sum();
    assert!(chi < 37.4, "chi-square {chi}");
}

/// Leaving out what was not chosen, and the order of the alternatives, change nothing by name.
#[test]
fn a_gene_prefers_the_same_wherever_it_is_read() {
    let mut dice = Dice::new(2);
    for _ in 0..1000 {
        let mut chromosome = Chromosome::default();
        let mut choose = |names: &Numbers| {
            let mut reading = Reading::new(&mut chromosome, Encoding::Name, Dice::new(7));
            names.0[reading.choose(&question(names))]
        };
        let all = names(12);
        let chosen = choose(&all);
        let mut fewer: Vec<u64> = all.0;
        fewer.retain(|name| *name == chosen || dice.chance(1, 2));
        fewer.reverse();
        assert_eq!(choose(&Numbers(fewer)), chosen);
    }
}

/// Things with the same name are all chosen by some genes.
#[test]
fn what_has_the_same_name_can_be_chosen_by_name() {
    let same = Numbers(vec![5; 4]);
    let mut dice = Dice::new(4);
    let mut seen = [0; 4];
    for _ in 0..400 {
        let mut chromosome = Chromosome::default();
        let mut reading = Reading::new(&mut chromosome, Encoding::Name, Dice::new(dice.bits()));
        seen[reading.choose(&question(&same))] += 1;
    }
    assert!(seen.iter().all(|times| *times > 50), "{seen:?}");
}

/// A tree in which the state is a hash of the choices so far, with one to six successors, and ends here and there.
struct Bush;

impl Model for Bush {
    fn identity(&self) -> Identity {
        Identity::new("bush", sortie_model::Fingerprint::of_text("bush"))
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(1);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        let count = match state[0] % 61 {
            0 => 0,
            rest => 1 + rest % 6,
        };
        for step in 0..count {
            let target =
                (state[0] ^ (step + 1).wrapping_mul(0x9e37_79b1)).wrapping_mul(0x85eb_ca6b);
            steps.push(LabelId(step), &[target ^ target >> 15]);
        }
        Ok(())
    }

    fn label(&self, label: LabelId) -> String {
        format!("step({})", label.0)
    }
}

fn deadlock() -> Vec<Box<dyn Property>> {
    vec![Box::new(Deadlock)]
}

fn nothing() -> Vec<Box<dyn Property>> {
    vec![Box::new(Action::matching("never").expect("a pattern"))]
}

fn measured(expression: &str) -> Measure<'static> {
    let mut measure = Measure::nothing();
    measure.count("five=step(5)").unwrap();
    measure.value_by(expression).unwrap();
    measure
}

const LIMITS: Limits = Limits {
    depth: 30,
    states: u64::MAX,
    choices: usize::MAX,
};

fn walker<'a>(hunt: &'a Hunt<'a>, measure: &'a Measure<'a>, encoding: Encoding) -> Walker<'a> {
    let walk = Box::new(ModelWalk::new(hunt.model));
    Walker::new(walk, measure, encoding, hunt)
}

/// The life of a chromosome that has lived is the same with any dice.
#[test]
fn fitness_is_a_function_of_the_bits() {
    let nothing = nothing();
    let hunt = Hunt::new(&Bush, &nothing, &Silent);
    let measure = measured("1000 * five + enabled");
    for encoding in [Encoding::Index, Encoding::Name] {
        let mut walker = walker(&hunt, &measure, encoding);
        for seed in 0..300 {
            let mut live = |chromosome: &Chromosome, seed| {
                let life = walker.live(chromosome.clone(), Dice::new(seed), LIMITS, true);
                let life = life.unwrap();
                let counted = (life.fitness, life.length, life.states, life.tally);
                (life.chromosome, counted)
            };
            let first = live(&Chromosome::default(), seed);
            assert_eq!(live(&first.0, seed + 1000), first);
        }
    }
}

/// Through many generations: the best fitness never falls, the effective length never shrinks, and as many live as there should.
#[test]
fn the_best_is_never_lost_and_the_effective_length_never_shrinks() {
    let nothing = nothing();
    let hunt = Hunt::new(&Bush, &nothing, &Silent);
    let measure = measured("enabled");
    for (crossover, encoding) in [
        (true, Encoding::Index),
        (false, Encoding::Index),
        (true, Encoding::Name),
    ] {
        let mut walker = walker(&hunt, &measure, encoding);
        let mut population = Population::new(Customs {
            population: 20,
            parents: 10,
            crossover,
            mutation: Rate::per_million(20_000),
            encoding,
        });
        let mut archive = Archive::new(&measure);
        let mut dice = Dice::new(3);
        let (mut best, mut length, mut improved) = (i64::MIN, 0, 0);
        for generation in 0..60 {
            let births = population.births();
            assert_eq!(births, if generation == 0 { 20 } else { 10 });
            let mut lives: Vec<Life> = Vec::new();
            for _ in 0..births {
                let child = population.born(&mut dice);
                let life = walker.live(child, Dice::new(dice.bits()), LIMITS, false);
                lives.push(life.unwrap());
            }
            let fittest = lives.iter().map(|life| life.fitness).max().unwrap();
            let longest = lives.iter().map(|life| life.length).max().unwrap();
            let lives = lives.into_iter().map(|life| (life, 0));
            let census = population.select(lives, &measure, &mut archive);
            improved += u32::from(census.best > best && generation > 0);
            assert_eq!(census.best, best.max(fittest));
            assert_eq!(population.length(), length.max(longest));
            best = census.best;
            length = population.length();
        }
        assert!(improved > 0, "evolution makes better ones");
    }
}

#[test]
fn mutation_grows_while_all_are_alike_and_returns_when_the_best_becomes_better() {
    let nothing = nothing();
    let hunt = Hunt::new(&Bush, &nothing, &Silent);
    let flat = measured("7");
    let mut walker = walker(&hunt, &flat, Encoding::Index);
    let mut population = Population::new(Customs {
        population: 4,
        parents: 2,
        crossover: true,
        mutation: Rate::per_million(5000),
        encoding: Encoding::Index,
    });
    let mut archive = Archive::new(&flat);
    let mut factors = Vec::new();
    for generation in 0..8 {
        let lives = (0..population.births()).map(|_| {
            let life = walker.live(Chromosome::default(), Dice::new(1), LIMITS, false);
            let mut life = life.unwrap();
            life.fitness += i64::from(generation == 7);
            (life, 0)
        });
        let lives: Vec<(Life, i64)> = lives.collect();
        population.select(lives, &flat, &mut archive);
        factors.push(population.mutation_factor());
    }
    assert_eq!(factors, [1, 2, 4, 8, 16, 32, 32, 1]);
    assert_eq!(population.stale(), 0);
}

/// Hears everything.
#[derive(Default)]
struct Ears(Mutex<Vec<Event>>);

impl Observer for Ears {
    fn event(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

#[test]
fn threads_change_nothing() {
    let small = Options::default().with("generations", 12);
    let small = small.with("population", 30);
    let with = |name: &str, value: &str| small.clone().with(name, value);
    let novel = with("fitness", "novelty - enabled").with("epochs", 2);
    let short = with("fitness", "0 - states").with("depth", 9);
    let cases = [
        (novel, nothing()),
        (with("encoding", "name"), nothing()),
        (short, deadlock()),
    ];
    for (options, wanted) in cases {
        let run = |threads| {
            let ears = Ears::default();
            let hunt = Hunt {
                options: options.clone(),
                threads,
                seed: 5,
                tell_levels: true,
                keep_going: true,
                budget: Budget {
                    max_states: Some(30_001),
                    ..Budget::default()
                },
                ..Hunt::new(&Bush, &wanted, &ears)
            };
            let outcome = strategy("genetic").unwrap().hunt(&hunt).unwrap();
            let told = ears.0.into_inner().unwrap();
            (format!("{outcome:?}"), told)
        };
        let alone = run(1);
        assert!(alone.1.len() > 5, "generations are told");
        assert_eq!(run(2), alone);
        assert_eq!(run(4), alone);
    }
}

#[test]
fn limits_are_met_exactly() {
    let wanted = nothing();
    for name in ["genetic", "best-first"] {
        for states in [1, 100, 7777] {
            let stop = Stop::default();
            let budget = Budget {
                max_states: Some(states),
                stop: stop.clone(),
                ..Budget::default()
            };
            let hunt = Hunt {
                budget,
                threads: 2,
                ..Hunt::new(&Bush, &wanted, &Silent)
            };
            let outcome = strategy(name).unwrap().hunt(&hunt).unwrap();
            assert_eq!(outcome.verdict, Verdict::Spent(Spending::States), "{name}");
            assert_eq!(outcome.counts.expanded, states, "{name}");
            stop.request(StopReason::Clock);
            let outcome = strategy(name).unwrap().hunt(&hunt).unwrap();
            let stopped = Verdict::Spent(Spending::Stopped(StopReason::Clock));
            assert_eq!(outcome.verdict, stopped, "{name}");
            assert_eq!(outcome.counts.expanded, 0, "{name}");
        }
    }
    let hunt = Hunt {
        options: Options::default().with("epochs", 3).with("generations", 2),
        ..Hunt::new(&Bush, &wanted, &Silent)
    };
    let outcome = strategy("genetic").unwrap().hunt(&hunt).unwrap();
    assert_eq!(outcome.verdict, Verdict::Spent(Spending::Epochs));
}

/// Goes round in circles, and has everything stopped on the way.
struct Carousel {
    stop: Stop,
    turns: AtomicU64,
}

impl Model for Carousel {
    fn identity(&self) -> Identity {
        Bush.identity()
    }

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut Vec<u32>) -> Result<(), ModelError> {
        state.push(0);
        Ok(())
    }

    fn expand(&self, state: &[u32], steps: &mut Steps) -> Result<(), ModelError> {
        if self.turns.fetch_add(1, Ordering::Relaxed) == 5000 {
            self.stop.request(StopReason::Interrupt);
        }
        steps.push(LabelId(0), &[(state[0] + 1) % 7]);
        Ok(())
    }

    fn label(&self, _label: LabelId) -> String {
        "turn".into()
    }
}

#[test]
fn a_path_without_end_can_be_stopped() {
    let wanted = nothing();
    let budget = Budget::default();
    let model = Carousel {
        stop: budget.stop.clone(),
        turns: AtomicU64::new(0),
    };
    let hunt = Hunt {
        budget,
        options: Options::default().with("depth", u64::MAX).with("epochs", 1),
        ..Hunt::new(&model, &wanted, &Silent)
    };
    let outcome = strategy("genetic").unwrap().hunt(&hunt).unwrap();
    let stopped = Verdict::Spent(Spending::Stopped(StopReason::Interrupt));
    assert_eq!(outcome.verdict, stopped);
    let expanded = outcome.counts.expanded;
    assert!(expanded < 7000, "{expanded}");
}

/// With one parent, best-first search is a greedy walk: the best successor by the fitness of the path, until there is none.
#[test]
fn best_first_search_is_greedy() {
    let wanted = deadlock();
    let hunt = Hunt {
        options: Options::default()
            .with("fitness", "0 - enabled")
            .with("epochs", 1)
            .with("depth", 200),
        ..Hunt::new(&Bush, &wanted, &Silent)
    };
    let outcome = strategy("best-first").unwrap().hunt(&hunt).unwrap();
    assert_eq!(outcome.verdict, Verdict::Found);
    let trace = &outcome.found[0].trace;
    let successors = |state: u32| {
        let mut steps = Steps::new(1);
        Bush.expand(&[state], &mut steps).unwrap();
        steps.words().to_vec()
    };
    for (index, step) in trace.steps.iter().enumerate() {
        let from = trace.state(index)[0];
        let after = successors(from).into_iter().map(|to| successors(to).len());
        let chosen = successors(step.target[0]).len();
        assert_eq!(Some(chosen), after.min(), "step {index}");
    }
    assert!(successors(trace.last()[0]).is_empty());
}
