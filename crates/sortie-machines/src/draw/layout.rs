//! Where the states and arrows of one machine are put.
//!
//! States stand in columns, by their distance from the initial state. Arrows to the next column go straight there; longer ones forward run above all states, those
//! back below, each on a track of its own, so that their names never meet.

use super::{Arrow, MOST_STATES, Shape, marks};
use crate::System;
use std::collections::VecDeque;

/// Widths of letters, heights of lines.
pub(super) const LETTER: f64 = 7.2;
pub(super) const LINE: f64 = 14.0;
/// Room between boxes of a column.
const GAP: f64 = 34.0;
/// Room inside a frame.
const MARGIN: f64 = 24.0;
/// The part of an arrow to the next column that goes up or down.
const BEND: f64 = 36.0;
/// Not more names than this are written at an arrow.
const MOST_NAMES: usize = 4;

/// A state's box.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placed {
    /// The middle of the box.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Lines of text around a middle.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) lines: Vec<String>,
}

impl Label {
    pub(super) fn width(&self) -> f64 {
        widest(&self.lines)
    }

    fn meets(&self, other: &Label) -> bool {
        let near = |a: f64, b: f64, room: f64| (a - b).abs() < room;
        let height = (self.lines.len() + other.lines.len()) as f64 * LINE / 2.0;
        near(self.x, other.x, (self.width() + other.width()) / 2.0 + 4.0)
            && near(self.y, other.y, height + 2.0)
    }

    fn covers(&self, state: &Placed) -> bool {
        (self.x - state.x).abs() < (self.width() + state.width) / 2.0 + 2.0
            && (self.y - state.y).abs()
                < (self.lines.len() as f64 * LINE + state.height) / 2.0 + 2.0
    }
}

/// A machine, laid out.
pub(super) struct Layout {
    /// Of the first states; the others are left out.
    pub(super) states: Vec<Placed>,
    /// Paths in the language of SVG.
    pub(super) paths: Vec<String>,
    pub(super) labels: Vec<Label>,
    pub(super) width: f64,
    pub(super) height: f64,
}

fn widest(lines: &[String]) -> f64 {
    let longest = lines.iter().map(|line| line.chars().count()).max();
    longest.unwrap_or(0) as f64 * LETTER
}

fn lines(arrow: &Arrow) -> Vec<String> {
    let mut lines: Vec<String> = arrow.names.iter().take(MOST_NAMES).cloned().collect();
    if arrow.names.len() > MOST_NAMES {
        lines.push(format!("and {} more", arrow.names.len() - MOST_NAMES));
    }
    lines
}

/// The column of every state.
fn columns(states: usize, initial: usize, arrows: &[&Arrow]) -> Vec<usize> {
    let mut columns: Vec<Option<usize>> = vec![None; states];
    let mut last = 0;
    let roots = std::iter::once(initial).chain(0..states);
    for (nth, root) in roots.enumerate() {
        if root >= states || columns[root].is_some() {
            continue;
        }
        columns[root] = Some(if nth == 0 { 0 } else { last + 1 });
        let mut waiting = VecDeque::from([root]);
        while let Some(state) = waiting.pop_front() {
            let here = columns[state].unwrap_or(0);
            for arrow in arrows.iter().filter(|arrow| arrow.from == state) {
                if columns[arrow.to].is_none() {
                    columns[arrow.to] = Some(here + 1);
                    waiting.push_back(arrow.to);
                }
            }
        }
        if nth == 0 {
            last = columns.iter().flatten().copied().max().unwrap_or(0);
        }
    }
    columns.into_iter().map(Option::unwrap_or_default).collect()
}

