//! Curves as SVG and CSV: shares between 0 and 1, or ratios, against a growing quantity.

use std::fmt::Write;

/// One curve with its name.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Value and share or ratio, by growing value.
    pub points: Vec<(f64, f64)>,
}

/// How points are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A step function that begins at zero: cumulative shares.
    Steps,
    /// Straight lines from point to point: separate measurements.
    Lines,
}

/// The vertical axis with its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vertical<'a> {
    /// From zero to one, or to the greatest value above that.
    Linear(&'a str),
    /// Whole powers of ten around all values above zero; other values are not drawn.
    Logarithmic(&'a str),
}

const COLOURS: [&str; 8] = [
    "#1b6ca8", "#c8553d", "#3d8361", "#8e5ea2", "#b5890d", "#d6619c", "#4c4c4c", "#2a9d8f",
];

const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
/// Room for names of up to 28 letters; longer ones make the picture wider.
const RIGHT: f64 = 220.0;
const LETTER: f64 = 6.6;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// A self-contained SVG picture, readable on light and dark ground.
pub fn svg(
    title: &str,
    axis: &str,
    vertical: Vertical<'_>,
    shape: Shape,
    series: &[Series],
) -> String {
    let most = series.iter().filter_map(|s| s.points.last()).map(|p| p.0);
    let most = most.fold(1.0, f64::max);
    let longest = series.iter().map(|s| s.name.chars().count()).max();
    let names = 36.0 + LETTER * longest.unwrap_or(0) as f64;
    // A single curve may go without a name: the axis says it all.
    let right = match longest {
        Some(0) => LEFT / 2.0,
        _ => RIGHT,
    };
    let width = WIDTH + (names - RIGHT).max(0.0);
    let step = tick(most);
    let end = (most / step).ceil() * step;
    let x = |value: f64| LEFT + value / end * (WIDTH - LEFT - right);
    let scale = Heights::of(vertical, series);
    let (Vertical::Linear(height) | Vertical::Logarithmic(height)) = vertical;
    let at_height = |part: f64| HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
    let (bottom, top) = (at_height(0.0), at_height(1.0));

    let mut out = String::new();
    let mut draw = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    draw(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"12\" class=\"chart\">"
    ));
    draw(format!(
        "<rect class=\"ground\" width=\"{width}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>"
    ));
    draw(format!(
        "<text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>",
        escaped(title)
    ));
    let mut at = 0.0;
    while at <= end + step / 2.0 {
        draw(format!(
            "<line x1=\"{0:.1}\" y1=\"{1:.1}\" x2=\"{0:.1}\" y2=\"{2:.1}\" stroke=\"#e0e0e0\" class=\"grid\"/>\
             <text x=\"{0:.1}\" y=\"{3:.1}\" text-anchor=\"middle\">{4}</text>",
            x(at),
            bottom,
            top,
            bottom + 18.0,
            number(at)
        ));
        at += step;
    }
    for (part, label) in scale.ticks() {
        draw(format!(
            "<line x1=\"{0:.1}\" y1=\"{2:.1}\" x2=\"{1:.1}\" y2=\"{2:.1}\" stroke=\"#e0e0e0\" class=\"grid\"/>\
             <text x=\"{3:.1}\" y=\"{4:.1}\" text-anchor=\"end\">{label}</text>",
            x(0.0),
            x(end),
            at_height(part),
            x(0.0) - 6.0,
            at_height(part) + 4.0
        ));
    }
    draw(format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        (x(0.0) + x(end)) / 2.0,
        HEIGHT - 10.0,
        escaped(axis)
    ));
    draw(format!(
        "<text transform=\"rotate(-90)\" x=\"{:.1}\" y=\"14\" text-anchor=\"middle\">{}</text>",
        -(bottom + top) / 2.0,
        escaped(height)
    ));
    for (index, curve) in series.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        // Where colours come again, lines are dashed.
        let dashes = match index / COLOURS.len() {
            0 => "",
            1 => " stroke-dasharray=\"6 4\"",
            _ => " stroke-dasharray=\"2 3\"",
        };
        let mut path = String::new();
        if shape == Shape::Steps {
            let _ = write!(path, "M{:.1} {:.1}", x(0.0), bottom);
        }
        for &(value, height) in &curve.points {
            let Some(height) = scale.part(height).map(at_height) else {
                continue;
            };
            let _ = match shape {
                Shape::Steps => write!(path, "H{:.1}V{:.1}", x(value), height),
                Shape::Lines => {
                    let pen = if path.is_empty() { 'M' } else { 'L' };
                    write!(path, "{pen}{:.1} {:.1}", x(value), height)
                }
            };
        }
        if shape == Shape::Steps {
            let _ = write!(path, "H{:.1}", x(end));
        }
        draw(format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"
        ));
        if curve.name.is_empty() {
            continue;
        }
        let legend = TOP + 10.0 + 18.0 * index as f64;
        draw(format!(
            "<path d=\"M{0:.1} {1:.1}h14\" stroke=\"{colour}\" stroke-width=\"4\"{dashes}/>\
             <text x=\"{2:.1}\" y=\"{3:.1}\">{4}</text>",
            WIDTH - RIGHT + 11.0,
            legend - 4.0,
            WIDTH - RIGHT + 30.0,
            legend,
            escaped(&curve.name)
        ));
    }
    draw("</svg>".into());
    out
}

