//! SMV texts that somebody's cat walked over: they are read or refused with words, and what is read can be run.

use sortie_model::{Choice, Chooser, CompositeChoices, Dice, Flow, View};
use sortie_synchronous::{Claim, Settings, Synchronous, smv};
use sortie_syntax::Source;

const TEXTS: &[&str] = &[
    "
MODULE main
DEFINE N := 3; list := [x, 2, 7]; any := {1, 2} union 0..N;
IVAR press : boolean;
FROZENVAR speed : 1..N;
VAR x : 0..N; mode : {idle, busy, 7}; a : array 0..2 of boolean; w : word[4]; s : signed word[3];
  left : part(right.on, x + 1); right : part(left.on, N);
ASSIGN
  init(x) := any; next(x) := case press & x < N : x + speed mod 2; mode = busy : {0, x}; TRUE : 0; esac;
  init(mode) := idle; next(mode) := next(x) = 2 ? busy : {idle, 7};
  a[0] := x > 1; init(a[1]) := FALSE; next(a[1]) := a[x mod 3] xor press;
  next(w) := (w + 0ud4_3) << 1; next(s) := signed(w[2:0]);
INIT w = 0b4_0101
INVAR a[2] <-> mode != idle
TRANS next(s) >= s | toint(w) > 3 | count(a[0], a[1], a[2]) = 2
INVARSPEC NAME bound := x <= N;
INVARSPEC next(x) - x < 2
SPEC AG (a[0] -> AF !a[0]) & E [mode = idle U left.on]
LTLSPEC NAME l := G F mode = busy -> F x in {1, 2}
FAIRNESS x = 0;
MODULE part(other, k)
ISA base
VAR n : 0..9;
ASSIGN init(on) := k = 3; next(on) := other; init(n) := 0; next(n) := min(abs(n - k), 9);
SPEC AG (on -> EX n > 0)
MODULE base
VAR on : boolean; -- a part of others
",
    "
MODULE main
VAR state : {green, yellow, red}; timer : 0..3;
ASSIGN
  init(state) := red; init(timer) := 0;
  next(state) := case
      timer < 3 : state;
      state = red : green;
      state = green : yellow;
      TRUE : red; /-- the
                       last --/
    esac;
  next(timer) := timer < 3 ? timer + 1 : 0;
INVARSPEC !(state = green & timer > 3)
LTLSPEC G (state = red -> F state = green)
",
];

/// What is put into texts.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    ",",
    ".",
    "..",
    ":=",
    "::",
    "-",
    "--",
    "/--",
    "+",
    "*",
    "/",
    "mod",
    "<<",
    "=",
    "!=",
    "<",
    "&",
    "|",
    "->",
    "<->",
    "!",
    "?",
    "0",
    "3",
    "99999999999999999999",
    "0ud4_3",
    "0sd9_",
    "next",
    "init",
    "case",
    "esac",
    "MODULE",
    "MODULE main",
    "VAR",
    "ASSIGN",
    "DEFINE",
    "TRANS",
    "INVAR",
    "SPEC",
    "LTLSPEC",
    "AG",
    "U",
    "A",
    "X",
    "self",
    "in",
    "union",
    "TRUE",
    "x",
    "N",
    "mode",
    "left",
    "left.on",
    "a",
    "a[x]",
    "w",
    "any",
    "press",
    "array 0..9 of",
    "word[",
    "process",
    "count(",
    "\n",
    "é",
    "\u{0}",
    "#",
    "\"",
];

/// Moves, repeats, drops or replaces words of a text.
fn spoiled(text: &str, dice: &mut Dice) -> String {
    let mut words: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        words.push(&rest[..end]);
        rest = &rest[end..];
    }
    for _ in 0..1 + dice.index(2) {
        let at = dice.index(words.len());
        let length = (1 + dice.index(4)).min(words.len() - at);
        match dice.index(4) {
            0 => drop(words.drain(at..at + length)),
            1 => {
                let copy = words[at..at + length].to_vec();
                let to = dice.index(words.len() + 1);
                words.splice(to..to, copy);
            }
            2 => words.insert(at, PIECES[dice.index(PIECES.len())]),
            _ => words[at] = PIECES[dice.index(PIECES.len())],
        }
        if words.is_empty() {
            words.push(" ");
        }
    }
    words.concat()
}

struct Stroll(Dice);

impl Chooser for Stroll {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        choice.draw(&mut self.0)
    }
    fn arrive(&mut self, _view: View<'_>) -> Flow {
        Flow::Go
    }
}

/// Reads, shows the errors, or walks a little. Whether it was read.
fn survive(text: &str) -> bool {
    let name = "spoiled.smv";
    let source = Source { name, text };
    let written = match smv::read(source, &[]) {
        Ok(written) => written,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a word: {text}");
            for error in errors {
                assert!(error.render(source, 100).starts_with("error"));
            }
            return false;
        }
    };
    for warning in &written.warnings {
        assert!(warning.render(source, 100).starts_with("warning"));
    }
    for property in &written.system.properties {
        if let Claim::Ltl(formula) | Claim::Ctl(formula) = &property.claim {
            for predicate in predicates(formula) {
                let read = written.expression(predicate);
                assert!(read.is_ok(), "{predicate}: {read:?}\n{text}");
            }
        }
    }
    // A system may fail when it runs, but it says so.
    if let Ok(model) = Synchronous::new(written.system, source, &[], Settings::default()) {
        let mut walk = model.own_walk();
        let _ = walk.run(&mut Stroll(Dice::new(1)), 20);
    }
    true
}

/// What stands in the outer braces of a formula.
fn predicates(formula: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (at, c) in formula.char_indices() {
        match c {
            '{' => {
                if depth == 0 {
                    begin = at + 1;
                }
                depth += 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    found.push(&formula[begin..at]);
                }
            }
            _ => {}
        }
    }
    found
}

#[test]
fn spoiled_texts_are_read_or_refused() {
    let mut dice = Dice::new(7);
    for text in TEXTS {
        assert!(survive(text), "it is good");
        let read = (0..3000).filter(|_| survive(&spoiled(text, &mut dice)));
        let read = read.count();
        assert!((60..2900).contains(&read), "{read} of 3000 texts were read");
    }
}

#[test]
fn the_beginning_of_a_text_is_read_or_refused() {
    for text in TEXTS {
        for (end, _) in text.char_indices() {
            survive(&text[..end]);
        }
    }
}
