//! A page of tables and pictures to read in a browser: one file, opened from disk, without a network or a script.

use crate::html::STYLE;
use crate::markup::{attribute, escaped, one_line};
use crate::table::Table;
use std::fmt::Write;

/// What pages of tables need besides the style of all pages.
const TABLES: &str = include_str!("page.css");

/// A page that grows from top to bottom.
pub struct Page {
    title: String,
    body: String,
    /// Whether a section is open.
    inside: bool,
}

impl Page {
    /// A page with a title and what stands below it.
    pub fn new(title: &str, lead: &str) -> Page {
        let (heading, lead) = (escaped(title), escaped(lead));
        Page {
            title: one_line(title),
            body: format!("<header>\n<h1>{heading}</h1>\n<p>{lead}</p>\n</header>\n<main>\n"),
            inside: false,
        }
    }

    /// Begins a section; links find it by its name.
    pub fn section(&mut self, name: &str, title: &str, small: &str) {
        self.close();
        self.inside = true;
        let (name, title, small) = (attribute(name), escaped(title), escaped(small));
        self.body += &format!("<section id=\"{name}\">\n<h2>{title} <small>{small}</small></h2>\n");
    }

    /// A heading within a section.
    pub fn heading(&mut self, text: &str) {
        let _ = writeln!(self.body, "<h3>{}</h3>", escaped(text));
    }

    /// A paragraph; nothing if there is nothing to say.
    pub fn paragraph(&mut self, text: &str) {
        if !text.trim().is_empty() {
            let _ = writeln!(self.body, "<p>{}</p>", escaped(text.trim()));
        }
    }

    /// Names with their values side by side.
    pub fn facts(&mut self, facts: &[(&str, String)]) {
        self.body.push_str("<dl class=\"facts\">\n");
        for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
            let (name, value) = (escaped(name), escaped(value));
            self.body += &format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n");
        }
        self.body.push_str("</dl>\n");
    }

    /// A table whose heads explain themselves by longer ones when they are pointed at. Cells can have a class of the style.
    pub fn table(
        &mut self,
        table: &Table,
        longer: &[String],
        class: &dyn Fn(usize, usize) -> Option<&'static str>,
    ) {
        self.body
            .push_str("<div class=\"scroll\"><table class=\"figures\">\n<thead><tr>");
        for (column, head) in table.head().iter().enumerate() {
            let long = longer.get(column).unwrap_or(head);
            let (long, head) = (attribute(long), escaped(head));
            self.body += &format!("<th title=\"{long}\">{head}</th>");
        }
        self.body.push_str("</tr></thead>\n<tbody>\n");
        for (row, cells) in table.rows().iter().enumerate() {
            self.body.push_str("<tr>");
            for (column, cell) in cells.iter().enumerate() {
                let class = class(row, column).map_or(String::new(), |c| format!(" class=\"{c}\""));
                let _ = write!(self.body, "<td{class}>{}</td>", escaped(cell));
            }
            self.body.push_str("</tr>\n");
        }
        self.body.push_str("</tbody></table></div>\n");
    }

    /// Pictures as `chart` draws them, side by side where there is room.
    pub fn pictures<'a>(&mut self, pictures: impl Iterator<Item = &'a str>) {
        self.body.push_str("<div class=\"curves\">\n");
        for picture in pictures {
            let _ = writeln!(self.body, "<figure>{picture}</figure>");
        }
        self.body.push_str("</div>\n");
    }

    /// A link to another page, with what to say about it.
    pub fn link(&mut self, address: &str, name: &str, about: &str) {
        let (address, name, about) = (attribute(address), escaped(name), escaped(about));
        self.body += &format!("<p><a href=\"{address}\">{name}</a> {about}</p>\n");
    }

    /// The whole page, with a line at its end.
    pub fn text(mut self, foot: &str) -> String {
        self.close();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{}</title>\n<style>\n{STYLE}{TABLES}</style>\n</head>\n<body>\n{}</main>\n\
             <footer>{}</footer>\n</body>\n</html>\n",
            escaped(&self.title),
            self.body,
            escaped(foot)
        )
    }

    fn close(&mut self) {
        if std::mem::take(&mut self.inside) {
            self.body.push_str("</section>\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_closed_and_says_nothing_in_markup() {
        let mut page = Page::new("<A>", "b & c");
        page.section("one", "One", "");
        let mut table = Table::new(["n", "±"]);
        table.row(["<1>", "2"]);
        page.table(&table, &["n".into(), "n \"±\"".into()], &|_, column| {
            (column == 1).then_some("outside")
        });
        page.section("two", "Two", "");
        page.paragraph(" ");
        let text = page.text("end");
        assert_eq!(text.matches("<section").count(), 2);
        assert_eq!(text.matches("</section>").count(), 2);
        assert!(text.contains("<td>&lt;1&gt;</td><td class=\"outside\">2</td>"));
        assert!(text.contains("title=\"n &quot;±&quot;\""));
        assert!(text.contains("<h1>&lt;A&gt;</h1>") && !text.contains("<p> "));
    }
}