/// The points of all curves: name, value, share or what else `height` says.
pub fn csv(axis: &str, height: &str, series: &[Series]) -> String {
    let mut table = crate::table::Table::new(["series", axis, height]);
    for curve in series {
        for (value, share) in &curve.points {
            table.row([curve.name.clone(), value.to_string(), format!("{share:.6}")]);
        }
    }
    table.csv()
}

/// Where heights lie between bottom (0) and top (1).
enum Heights {
    /// From zero to this.
    Linear(f64),
    /// Between these powers of ten.
    Powers(i32, i32),
}

impl Heights {
    fn of(vertical: Vertical<'_>, series: &[Series]) -> Heights {
        let heights = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
        match vertical {
            Vertical::Linear(_) => Heights::Linear(heights().fold(1.0, f64::max)),
            Vertical::Logarithmic(_) => {
                let powers = || heights().filter(|h| *h > 0.0).map(f64::log10);
                // One is always in the picture: it is where both sides of a ratio are equal.
                let low = powers().fold(0.0, f64::min).floor() as i32;
                let high = powers().fold(0.0, f64::max).ceil() as i32;
                Heights::Powers(low, high.max(low + 1))
            }
        }
    }

    fn part(&self, height: f64) -> Option<f64> {
        match *self {
            Heights::Linear(top) => Some(height / top),
            Heights::Powers(low, high) => {
                (height > 0.0).then(|| (height.log10() - f64::from(low)) / f64::from(high - low))
            }
        }
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        match *self {
            Heights::Linear(top) => {
                let label = |height: f64| match top {
                    ..=1.0 => format!("{:.0} %", height * 100.0),
                    100.0.. => number(height.round()),
                    _ => format!("{height:.1}"),
                };
                let parts = (0..=4).map(|part| f64::from(part) / 4.0);
                parts.map(|part| (part, label(part * top))).collect()
            }
            Heights::Powers(low, high) => {
                let part = |power: i32| f64::from(power - low) / f64::from(high - low);
                let label = |power: i32| 10f64.powi(power).to_string();
                let powers = low..=high;
                powers.map(|power| (part(power), label(power))).collect()
            }
        }
    }
}

/// A number beside a tick, short enough to stand there.
fn number(value: f64) -> String {
    if value >= 1e6 {
        // Two digits after the point, as far as they say something.
        format!("{} M", (value / 1e4).round() / 100.0)
    } else if value >= 1e4 {
        let value = value as u64;
        format!("{}\u{202f}{:03}", value / 1000, value % 1000)
    } else {
        // Sums of fractions are not exact, and nobody wants to read how much.
        ((value * 1e6).round() / 1e6).to_string()
    }
}

/// A distance between ticks of 1, 2 or 5 times a power of ten, for at most six ticks.
fn tick(most: f64) -> f64 {
    let power = 10f64.powf((most / 4.0).log10().floor());
    let fits = |factor: &f64| most / (factor * power) <= 6.0;
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(fits);
    factor.unwrap_or(10.0) * power
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!(tick(10.0), 2.0);
        assert_eq!(tick(50_000.0), 10_000.0);
        assert_eq!(tick(1.0), 0.2);
    }

    #[test]
    fn large_numbers_are_short() {
        assert_eq!(number(0.25), "0.25");
        assert_eq!(number(0.2 + 0.2 + 0.2), "0.6");
        assert_eq!(number(9999.0), "9999");
        assert_eq!(number(12_034.0), "12\u{202f}034");
        assert_eq!(number(2_500_000.0), "2.5 M");
        assert_eq!(number(10_000_000.0), "10 M");
    }

    #[test]
    fn a_picture_of_nothing_is_still_a_picture() {
        let (name, points) = ("a & b".into(), Vec::new());
        let (share, series) = (Vertical::Linear("share"), [Series { name, points }]);
        let picture = svg("<none>", "states", share, Shape::Steps, &series);
        assert!(picture.contains("&lt;none&gt;") && picture.contains("a &amp; b"));
        assert!(picture.ends_with("</svg>\n"));
        assert!(!picture.contains("NaN"));
    }

    #[test]
    fn measurements_are_joined_by_lines_that_do_not_begin_at_zero() {
        let series = [Series {
            name: "falling".into(),
            points: vec![(10.0, 1.0), (20.0, 0.0)],
        }];
        let path = |shape| {
            let picture = svg("", "", Vertical::Linear(""), shape, &series);
            let path = picture.split("<path d=\"").nth(1).expect("a curve");
            path.split('"').next().expect("its end").to_string()
        };
        assert_eq!(path(Shape::Lines), "M310.0 40.0L560.0 350.0");
        assert!(path(Shape::Steps).starts_with("M60.0 350.0H310.0V40.0"));
    }

    #[test]
    fn powers_of_ten_are_equally_far_apart() {
        let series = [Series {
            name: "ratio".into(),
            points: vec![(10.0, 0.1), (15.0, 0.0), (20.0, 10.0)],
        }];
        let picture = svg("", "", Vertical::Logarithmic(""), Shape::Lines, &series);
        assert!(picture.contains("M310.0 350.0L560.0 40.0"), "{picture}");
        for label in [">0.1<", ">1<", ">10<"] {
            assert!(picture.contains(label), "{label}: {picture}");
        }
    }
}
