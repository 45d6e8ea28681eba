//! Witness files of earlier versions can still be read, and what is written is read again.

use sortie_search::schedulers::Answer;
use sortie_witness::{read, write};

const OLD_MODEL: &str = r#"{
  "format": "sortie-witness",
  "version": 1,
  "model": "lamp",
  "content": "0123456789abcdef0123456789abcdef",
  "settings": ["N=2"],
  "property": "deadlock",
  "strategy": "bfs",
  "options": [],
  "seed": 7,
  "raw_length": 3,
  "start": "00000000000000000000000000000001",
  "steps": [
    { "label": "on", "state": "00000000000000000000000000000002" }
  ]
}"#;

const OLD_PROGRAM: &str = r#"{
  "sortie": "program witness 1",
  "program": "/tmp/queue",
  "arguments": ["3"],
  "content": "0123456789abcdef0123456789abcdef",
  "failure": "deadlock",
  "run": 4,
  "seed": 1,
  "max_steps": 20000,
  "points": ["0x4010"],
  "answers": "0/2 0/2 1/3",
  "schedule": ["main thread", "    begins"]
}"#;

#[test]
fn files_of_models_are_as_they_were() {
    let witness = read(OLD_MODEL).expect("an old file");
    assert_eq!(witness.steps[0].label, "on");
    assert_eq!(witness.schedule, None);
    let text = write(&witness);
    assert!(text.contains("\"version\": 1"), "{text}");
    assert_eq!(read(&text).expect("it was just written"), witness);
}

#[test]
fn old_files_of_programs_become_new_ones() {
    let witness = read(OLD_PROGRAM).expect("an old file");
    assert_eq!(witness.model.name, "/tmp/queue");
    assert_eq!(witness.property, "deadlock");
    let schedule = witness.schedule.as_ref().expect("it is of a program");
    assert_eq!((schedule.run, schedule.depth), (4, 20_000));
    assert_eq!(schedule.points, [0x4010]);
    let answer = |chosen, of| Answer { chosen, of };
    assert_eq!(schedule.answers, [answer(0, 2), answer(0, 2), answer(1, 3)]);
    let text = write(&witness);
    assert!(text.contains("\"0/2*2 1/3\""), "{text}");
    assert_eq!(read(&text).expect("it was just written"), witness);
}

#[test]
fn what_is_no_witness_is_refused_with_a_reason() {
    let refused = |text: &str| read(text).expect_err("no witness").to_string();
    assert!(refused("{}").contains("this is not a witness file"));
    assert!(refused(r#"{"sortie": "x"}"#).contains("this is not a witness file"));
    let later = OLD_MODEL.replace("\"version\": 1", "\"version\": 9");
    assert!(refused(&later).contains("the version of sortie that wrote it"));
    let other = OLD_PROGRAM.replace("1/3", "3/3");
    assert!(refused(&other).contains("'3/3' is not an answer"));
    let neither = OLD_MODEL.replace("\"start\"", "\"begin\"");
    assert!(refused(&neither).contains("neither the states of a model"));
}
