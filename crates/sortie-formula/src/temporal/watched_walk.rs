//! A walk through a model while an automaton watches: the questions of the model's own walk, and after each step which way the automaton goes.

use super::watched::{Truths, Watched};
use sortie_model::{
    Choice, Chooser, End, Flow, Kind, LabelId, Model, ModelError, Names, View, Walk,
};

pub(crate) struct WatchedWalk<'a> {
    watched: &'a Watched,
    walk: Box<dyn Walk + 'a>,
}

impl<'a> WatchedWalk<'a> {
    pub(crate) fn new(watched: &'a Watched, walk: Box<dyn Walk + 'a>) -> Self {
        WatchedWalk { watched, walk }
    }
}

impl Walk for WatchedWalk<'_> {
    /// A step of the model that the automaton cannot follow is none, and ends the walk ([`End::Redundant`]).
    fn run(&mut self, chooser: &mut dyn Chooser, limit: u64) -> Result<End, ModelError> {
        let mut watcher = Watcher {
            watched: self.watched,
            chooser,
            state: Vec::new(),
            truths: Truths::new(),
            ways: Vec::new(),
            label: None,
            taken: 0,
            halt: None,
        };
        let end = self.walk.run(&mut watcher, limit)?;
        let last = match watcher.halt.take() {
            None if end == End::DeadEnd => self.watched.end(watcher.state[0], &watcher.truths),
            None => None,
            Some(Halt::Told) => return Ok(End::Stopped),
            Some(Halt::Lost) => return Ok(End::Redundant),
            Some(Halt::Sunk) => Some(watcher.state[0]),
            Some(Halt::Broken(error)) => return Err(error),
        };
        Ok(last.map_or(end, |word| watcher.stay(word, limit)))
    }
}

/// Why the model's walk was ended.
enum Halt {
    /// Who answers said so.
    Told,
    /// The automaton cannot follow.
    Lost,
    /// Nothing the model does matters any more.
    Sunk,
    Broken(ModelError),
}

/// Stands between the model's walk and who answers its questions.
struct Watcher<'a> {
    watched: &'a Watched,
    chooser: &'a mut dyn Chooser,
    /// Of the model and the automaton, with what is true there.
    state: Vec<u32>,
    truths: Truths,
    ways: Vec<u32>,
    /// Of the alternative chosen last.
    label: Option<LabelId>,
    taken: u64,
    halt: Option<Halt>,
}

impl Watcher<'_> {
    /// Goes to where the model has come by a step with this label, or begins there.
    fn follow(&mut self, state: &[u32], label: Option<LabelId>) -> Result<(), Halt> {
        let truths = self.watched.truths(state).map_err(Halt::Broken)?;
        let word = match label {
            None => self.watched.first_word(),
            Some(label) => {
                let word = self.state[0];
                self.watched
                    .ways(word, &self.truths, label, &truths, &mut self.ways);
                match &self.ways[..] {
                    [] => return Err(Halt::Lost),
                    [only] => *only,
                    ways => {
                        let names = WayNames(ways);
                        let question = Choice::new(ways.len(), Kind::Toss, &names);
                        ways[self.chooser.choose(question)]
                    }
                }
            }
        };
        self.truths = truths;
        self.state.clear();
        self.state.push(word);
        self.state.extend_from_slice(state);
        Ok(())
    }

    fn tell(&mut self, enabled: Option<usize>, label: Option<LabelId>) -> Flow {
        let told = || label.expect("only asked for where there is one");
        self.chooser.arrive(View {
            taken: self.taken,
            state: Some(&self.state),
            steps: None,
            enabled,
            label: label.is_some().then_some(&told),
            print: None,
        })
    }

    /// Takes the only step there is, again and again.
    fn stay(&mut self, word: u32, limit: u64) -> End {
        let label = self.watched.sink(word);
        let label = label.expect("only sinks are stayed in");
        self.state[0] = word;
        while self.taken + 1 < limit {
            let names = StepName(self.watched, label);
            self.chooser.choose(Choice::new(1, Kind::Step, &names));
            self.taken += 1;
            if self.tell(Some(1), Some(label)) == Flow::Stop {
                return End::Stopped;
            }
        }
        End::Limit
    }
}

impl Chooser for Watcher<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        let chosen = self.chooser.choose(choice);
        // All outcomes of a random transition have its label.
        if let Some(label) = choice.names.label(chosen) {
            self.label = Some(label);
        }
        chosen
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let chosen = self.label.take();
        let label = match view.label {
            _ if view.taken == 0 => None,
            Some(label) => Some(label()),
            None => chosen,
        };
        let followed = match view.state {
            Some(state) if label.is_some() || view.taken == 0 => self.follow(state, label),
            _ => Err(Halt::Broken(ModelError::new(
                "the model's walk does not tell its states and labels, so no formula can be watched on it",
            ))),
        };
        if let Err(halt) = followed {
            self.halt = Some(halt);
            return Flow::Stop;
        }
        self.taken = view.taken;
        let word = self.state[0];
        let sink = self.watched.sink(word);
        let enabled = match view.enabled {
            _ if sink.is_some() => Some(1),
            Some(0) => Some(usize::from(self.watched.end(word, &self.truths).is_some())),
            // How many of the model's steps can be followed is not known.
            _ => None,
        };
        if self.tell(enabled, label) == Flow::Stop {
            self.halt = Some(Halt::Told);
        } else if sink.is_some() {
            self.halt = Some(Halt::Sunk);
        }
        match self.halt {
            Some(_) => Flow::Stop,
            None => Flow::Go,
        }
    }

    fn needs_steps(&self) -> bool {
        false
    }

    fn count(&mut self, name: &str, amount: i64) {
        self.chooser.count(name, amount);
    }
}

/// Ways of the automaton.
struct WayNames<'a>(&'a [u32]);

impl Names for WayNames<'_> {
    fn name(&self, index: usize) -> String {
        format!("watcher {}", self.0[index])
    }
}

struct StepName<'a>(&'a Watched, LabelId);

impl Names for StepName<'_> {
    fn name(&self, _index: usize) -> String {
        self.0.label(self.1)
    }

    fn label(&self, _index: usize) -> Option<LabelId> {
        Some(self.1)
    }
}
