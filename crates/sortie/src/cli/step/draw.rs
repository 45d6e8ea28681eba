//! Draws a [`Screen`]: steps on the left, state and path on the right, what the keys do below.

use super::explorer::Shown;
use super::screen::{Mode, Screen};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

const KEYS: &[(&str, &str)] = &[
    ("↑ ↓ j k", "choose a step"),
    ("Enter", "take it; 5 Enter takes step 5"),
    ("u ←", "undo; 5u undoes five steps"),
    ("r →", "redo: go on along the path, or play a witness"),
    ("n Space", "a random step; 20n takes twenty"),
    ("g", "go to a step; 12g goes to step 12"),
    ("/", "filter by label or component; Esc ends it"),
    ("l", "take a step by its label"),
    ("d", "draw other steps, where there are too many to list"),
    ("b", "back to the path that was left last; 2b to the second"),
    ("w", "save the way to here as a witness"),
    ("o", "load a witness"),
    ("J K", "scroll the state"),
    ("q", "quit"),
];

const HELP_LINE: &str =
    "Enter take  u undo  r redo  n random  / filter  g go  w save  ? help  q quit";

const DIM: Style = Style::new().fg(Color::DarkGray);
const BAD: Style = Style::new().fg(Color::Red).add_modifier(Modifier::BOLD);
const CHANGED: Style = Style::new().fg(Color::Yellow).add_modifier(Modifier::BOLD);
const NAME: Style = Style::new().fg(Color::Cyan);
const TITLE: Style = Style::new().add_modifier(Modifier::BOLD);
const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws all of it.
pub fn draw(screen: &mut Screen, frame: &mut Frame<'_>) {
    let [head, body, message, help] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(52), Constraint::Percentage(48)]).areas(body);
    let effects = if left.height >= 18 { 6 } else { 0 };
    let [list, preview] =
        Layout::vertical([Constraint::Min(0), Constraint::Length(effects)]).areas(left);
    let [state, path] =
        Layout::vertical([Constraint::Percentage(58), Constraint::Percentage(42)]).areas(right);
    frame.render_widget(Paragraph::new(heading(screen)), head);
    draw_steps(screen, frame, list);
    if effects > 0 {
        draw_preview(screen, frame, preview);
    }
    draw_state(screen, frame, state);
    draw_path(screen, frame, path);
    frame.render_widget(Paragraph::new(message_line(screen)), message);
    frame.render_widget(Paragraph::new(Line::styled(HELP_LINE, DIM)), help);
    if screen.mode == Mode::Help {
        draw_help(frame);
    }
}

fn heading(screen: &Screen) -> Line<'static> {
    let explorer = &screen.explorer;
    let name = explorer.model().identity().name;
    let (here, length) = (explorer.here(), explorer.path().steps.len());
    let mut spans = vec![
        Span::styled(format!(" {name} "), TITLE),
        Span::raw(format!(" step {here} of {length} ")),
    ];
    if let Some(origin) = &explorer.path().origin {
        spans.push(Span::styled(format!(" {} ", origin.property), NAME));
    }
    for property in explorer.violated() {
        spans.push(Span::styled(format!(" ! {property} "), BAD));
    }
    Line::from(spans)
}

fn message_line(screen: &Screen) -> Line<'static> {
    match (&screen.mode, screen.count) {
        (Mode::Asking(asked, text), _) => Line::from(vec![
            Span::styled(format!(" {}: ", asked.prompt()), TITLE),
            Span::raw(text.clone()),
            Span::styled(" ", CHOSEN),
        ]),
        (_, Some(count)) => Line::styled(format!(" {count}"), TITLE),
        _ if screen.failed => Line::styled(format!(" {}", screen.message), BAD),
        _ => Line::raw(format!(" {}", screen.message)),
    }
}

fn pane<'a>(title: String) -> Block<'a> {
    Block::bordered()
        .border_style(DIM)
        .title(Line::styled(title, TITLE))
}

/// Draws an empty pane, and says what is inside of it.
fn draw_pane(title: String, frame: &mut Frame<'_>, area: Rect) -> Rect {
    let block = pane(title);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    inside
}

/// A line of the list of steps.
enum Row {
    Component(usize),
    /// The place among those shown.
    Step(usize),
}

fn draw_steps(screen: &mut Screen, frame: &mut Frame<'_>, area: Rect) {
    let explorer = &screen.explorer;
    let offer = explorer.offer();
    let mut rows = Vec::new();
    let mut component = None;
    let mut chosen_row = 0;
    for (place, &index) in screen.shown.iter().enumerate() {
        let own = offer.choices[index].component();
        if own != component {
            component = own;
            rows.extend(own.map(Row::Component));
        }
        if place == screen.chosen {
            chosen_row = rows.len();
        }
        rows.push(Row::Step(place));
    }
    let all = offer.choices.len();
    let (shown, filter) = (screen.shown.len(), &screen.filter);
    let title = match (filter.is_empty(), offer.whole) {
        (true, true) => format!(" Steps: {all} "),
        (true, false) => format!(" Steps: {all} of many "),
        (false, _) => format!(" Steps: {shown} of {all} with '{filter}' "),
    };
    let inside = draw_pane(title, frame, area);
    let mut lines = Vec::new();
    if let Some(note) = &offer.note {
        lines.extend(wrapped(note, inside.width as usize, BAD));
    } else if all == 0 {
        lines.push(Line::styled("nothing more can happen", BAD));
    } else if screen.shown.is_empty() {
        lines.push(Line::styled("no step fits the filter; Esc ends it", DIM));
    }
    let room = (inside.height as usize).saturating_sub(lines.len()).max(1);
    let first = first_shown(chosen_row, rows.len(), room);
    for row in rows.iter().skip(first).take(room) {
        lines.push(match *row {
            Row::Component(part) => Line::styled(explorer.part_names()[part].clone(), NAME),
            Row::Step(place) => step_line(screen, place, inside.width as usize),
        });
    }
    frame.render_widget(Paragraph::new(lines), inside);
    screen.page = room;
}

