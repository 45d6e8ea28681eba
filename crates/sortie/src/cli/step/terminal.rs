//! The terminal: events in, pictures out.

use super::super::{Failure, Outcome, Status};
use super::draw::draw;
use super::explorer::Explorer;
use super::screen::{Next, Screen};
use ratatui::crossterm::event::{Event, KeyEventKind, read};
use std::io;

/// Runs until the user quits. The terminal is given back as it was, also when something fails.
pub fn run(explorer: Explorer, message: String) -> Outcome {
    let mut screen = Screen::new(explorer, message);
    // Ctrl-C is a key like others; a termination must not leave the terminal raw.
    let _ = ctrlc::set_handler(|| {
        ratatui::restore();
        std::process::exit(143);
    });
    let shown = show(&mut screen);
    ratatui::restore();
    shown.map_err(|error| Failure::broken(format!("the terminal cannot be used: {error}")))?;
    Ok(Status::Fine)
}

fn show(screen: &mut Screen) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    loop {
        terminal.draw(|frame| draw(screen, frame))?;
        // A change of size is drawn like everything else.
        if let Event::Key(key) = read()?
            && key.kind != KeyEventKind::Release
            && screen.key(key) == Next::Quit
        {
            return Ok(());
        }
    }
}
