//! Sizes and times as people write them.

use sortie_model::Precision;
use std::time::Duration;

/// `500MB`, `8GiB`, `64k`: bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is not a size; write 500MB or 8GiB");
    let (number, unit) = split(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "kib" => 1 << 10,
        "m" | "mb" => 1_000_000,
        "mib" => 1 << 20,
        "g" | "gb" => 1_000_000_000,
        "gib" => 1 << 30,
        _ => return Err(wrong()),
    };
    let bytes = scaled(number, factor as f64).ok_or_else(wrong)?;
    Ok(bytes as u64)
}

/// `90s`, `10m`, `2h`, `1500ms`.
pub fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is not a time; write 90s, 10m or 2h");
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let total = scaled(number, seconds).ok_or_else(wrong)?;
    Duration::try_from_secs_f64(total).map_err(|_| wrong())
}

fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    (number, unit.trim())
}

fn scaled(number: &str, factor: f64) -> Option<f64> {
    let value = number.parse::<f64>().ok()? * factor;
    (value.is_finite() && value > 0.0).then_some(value)
}

/// A number with thousands separated, for people.
pub fn grouped(number: u64) -> String {
    grouped_by(number, ',')
}

/// A number with its thousands separated by this.
pub(crate) fn grouped_by(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(separator);
        }
        out.push(digit);
    }
    out
}

/// What stands before a count that is known so well.
pub fn about(precision: Precision) -> &'static str {
    match precision {
        Precision::Exact => "",
        Precision::Estimate => "about ",
        Precision::AtLeast => "at least ",
    }
}

/// Text whose lines are at most so long: longer ones go on, indented, in the next.
pub fn wrapped(text: &str, columns: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut length = 0;
        for (index, word) in line.split(' ').enumerate() {
            let room = word.chars().count();
            if index == 0 {
                length = room;
            } else if length + 1 + room > columns {
                out.push_str("\n  ");
                length = 2 + room;
            } else {
                out.push(' ');
                length += 1 + room;
            }
            out.push_str(word);
        }
        out.push('\n');
    }
    out
}

/// The number of letters of a text.
pub(crate) fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text cut to at most this number of letters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match length(text) <= most {
        true => text.to_owned(),
        false => text
            .chars()
            .take(most.saturating_sub(1))
            .chain(['…'])
            .collect(),
    }
}

/// So many of something: `1 step`, `2,000 steps`.
pub fn counted(number: u64, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
        assert_eq!(size("500MB"), Ok(500_000_000));
        assert_eq!(size("1.5 GiB"), Ok(3 << 29));
        assert_eq!(size("64k"), Ok(64_000));
        for wrong in ["", "MB", "-1MB", "0", "8 GoB", "1e400"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(time("1500ms"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("10m"), Ok(Duration::from_secs(600)));
        for wrong in ["", "m", "10x", "-5s", "0s"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn long_lines_go_on_in_the_next() {
        assert_eq!(wrapped("short  line\n", 11), "short  line\n");
        let lines = wrapped("one two three four\nend\n", 9);
        assert_eq!(lines, "one two\n  three\n  four\nend\n");
        assert_eq!(wrapped("a-long-word b\n", 5), "a-long-word\n  b\n");
    }

    #[test]
    fn thousands() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1,234,567");
    }
}
