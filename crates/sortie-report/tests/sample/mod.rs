//! A record whose texts try to be something else wherever they are written.
#![allow(dead_code, reason = "each test file uses its own part")]

use sortie_model::{Counts, Precision, Verdict};
use sortie_report::record::{Course, Found, Record, SaturationPoint};
use sortie_report::story::{Change, Story, StoryStep};
use sortie_report::table::Table;

/// Texts that mean something in one format or another.
pub const HOSTILE: [&str; 12] = [
    "plain(1)",
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\">",
    "a & b < c > d \" e ' f",
    "]]> --> */ ${x} `y`",
    "line\nbreak\r\n\ttab",
    "back\\slash \\N \\\" %s {0}",
    "end; participant x # note: |a|",
    "\u{202e}right to left\u{2028}sep",
    "nul\0 bell\x07 esc\x1b[31m",
    "ünï©ödé 漢字 🦀 e\u{301}",
    "",
];

pub fn step(label: &str, parts: &[usize], changes: &[(usize, &str, &str)]) -> StoryStep {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let change = |(field, before, after): &(usize, &str, &str)| Change {
        field: *field,
        before: some(before),
        after: some(after),
    };
    StoryStep {
        label: label.into(),
        parts: parts.to_vec(),
        given: None,
        changes: changes.iter().map(change).collect(),
    }
}

/// A step for each hostile text, which is also a component, a field and a value; the last two steps go round.
pub fn story() -> Story {
    let names: Vec<String> = HOSTILE.map(String::from).to_vec();
    let count = names.len();
    let steps = names.iter().enumerate().map(|(place, text)| {
        let value = format!("{text}#");
        let mut parts = vec![place, (place + 1) % count];
        parts.sort_unstable();
        parts.truncate(1 + place % 2);
        step(text, &parts, &[(place, "0", &value)])
    });
    Story {
        components: names.clone(),
        fields: names.clone(),
        start: vec![Some("0".into()); count],
        steps: steps.collect(),
        cycle: Some(count - 2),
    }
}

pub fn record() -> Record {
    let mut comparison = Table::new(["strategy", "<cost>"]);
    comparison.row(["highway & more", "1"]);
    let mut course = Course::default();
    for level in 0..40 {
        course.level(level, 1 + level.min(20));
        course.saturation(SaturationPoint {
            met: 100 * (level + 1),
            lately: 100,
            new: 100 / (level + 1),
        });
    }
    course.success = vec![("states".into(), vec![(10.0, 0.5), (20.0, 1.0)])];
    Record {
        model: HOSTILE[1].into(),
        content: "0".repeat(32),
        source: Some("models/a b.mcrl2".into()),
        settings: vec!["n=<3>".into()],
        strategy: "highway".into(),
        options: vec!["width=\"3\"".into()],
        seed: u64::MAX,
        runs: 1,
        properties: vec!["deadlock".into(), HOSTILE[2].into()],
        command: Some("sortie hunt 'a b' --action '</code>' --seed 1".into()),
        verdict: Verdict::Found,
        sentence: format!("found: {}, 12 steps", HOSTILE[1]),
        must_exhaust: false,
        never_seen: Vec::new(),
        counts: Some(Counts {
            visited: 1_234_567,
            expanded: 2,
            considered: 3,
            precision: Precision::Estimate,
            transitions: 4,
            depth: 5,
        }),
        seconds: 1.5,
        remarks: vec![HOSTILE[3].into()],
        found: vec![
            Found {
                property: "deadlock".into(),
                title: HOSTILE[1].into(),
                violation: true,
                raw_length: 99,
                file: Some("out/<1>.witness".into()),
                story: story(),
            },
            Found {
                property: "deadlock".into(),
                title: "another".into(),
                violation: true,
                raw_length: 0,
                file: None,
                story: Story::default(),
            },
        ],
        course,
        comparison: Some(comparison),
    }
}
