//! Tests of sessions, and of what the terminal shows of them.

use super::draw::draw;
use super::explorer::Explorer;
use super::offer::{Choice, Offer, Place};
use super::saved::Loaded;
use super::screen::{Mode, Next, Screen};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use sortie_lts::Lts;
use sortie_machines::{Machines, Settings, Timing};
use sortie_model::{Dice, Model};
use sortie_open::{Opened, Wanted, open_with};
use sortie_property::{Deadlock, Property, PropertyKind};
use sortie_syntax::Source;
use sortie_witness::Replay;
use std::path::Path;
use std::sync::Arc;

fn open(name: &str, settings: &[&str]) -> Opened {
    let settings = sortie_open::Settings::parse(settings).expect("settings");
    let opened = open_with(name, None, &settings, &Wanted::default());
    opened.unwrap_or_else(|error| panic!("{error}"))
}

fn explore(name: &str, settings: &[&str], seed: u64) -> Explorer {
    let opened = open(name, settings);
    let watched: Vec<Box<dyn Property>> = vec![Box::new(Deadlock)];
    Explorer::new(opened.model, watched, opened.settings.listed(), seed).expect("the model begins")
}

/// Three philosophers: deadlock after three steps, each of another one.
fn table() -> Explorer {
    explore("gallery:philosophers", &["n=3"], 1)
}

fn in_models(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    folder.join(name).display().to_string()
}

/// Machines that all move at once: five choose between two moves each. At most so many successors of a state are listed.
fn crowd(max_fanout: usize, seed: u64) -> Explorer {
    let source = Source {
        name: "crowd.machines",
        text: "machine one[i: 0..4] { state a initial; state b; state c; \
               to_b: a -> b; to_c: a -> c; back: b -> a; again: c -> a; }",
    };
    let read = sortie_machines::language::read(source, &[]).expect("a proper text");
    let settings = Settings {
        timing: Some(Timing::Synchronous),
        max_fanout,
        ..Settings::default()
    };
    let model = Machines::new(read.system, settings).expect("a proper system");
    Explorer::new(Arc::new(model), Vec::new(), Vec::new(), seed).expect("it begins")
}

/// An explicit system.
fn explicit(text: &str) -> Explorer {
    let name = "system.aut";
    let system = Lts::parse(Source { name, text }).expect("a proper text");
    Explorer::new(Arc::new(system), Vec::new(), Vec::new(), 1).expect("it begins")
}

fn texts(offer: &Offer) -> Vec<&str> {
    let choices = offer.choices.iter();
    choices.map(|choice| &choice.text[..]).collect()
}

fn listed(model: &dyn Model, state: &[u32]) -> Vec<Choice> {
    let place = Place {
        model,
        properties: &[],
        state,
    };
    place.listed().expect("few steps")
}

fn labels(explorer: &Explorer) -> Vec<String> {
    let steps = 1..=explorer.path().steps.len();
    steps.map(|step| explorer.label(step)).collect()
}

fn take(explorer: &mut Explorer, label: &str) {
    assert_eq!(explorer.take_labelled(label), Ok(true), "{label}");
}

fn take_left_forks(explorer: &mut Explorer) {
    for label in ["take_left(1)", "take_left(2)", "take_left(3)"] {
        take(explorer, label);
    }
}

#[test]
fn steps_are_taken_undone_and_redone() {
    let mut explorer = table();
    let first = texts(explorer.offer()).join(" ");
    explorer.take(0).expect("there is a step");
    let taken = explorer.label(1);
    assert!(first.starts_with(&taken), "{first}");
    let changed: Vec<_> = explorer.fields(1);
    assert_eq!(changed.iter().filter(|f| f.before.is_some()).count(), 1);
    assert_eq!(explorer.undo(5), 1);
    assert_eq!(explorer.here(), 0);
    assert!(explorer.fields(0).iter().all(|f| f.before.is_none()));
    assert_eq!(explorer.redo(5), 1);
    assert_eq!((explorer.here(), explorer.label(1)), (1, taken));
    assert!(explorer.take(99).expect_err("too large").contains("1 to"));
    assert!(explorer.take(usize::MAX).is_err());
    assert!(explorer.go(2).expect_err("too far").contains("1 steps"));
}

#[test]
fn steps_are_listed_under_components() {
    let explorer = table();
    let choices = explorer.offer().choices.iter();
    let components: Vec<_> = choices.map(Choice::component).collect();
    assert!(components.iter().all(Option::is_some));
    assert!(components.is_sorted(), "{components:?}");
    let part = components[0].expect("the model tells");
    let name = explorer.part_names()[part].to_uppercase();
    let shown = explorer.offer().matching(&name, explorer.part_names());
    assert!(
        shown.contains(&0) && shown.len() < components.len(),
        "{shown:?}"
    );
    let label = texts(explorer.offer())[1];
    let by_label = explorer.offer().matching(label, explorer.part_names());
    assert_eq!(by_label, [1]);
}

