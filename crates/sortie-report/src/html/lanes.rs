//! A witness as swim lanes: a lane for each component, time going down, steps of several components as lines between their lanes.
//!
//! Where a model does not say who takes part, the lanes are the parts of the state that steps change. Drawn in pieces, so that a printed page
//! ends between two of them; the names stand in the head of a table and come again on every page.

use crate::markup::{escaped, one_line};
use crate::story::Story;
use crate::units::{length, shortened};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

/// How high a step is.
const ROW: f64 = 34.0;
/// Steps in one piece.
const PIECE: usize = 12;
/// Where the first lane begins; numbers of steps stand before it.
const LEFT: f64 = 48.0;
/// How wide a letter is, at most, of labels and of names, which are bold.
const LETTER: f64 = 7.0;
const BOLD_LETTER: f64 = 8.0;
/// A row goes on to the end of the window, however wide.
const FAR: f64 = 9999.0;
/// Longer texts are cut; the table has them in full.
const LONGEST_LABEL: usize = 44;
const LONGEST_NAME: usize = 22;
/// With more lanes than this, nothing can be seen.
const MOST_FIELDS: usize = 16;
const HEAD: f64 = 34.0;
const COLOURS: usize = 8;

/// Draws the steps in these ranges.
pub fn draw(out: &mut String, story: &Story, drawn: &[Range<usize>]) {
    let Some(plan) = Plan::of(story) else {
        return;
    };
    let _ = writeln!(
        out,
        "<div class=\"lanes scroll\" tabindex=\"0\" aria-label=\"steps as lanes\">\n<table><thead><tr><th>{}</th></tr></thead>\n<tbody>",
        plan.names()
    );
    let mut expected = 0;
    for range in drawn {
        if range.start > expected {
            let hidden = range.start - expected;
            *out += &format!("<tr class=\"gap\"><td>… {hidden} steps are left out …</td></tr>\n");
        }
        expected = range.end;
        for begin in range.clone().step_by(PIECE) {
            let piece = plan.piece(begin..(begin + PIECE).min(range.end));
            let _ = writeln!(out, "<tr><td>{piece}</td></tr>");
        }
    }
    out.push_str("</tbody></table>\n");
    if !plan.idle.is_empty() {
        let idle = escaped(&plan.idle.join(", "));
        let _ = writeln!(out, "<p class=\"idle\">not taking part: {idle}</p>");
    }
    if plan.by_fields {
        out.push_str(
            "<p class=\"idle\">The lanes are the parts of the state that steps change.</p>\n",
        );
    }
    out.push_str("</div>\n");
}

struct Plan<'a> {
    story: &'a Story,
    names: Vec<&'a str>,
    /// For each step, its lanes.
    lanes: Vec<Vec<usize>>,
    by_fields: bool,
    idle: Vec<&'a str>,
    lane_width: f64,
    width: f64,
}

impl<'a> Plan<'a> {
    /// None if there is nothing to draw, or so much that it could not be read.
    fn of(story: &'a Story) -> Option<Self> {
        let by_fields = story.steps.iter().all(|step| step.parts.is_empty());
        let touched = story.steps.iter().map(|step| match by_fields {
            true => step.changes.iter().map(|change| change.field).collect(),
            false => step.parts.clone(),
        });
        let touched: Vec<Vec<usize>> = touched.collect();
        let used: BTreeSet<usize> = touched.iter().flatten().copied().collect();
        if used.is_empty() || by_fields && used.len() > MOST_FIELDS {
            return None;
        }
        let all = match by_fields {
            true => &story.fields,
            false => &story.components,
        };
        let used: Vec<usize> = used.into_iter().collect();
        let place = |number: &usize| used.binary_search(number).unwrap_or(0);
        let lanes = touched.iter().map(|all| all.iter().map(place).collect());
        let lanes: Vec<Vec<usize>> = lanes.collect();
        let idle = (0..all.len()).filter(|n| !by_fields && used.binary_search(n).is_err());
        let idle = idle.map(|number| all[number].as_str()).collect();
        let names: Vec<&str> = used.iter().map(|&number| all[number].as_str()).collect();
        let longest = names.iter().map(|name| length(name).min(LONGEST_NAME));
        let longest = longest.max();
        let lane_width = (longest.unwrap_or(0) as f64 * BOLD_LETTER + 24.0).clamp(96.0, 210.0);
        let mut plan = Plan {
            story,
            names,
            lanes,
            by_fields,
            idle,
            lane_width,
            width: 0.0,
        };
        let ends = (0..story.len()).map(|step| {
            let (x, anchor, text) = plan.label(step);
            let wide = length(&text) as f64 * LETTER;
            x + if anchor == "middle" { wide / 2.0 } else { wide }
        });
        plan.width = ends.fold(plan.x(plan.names.len()), f64::max) + 8.0;
        Some(plan)
    }

