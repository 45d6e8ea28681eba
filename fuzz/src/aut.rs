//! An `.aut` file: read, written, read again, compared with itself.

use sortie_lts::{Lts, bisimilar};
use sortie_model::{Model, Steps};
use sortie_syntax::Source;

/// Nothing here may panic, hang or use much memory, whatever the text.
pub fn run(text: &str) {
    let source = |text| Source {
        name: "fuzz.aut",
        text,
    };
    let lts = match Lts::parse(source(text)) {
        Ok(lts) => lts,
        Err(error) => {
            error.render(source(text), 80);
            return;
        }
    };
    let written = write(&lts);
    let again = Lts::parse(source(&written)).expect("what was written can be read");
    assert_eq!(write(&again), written);
    let mut state = Vec::new();
    lts.initial(&mut state).expect("there is an initial state");
    let mut steps = Steps::new(1);
    lts.expand(&state, &mut steps)
        .expect("states can be expanded");
    lts.describe(&state);
    lts.fingerprint(&state);
    for label in steps.labels() {
        lts.label(*label);
    }
    let least = lts.minimised();
    assert!(least.states() <= lts.states());
    assert!(bisimilar(&lts, &least));
}

fn write(lts: &Lts) -> String {
    let mut written = Vec::new();
    lts.write(&mut written).expect("memory takes any text");
    String::from_utf8(written).expect("labels are text")
}