#[test]
fn deadlocks_are_told_and_announced() {
    let mut explorer = table();
    for philosopher in 1..=3 {
        assert!(explorer.violated().is_empty());
        take(&mut explorer, &format!("take_left({philosopher})"));
    }
    assert!(explorer.offer().choices.is_empty() && explorer.offer().whole);
    assert_eq!(explorer.violated(), ["deadlock"]);
    assert_eq!(explorer.random(10), Ok(0));
    explorer.undo(1);
    assert!(explorer.violated().is_empty());
}

#[test]
fn random_steps_depend_on_the_seed_alone() {
    let walk = |seed| {
        let mut explorer = explore("gallery:philosophers", &["n=5"], seed);
        explorer.random(7).expect("random steps");
        explorer.undo(2);
        explorer.random(10).expect("random steps");
        labels(&explorer)
    };
    assert_eq!(walk(3), walk(3));
    assert_ne!(walk(3), walk(4));
}

/// Hypothesis: an outcome of a random transition is as likely as its weight says; 1/4 here. 4,000 draws, seed 1: more than 150
/// off the mean of 1,000 in fewer than one of 10,000 cases.
#[test]
fn random_outcomes_follow_their_weights() {
    let mut explorer =
        explicit("des (0,3,3)\n(0,\"toss\",1 1/4 2)\n(1,\"heads\",0)\n(2,\"tails\",0)\n");
    let chance = explorer.offer().choices[0].chance;
    assert_eq!(chance.map(|(_, sum)| sum), Some(4));
    explorer.random(8000).expect("there is no end");
    let heads = labels(&explorer).iter().filter(|l| *l == "heads").count();
    assert!(heads.abs_diff(1000) < 150, "{heads}");
}

#[test]
fn another_step_branches_off_and_the_old_path_is_kept() {
    let mut explorer = table();
    take_left_forks(&mut explorer);
    explorer.go(1).expect("a place of the path");
    take(&mut explorer, "take_left(2)");
    let length = explorer.path().steps.len();
    assert_eq!(length, 3, "the same step stays on the path");
    assert!(explorer.left().is_empty());
    explorer.go(1).expect("a place of the path");
    take(&mut explorer, "take_left(3)");
    assert_eq!(labels(&explorer), ["take_left(1)", "take_left(3)"]);
    assert_eq!(explorer.left().len(), 1);
    explorer.back_to(0).expect("one path was left");
    assert_eq!(labels(&explorer).len(), 3);
    assert_eq!(explorer.here(), 1, "where the two part");
    assert_eq!(explorer.left()[0].steps.len(), 2);
    assert!(explorer.back_to(1).is_err());
}

#[test]
fn saved_paths_are_witnesses() {
    let mut explorer = table();
    assert!(explorer.witness().is_err(), "nothing was done");
    take(&mut explorer, "take_left(1)");
    take(&mut explorer, "take_left(2)");
    let saved = explorer.witness().expect("a path");
    assert_eq!(saved.property, r"action /^take_left\(2\)$/");
    take(&mut explorer, "take_left(3)");
    let deadlock = explorer.witness().expect("a path");
    assert_eq!(deadlock.property, "deadlock");
    for witness in [saved, deadlock] {
        let text = sortie_witness::write(&witness);
        let read = sortie_witness::read(&text).expect("what was written");
        let property = PropertyKind::parse(&read.property)
            .property()
            .expect("a property with a name");
        let replayed = sortie_witness::replay(explorer.model(), &*property, &read);
        let reproduced = matches!(replayed, Ok(Replay::Reproduced(_)));
        assert!(reproduced, "{replayed:?}");
        let mut other = table();
        assert_eq!(other.load(&read), Ok(Loaded::Whole));
        let place = (other.here(), other.path().steps.len());
        assert_eq!(place, (0, read.steps.len()));
        other.redo(usize::MAX);
        assert_eq!(other.witness(), Ok(read));
    }
}

#[test]
fn witnesses_of_other_models_are_followed_as_far_as_possible() {
    let mut explorer = table();
    take_left_forks(&mut explorer);
    let witness = explorer.witness().expect("a path");
    let mut smaller = explore("gallery:philosophers", &["n=2"], 1);
    let partly = Loaded::Partly(2, "take_left(3)".into());
    assert_eq!(smaller.load(&witness), Ok(partly));
    assert_eq!(labels(&smaller).len(), 2);
}

