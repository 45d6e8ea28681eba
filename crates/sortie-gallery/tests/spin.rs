//! The philosophers beside SPIN: the same protocol in Promela has as many states, for several sizes.

use sortie_model::Silent;
use sortie_property::{Deadlock, Property};
use sortie_search::{Hunt, strategy};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROMELA: &str = include_str!("../../../benches/peers/philosophers.pml");

fn installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program is there");
    assert!(
        output.status.success(),
        "{program}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn states_by_spin(n: u64) -> u64 {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spin-{n}"));
    std::fs::create_dir_all(&folder).expect("the test's own folder");
    let text = PROMELA.replace("#define N 12", &format!("#define N {n}"));
    std::fs::write(folder.join("model.pml"), text).expect("the test's own file");
    run(&folder, "spin", &["-a", "model.pml"]);
    run(
        &folder,
        "gcc",
        &["-O1", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"],
    );
    let pan = folder.join("pan");
    let said = run(&folder, &pan.to_string_lossy(), &["-m200000", "-c0"]);
    let line = said
        .lines()
        .find(|line| line.contains("states, stored"))
        .expect("the verifier prints its counts");
    line.split_whitespace()
        .next()
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

#[test]
fn spin_counts_the_same_states() {
    if !installed("spin") || !installed("gcc") {
        assert!(
            std::env::var_os("SORTIE_REQUIRE_ALL").is_none(),
            "spin and gcc are required"
        );
        eprintln!("skipped: spin or gcc is not installed");
        return;
    }
    for n in [2, 3, 5, 7] {
        let model =
            sortie_gallery::build("philosophers", &[("n".into(), n)]).expect("a gallery model");
        let wanted: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
        let hunt = Hunt {
            keep_going: true,
            ..Hunt::new(&*model, &wanted, &Silent)
        };
        let outcome = strategy("dfs")
            .and_then(|dfs| dfs.hunt(&hunt))
            .expect("the search can be carried out");
        assert_eq!(outcome.counts.visited, states_by_spin(n), "n = {n}");
    }
}
