//! Models of our own, in `models/`, and the published ones behave the same: their state spaces are strongly bisimilar when actions
//! are renamed, and have as many states and transitions.
//!
//! Labels are compared word by word: of both, `f(g(1), [2])` is the words `f`, `g`, `1` and `2`. Internal steps have no words but `tau`.

mod public;

use sortie_lts::{Builder, Lts, bisimilar};
use sortie_mcrl2::{Keep, Mcrl2Model};
use sortie_model::{Dice, Model, Steps};
use std::collections::HashMap;
use std::path::Path;

/// Another way to write the arguments of an action.
type Retold = fn(&[&str]) -> Vec<String>;

/// A model of our own and a published one.
#[derive(Clone, Copy, Default)]
struct Pair {
    ours: &'static str,
    /// Constants of ours.
    set: &'static [(&'static str, u32)],
    theirs: &'static str,
    /// Pieces of the texts that are others here: what is hidden, or constants of the published model, which cannot be set.
    our_pieces: &'static [(&'static str, &'static str)],
    their_pieces: &'static [(&'static str, &'static str)],
    /// States farther away are not expanded.
    depth: Option<u32>,
    /// Random walks of so many steps are taken in both at once, instead of exploring them.
    walks: Option<(u64, u32)>,
    /// Whether parameters that nothing reads are part of states.
    all_data: bool,
    /// What words of the published labels are in ours; nothing, if ours have no such word.
    words: &'static [(&'static str, &'static str)],
    /// How labels differ otherwise.
    ours_retold: Option<Retold>,
    theirs_retold: Option<Retold>,
}

fn words(label: &str) -> Vec<&str> {
    let words = label.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty()).collect()
}

fn changed(text: String, pieces: &[(&str, &str)]) -> String {
    pieces.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "there is no '{from}' any more");
        text.replace(from, to)
    })
}

impl Pair {
    fn our_label(&self, label: &str) -> String {
        let words = words(label);
        match self.ours_retold {
            Some(retold) => retold(&words).join(" "),
            None => words.join(" "),
        }
    }

    fn their_label(&self, label: &str) -> String {
        let words = words(label);
        let retold = match self.theirs_retold {
            Some(retold) => retold(&words),
            None => words.iter().map(ToString::to_string).collect(),
        };
        let renamed = retold.iter().map(|word| {
            let known = self.words.iter().find(|(theirs, _)| theirs == word);
            known.map_or(&**word, |(_, ours)| ours)
        });
        let renamed: Vec<&str> = renamed.filter(|word| !word.is_empty()).collect();
        renamed.join(" ")
    }

    fn open(&self, file: &Path, set: &[(&str, u32)], pieces: &[(&str, &str)]) -> Mcrl2Model {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{file:?}: {e}"));
        let keep = match self.all_data {
            true => Keep::everything(),
            false => Keep::default(),
        };
        let set: Vec<(String, String)> = set
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let model = sortie_mcrl2::open_keeping("model", &changed(text, pieces), &set, &keep);
        model.unwrap_or_else(|errors| panic!("{file:?}: {errors:?}"))
    }

