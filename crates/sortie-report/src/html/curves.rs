//! What a search told while it ran, as pictures: how much it had seen, how much was new, and the highway level by level.

use crate::chart::{Series, Shape, Vertical, svg};
use crate::record::{Course, LevelPoint};
use std::fmt::Write;

/// The pictures for which something was told.
pub fn draw(out: &mut String, course: &Course) {
    out.push_str("<div class=\"curves\">\n");
    if course.levels.len() > 1 {
        let caption = "The search level by level: as wide as the level has states.";
        figure(out, "highway", &road(course), caption);
        let levels = course.levels.iter();
        let states = levels.map(|p| ((p.level + p.levels - 1) as f64, p.states));
        let picture = line("Coverage", "level", "states seen", summed(states));
        let caption = "States on all levels so far. While it bends upwards there is more to see.";
        figure(out, "coverage", &picture, caption);
    }
    if course.saturation.len() > 1 {
        let new = course.saturation.iter().map(|p| (p.met as f64, p.new));
        let picture = line("Coverage", "states met", "different states", summed(new));
        let caption = "How many of the states met were new, all in all. Where it is flat, the search meets what it knows.";
        figure(out, "coverage", &picture, caption);
        let shares = course.saturation.iter().filter(|p| p.lately > 0);
        let shares = shares.map(|p| (p.met as f64, p.new as f64 / p.lately as f64));
        let points = shares.collect();
        let picture = line("Saturation", "states met", "share that was new", points);
        let caption =
            "How much of what was met lately was new. Towards zero, the search is saturated.";
        figure(out, "saturation", &picture, caption);
    }
    for (axis, points) in &course.success {
        let (title, share) = (format!("Success by {axis}"), "share of runs");
        let picture = curve(&title, axis, share, Shape::Steps, points.clone());
        let caption = "The share of runs that had found something by then.";
        figure(out, "success", &picture, caption);
    }
    out.push_str("</div>\n");
}

/// Numbers added up along an axis.
fn summed(numbers: impl Iterator<Item = (f64, u64)>) -> Vec<(f64, f64)> {
    let mut sum = 0.0;
    let added = numbers.map(|(at, number)| {
        sum += number as f64;
        (at, sum)
    });
    added.collect()
}

fn line(title: &str, axis: &str, height: &str, points: Vec<(f64, f64)>) -> String {
    curve(title, axis, height, Shape::Lines, points)
}

/// A curve that needs no name.
fn curve(title: &str, axis: &str, height: &str, shape: Shape, points: Vec<(f64, f64)>) -> String {
    let name = String::new();
    let series = [Series { name, points }];
    svg(title, axis, Vertical::Linear(height), shape, &series)
}

fn figure(out: &mut String, kind: &str, picture: &str, caption: &str) {
    *out += &format!(
        "<figure class=\"{kind}\">\n{picture}<figcaption>{caption}</figcaption>\n</figure>\n"
    );
}

const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 20.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 40.0;
/// More lanes are not marked one by one.
const MARKED_LANES: u64 = 12;

/// The levels as a road from left to right; its lanes are marked while they can be told apart.
fn road(course: &Course) -> String {
    let levels = &course.levels;
    let widest = levels.iter().map(|point| point.widest);
    let widest = widest.max().unwrap_or(1).max(1);
    let end = levels.last().map_or(1, |point| point.level + point.levels) as f64;
    let x = |level: u64| LEFT + level as f64 / end * (WIDTH - 2.0 * LEFT);
    let middle = (TOP + HEIGHT - BOTTOM) / 2.0;
    let half = |states: u64| states as f64 / widest as f64 * (HEIGHT - BOTTOM - TOP) / 2.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" class=\"chart\">\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">Highway</text>"
    );
    let (mut over, mut under) = (String::new(), String::new());
    for point in levels {
        let (from, to) = (x(point.level), x(point.level + point.levels));
        let half = half(point.widest).max(0.5);
        let _ = write!(over, "L{from:.1} {:.1}H{to:.1}", middle - half);
        under.insert_str(0, &format!("L{to:.1} {0:.1}H{from:.1}", middle + half));
    }
    out += &format!("<path class=\"road\" d=\"M{LEFT:.1} {middle:.1}{over}{under}Z\"/>");
    let lanes = widest.min(MARKED_LANES);
    for lane in 1..lanes {
        // The border between two lanes is there where the level is wide enough to have both.
        let y = middle + half(widest) * (2.0 * lane as f64 / lanes as f64 - 1.0);
        let mut marks = String::new();
        let is_wide = |point: &&LevelPoint| half(point.widest) > (y - middle).abs();
        for point in levels.iter().filter(is_wide) {
            let (from, to) = (x(point.level), x(point.level + point.levels));
            let _ = write!(marks, "M{from:.1} {y:.1}H{to:.1}");
        }
        let _ = write!(out, "<path class=\"marking\" d=\"{marks}\"/>");
    }
    for point in levels {
        let (from, to) = (x(point.level), x(point.level + point.levels));
        let name = match point.levels {
            1 => format!("level {}", point.level),
            levels => format!("levels {} to {}", point.level, point.level + levels - 1),
        };
        let _ = write!(
            out,
            "<rect class=\"hit\" x=\"{from:.2}\" y=\"{TOP}\" width=\"{:.2}\" height=\"{:.1}\"><title>{name}: {} states</title></rect>",
            to - from,
            HEIGHT - TOP - BOTTOM,
            point.states
        );
    }
    let last = levels
        .last()
        .map_or(0, |point| point.level + point.levels - 1);
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{0}\">level 0</text><text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">level {last}</text>\
         <text x=\"{2}\" y=\"{0}\" text-anchor=\"middle\">widest: {widest} states</text></svg>",
        HEIGHT - 14.0,
        WIDTH - LEFT,
        WIDTH / 2.0
    );
    out
}
