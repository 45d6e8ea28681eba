//! Tables for the terminal and for other programs.

/// A table of texts. Columns whose cells are numbers are aligned to the right.
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column heads.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Table {
            head: head.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The column heads.
    pub fn head(&self) -> &[String] {
        &self.head
    }

    /// The rows, in order.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The table without columns in which no row has anything.
    pub fn without_empty_columns(self) -> Self {
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let filled = |&column: &usize| self.rows.iter().any(|row| !cell(row, column).is_empty());
        let kept: Vec<usize> = (0..self.head.len()).filter(filled).collect();
        let keep = |row: &Vec<String>| kept.iter().map(|&column| cell(row, column)).collect();
        Table {
            head: keep(&self.head),
            rows: self.rows.iter().map(keep).collect(),
        }
    }

    /// For the terminal.
    pub fn text(&self) -> String {
        let columns = self.head.len();
        let cell = |row: &Vec<String>, column: usize| row.get(column).cloned().unwrap_or_default();
        let width = |column: usize| {
            let rows = std::iter::once(&self.head).chain(&self.rows);
            rows.map(|row| cell(row, column).chars().count())
                .max()
                .unwrap_or(0)
        };
        let numeric = |column: usize| {
            let mut cells = self.rows.iter().map(|row| cell(row, column));
            cells.all(|c| c.is_empty() || c.starts_with(is_number_start))
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let right: Vec<bool> = (0..columns).map(numeric).collect();
        let mut out = String::new();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let mut line = String::new();
            for column in 0..columns {
                let text = cell(row, column);
                let pad = " ".repeat(widths[column] - text.chars().count());
                if column > 0 {
                    line.push_str("  ");
                }
                line += &if right[column] {
                    pad + &text
                } else {
                    text + &pad
                };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Comma-separated values.
    pub fn csv(&self) -> String {
        let mut out = String::new();
        for row in std::iter::once(&self.head).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            out.push_str(&cells.join(","));
            out.push('\n');
        }
        out
    }
}

fn is_number_start(c: char) -> bool {
    c.is_ascii_digit() || "-±–".contains(c)
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let mut table = Table::new(["what", "count"]);
        table.row(["a", "7"]);
        table.row(["long, name", "123456"]);
        let expected = "what         count\na                7\nlong, name  123456\n";
        assert_eq!(table.text(), expected);
        assert_eq!(table.csv(), "what,count\na,7\n\"long, name\",123456\n");
    }
}
