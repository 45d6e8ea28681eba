//! Pictures that any browser shows.

use super::layout::{LETTER, LINE, Layout, layout};
use super::{MOST_STATES, Shape, marks, remarkable, shapes};
use crate::System;
use std::fmt::Write;

/// Sentences are broken into lines of so many letters.
const SENTENCE: usize = 110;

const STYLE: &str = "
  .page { fill: #ffffff; }
  .frame { fill: none; stroke: #b8bcc4; }
  .state { fill: #f5f6f8; stroke: #30343c; stroke-width: 1.2; }
  .inner { fill: none; stroke: #30343c; }
  .fault { fill: #f4b6b0; }
  .progress { fill: #bfe5c2; }
  .accept { fill: #b9d3f5; }
  .arrow { fill: none; stroke: #5a606c; stroke-width: 1.1; marker-end: url(#tip); }
  .tip, .dot { fill: #5a606c; }
  text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #16181d; }
  .title { font: bold 14px sans-serif; }
  .mark { font-size: 10px; font-style: italic; }
  .middle { text-anchor: middle; }
  .words { font-size: 11px; fill: #40444d; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #15171b; }
    .frame { stroke: #4a4f59; }
    .state { fill: #23262d; stroke: #c8ccd4; }
    .inner { stroke: #c8ccd4; }
    .fault { fill: #7c2b24; }
    .progress { fill: #25532b; }
    .accept { fill: #24466f; }
    .arrow { stroke: #9aa1ae; }
    .tip, .dot { fill: #9aa1ae; }
    text { fill: #e8eaee; }
    .words { fill: #b4bac6; }
  }
";

/// The machines as a picture without anything around it: states in boxes, arrows with the names of transitions, and below each machine what its transitions ask
/// and do. End states have two borders, fault states are red, progress states green, accepting states blue, and all say so in words.
pub fn svg(system: &System) -> String {
    let shapes = shapes(system);
    let mut body = String::new();
    let mut y = 10.0;
    let mut width = 300.0_f64;
    for shape in &shapes {
        let drawn = layout(system, shape);
        let words: Vec<String> = shape.words.iter().flat_map(|s| broken(s)).collect();
        let longest = words.iter().map(|line| line.chars().count()).max();
        let words_width = longest.unwrap_or(0) as f64 * LETTER * 11.0 / 12.0 + 40.0;
        let title = shape.title(system);
        let title_width = title.chars().count() as f64 * 9.0 + 30.0;
        let frame = drawn.width.max(words_width).max(title_width);
        let height = 34.0 + drawn.height + words.len() as f64 * LINE + 14.0;
        let _ = writeln!(body, "<g transform=\"translate(10 {y:.1})\">");
        let _ = writeln!(
            body,
            "<rect class=\"frame\" width=\"{frame:.1}\" height=\"{height:.1}\" rx=\"6\"/>"
        );
        let _ = writeln!(
            body,
            "<text class=\"title\" x=\"14\" y=\"24\">{}</text>",
            escaped(&title)
        );
        let _ = writeln!(body, "<g transform=\"translate(0 34)\">");
        machine(&mut body, system, shape, &drawn);
        body.push_str("</g>\n");
        for (nth, line) in words.iter().enumerate() {
            let at = 34.0 + drawn.height + (nth as f64 + 0.6) * LINE;
            let _ = writeln!(
                body,
                "<text class=\"words\" x=\"16\" y=\"{at:.1}\" xml:space=\"preserve\">{}</text>",
                escaped(line)
            );
        }
        body.push_str("</g>\n");
        y += height + 14.0;
        width = width.max(frame + 20.0);
    }
    let left_out = system.machines.len() - shapes.iter().map(|s| s.alike).sum::<usize>();
    if left_out > 0 {
        y += LINE;
        let _ = writeln!(
            body,
            "<text x=\"14\" y=\"{y:.1}\">and {left_out} more machines of other shapes</text>"
        );
        y += LINE;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\" viewBox=\"0 0 {width:.0} {y:.0}\" role=\"img\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8Z\"/></marker></defs>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escaped(&system.name)
    )
}

fn machine(out: &mut String, system: &System, shape: &Shape, drawn: &Layout) {
    let machine = &system.machines[shape.machine];
    for path in &drawn.paths {
        let _ = writeln!(out, "<path class=\"arrow\" d=\"{path}\"/>");
    }
    for (number, (state, placed)) in machine.states.iter().zip(&drawn.states).enumerate() {
        let left = placed.x - placed.width / 2.0;
        let top = placed.y - placed.height / 2.0;
        if number == machine.initial as usize {
            let _ = writeln!(
                out,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/><path class=\"arrow\" d=\"M{:.1} {:.1}L{left:.1} {:.1}\"/>",
                left - 22.0,
                placed.y,
                left - 18.0,
                placed.y,
                placed.y
            );
        }
        let classes = ["state fault", "state accept", "state progress"];
        let class = remarkable(state).map_or("state", |place| classes[place]);
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\"/>",
            placed.width, placed.height
        );
        if state.may_end {
            let _ = writeln!(
                out,
                "<rect class=\"inner\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>",
                left + 3.0,
                top + 3.0,
                placed.width - 6.0,
                placed.height - 6.0
            );
        }
        let marks = marks(state);
        let name_at = if marks.is_empty() { 4.0 } else { -2.0 };
        let y = placed.y + name_at;
        text(out, "middle", placed.x, y, &escaped(&state.name));
        if !marks.is_empty() {
            text(out, "middle mark", placed.x, placed.y + 12.0, &marks);
        }
    }
    for label in &drawn.labels {
        let first = label.y - (label.lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
        let _ = writeln!(
            out,
            "<rect class=\"page\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            label.x - label.width() / 2.0 - 2.0,
            first - LINE + 3.0,
            label.width() + 4.0,
            label.lines.len() as f64 * LINE + 1.0
        );
        for (nth, line) in label.lines.iter().enumerate() {
            let y = first + nth as f64 * LINE;
            text(out, "middle", label.x, y, &escaped(line));
        }
    }
    if machine.states.len() > MOST_STATES {
        let _ = writeln!(
            out,
            "<text class=\"words\" x=\"16\" y=\"12\">and {} more states</text>",
            machine.states.len() - MOST_STATES
        );
    }
}

fn text(out: &mut String, class: &str, x: f64, y: f64, text: &str) {
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
    );
}

/// Breaks a sentence at blanks; what follows is indented.
fn broken(sentence: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in sentence.split(' ') {
        if !line.is_empty() && line.chars().count() + word.chars().count() >= SENTENCE {
            lines.push(std::mem::replace(&mut line, "     ".into()));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
