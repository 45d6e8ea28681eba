//! The same models through Stateright's own checker and through the adapter.

#![cfg(feature = "stateright")]

use sortie::Verdict;
use stateright::{Checker, HasDiscoveries, Model, Property};

/// A token ring whose stations may lose the token: with `lossy` a station keeps waiting for ever.
#[derive(Clone)]
struct Ring {
    stations: u8,
    lossy: bool,
}

#[derive(Clone, Debug, PartialEq, Hash)]
struct Place {
    token: Option<u8>,
    served: Vec<bool>,
}

#[derive(Clone, Debug, PartialEq)]
enum Act {
    Serve,
    Pass,
    Lose,
}

impl Model for Ring {
    type State = Place;
    type Action = Act;

    fn init_states(&self) -> Vec<Place> {
        (0..2)
            .map(|token| Place {
                token: Some(token),
                served: vec![false; self.stations.into()],
            })
            .collect()
    }

    fn actions(&self, state: &Place, actions: &mut Vec<Act>) {
        if state.token.is_some() && !state.served.iter().all(|&s| s) {
            actions.extend([Act::Serve, Act::Pass]);
            if self.lossy {
                actions.push(Act::Lose);
            }
        }
    }

    fn next_state(&self, last: &Place, action: Act) -> Option<Place> {
        let token = last.token?;
        let mut next = last.clone();
        match action {
            Act::Serve if last.served[usize::from(token)] => return None,
            Act::Serve => next.served[usize::from(token)] = true,
            Act::Pass => next.token = Some((token + 1) % self.stations),
            Act::Lose => next.token = None,
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("never all served", |_, s: &Place| {
                !s.served.iter().all(|&x| x)
            }),
            Property::sometimes("first served", |_, s: &Place| s.served[0]),
            Property::eventually("last served", |_, s: &Place| s.served.last() == Some(&true)),
        ]
    }
}

#[test]
fn states_transitions_and_discoveries_agree() {
    for ring in [
        Ring {
            stations: 3,
            lossy: false,
        },
        Ring {
            stations: 5,
            lossy: true,
        },
    ] {
        let checker = ring
            .clone()
            .checker()
            .threads(1)
            .finish_when(HasDiscoveries::AnyOf(Default::default()))
            .spawn_bfs()
            .join();
        let report = sortie::stateright::hunt(ring.clone())
            .strategy("bfs")
            .keep_going()
            .run()
            .expect("a model that runs");
        // The adapter has one more state: the choice between the initial ones. States in which "last served" is open and closed
        // are told apart, which here the state itself does anyway.
        assert_eq!(
            report.counts.visited,
            checker.unique_state_count() as u64 + 1
        );
        for (name, expected) in [
            ("always never all served", true),
            ("sometimes first served", true),
            ("eventually last served", ring.lossy),
        ] {
            let found = report.found.iter().any(|found| found.property == name);
            assert_eq!(found, expected, "{name}, lossy: {}", ring.lossy);
            let short = name.split_once(' ').expect("two words").1;
            assert_eq!(
                checker.discovery(short_name(short)).is_some(),
                expected,
                "{short}: Stateright"
            );
        }
        assert_eq!(report.verdict, Verdict::Found);
    }
}

/// Stateright wants names that live for ever.
fn short_name(name: &str) -> &'static str {
    ["never all served", "first served", "last served"]
        .into_iter()
        .find(|known| *known == name)
        .expect("a known name")
}

#[test]
fn every_strategy_hunts_in_the_adapted_model() {
    for strategy in sortie::STRATEGIES
        .iter()
        .filter(|strategy| strategy.searches_models())
    {
        let ring = Ring {
            stations: 4,
            lossy: true,
        };
        let report = sortie::stateright::hunt(ring)
            .strategy(strategy.name)
            .run()
            .expect("a model that runs");
        assert_eq!(report.verdict, Verdict::Found, "{}", strategy.name);
        assert!(
            report.found[0].labels[0].starts_with("begin("),
            "{:?}",
            report.found[0].labels
        );
    }
}