pub(super) fn layout(system: &System, shape: &Shape) -> Layout {
    let machine = &system.machines[shape.machine];
    let count = machine.states.len().min(MOST_STATES);
    let drawn = |arrow: &&Arrow| arrow.from < count && arrow.to < count;
    let arrows: Vec<&Arrow> = shape.arrows.iter().filter(drawn).collect();
    let columns = columns(count, machine.initial as usize, &arrows);
    let mut states: Vec<Placed> = machine.states[..count]
        .iter()
        .map(|state| {
            let marks = marks(state);
            let letters = state.name.chars().count().max(marks.chars().count());
            Placed {
                width: letters as f64 * LETTER + 22.0,
                height: if marks.is_empty() { 30.0 } else { 44.0 },
                ..Placed::default()
            }
        })
        .collect();
    let loops = loop_heights(count, &arrows);
    let top = MARGIN + track_height(&arrows, &columns, |from, to| to > from + 1);
    let (width, bottom) = place(&mut states, &columns, &arrows, &loops, top);
    let next = |arrow: &&&Arrow| columns[arrow.to] == columns[arrow.from] + 1;
    let (mut leaving, mut arriving) = (vec![0; count], vec![0; count]);
    for arrow in arrows.iter().filter(next) {
        leaving[arrow.from] += 1;
        arriving[arrow.to] += 1;
    }
    let mut drawing = Drawing {
        states,
        columns,
        above: top,
        below: bottom,
        used: vec![0; count],
        lanes: vec![0; 2 * (count + 1)],
        leaving,
        arriving,
        layout: Layout {
            states: Vec::new(),
            paths: Vec::new(),
            labels: Vec::new(),
            width,
            height: 0.0,
        },
    };
    for arrow in &arrows {
        drawing.arrow(arrow);
    }
    let Drawing {
        states,
        below,
        mut layout,
        ..
    } = drawing;
    for label in &layout.labels {
        layout.width = layout.width.max(label.x + label.width() / 2.0 + MARGIN);
    }
    layout.states = states;
    layout.height = below + MARGIN;
    layout
}

/// How much room each state needs above it for arrows that lead back to itself.
fn loop_heights(count: usize, arrows: &[&Arrow]) -> Vec<f64> {
    let mut heights = vec![0.0; count];
    for arrow in arrows.iter().filter(|arrow| arrow.from == arrow.to) {
        heights[arrow.from] = lines(arrow).len() as f64 * LINE + 24.0;
    }
    heights
}

fn track_height(arrows: &[&Arrow], columns: &[usize], is_on: impl Fn(usize, usize) -> bool) -> f64 {
    let on = arrows
        .iter()
        .filter(|arrow| is_on(columns[arrow.from], columns[arrow.to]));
    on.map(|arrow| lines(arrow).len() as f64 * LINE + 10.0)
        .sum()
}

/// Puts the states into their columns; the width of all and where they end below.
fn place(
    states: &mut [Placed],
    columns: &[usize],
    arrows: &[&Arrow],
    loops: &[f64],
    top: f64,
) -> (f64, f64) {
    let last = columns.iter().copied().max().unwrap_or(0);
    let in_column = |column: usize| (0..columns.len()).filter(move |&s| columns[s] == column);
    let heights: Vec<f64> = (0..=last)
        .map(|column| {
            let all = in_column(column).map(|s| states[s].height + loops[s] + GAP);
            all.sum::<f64>() - GAP
        })
        .collect();
    let tallest = heights.iter().copied().fold(0.0, f64::max);
    // Room for the dot before the initial state.
    let mut x = MARGIN + 24.0;
    for (column, height) in heights.iter().enumerate() {
        let members: Vec<usize> = in_column(column).collect();
        let width = members.iter().map(|&s| states[s].width).fold(0.0, f64::max);
        let mut y = top + (tallest - height) / 2.0;
        for s in members {
            y += loops[s];
            states[s].x = x + width / 2.0;
            states[s].y = y + states[s].height / 2.0;
            y += states[s].height + GAP;
        }
        let leaving = arrows.iter().filter(|arrow| {
            columns[arrow.from] == column
                && (columns[arrow.to] == column + 1 || columns[arrow.to] == column)
        });
        let names = leaving
            .map(|arrow| widest(&lines(arrow)))
            .fold(0.0, f64::max);
        x += width
            + if names > 0.0 {
                names + BEND + 26.0
            } else {
                40.0
            };
    }
    (x, top + tallest + 10.0)
}

