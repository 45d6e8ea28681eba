//! What the terminal shows of a session, and what keys do. It knows no terminal: keys come as events, [`draw`](super::draw) shows it.

use super::explorer::Explorer;
use super::{at_random, load_file, save};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A number typed before a key is no larger.
const MOST: usize = 1_000_000;

/// What a text is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Filter,
    Label,
    Step,
    Save,
    Load,
}

impl Asked {
    /// What stands before the text.
    pub fn prompt(self) -> &'static str {
        match self {
            Asked::Filter => "show steps with",
            Asked::Label => "take the step with the label",
            Asked::Step => "go to step",
            Asked::Save => "save the way to here in the file",
            Asked::Load => "load the witness file",
        }
    }
}

/// What keys mean at present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Keys are commands.
    Plain,
    /// Keys are letters of a text.
    Asking(Asked, String),
    /// The keys are shown, until the next one.
    Help,
}

/// The session with what is chosen and typed.
pub struct Screen {
    pub explorer: Explorer,
    pub mode: Mode,
    /// Only steps with this text are shown.
    pub filter: String,
    /// The numbers of the steps shown.
    pub shown: Vec<usize>,
    /// Which of them is chosen.
    pub chosen: usize,
    /// The number typed so far.
    pub count: Option<usize>,
    /// What the last key did.
    pub message: String,
    /// Whether that was a failure.
    pub failed: bool,
    /// The first line of the state that is shown.
    pub scrolled: usize,
    /// How many steps a page has.
    pub page: usize,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Go,
    Quit,
}

impl Screen {
    pub fn new(explorer: Explorer, message: String) -> Self {
        let mut screen = Screen {
            explorer,
            mode: Mode::Plain,
            filter: String::new(),
            shown: Vec::new(),
            chosen: 0,
            count: None,
            message,
            failed: false,
            scrolled: 0,
            page: 10,
        };
        screen.arrive();
        screen
    }