    /// Why the two are not alike.
    fn difference(&self, folder: &Path) -> Option<String> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
        let ours = self.open(
            &own.join(format!("{}.mcrl2", self.ours)),
            self.set,
            self.our_pieces,
        );
        let theirs = self.open(&folder.join(self.theirs), &[], self.their_pieces);
        if let Some((walks, steps)) = self.walks {
            return (0..walks).find_map(|seed| self.walk(&ours, &theirs, seed, steps));
        }
        let ours = state_space(&ours, self.depth, |label| self.our_label(label));
        let theirs = state_space(&theirs, self.depth, |label| self.their_label(label));
        let size = |lts: &Lts| (lts.states(), lts.transitions());
        let name = format!("{} and {}", self.ours, self.theirs);
        if size(&ours) != size(&theirs) {
            return Some(format!("{name}: {:?} and {:?}", size(&ours), size(&theirs)));
        }
        (!bisimilar(&ours, &theirs)).then(|| {
            let sorted = |lts: &Lts| {
                let mut labels = lts.labels().to_vec();
                labels.sort();
                labels
            };
            let (ours, theirs) = (sorted(&ours), sorted(&theirs));
            let only = |these: &[String], others: &[String]| -> Vec<String> {
                let only = these.iter().filter(|label| !others.contains(label));
                only.take(5).cloned().collect()
            };
            let labels = [only(&ours, &theirs), only(&theirs, &ours)];
            format!("{name}: not bisimilar; labels of one of them alone: {labels:?}")
        })
    }

    /// Why a random walk that is taken in both at once ends otherwise than by its length. Each label must lead to one state, or the walk could
    /// take different ways.
    fn walk(
        &self,
        ours: &Mcrl2Model,
        theirs: &Mcrl2Model,
        seed: u64,
        length: u32,
    ) -> Option<String> {
        let mut dice = Dice::new(seed);
        let (mut here, mut there) = (Vec::new(), Vec::new());
        ours.initial(&mut here).expect("there is an initial state");
        theirs
            .initial(&mut there)
            .expect("there is an initial state");
        for _ in 0..length {
            let mut of_ours = successors(ours, &here, |label| self.our_label(label));
            let of_theirs = successors(theirs, &there, |label| self.their_label(label));
            if of_ours
                .iter()
                .map(|(l, _)| l)
                .ne(of_theirs.iter().map(|(l, _)| l))
            {
                let labels = |all: &[(String, Vec<u32>)], others: &[(String, Vec<u32>)]| {
                    let is_new = |label: &&String| others.iter().all(|(other, _)| other != *label);
                    let labels: Vec<String> =
                        all.iter().map(|(l, _)| l).filter(is_new).cloned().collect();
                    labels.join(", ")
                };
                return Some(format!(
                    "{} and {}: walk {seed} shows in one of them alone: {} | {}",
                    self.ours,
                    self.theirs,
                    labels(&of_ours, &of_theirs),
                    labels(&of_theirs, &of_ours)
                ));
            }
            if of_ours.is_empty() {
                return None;
            }
            let same = of_ours.windows(2).find(|two| two[0].0 == two[1].0);
            assert!(
                same.is_none(),
                "{} is not deterministic: {same:?}",
                self.ours
            );
            let chosen = dice.index(of_ours.len());
            here = of_ours.swap_remove(chosen).1;
            there.clone_from(&of_theirs[chosen].1);
        }
        None
    }
}

/// Labels and targets, sorted by label.
fn successors(
    model: &Mcrl2Model,
    state: &[u32],
    retold: impl Fn(&str) -> String,
) -> Vec<(String, Vec<u32>)> {
    let mut steps = Steps::new(model.width());
    model.expand(state, &mut steps).expect("it can be expanded");
    let mut all: Vec<_> = steps
        .iter()
        .map(|(label, target)| (retold(&model.label(label)), target.to_vec()))
        .collect();
    all.sort();
    all
}

/// The states up to a depth.
fn state_space(model: &Mcrl2Model, depth: Option<u32>, retold: impl Fn(&str) -> String) -> Lts {
    let mut builder = Builder::default();
    let mut labels = HashMap::new();
    let mut first = Vec::new();
    model
        .initial(&mut first)
        .expect("there is an initial state");
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::from([(first.clone(), 0)]);
    let mut waiting = vec![first];
    let mut steps = Steps::new(model.width());
    let (mut number, mut level) = (0, 0);
    while !waiting.is_empty() && depth.is_none_or(|depth| level < depth) {
        let mut next = Vec::new();
        for state in &waiting {
            steps.clear();
            model.expand(state, &mut steps).expect("it can be expanded");
            for (label, target) in steps.iter() {
                let label = *labels
                    .entry(label)
                    .or_insert_with(|| builder.label(&retold(&model.label(label))));
                let fresh = numbers.len() as u32;
                let to = *numbers.entry(target.to_vec()).or_insert_with(|| {
                    next.push(target.to_vec());
                    fresh
                });
                builder.transition(number, label, to);
            }
            number += 1;
        }
        waiting = next;
        level += 1;
    }
    builder.build("model", 0, numbers.len() as u32)
}