struct Drawing {
    states: Vec<Placed>,
    columns: Vec<usize>,
    /// Tracks above and below end here so far.
    above: f64,
    below: f64,
    /// How many tracks reach each state so far, and the left and the right of each column.
    used: Vec<u32>,
    lanes: Vec<u32>,
    /// How many arrows go to the next column, and come from the one before.
    leaving: Vec<usize>,
    arriving: Vec<usize>,
    layout: Layout,
}

impl Drawing {
    fn arrow(&mut self, arrow: &Arrow) {
        let (from, to) = (self.columns[arrow.from], self.columns[arrow.to]);
        if arrow.from == arrow.to {
            self.back_to_itself(arrow);
        } else if to == from + 1 {
            self.straight(arrow);
        } else if to == from {
            self.beside(arrow);
        } else {
            self.on_track(arrow, to > from);
        }
    }

    fn back_to_itself(&mut self, arrow: &Arrow) {
        let state = self.states[arrow.from];
        let (x, top) = (state.x, state.y - state.height / 2.0);
        let lines = lines(arrow);
        self.layout.paths.push(format!(
            "M{:.1} {top:.1} C{:.1} {:.1} {:.1} {:.1} {:.1} {top:.1}",
            x - 12.0,
            x - 18.0,
            top - 26.0,
            x + 18.0,
            top - 26.0,
            x + 12.0
        ));
        let y = top - 22.0 - lines.len() as f64 * LINE / 2.0;
        self.layout.labels.push(Label { x, y, lines });
    }

    /// To the next column: a bend, then a line for the name. The bend is where more arrows meet, so that the lines lie apart.
    fn straight(&mut self, arrow: &Arrow) {
        let (a, b) = (self.states[arrow.from], self.states[arrow.to]);
        let start = (a.x + a.width / 2.0, a.y);
        let end = (b.x - b.width / 2.0, b.y);
        let bend_first = self.leaving[arrow.from] >= self.arriving[arrow.to];
        let bend = BEND.min((end.0 - start.0) / 2.0);
        let (path, line, y) = if bend_first {
            let corner = start.0 + bend;
            let middle = start.0 + bend / 2.0;
            let path = format!(
                "M{:.1} {:.1} C{middle:.1} {:.1} {middle:.1} {:.1} {corner:.1} {:.1} L{:.1} {:.1}",
                start.0, start.1, start.1, end.1, end.1, end.0, end.1
            );
            (path, (corner, end.0), end.1)
        } else {
            let corner = end.0 - bend;
            let middle = end.0 - bend / 2.0;
            let path = format!(
                "M{:.1} {:.1} L{corner:.1} {:.1} C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}",
                start.0, start.1, start.1, start.1, end.1, end.0, end.1
            );
            (path, (start.0, corner), start.1)
        };
        self.label_along(arrow, path, |t| (line.0 + (line.1 - line.0) * t, y));
    }

    /// Between states of one column, at their right.
    fn beside(&mut self, arrow: &Arrow) {
        let (a, b) = (self.states[arrow.from], self.states[arrow.to]);
        let start = (a.x + a.width / 2.0, a.y);
        let end = (b.x + b.width / 2.0, b.y);
        let out = start.0.max(end.0) + 30.0;
        let path = format!(
            "M{:.1} {:.1} C{out:.1} {:.1} {out:.1} {:.1} {:.1} {:.1}",
            start.0, start.1, start.1, end.1, end.0, end.1
        );
        let x = out - 6.0 + widest(&lines(arrow)) / 2.0;
        let at = |t: f64| (x, start.1 + (end.1 - start.1) * t);
        self.label_along(arrow, path, at);
    }

