//! Texts that somebody's cat walked over: readers answer, whatever they are given, and what they accept can be walked.

use sortie_machines::{Machines, Settings, System, Watchers, language, lurch};
use sortie_model::{Choice, Chooser, CompositeChoices, Dice, Flow, View};
use sortie_syntax::{Diagnostic, Source};
use std::path::Path;

const LURCH: &str = "\
#define MOST 3
enum { idle, busy } mode = idle;
int queue[MOST], length = 0;
struct Cell { int value; struct Cell *next; } *head = 0;
int full(int n) { return n >= MOST; }
void add(int value) {
    struct Cell *cell = (struct Cell *) malloc(sizeof(struct Cell));
    cell->value = value;
    cell->next = head;
    head = cell;
    if (!full(length)) queue[length++] = value % 2 ? value : -value;
}
void _before(void) { int i; for (i = 0; i < MOST; i++) queue[i] = 0; length = 0; mode = idle; }

%%

free.
taken;

a1; free,(!full(length)); taken,{add(length + 1); mode = busy;}; a2;
2: a2; -; free; a1.
a2; (mode == busy && head->value > 2); {mode = idle;}; #done;
#done; -; -; a1;

n: watch. (1); -; watch.
n: watch. (length > 1); -; =long.
n: =long. (length > 1); -; =long.

ok. a2,(length == MOST); -; _full;
";

/// Moves, repeats, drops or replaces pieces of a text.
fn spoiled(text: &str, dice: &mut Dice) -> String {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        ";",
        ".",
        ",",
        ":",
        "-",
        "0",
        "99999999999999999999",
        "->",
        "..",
        "\"",
        "'",
        "/*",
        "//",
        "%%",
        "\n\n",
        "machine",
        "state",
        "#define X X\n",
        "sizeof",
        "*",
        "&",
        "[",
        "]",
        "é",
        "\u{0}",
        "when",
        "initial",
        "=",
    ];
    let mut bytes: Vec<char> = text.chars().collect();
    for _ in 0..1 + dice.index(4) {
        let at = dice.index(bytes.len() + 1);
        let length = dice.index(20).min(bytes.len() - at);
        match dice.index(4) {
            0 => drop(bytes.drain(at..at + length)),
            1 => {
                let copy: Vec<char> = bytes[at..at + length].to_vec();
                let to = dice.index(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            2 => {
                let piece = PIECES[dice.index(PIECES.len())].chars();
                bytes.splice(at..at, piece);
            }
            _ => {
                let piece = PIECES[dice.index(PIECES.len())].chars();
                bytes.splice(at..at + length, piece);
            }
        }
    }
    bytes.into_iter().collect()
}

/// Draws a few steps.
struct Stroll(Dice);

impl Chooser for Stroll {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        self.0.index(choice.alternatives)
    }
    fn arrive(&mut self, _view: View<'_>) -> Flow {
        Flow::Go
    }
}

/// Reads, shows the errors, or walks. Whether it was read.
fn survive(source: Source<'_>, read: Result<System, Vec<Diagnostic>>) -> bool {
    match read {
        Err(errors) => {
            assert!(
                !errors.is_empty(),
                "refused without a word: {}",
                source.text
            );
            for error in errors {
                assert!(error.render(source, 100).starts_with("error"));
            }
            false
        }
        Ok(system) => {
            let settings = Settings {
                watchers: Watchers::HaveToMove,
                ..Settings::default()
            };
            // A system may fail when it runs, but it says so.
            if let Ok(machines) = Machines::new(system, settings) {
                let mut walk = machines.own_walk();
                let _ = walk.run(&mut Stroll(Dice::new(1)), 30);
            }
            true
        }
    }
}

#[test]
fn files_of_the_original() {
    let mut dice = Dice::new(5);
    let mut read = 0;
    for _ in 0..1500 {
        let text = spoiled(LURCH, &mut dice);
        let source = Source {
            name: "spoiled",
            text: &text,
        };
        read += u32::from(survive(
            source,
            lurch::read(source).map(|lurch| lurch.system),
        ));
    }
    assert!((50..1450).contains(&read), "{read} of 1500 texts were read");
}

#[test]
fn files_of_our_own() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut dice = Dice::new(6);
    let mut read = 0;
    for name in ["philosophers", "queens", "leader_election"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.machines")));
        let text = text.expect("a readable model");
        for _ in 0..250 {
            let text = spoiled(&text, &mut dice);
            let source = Source {
                name: "spoiled",
                text: &text,
            };
            read += u32::from(survive(
                source,
                language::read(source, &[]).map(|w| w.system),
            ));
        }
    }
    assert!((50..700).contains(&read), "{read} of 750 texts were read");
}