#[test]
fn where_states_are_others_labels_are_followed() {
    let mut explorer = explicit("des (0,2,3)\n(0,\"a\",1)\n(1,\"b\",2)\n");
    explorer.random(2).expect("two steps");
    let witness = explorer.witness().expect("a path");
    // Of the two ways to begin, only the second goes on.
    let mut other = explicit("des (0,3,4)\n(0,\"a\",2)\n(0,\"a\",3)\n(3,\"b\",1)\n");
    assert_eq!(other.load(&witness), Ok(Loaded::ByLabels));
    assert_eq!(labels(&other), ["a", "b"]);
    let origin = other.path().origin.as_ref();
    assert_eq!(origin.map(|o| o.recorded), Some(false), "another path");
    let taken = other.take_labelled("a");
    assert_eq!(taken, Ok(false), "which one is to be said");
    assert_eq!(other.offer().choices.len(), 2);
    other.redraw();
    assert!(other.offer().whole);
}

#[test]
fn where_there_are_too_many_steps_some_are_drawn() {
    let mut explorer = crowd(8, 5);
    let offer = explorer.offer().clone();
    let drawn = texts(&offer);
    assert!(!offer.whole && drawn.len() == 20, "{drawn:?}");
    let note = offer.note.as_deref().unwrap_or_default();
    assert!(note.contains("too many"), "{note}");
    // Every drawn step is one of those that a generous model lists, to the same state.
    let all = crowd(1000, 5);
    assert_eq!(all.offer().choices.len(), 32);
    let prints = |e: &Explorer| -> Vec<(String, _)> {
        let print = |c: &Choice| (c.text.clone(), e.model().fingerprint(&c.target));
        e.offer().choices.iter().map(print).collect()
    };
    let listed = prints(&all);
    for step in prints(&explorer) {
        assert!(listed.contains(&step), "{step:?}");
    }
    // Others can be drawn, the same for the same seed, and taken by their label.
    explorer.redraw();
    assert_ne!(drawn, texts(explorer.offer()));
    take(&mut explorer, &listed[31].0);
    assert_eq!(explorer.model().fingerprint(explorer.state()), listed[31].1);
    assert!(explorer.take_labelled("nonsense").is_err());
    // Random steps go on from any state, and their paths are witnesses.
    assert_eq!(explorer.random(9), Ok(9));
    let witness = explorer.witness().expect("a path");
    let mut other = crowd(8, 6);
    assert_eq!(other.load(&witness), Ok(Loaded::Whole));
}

#[test]
fn random_steps_of_drawn_states_are_steps_of_the_model() {
    for name in ["philosophers.machines", "leader_election.machines"] {
        let mut drawing = explore(&in_models(name), &["max-fanout=1"], 2);
        let listing = open(&in_models(name), &[]).model;
        drawing.random(60).expect("random steps");
        let path = drawing.path();
        for place in 0..path.steps.len() {
            let known = listed(&*listing, path.state(place));
            let wanted = drawing.label(place + 1);
            let print = listing.fingerprint(&path.steps[place].target);
            let fits = |c: &Choice| c.text == wanted && listing.fingerprint(&c.target) == print;
            assert!(known.iter().any(fits), "{name}: step {place}, {wanted}");
        }
    }
}

#[test]
fn one_step_is_drawn_as_a_whole_walk_begins() {
    let model = open(&in_models("leader_election.machines"), &[]).model;
    let mut start = Vec::new();
    model.initial(&mut start).expect("it begins");
    let mut dice = Dice::new(9);
    let (label, target) = super::offer::draw(&*model, &start, &mut dice)
        .expect("it can be evaluated")
        .expect("something can be done");
    let listed = listed(&*model, &start);
    let is_it = |c: &Choice| (c.label, &c.target) == (label, &target);
    assert!(listed.iter().any(is_it));
}

/// What the terminal shows, line by line.
fn picture(screen: &mut Screen, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test's terminal");
    terminal
        .draw(|frame| draw(screen, frame))
        .expect("it can be drawn");
    terminal.backend().to_string()
}

fn press(screen: &mut Screen, keys: &str) {
    for letter in keys.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            '↓' => KeyCode::Down,
            '↑' => KeyCode::Up,
            '⎋' => KeyCode::Esc,
            letter => KeyCode::Char(letter),
        };
        let next = screen.key(KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(next, Next::Go, "{letter}");
    }
}

fn fails(screen: &Screen, reason: &str) {
    let message = &screen.message;
    assert!(screen.failed && message.contains(reason), "{message}");
}