    /// Puts the label where it is nearest to the middle without covering anything.
    fn label_along(&mut self, arrow: &Arrow, path: String, at: impl Fn(f64) -> (f64, f64)) {
        let lines = lines(arrow);
        let candidates = [0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2].map(|t| {
            let ((x, y), lines) = (at(t), lines.clone());
            Label { x, y, lines }
        });
        let is_free = |label: &&Label| {
            !self.layout.labels.iter().any(|other| label.meets(other))
                && !self.states.iter().any(|state| label.covers(state))
        };
        let best = candidates.iter().find(is_free).unwrap_or(&candidates[0]);
        self.layout.labels.push(best.clone());
        self.layout.paths.push(path);
    }

    fn on_track(&mut self, arrow: &Arrow, above: bool) {
        let lines = lines(arrow);
        let height = lines.len() as f64 * LINE + 10.0;
        let track = if above {
            self.above -= height;
            self.above + height / 2.0
        } else {
            self.below += height;
            self.below - height / 2.0
        };
        let away = if above { -1.0 } else { 1.0 };
        let start = self.port(arrow.from, away, 1.0);
        let end = self.port(arrow.to, away, -1.0);
        let turn = -8.0 * away;
        let toward = if end.x < start.x { -8.0 } else { 8.0 };
        let mut path = format!("M{:.1} {:.1}", start.touch.0, start.touch.1);
        if !start.is_straight {
            path += &format!(" L{:.1} {:.1}", start.x, start.touch.1);
        }
        path += &format!(
            " L{:.1} {:.1} Q{:.1} {track:.1} {:.1} {track:.1}",
            start.x,
            track + turn,
            start.x,
            start.x + toward
        );
        path += &format!(
            " L{:.1} {track:.1} Q{:.1} {track:.1} {:.1} {:.1} L{:.1} {:.1}",
            end.x - toward,
            end.x,
            end.x,
            track + turn,
            end.x,
            end.touch.1
        );
        if !end.is_straight {
            path += &format!(" L{:.1} {:.1}", end.touch.0, end.touch.1);
        }
        self.layout.paths.push(path);
        let x = f64::midpoint(start.x, end.x);
        let left = widest(&lines) / 2.0 + MARGIN;
        let (x, y) = (x.max(left), track);
        self.layout.labels.push(Label { x, y, lines });
    }

    /// Where an arrow on a track leaves or reaches a state: above or below it if nothing of its column is in between, otherwise at its side.
    fn port(&mut self, state: usize, away: f64, side: f64) -> Port {
        let placed = self.states[state];
        let column = self.columns[state];
        let others = || (0..self.states.len()).filter(|&other| self.columns[other] == column);
        let outermost = others().all(|other| (self.states[other].y - placed.y) * away <= 0.0);
        let used = f64::from(self.used[state]);
        self.used[state] += 1;
        if outermost {
            // Ports alternate around the middle.
            let even = self.used[state].is_multiple_of(2);
            let shift = (used / 2.0).ceil() * if even { 8.0 } else { -8.0 };
            let room = placed.width / 2.0 - 6.0;
            let x = placed.x + shift.clamp(-room, room);
            let touch = (x, placed.y + away * placed.height / 2.0);
            return Port {
                x,
                touch,
                is_straight: true,
            };
        }
        let edge = others()
            .map(|other| self.states[other].width / 2.0)
            .fold(0.0, f64::max);
        let lane = &mut self.lanes[column * 2 + usize::from(side > 0.0)];
        *lane += 1;
        let x = placed.x + side * (edge + 13.0 + 6.0 * f64::from((*lane - 1) % 3));
        let y = placed.y + away * (placed.height / 2.0 - 8.0);
        Port {
            x,
            touch: (placed.x + side * placed.width / 2.0, y),
            is_straight: false,
        }
    }
}

/// Where an arrow on a track turns, and where it touches the state.
struct Port {
    x: f64,
    touch: (f64, f64),
    /// Both have the same x.
    is_straight: bool,
}