    /// What a key does.
    pub fn key(&mut self, key: KeyEvent) -> Next {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            let quits = matches!(key.code, KeyCode::Char('c' | 'd'));
            return if quits { Next::Quit } else { Next::Go };
        }
        match std::mem::replace(&mut self.mode, Mode::Plain) {
            Mode::Help => Next::Go,
            Mode::Asking(asked, text) => {
                self.type_on(asked, text, key.code);
                Next::Go
            }
            Mode::Plain => self.command(key.code),
        }
    }

    fn command(&mut self, code: KeyCode) -> Next {
        if let KeyCode::Char(digit @ '0'..='9') = code {
            let digit = digit as usize - '0' as usize;
            let count = self.count.unwrap_or(0) * 10 + digit;
            self.count = Some(count.min(MOST));
            return Next::Go;
        }
        let count = self.count.take();
        let times = count.unwrap_or(1);
        self.message.clear();
        self.failed = false;
        match code {
            KeyCode::Char('q') => return Next::Quit,
            KeyCode::Char('?') => self.mode = Mode::Help,
            KeyCode::Down | KeyCode::Char('j') => self.choose(self.chosen.saturating_add(times)),
            KeyCode::Up | KeyCode::Char('k') => self.choose(self.chosen.saturating_sub(times)),
            KeyCode::PageDown => self.choose(self.chosen + self.page),
            KeyCode::PageUp => self.choose(self.chosen.saturating_sub(self.page)),
            KeyCode::Home => self.choose(0),
            KeyCode::End => self.choose(usize::MAX),
            KeyCode::Char('J') => self.scrolled = self.scrolled.saturating_add(times),
            KeyCode::Char('K') => self.scrolled = self.scrolled.saturating_sub(times),
            KeyCode::Enter => self.take(count),
            KeyCode::Char('u') | KeyCode::Left | KeyCode::Backspace => {
                if self.explorer.undo(times) == 0 {
                    self.fail("this is the beginning");
                }
                self.arrive();
            }
            KeyCode::Char('r') | KeyCode::Right => {
                if self.explorer.redo(times) == 0 {
                    self.fail("nothing is ahead");
                }
                self.arrive();
            }
            KeyCode::Char(' ' | 'n') => self.random(times),
            KeyCode::Char('b') => {
                let last = self.explorer.left().len().max(1);
                let index = count.unwrap_or(last).wrapping_sub(1);
                let result = self.explorer.back_to(index);
                self.arrive();
                self.report(result.map(|()| "back on the path that was left".into()));
            }
            KeyCode::Char('d') => {
                self.explorer.redraw();
                self.arrive();
            }
            KeyCode::Char('/') => self.ask(Asked::Filter, self.filter.clone()),
            KeyCode::Char('l') => self.ask(Asked::Label, String::new()),
            KeyCode::Char('w') => self.ask(Asked::Save, String::new()),
            KeyCode::Char('o') => self.ask(Asked::Load, String::new()),
            KeyCode::Char('g') => match count {
                Some(step) => self.go(step),
                None => self.ask(Asked::Step, String::new()),
            },
            KeyCode::Esc => {
                self.filter.clear();
                self.arrive();
            }
            _ => self.message = "? shows the keys".into(),
        }
        Next::Go
    }

    fn ask(&mut self, asked: Asked, text: String) {
        self.mode = Mode::Asking(asked, text);
    }

    /// A key while a text is asked for.
    fn type_on(&mut self, asked: Asked, mut text: String, code: KeyCode) {
        match code {
            KeyCode::Esc => return,
            KeyCode::Enter => return self.answer(asked, text.trim()),
            KeyCode::Backspace => {
                text.pop();
            }
            KeyCode::Char(letter) => text.push(letter),
            _ => {}
        }
        if asked == Asked::Filter {
            self.filter.clone_from(&text);
            self.arrive();
        }
        self.mode = Mode::Asking(asked, text);
    }

    /// The text that was asked for is there.
    fn answer(&mut self, asked: Asked, text: &str) {
        match asked {
            Asked::Filter => {
                self.filter = text.into();
                self.arrive();
            }
            Asked::Step => match text.parse() {
                Ok(step) => self.go(step),
                Err(_) => self.fail(format!("'{text}' is not a number of a step")),
            },
            Asked::Label => {
                let result = self.explorer.take_labelled(text);
                self.filter.clear();
                self.arrive();
                self.report(result.map(|_| String::new()));
            }
            Asked::Save if text.is_empty() => self.fail("nothing is saved without a name"),
            Asked::Save => self.report(save(&self.explorer, text)),
            Asked::Load => {
                let result = load_file(&mut self.explorer, text);
                self.filter.clear();
                self.arrive();
                self.report(result);
            }
        }
    }

    fn go(&mut self, step: usize) {
        let result = self.explorer.go(step);
        self.arrive();
        self.report(result.map(|()| String::new()));
    }

    /// Takes the step that is chosen, or the one with this number.
    fn take(&mut self, number: Option<usize>) {
        let chosen = self.shown.get(self.chosen).copied();
        let Some(index) = number.map(|number| number.wrapping_sub(1)).or(chosen) else {
            return self.fail("no step is shown that could be taken");
        };
        let result = self.explorer.take(index);
        self.arrive();
        self.report(result.map(|()| String::new()));
    }

    fn random(&mut self, count: usize) {
        let result = self.explorer.random(count);
        self.arrive();
        self.report(result.map(|taken| at_random(taken, count)));
    }

    fn report(&mut self, result: Result<String, String>) {
        match result {
            Ok(message) => self.message = message,
            Err(message) => self.fail(message),
        }
    }

    fn fail(&mut self, message: impl Into<String>) {
        self.message = message.into();
        self.failed = true;
    }

    /// Chooses a step among those shown, or the last.
    fn choose(&mut self, place: usize) {
        self.chosen = place.min(self.shown.len().saturating_sub(1));
    }

    /// Looks again at what can be shown. Where the path goes on, its next step is chosen.
    fn arrive(&mut self) {
        let explorer = &self.explorer;
        let offer = explorer.offer();
        self.shown = offer.matching(&self.filter, explorer.part_names());
        let is_ahead = |&index: &usize| explorer.is_ahead(&offer.choices[index]);
        self.chosen = self.shown.iter().position(is_ahead).unwrap_or(0);
        self.scrolled = 0;
    }
}
