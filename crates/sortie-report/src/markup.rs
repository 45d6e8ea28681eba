//! Text inside of XML and HTML.

use std::fmt::Write;

/// The text with everything replaced that has a meaning in markup. Characters that XML cannot hold become their pictures, so that nothing is
/// lost without a sign.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            // The block of control pictures has the controls in their order.
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\x7f' => out.push('\u{2421}'),
            // Controls that turn the direction of what follows would reach beyond this text.
            '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// The same for the value of an attribute, where line breaks would be lost.
pub fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// A text on one line: what breaks lines becomes a space.
pub fn one_line(text: &str) -> String {
    let breaks = |c: char| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.replace(breaks, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            escaped("<a href=\"x\">'&'</a>\0\x1b\u{202e}"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;␀␛\\u{202e}"
        );
        assert_eq!(attribute("a\n\"b\""), "a&#10;&quot;b&quot;");
        assert_eq!(one_line("a\r\nb"), "a  b");
    }
}