fn step_line(screen: &Screen, place: usize, width: usize) -> Line<'static> {
    let index = screen.shown[place];
    let choice = &screen.explorer.offer().choices[index];
    let mut spans = vec![
        Span::styled(format!("{:>3} ", index + 1), DIM),
        Span::raw(choice.text.clone()),
    ];
    if choice.violates {
        spans.push(Span::styled(" !", BAD));
    }
    if let Some((weight, sum)) = choice.chance {
        spans.push(Span::styled(format!(" {weight}/{sum}"), DIM));
    }
    if let [_, others @ ..] = &screen.explorer.names(choice.parts)[..]
        && !others.is_empty()
    {
        spans.push(Span::styled(format!("  {}", others.join(" ")), NAME));
    }
    let mut line = Line::from(spans);
    if place == screen.chosen {
        let used = line.width();
        line.push_span(" ".repeat(width.saturating_sub(used)));
        line = line.style(CHOSEN);
    }
    line
}

/// The first line of a window of `room` lines in which a line is visible, in the middle where that is possible.
fn first_shown(line: usize, lines: usize, room: usize) -> usize {
    line.saturating_sub(room / 2)
        .min(lines.saturating_sub(room))
}

fn draw_preview(screen: &Screen, frame: &mut Frame<'_>, area: Rect) {
    let inside = draw_pane(" It would change ".into(), frame, area);
    let index = screen.shown.get(screen.chosen);
    let changes = index.map(|&index| {
        let choice = &screen.explorer.offer().choices[index];
        screen.explorer.changes(choice)
    });
    let lines: Vec<Line<'_>> = match changes {
        None => Vec::new(),
        Some(changes) if changes.is_empty() => vec![Line::styled("nothing", DIM)],
        Some(changes) => changes.iter().map(field_line).collect(),
    };
    frame.render_widget(Paragraph::new(lines), inside);
}

fn field_line(field: &Shown) -> Line<'static> {
    let name = Span::styled(field.name.clone(), NAME);
    match &field.before {
        None => Line::from(vec![
            Span::raw("  "),
            name,
            Span::raw(format!(" = {}", field.value)),
        ]),
        Some(before) => {
            let before = match &before[..] {
                "" => " (new)".into(),
                before => format!(" (was {before})"),
            };
            Line::from(vec![
                Span::styled("* ", CHANGED),
                name,
                Span::raw(" = "),
                Span::styled(field.value.clone(), CHANGED),
                Span::styled(before, DIM),
            ])
        }
    }
}

fn draw_state(screen: &mut Screen, frame: &mut Frame<'_>, area: Rect) {
    let fields = screen.explorer.fields(screen.explorer.here());
    let room = (area.height as usize).saturating_sub(2);
    screen.scrolled = screen.scrolled.min(fields.len().saturating_sub(room));
    let below = fields.len().saturating_sub(screen.scrolled + room);
    let more = match below {
        0 => String::new(),
        below => format!("{below} more below "),
    };
    let block = pane(format!(" State {more}"));
    let shown = fields.iter().skip(screen.scrolled).take(room);
    let lines: Vec<Line<'_>> = shown.map(field_line).collect();
    frame.render_widget(Paragraph::new(lines).block(block), area);
}

fn draw_path(screen: &Screen, frame: &mut Frame<'_>, area: Rect) {
    let explorer = &screen.explorer;
    let (here, length) = (explorer.here(), explorer.path().steps.len());
    let left = match explorer.left().len() {
        0 => String::new(),
        1 => "1 other left ".into(),
        count => format!("{count} others left "),
    };
    let inside = draw_pane(format!(" Path {left}"), frame, area);
    let room = inside.height as usize;
    let first = first_shown(here, length + 1, room);
    let loops = explorer.path().origin.as_ref();
    let loops = loops.and_then(|origin| origin.cycle);
    let mut lines = Vec::new();
    for place in (first..=length).take(room) {
        let text = match place {
            0 => "  0 the beginning".to_owned(),
            step => format!("{step:>3} {}", explorer.label(step)),
        };
        let mut line = match place {
            place if place == here => Line::styled(text, CHOSEN),
            place if place > here => Line::styled(text, DIM),
            _ => Line::raw(text),
        };
        if loops == Some(place) {
            line.push_span(Span::styled("  the loop begins", CHANGED));
        }
        lines.push(line);
    }
    frame.render_widget(Paragraph::new(lines), inside);
}

fn draw_help(frame: &mut Frame<'_>) {
    let all = frame.area();
    let width = all.width.min(68);
    let height = all.height.min(KEYS.len() as u16 + 2);
    let area = Rect {
        x: (all.width - width) / 2,
        y: (all.height - height) / 2,
        width,
        height,
    };
    let line = |(keys, what): &(&'static str, &'static str)| {
        Line::from(vec![
            Span::styled(format!(" {keys:<10}"), NAME),
            Span::raw(*what),
        ])
    };
    let lines: Vec<Line<'_>> = KEYS.iter().map(line).collect();
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).block(pane(" Keys ".into())), area);
}

/// A text in lines of at most `width` characters, broken between words.
fn wrapped(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    let lines = lines.into_iter();
    lines.map(|line| Line::styled(line, style)).collect()
}