    fn x(&self, lane: usize) -> f64 {
        LEFT + self.lane_width * (lane as f64 + 0.5)
    }

    /// Where the label of a step stands, what of it stands there, and the label.
    fn label(&self, step: usize) -> (f64, &'static str, String) {
        let text = cut(&self.story.steps[step].label, LONGEST_LABEL);
        let lanes = &self.lanes[step];
        match (lanes.first(), lanes.last()) {
            (Some(&one), Some(&other)) if one != other => {
                let middle = (self.x(one) + self.x(other)) / 2.0;
                let half = length(&text) as f64 * LETTER / 2.0;
                (middle.max(LEFT + half), "middle", text)
            }
            (Some(&one), _) => (self.x(one) + 12.0, "start", text),
            _ => (LEFT, "start", text),
        }
    }

    /// The names of the lanes.
    fn names(&self) -> String {
        let mut out = svg(self.width, HEAD, "names of the lanes");
        for (lane, name) in self.names.iter().enumerate() {
            let (x, wide) = (self.x(lane), self.lane_width - 12.0);
            let _ = write!(
                out,
                "<g class=\"c{}\"><title>{}</title><rect class=\"name\" x=\"{:.1}\" y=\"4\" width=\"{wide:.1}\" height=\"24\" rx=\"6\"/>\
                 <text x=\"{x:.1}\" y=\"20\" text-anchor=\"middle\">{}</text></g>",
                lane % COLOURS,
                escaped(name),
                x - wide / 2.0,
                escaped(&cut(name, LONGEST_NAME))
            );
        }
        out + "</svg>"
    }

    fn piece(&self, steps: Range<usize>) -> String {
        let height = ROW * steps.len() as f64;
        let what = format!("steps {} to {}", steps.start + 1, steps.end);
        let mut out = svg(self.width, height, &what);
        if let Some(begin) = self.story.cycle
            && steps.end > begin
        {
            let top = ROW * begin.saturating_sub(steps.start) as f64;
            let _ = write!(
                out,
                "<rect class=\"loop\" x=\"0\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>for ever</title></rect>",
                FAR,
                height - top
            );
        }
        for lane in 0..self.names.len() {
            let _ = write!(
                out,
                "<line class=\"life\" x1=\"{0:.1}\" y1=\"0\" x2=\"{0:.1}\" y2=\"{height:.1}\"/>",
                self.x(lane)
            );
        }
        for (row, step) in steps.enumerate() {
            self.step(&mut out, row, step);
        }
        out + "</svg>"
    }

    fn step(&self, out: &mut String, row: usize, step: usize) {
        let top = ROW * row as f64;
        let label = &self.story.steps[step].label;
        let round = match self.story.cycle {
            Some(begin) if step >= begin => " round",
            _ => "",
        };
        let _ = write!(
            out,
            "<g class=\"row{round}\" data-step=\"{0}\"><title>{0}: {1}</title><rect class=\"hit\" x=\"0\" y=\"{top:.1}\" width=\"{2:.1}\" height=\"{ROW}\"/>\
             <text class=\"number\" x=\"36\" y=\"{3:.1}\" text-anchor=\"end\">{0}</text>",
            step + 1,
            escaped(label),
            FAR,
            top + 21.0
        );
        let lanes = &self.lanes[step];
        let several = lanes.len() > 1;
        let line = top + if several { 23.0 } else { 17.0 };
        let (from, to) = match (lanes.first(), lanes.last()) {
            (Some(&one), Some(&other)) => (self.x(one), self.x(other)),
            _ => (LEFT, self.x(self.names.len() - 1)),
        };
        if several || lanes.is_empty() {
            let is_message = several && !self.by_fields;
            let kind = if is_message { "message" } else { "joint" };
            *out += &format!(
                "<line class=\"{kind}\" x1=\"{from:.1}\" y1=\"{line:.1}\" x2=\"{to:.1}\" y2=\"{line:.1}\"/>"
            );
        }
        for &lane in lanes {
            let (colour, x) = (lane % COLOURS, self.x(lane));
            let at = format!("cx=\"{x:.1}\" cy=\"{line:.1}\"");
            let _ = write!(out, "<circle class=\"c{colour}\" {at} r=\"5\"/>");
        }
        let (x, anchor, text) = self.label(step);
        let base = if several { top + 14.0 } else { top + 21.0 };
        let _ = write!(
            out,
            "<text class=\"label\" x=\"{x:.1}\" y=\"{base:.1}\" text-anchor=\"{anchor}\">{}</text></g>",
            escaped(&text)
        );
    }
}

fn svg(width: f64, height: f64, what: &str) -> String {
    format!(
        "<svg role=\"img\" aria-label=\"{what}\" style=\"--width: {width:.0}px\" \
         height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" preserveAspectRatio=\"xMinYMin meet\">"
    )
}

fn cut(text: &str, most: usize) -> String {
    shortened(&one_line(text), most)
}
