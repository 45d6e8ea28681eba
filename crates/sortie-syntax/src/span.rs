//! Places in a text.

use std::ops::Range;

/// The bytes of a text that something was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` to before `end`.
    pub const fn new(start: usize, end: usize) -> Span {
        Span { start, end }
    }

    /// From the first byte of both spans to the last; the other may stand in front.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The bytes as a range.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span::new(range.start, range.end)
    }
}

impl From<&Span> for Span {
    fn from(span: &Span) -> Span {
        *span
    }
}