#[test]
fn everything_is_on_the_screen_at_usual_sizes() {
    for (width, height) in [(80, 24), (100, 30), (200, 60)] {
        let mut screen = Screen::new(table(), String::new());
        press(&mut screen, "\n");
        let shown = picture(&mut screen, width, height);
        for piece in [
            "step 1 of 1",
            "take_left(2)",
            "Steps: ",
            "* philosopher 1 = has the left fork",
            "philosopher 3 = thinking",
            "0 the beginning",
            "1 take_left(1)",
            "It would change",
            "Enter take",
            "q quit",
        ] {
            assert!(
                shown.contains(piece),
                "{width}x{height} without '{piece}':\n{shown}"
            );
        }
    }
}

#[test]
fn no_size_is_too_small() {
    let mut screen = Screen::new(table(), String::new());
    for (width, height) in [(1, 1), (2, 3), (10, 4), (20, 8), (300, 2), (5, 100)] {
        for keys in ["", "?", "?", "/", "⎋"] {
            press(&mut screen, keys);
            picture(&mut screen, width, height);
        }
    }
}

#[test]
fn keys_walk() {
    let mut screen = Screen::new(table(), String::new());
    press(&mut screen, "↓j\n");
    assert_eq!(labels(&screen.explorer), ["take_left(3)"]);
    press(&mut screen, "u");
    assert_eq!(screen.explorer.here(), 0);
    assert_eq!(screen.chosen, 2, "the step ahead is chosen");
    press(&mut screen, "r1\n");
    assert_eq!(screen.explorer.label(2), "take_left(1)");
    press(&mut screen, "0g");
    assert_eq!(screen.explorer.here(), 0);
    press(&mut screen, "g2\n");
    assert_eq!(screen.explorer.here(), 2);
    press(&mut screen, "g7\n");
    fails(&screen, "2 steps");
    press(&mut screen, "2u12n");
    assert!(screen.explorer.here() > 0 && !screen.failed);
    assert_eq!(screen.explorer.left().len(), 1);
    press(&mut screen, "b");
    assert_eq!(labels(&screen.explorer), ["take_left(3)", "take_left(1)"]);
    let quit = screen.key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE));
    assert_eq!(quit, Next::Quit);
    let interrupt = screen.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL));
    assert_eq!(interrupt, Next::Quit);
}

#[test]
fn texts_are_asked_for() {
    let mut screen = Screen::new(table(), String::new());
    press(&mut screen, "/(2)");
    assert!(picture(&mut screen, 80, 24).contains("show steps with: (2)"));
    assert_eq!(screen.shown.len(), 1);
    press(&mut screen, "\n\n");
    assert_eq!(labels(&screen.explorer), ["take_left(2)"]);
    press(&mut screen, "/zzz\n");
    assert!(picture(&mut screen, 80, 24).contains("no step fits the filter"));
    press(&mut screen, "\n");
    assert!(screen.failed);
    press(&mut screen, "⎋ltake_left(1)\n");
    assert_eq!(screen.explorer.here(), 2);
    press(&mut screen, "w⎋");
    assert_eq!(screen.mode, Mode::Plain);
    let file = std::env::temp_dir().join(format!("sortie-step-{}.witness", std::process::id()));
    press(&mut screen, &format!("w{}\n", file.display()));
    assert!(screen.message.starts_with("saved: "), "{}", screen.message);
    press(&mut screen, &format!("0go{}\n", file.display()));
    let message = &screen.message;
    assert!(message.contains("2 steps loaded"), "{message}");
    assert_eq!(screen.explorer.here(), 0);
    press(&mut screen, "o/nonsense/file\n");
    fails(&screen, "cannot be read");
    std::fs::remove_file(&file).expect("the test's own file");
}

#[test]
fn help_and_violations_are_shown() {
    let mut screen = Screen::new(table(), String::new());
    press(&mut screen, "?");
    assert!(picture(&mut screen, 80, 24).contains("play a witness"));
    let keys = "xltake_left(1)\nltake_left(2)\nltake_left(3)\n";
    press(&mut screen, keys);
    let shown = picture(&mut screen, 80, 24);
    for piece in ["! deadlock", "nothing more can happen"] {
        assert!(shown.contains(piece), "{shown}");
    }
}

#[test]
fn long_lists_show_what_is_chosen() {
    let explorer = explore("gallery:philosophers", &["n=20"], 1);
    let mut screen = Screen::new(explorer, String::new());
    press(&mut screen, "15j");
    assert!(picture(&mut screen, 80, 24).contains("take_left(16)"));
    screen.key(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
    assert!(picture(&mut screen, 80, 24).contains("take_left(20)"));
    press(&mut screen, "99999999999999999999j");
    assert!(picture(&mut screen, 80, 24).contains("take_left(20)"));
}