fn compare(pairs: &[Pair]) {
    let Some(folder) = public::folder() else {
        return;
    };
    let differences = public::side_by_side(pairs, |pair| pair.difference(&folder));
    let differences: Vec<String> = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// A number of the published models, which count from 1, as one of ours, which count from 0.
fn from_zero(word: &str) -> String {
    let number: u32 = word.parse().expect("a number");
    (number - 1).to_string()
}

const ABP: &[(&str, &str)] = &[
    ("r1", "accept"),
    ("s4", "deliver"),
    ("d1", "0"),
    ("d2", "1"),
    ("d3", "2"),
    ("d4", "3"),
];

/// The published model hides nothing.
fn abp_hidden(words: &[&str]) -> Vec<String> {
    match words[0] {
        "c2" | "c3" | "c5" | "c6" | "i" => owned(&["tau"]),
        _ => owned(words),
    }
}

const CABP: &[(&str, &str)] = &[
    ("r1", "accept"),
    ("s2", "deliver"),
    ("d1", "0"),
    ("d2", "1"),
    ("d3", "2"),
    ("d4", "3"),
];

#[test]
fn alternating_bit_protocols() {
    compare(&[
        Pair {
            ours: "abp",
            theirs: "instances/abp_M2.mcrl2",
            words: ABP,
            theirs_retold: Some(abp_hidden),
            ..Pair::default()
        },
        Pair {
            ours: "abp",
            set: &[("messages", 4)],
            theirs: "instances/abp_M4.mcrl2",
            words: ABP,
            theirs_retold: Some(abp_hidden),
            ..Pair::default()
        },
        Pair {
            ours: "cabp",
            theirs: "instances/cabp_M2.mcrl2",
            words: CABP,
            ..Pair::default()
        },
        Pair {
            ours: "cabp",
            set: &[("messages", 4)],
            theirs: "instances/cabp_M4.mcrl2",
            words: CABP,
            ..Pair::default()
        },
    ]);
}

const BRP: &[(&str, &str)] = &[
    ("s1", "confirm"),
    ("c10", "resynchronise"),
    ("ready", "begin"),
    ("signal", "done"),
    ("I_ok", "complete"),
    ("I_nok", "broken_off"),
    ("I_dk", "unsure"),
];

#[test]
fn retransmission() {
    compare(&[
        Pair {
            ours: "brp_timers",
            theirs: "instances/brp_2.mcrl2",
            words: BRP,
            ..Pair::default()
        },
        Pair {
            ours: "brp_timers",
            set: &[("retries", 10)],
            theirs: "instances/brp_10.mcrl2",
            words: BRP,
            ..Pair::default()
        },
        Pair {
            ours: "brp_timers",
            set: &[("retries", 3)],
            theirs: "instances/brp_3.mcrl2",
            words: BRP,
            all_data: true,
            ..Pair::default()
        },
    ]);
}

const LIFT: &[(&str, &str)] = &[
    ("released", "release"),
    ("UP", "up"),
    ("DOWN", "down"),
    ("STANDBY", "nothing"),
    ("STOP", "stop"),
    ("STARTUP", "startup"),
    ("SYNC", "now"),
];

fn lift(words: &[&str]) -> Vec<String> {
    match words {
        [button @ ("up" | "down"), n] => owned(&["press", n, button]),
        _ => owned(words),
    }
}

#[test]
fn lifts() {
    let pair = |lifts, theirs, depth| Pair {
        ours: "lift_bus",
        set: lifts,
        theirs,
        depth,
        words: LIFT,
        theirs_retold: Some(lift),
        ..Pair::default()
    };
    compare(&[
        pair(&[("lifts", 2)], "instances/lift_init_2.mcrl2", None),
        pair(&[("lifts", 3)], "instances/lift_init_3.mcrl2", None),
        pair(&[("lifts", 4)], "instances/lift_init_4.mcrl2", Some(15)),
        pair(&[("lifts", 6)], "instances/lift_init_6.mcrl2", Some(11)),
    ]);
}

fn german(words: &[&str]) -> Vec<String> {
    let client = from_zero(words[1]);
    match words[0] {
        "req_shared" => owned(&["ask", &client, "shared"]),
        "req_excl" => owned(&["ask", &client, "exclusive"]),
        "send_ack" => owned(&["yield_up", &client]),
        "recv_gnts" => owned(&["obtain", &client, "shared"]),
        "recv_gnte" => owned(&["obtain", &client, "exclusive"]),
        "c_req" => owned(&["request", &client, words[2]]),
        "c_inv" => owned(&["order", &client, "invalid"]),
        "c_gnts" => owned(&["order", &client, "shared"]),
        "c_gnte" => owned(&["order", &client, "exclusive"]),
        "c_ack" => owned(&["confirm", &client]),
        other => panic!("unknown: {other}"),
    }
}

#[test]
fn cache_coherence() {
    let pair = |clients, theirs, depth| Pair {
        ours: "german_buffers",
        set: clients,
        theirs,
        depth,
        words: &[("ReqS", "shared"), ("ReqE", "exclusive")],
        theirs_retold: Some(german),
        ..Pair::default()
    };
    compare(&[
        pair(&[("clients", 2)], "instances/german_2.mcrl2", None),
        pair(&[("clients", 3)], "instances/german_3.mcrl2", None),
        pair(&[("clients", 4)], "instances/german_4.mcrl2", Some(9)),
    ]);
}

fn dining(words: &[&str]) -> Vec<String> {
    let action = match words[0] {
        "__get" => "take_fork",
        "__put" => "put_fork",
        other => other,
    };
    let numbers = words[1..].iter().map(|word| from_zero(word));
    [action.to_string()].into_iter().chain(numbers).collect()
}

#[test]
fn philosophers() {
    let pair = |n, theirs, depth| Pair {
        ours: "philosophers_network",
        set: n,
        theirs,
        depth,
        theirs_retold: Some(dining),
        ..Pair::default()
    };
    compare(&[
        pair(&[("n", 3)], "instances/dining_3.mcrl2", None),
        pair(&[("n", 5)], "instances/dining_5.mcrl2", None),
        pair(&[("n", 17)], "instances/dining_17.mcrl2", Some(4)),
    ]);
}

const SWP: &[(&str, &str)] = &[
    ("ra", "accept left"),
    ("rd", "accept right"),
    ("sb", "deliver left"),
    ("sc", "deliver right"),
    ("error", "stuck"),
    ("d1", "red"),
    ("d2", "green"),
];

#[test]
fn sliding_windows() {
    let pair = |window, theirs, depth| Pair {
        ours: "swp_both_ways",
        set: window,
        theirs,
        depth,
        words: SWP,
        ..Pair::default()
    };
    compare(&[
        pair(&[("window", 1)], "instances/swp_1.mcrl2", Some(19)),
        pair(&[("window", 2)], "instances/swp_2.mcrl2", Some(14)),
        pair(&[("window", 10)], "instances/swp_10.mcrl2", Some(12)),
    ]);
}

const FIREWIRE: &[(&str, &str)] = &[
    ("LDreq", "request"),
    ("LDcon", "confirm"),
    ("LDind", "indicate"),
    ("LDres", "respond"),
    ("h1", "0"),
    ("h2", "1"),
    ("d1", "0"),
    ("d2", "1"),
    ("a1", "0"),
    ("a2", "1"),
    ("ackrec", "acknowledged"),
    ("ackmiss", "missing"),
    ("broadsent", "broadcast"),
    ("good", "correct"),
    ("broadrec", "for_all"),
    ("dcrc_err", "without_data"),
];

#[test]
fn link_layers() {
    let pair = |set, theirs, depth| Pair {
        ours: "firewire",
        set,
        theirs,
        depth,
        words: FIREWIRE,
        ..Pair::default()
    };
    compare(&[
        pair(&[("values", 1)], "instances/firewire_2_dom1.mcrl2", None),
        pair(&[], "instances/firewire_2_dom2.mcrl2", None),
        pair(
            &[("links", 3), ("values", 1)],
            "instances/firewire_3_dom1.mcrl2",
            Some(20),
        ),
        pair(&[("links", 4)], "instances/firewire_4_dom2.mcrl2", Some(3)),
    ]);
}

/// The bus tells what links see.
#[test]
fn link_layers_with_values_told() {
    compare(&[Pair {
        ours: "firewire",
        our_pieces: &[("hide({sees, sends,", "hide({sends,")],
        theirs: "instances/firewire_2_dom1.mcrl2",
        set: &[("values", 1)],
        their_pieces: &[
            (
                "allow({LDreq,LDcon,LDind,LDres},",
                "allow({LDreq,LDcon,LDind,LDres,cPDind},",
            ),
            ("internal,cPDind,cPDreq,", "internal,cPDreq,"),
        ],
        words: FIREWIRE,
        theirs_retold: Some(|words| match words {
            ["cPDind", n, "sig", ..] => [owned(&["sees", n]), signal(&words[3..])].concat(),
            ["cPDind", n, other] => owned(&["sees", n, physical(other)]),
            _ => owned(words),
        }),
        ..Pair::default()
    }]);
}

fn physical(signal: &str) -> &str {
    match signal {
        "Start" => "starts",
        "End" => "ends",
        "Prefix" => "prefix",
        "subactgap" => "gap",
        "dhead" => "data_prefix",
        "Dummy" => "dummy",
        other => panic!("unknown: {other}"),
    }
}

fn signal(words: &[&str]) -> Vec<String> {
    let sound = |check: &str| (check == "check").to_string();
    match words {
        [value, check] => {
            let kind = match &value[..1] {
                "h" => "header",
                "d" => "data",
                _ => "acknowledgement",
            };
            owned(&[kind, value, &sound(check)])
        }
        [to] => owned(&["destination", to]),
        other => panic!("unknown: {other:?}"),
    }
}

const CONFERENCE: &[(&str, &str)] = &[
    ("CFSAP_in", "request"),
    ("CFSAP_out", "indicate"),
    ("udp_in", "arrive"),
    ("udp_out", "depart"),
    ("Xin", "heard"),
    ("Yin", "brought received"),
    ("Yout", "sent"),
    ("cf1", ""),
    ("udp_datareq", ""),
    ("udp_dataind", ""),
    ("udp1", ""),
    ("udp2", "1"),
    ("udp3", "2"),
    ("datareq", "tell"),
    ("dataind", "told_by"),
    ("PDU_J", "hello"),
    ("PDU_A", "welcome"),
    ("PDU_L", "goodbye"),
    ("PDU_D", "message"),
    ("l_1", ""),
    ("ut_A", "0"),
    ("ut_B", "1"),
    ("ut_C", "2"),
    ("ut_D", "3"),
    ("ci_one", "0"),
    ("ci_two", "1"),
    ("m1", "0"),
    ("m2", "1"),
    ("m3", "2"),
    ("m4", "3"),
];

/// The state space is infinite. With nothing hidden, every step leads to one state, and walks can be compared.
#[test]
fn conferences() {
    compare(&[
        Pair {
            ours: "conference",
            set: &[("titles", 1), ("texts", 1)],
            theirs: "instances/commprot.mcrl2",
            their_pieces: &[
                ("struct ut_A | ut_B | ut_C | ut_D", "struct ut_A"),
                ("struct m1 | m2 | m3 | m4", "struct m1"),
            ],
            depth: Some(4),
            words: CONFERENCE,
            ..Pair::default()
        },
        Pair {
            ours: "conference",
            our_pieces: &[("hide({heard, sent, brought}", "hide({}")],
            theirs: "instances/commprot.mcrl2",
            their_pieces: &[("hide({Xin, Yin, Yout}", "hide({}")],
            walks: Some((5, 200)),
            words: CONFERENCE,
            ..Pair::default()
        },
    ]);
}

const WAFERS: &[(&str, &str)] = &[
    ("ALLE_HENS_AAN_BOORD", "complete"),
    ("T2L", "into_lock"),
    ("L2T", "onto_tray"),
    ("L2R", "fetch"),
    ("R2L", "bring_back"),
    ("R2C", "place"),
    ("C2R", "pick_up"),
    ("wafer", ""),
    ("L0", "0"),
    ("L1", "1"),
    ("L2", "2"),
    ("L3", "3"),
    ("R0", "lower"),
    ("R1", "upper"),
];

const WAFER_STEPPER: &str = "specs/examples/project/wafer_stepper/wafer_stepper.mcrl2";

#[test]
fn wafer_stepper() {
    compare(&[
        Pair {
            ours: "wafers",
            set: &[("wafers", 2)],
            theirs: WAFER_STEPPER,
            their_pieces: &[("MaximumWafers = 5", "MaximumWafers = 2")],
            words: WAFERS,
            ..Pair::default()
        },
        Pair {
            ours: "wafers",
            theirs: WAFER_STEPPER,
            words: WAFERS,
            depth: Some(18),
            ..Pair::default()
        },
    ]);
}

#[test]
fn sokoban() {
    compare(&[Pair {
        ours: "sokoban",
        theirs: "specs/examples/games/sokoban/sokoban.mcrl2",
        words: &[
            ("man", "stand square"),
            ("win", "solved square"),
            ("step", "step square"),
            ("Up", "up"),
            ("Down", "down"),
            ("Left", "left"),
            ("Right", "right"),
        ],
        ..Pair::default()
    }]);
}

#[test]
fn tic_tac_toe() {
    compare(&[Pair {
        ours: "tictactoe",
        our_pieces: &[("last = false", "last = true")],
        theirs: "specs/examples/games/tictactoe/tictactoe.mcrl2",
        words: &[("win", "wins"), ("naught", "nought")],
        theirs_retold: Some(|words| match words {
            ["put", player, row, column] => {
                let [row, column] = [row, column].map(|word| from_zero(word));
                let [row, column]: [u32; 2] =
                    [row, column].map(|number| number.parse().expect("a number"));
                owned(&["place", player, &(3 * row + column).to_string()])
            }
            _ => owned(words),
        }),
        ..Pair::default()
    }]);
}

/// The published boards are ours in the mirror, and results are told without the numbers of discs.
fn othello_move(words: &[&str], size: u32) -> Vec<String> {
    let player = |name: &str| {
        if name.starts_with("Red") {
            "black"
        } else {
            "white"
        }
    };
    match words {
        ["Draw"] => owned(&["draw"]),
        [result] => owned(&["wins", player(result)]),
        [action, column, row] => {
            let column: u32 = column.parse().expect("a number");
            let column = (size - column).to_string();
            owned(&["play", player(action), &from_zero(row), &column])
        }
        other => panic!("unknown: {other:?}"),
    }
}

fn othello_result(words: &[&str]) -> Vec<String> {
    match words {
        ["draw", _] => owned(&["draw"]),
        ["wins", player, _, _] => owned(&["wins", player]),
        _ => owned(words),
    }
}

#[test]
fn othello() {
    compare(&[
        Pair {
            ours: "othello",
            theirs: "instances/othello2008_4x4.mcrl2",
            depth: Some(7),
            ours_retold: Some(othello_result),
            theirs_retold: Some(|words| othello_move(words, 4)),
            ..Pair::default()
        },
        Pair {
            ours: "othello",
            theirs: "instances/othello2008_4x4.mcrl2",
            walks: Some((100, 15)),
            ours_retold: Some(othello_result),
            theirs_retold: Some(|words| othello_move(words, 4)),
            ..Pair::default()
        },
        Pair {
            ours: "othello",
            set: &[("size", 6)],
            theirs: "instances/othello2008_6x6.mcrl2",
            walks: Some((5, 40)),
            ours_retold: Some(othello_result),
            theirs_retold: Some(|words| othello_move(words, 6)),
            ..Pair::default()
        },
    ]);
}

/// An instruction names the belts or shuttles that move; ours names the row or the side, and the first and the last of them.
fn garage(words: &[&str]) -> Vec<String> {
    let side = |name: &str| match name.ends_with('b') {
        true => "far",
        false => "near",
    };
    // r1a, or b_r1a_sh
    let row = |name: &str| {
        let place = name.find('r').expect("a row");
        name[place + 1..place + 2].to_string()
    };
    let belt = |name: &str| {
        let number = match name {
            "b_r1a_sh" | "b_r2a_sh" | "b_r3a_sh" => 0,
            "b_r1a" | "b_r2" | "b_r3" => 1,
            "b_r1lift" | "b_r2b_sh" | "b_r3b_sh" => 2,
            "b_r1b" => 3,
            _ => 4,
        };
        number.to_string()
    };
    match words {
        ["exec", "move_belts", belts @ .., direction, size] => {
            let (first, last) = (belts[0], belts[belts.len() - 1]);
            owned(&[
                "belts",
                &row(first),
                &belt(first),
                &belt(last),
                direction,
                size,
            ])
        }
        ["exec", "move_shuttles", places @ .., orientation, way] => {
            let (first, last) = (places[0], places[places.len() - 1]);
            let rows = [row(first), row(last)];
            owned(&[
                "shuttles",
                side(first),
                &rows[0],
                &rows[1],
                orientation,
                way,
            ])
        }
        ["exec", "tilt_shuttle", place, orientation] => {
            owned(&["tilt", side(place), &row(place), orientation])
        }
        ["exec" | "occur", rest @ ..] => owned(rest),
        _ => owned(words),
    }
}

const GARAGE: &[(&str, &str)] = &[
    ("col_inc", "forwards"),
    ("col_dec", "backwards"),
    ("row_inc", "outwards"),
    ("row_dec", "inwards"),
    ("rotate", "turntable"),
    ("add_car", "arrive"),
    ("remove_car", "depart"),
    ("req2c", "shuttle"),
    ("req3a", "lift"),
];

/// The state space is too large. Every instruction leads to one state, so walks can be compared.
#[test]
fn parking_garage() {
    let pair = Pair {
        ours: "garage_shuttles",
        theirs: "instances/garage_r2_error_search.mcrl2",
        words: GARAGE,
        theirs_retold: Some(garage),
        ..Pair::default()
    };
    compare(&[
        Pair {
            depth: Some(2),
            ..pair
        },
        Pair {
            walks: Some((30, 100)),
            ..pair
        },
    ]);
}
