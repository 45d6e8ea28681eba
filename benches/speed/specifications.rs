//! What is explored, and how fast mCRL2 202607 does it with `lps2lts` in its better mode.

use std::path::PathBuf;

/// Enough for walks to be what is measured, not the beginning.
const NETWORK_STEPS: u64 = 5_000_000;
const DATA_STEPS: u64 = 300_000;

pub struct Specification {
    pub name: &'static str,
    /// From the workspace.
    file: &'static str,
    /// mCRL2's speed on the machine of the calibration.
    pub states_per_second: Option<f64>,
    /// Where the whole is too large.
    pub max_states: Option<u64>,
    /// Steps of random walks.
    pub walk_steps: u64,
    /// Whether it is made of components rather than of data.
    pub network: bool,
}

impl Specification {
    pub fn path(&self) -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(self.file)
    }
}

const fn network(
    name: &'static str,
    file: &'static str,
    states_per_second: f64,
    max_states: Option<u64>,
) -> Specification {
    Specification {
        name,
        file,
        states_per_second: Some(states_per_second),
        max_states,
        walk_steps: NETWORK_STEPS,
        network: true,
    }
}

const fn data(
    name: &'static str,
    file: &'static str,
    states_per_second: f64,
    max_states: u64,
) -> Specification {
    Specification {
        name,
        file,
        states_per_second: Some(states_per_second),
        max_states: Some(max_states),
        walk_steps: DATA_STEPS,
        network: false,
    }
}

const fn own(name: &'static str, file: &'static str) -> Specification {
    Specification {
        name,
        file,
        states_per_second: None,
        max_states: None,
        walk_steps: NETWORK_STEPS,
        network: false,
    }
}

pub const SPECIFICATIONS: &[Specification] = &[
    network(
        "firewire_2_dom2",
        "../shared/mcrl2/instances/firewire_2_dom2.mcrl2",
        36_534.0,
        None,
    ),
    network(
        "dining_10",
        "../shared/mcrl2/instances/dining_10.mcrl2",
        20_731.0,
        None,
    ),
    network(
        "brp_10",
        "../shared/mcrl2/instances/brp_10.mcrl2",
        65_016.0,
        None,
    ),
    network(
        "lift_init_3",
        "../shared/mcrl2/instances/lift_init_3.mcrl2",
        34_076.0,
        None,
    ),
    network(
        "swp_2",
        "../shared/mcrl2/instances/swp_2.mcrl2",
        38_381.0,
        Some(100_000),
    ),
    network(
        "german_3",
        "../shared/mcrl2/instances/german_3.mcrl2",
        105_365.0,
        None,
    ),
    network(
        "wafer_stepper",
        "../shared/mcrl2/specs/examples/project/wafer_stepper/wafer_stepper.mcrl2",
        43_849.0,
        None,
    ),
    Specification {
        // Its queues grow for as long as a walk goes on, and with them the cost of a step.
        walk_steps: 20_000,
        ..network(
            "commprot",
            "../shared/mcrl2/instances/commprot.mcrl2",
            100_638.0,
            Some(20_000),
        )
    },
    data(
        "othello_4x4",
        "../shared/mcrl2/instances/othello2008_4x4.mcrl2",
        102.0,
        2_026,
    ),
    data(
        "tictactoe",
        "../shared/mcrl2/specs/examples/games/tictactoe/tictactoe.mcrl2",
        1_308.0,
        5_479,
    ),
    Specification {
        walk_steps: 20_000,
        ..data(
            "garage_search",
            "../shared/mcrl2/instances/garage_r2_error_search.mcrl2",
            63.0,
            1_112,
        )
    },
    data(
        "sokoban",
        "../shared/mcrl2/specs/examples/games/sokoban/sokoban.mcrl2",
        47.0,
        620,
    ),
    own("own german", "models/german.mcrl2"),
    own("own cabp", "models/cabp.mcrl2"),
    own("own tictactoe", "models/tictactoe.mcrl2"),
];
