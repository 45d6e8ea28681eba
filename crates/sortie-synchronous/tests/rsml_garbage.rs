//! Requirement tables that somebody's cat walked over: the reader answers, whatever it is given.

mod rsml_support;

use rsml_support::{read, read_with, shown};
use sortie_model::{Dice, derive_seed};

const TEXT: &str = "\
COMPONENT Guidance :
TYPE_DEF On_Off { Off, On }
TYPE_DEF Base_State { Cleared, Selected }
TYPE_DEF Altitude : INTEGER 0 TO 40
CONSTANT Threshold : INTEGER
    UNITS : ft
    VALUE : 20
END CONSTANT
CONSTANT Fault : INTEGER = 0
IN_VARIABLE Button : BOOLEAN
    INITIAL_VALUE : FALSE
    CLASSIFICATION : Monitored
END IN_VARIABLE
IN_VARIABLE Height : INTEGER
    EXPECTED_MIN : 0
    EXPECTED_MAX : 2 * Threshold
END IN_VARIABLE
STATE_VARIABLE Modes : On_Off
    PARENT : NONE
    INITIAL_VALUE : Off
    TRANSITION Off TO On IF WHEN(Button)
    TRANSITION On TO Off IF WHEN(Button) AND Height < Threshold
END STATE_VARIABLE
STATE_VARIABLE ROLL : Base_State
    PARENT : Modes.On
    INITIAL_VALUE : UNDEFINED
    TRANSITION UNDEFINED TO Cleared IF NOT Select_ROLL()
    TRANSITION UNDEFINED TO Selected IF Select_ROLL()
    TRANSITION ANY TO Cleared IF Near(Height, PREV_STEP(Height)) OR Fault = 1
END STATE_VARIABLE
STATE_VARIABLE Lamp : BOOLEAN
    INITIAL_VALUE : FALSE
    EQUALS TRUE IF
        TABLE
            Modes = On : F *;
            Button     : * T;
        END TABLE
    EQUALS (IF Button THEN FALSE ELSE ..ROLL = Selected) IF OTHERWISE
END STATE_VARIABLE
MACRO Select_ROLL() :
    TABLE
        Twice(Height) > 30 : T *;
        Modes.On.Modes = On : T F;
    END TABLE
END MACRO
MACRO Near(x IS INTEGER, Altitude y) : x - y < 3 AND -3 < x - y END MACRO
FUNCTION Twice(x IS INTEGER) : INTEGER
    EQUALS 2 * x IF x < 10
    EQUALS CASE x = 10 : 20; OTHERWISE : x MOD 7; END CASE
END FUNCTION
PROPERTY Stays : PREV_STEP(Lamp) AND WHEN(Modes = On) -> Lamp END PROPERTY
ASSUMPTION Low : NOT (Button AND Height = 40) END ASSUMPTION
OUT_INTERFACE Panel : x := y; END OUT_INTERFACE
END COMPONENT
";

/// The pieces of a text: words, and everything else one by one, with the blanks before them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start().len();
        let word = rest[blanks..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len() - blanks);
        let one = rest[blanks..].chars().next().map_or(0, char::len_utf8);
        let (piece, after) = rest.split_at(blanks + word.max(one));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// Moves, repeats, drops or replaces pieces.
fn spoiled(text: &str, dice: &mut Dice) -> String {
    const OTHERS: &[&str] = &[
        " (",
        ")",
        " TABLE",
        " END",
        " IF",
        ":",
        ";",
        " *",
        "..",
        ".",
        " UNDEFINED",
        " PREV_STEP(",
        " WHEN(",
        " 99999999999999999",
        " -",
        " é",
        "\u{0}",
        "/*",
        "//",
        " TO",
        " Modes",
        " Height",
        " {",
        "}",
        "\n",
        " 0",
        " TRUE",
        " ROLL",
        " Near(",
        " Twice(",
        " MACRO",
        " EQUALS",
        " / 0",
        " PARENT : Lamp.TRUE",
        " 999999999999999 * 999999999999999 * 99999999999999",
        " RANGE : 0 TO 999999999999999",
    ];
    let mut pieces = pieces(text);
    for _ in 0..1 + dice.index(4) {
        let at = dice.index(pieces.len() + 1);
        let length = dice.index(6).min(pieces.len() - at);
        match dice.index(5) {
            0 | 1 => drop(pieces.drain(at..at + length)),
            2 => {
                let copied = pieces[at..at + length].to_vec();
                let to = dice.index(pieces.len() + 1);
                pieces.splice(to..to, copied);
            }
            3 => pieces.insert(at, OTHERS[dice.index(OTHERS.len())]),
            _ => {
                if at < pieces.len() {
                    let from = dice.index(pieces.len());
                    pieces[at] = pieces[from];
                }
            }
        }
    }
    pieces.concat()
}

#[test]
fn spoiled_texts_are_answered() {
    assert_eq!(pieces(TEXT).concat(), TEXT);
    read(TEXT);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..4000 {
        let mut dice = Dice::new(derive_seed(21, round));
        let text = spoiled(TEXT, &mut dice);
        match read_with(&text, &[]) {
            Ok(written) => {
                accepted += 1;
                shown(&text, &written.warnings);
                shown(&text, &written.tables());
                let _ = written.expression("Lamp AND Select_ROLL()");
            }
            Err(errors) => {
                refused += 1;
                assert!(!errors.is_empty(), "round {round}\n{text}");
                shown(&text, &errors);
                for message in &errors {
                    assert!(message.span.end <= text.len(), "round {round}\n{text}");
                }
            }
        }
    }
    assert!(
        accepted > 100 && refused > 1000,
        "{accepted} read, {refused} refused"
    );
}

#[test]
fn spoiled_predicates_are_answered() {
    let written = read(TEXT);
    let predicate = "Lamp AND (ROLL = UNDEFINED OR Twice(Height + 1) > 3) -> NOT Select_ROLL() XOR Modes.On = Modes";
    for round in 0..4000 {
        let mut dice = Dice::new(derive_seed(22, round));
        let text = spoiled(predicate, &mut dice);
        if let Err(errors) = written.expression(&text) {
            shown(&text, &errors);
            for message in errors {
                assert!(message.span.end <= text.len(), "round {round}\n{text}");
            }
        }
    }
}
