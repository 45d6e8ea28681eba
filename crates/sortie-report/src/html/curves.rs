//! What a search told while it ran, as pictures: how much it had seen, how much was new, and the highway level by level.

use crate::chart::{Series, Shape, Vertical, svg};
use crate::record::Course;
use std::fmt::Write;

/// The pictures for which something was told.
pub fn draw(out: &mut String, course: &Course) {
    out.push_str("<div class=\"curves\">\n");
    if course.levels.len() > 1 {
        figure(
            out,
            "highway",
            &road(course),
            "The search level by level: as wide as the level has states.",
        );
        let mut seen = 0.0;
        let points = course.levels.iter().map(|point| {
            seen += point.states as f64;
            ((point.level + point.levels - 1) as f64, seen)
        });
        let picture = line(
            "Coverage",
            "level",
            Vertical::Linear("states seen"),
            points.collect(),
        );
        figure(
            out,
            "coverage",
            &picture,
            "States on all levels so far. While it bends upwards there is more to see.",
        );
    }
    if course.saturation.len() > 1 {
        let mut seen = 0.0;
        let points = course.saturation.iter().map(|point| {
            seen += point.new as f64;
            (point.met as f64, seen)
        });
        let picture = line(
            "Coverage",
            "states met",
            Vertical::Linear("different states"),
            points.collect(),
        );
        figure(
            out,
            "coverage",
            &picture,
            "How many of the states met were new, all in all. Where it is flat, the search meets what it knows.",
        );
        let shares = course.saturation.iter().filter(|point| point.lately > 0);
        let shares = shares.map(|point| (point.met as f64, point.new as f64 / point.lately as f64));
        let picture = line(
            "Saturation",
            "states met",
            Vertical::Linear("share that was new"),
            shares.collect(),
        );
        figure(
            out,
            "saturation",
            &picture,
            "How much of what was met lately was new. Towards zero, the search is saturated.",
        );
    }
    for (axis, points) in &course.success {
        let series = [Series {
            name: String::new(),
            points: points.clone(),
        }];
        let title = format!("Success by {axis}");
        let picture = svg(
            &title,
            axis,
            Vertical::Linear("share of runs"),
            Shape::Steps,
            &series,
        );
        figure(
            out,
            "success",
            &picture,
            "The share of runs that had found something by then.",
        );
    }
    out.push_str("</div>\n");
}

/// A curve that needs no name.
fn line(title: &str, axis: &str, vertical: Vertical<'_>, points: Vec<(f64, f64)>) -> String {
    let series = Series {
        name: String::new(),
        points,
    };
    svg(title, axis, vertical, Shape::Lines, &[series])
}

fn figure(out: &mut String, kind: &str, picture: &str, caption: &str) {
    let _ = writeln!(
        out,
        "<figure class=\"{kind}\">\n{picture}<figcaption>{caption}</figcaption>\n</figure>"
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
    let widest = levels
        .iter()
        .map(|point| point.widest)
        .max()
        .unwrap_or(1)
        .max(1);
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
    let _ = write!(
        out,
        "<path class=\"road\" d=\"M{LEFT:.1} {middle:.1}{over}{under}Z\"/>"
    );
    let lanes = widest.min(MARKED_LANES);
    for lane in 1..lanes {
        // The border between two lanes is there where the level is wide enough to have both.
        let y = middle + half(widest) * (2.0 * lane as f64 / lanes as f64 - 1.0);
        let mut marks = String::new();
        for point in levels
            .iter()
            .filter(|point| half(point.widest) > (y - middle).abs())
        {
            let _ = write!(
                marks,
                "M{:.1} {y:.1}H{:.1}",
                x(point.level),
                x(point.level + point.levels)
            );
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
