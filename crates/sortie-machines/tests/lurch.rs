//! Files of the original LURCH: its own models are read, and mistakes are told where they are.

use sortie_machines::lurch::{Lurch, read};
use sortie_model::Source;
use std::path::{Path, PathBuf};

/// The folder of the original's models; none if the test is to be skipped. With `SORTIE_REQUIRE_ALL=1` its absence is a failure.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SORTIE_SHARED").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = named
        .into_iter()
        .chain(above.map(|folder| folder.join("shared")))
        .map(|shared| shared.join("lurch/models"))
        .find(|folder| folder.is_dir());
    if found.is_none() {
        assert!(
            std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
            "the folder shared/lurch is required but not found"
        );
        println!("skipped: no folder shared/lurch (set SORTIE_SHARED to the folder that holds it)");
    }
    found
}

/// Reads a text that has no mistakes.
fn good(text: &str) -> Lurch {
    let source = Source { name: "test", text };
    read(source).unwrap_or_else(|errors| {
        let told: Vec<String> = errors.iter().map(|e| e.render(source, 100)).collect();
        panic!("{}", told.join("\n"))
    })
}

/// What is said about a text with mistakes.
fn told(text: &str) -> String {
    let source = Source { name: "test", text };
    let errors = read(source).err().expect("the text has mistakes");
    let told: Vec<String> = errors.iter().map(|e| e.render(source, 100)).collect();
    told.join("\n")
}

#[test]
fn every_model_of_the_original_is_read() {
    let Some(folder) = folder() else { return };
    // Machines, local states and transitions, counted by hand.
    let counted = [
        ("mutual_exclusion", 6, 18, 11),
        ("mutual_exclusion_with_c_code", 3, 12, 11),
        ("ten_dining_philosophers_deadlock_no_loops", 20, 80, 50),
        ("ten_dining_philosophers_liveness", 21, 72, 53),
        ("process_scheduling_algorithm", 4, 24, 25),
        ("ten_queens_with_4_2_on_board", 101, 202, 129),
    ];
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let lurch = good(&text);
        let system = &lurch.system;
        let states: usize = system.machines.iter().map(|m| m.states.len()).sum();
        if let Some((_, machines, of_them, transitions)) =
            counted.iter().find(|(model, ..)| *model == name)
        {
            assert_eq!(system.machines.len(), *machines, "{name}");
            assert_eq!(states, *of_them, "{name}");
            assert_eq!(system.transitions.len(), *transitions, "{name}");
        }
        count += 1;
    }
    assert_eq!(count, 18);
}
