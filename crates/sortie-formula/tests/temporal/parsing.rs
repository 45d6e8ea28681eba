//! What the parser reads, and what it says about mistakes.

use sortie_formula::temporal::{Ctl, Ltl};
use sortie_syntax::{Diagnostic, Source};

/// Mistakes, each behind the name of its language, with what is said about it.
const MISTAKES: &str = include_str!("mistakes.txt");

fn parse(language: &str, text: &str) -> Result<(), Box<Diagnostic>> {
    match language {
        "ctl" => Ctl::parse(text).map(|_| ()),
        "ltl" => Ltl::parse(text).map(|_| ()),
        other => panic!("no language {other}"),
    }
}

#[test]
fn mistakes_are_explained() {
    let mut found = String::new();
    for line in MISTAKES.lines() {
        let Some((language @ ("ctl" | "ltl"), text)) = line.split_once("> ") else {
            continue;
        };
        let error = parse(language, text).expect_err(text);
        let source = Source {
            name: "formula",
            text,
        };
        found += &format!("{language}> {text}\n{}\n", error.render(source, 100));
    }
    assert!(
        found == MISTAKES,
        "mistakes.txt should be:\n----\n{found}----"
    );
}

#[test]
fn equal_atoms_have_one_number() {
    let formula = Ctl::parse("AG ({ x in {1, 2} } => AF {y}) && {x in {1, 2}}").expect("good");
    let texts: Vec<&str> = formula
        .predicates()
        .iter()
        .map(|p| p.text.as_str())
        .collect();
    assert_eq!(texts, ["x in {1, 2}", "y"]);
    assert_eq!(formula.predicates()[0].span, (6..17).into());
}

#[test]
fn depth_has_a_limit() {
    for (begin, end) in [
        ("(", ")"),
        ("!", ""),
        ("AG ", ""),
        ("A[true U ", "]"),
        ("true => ", ""),
        ("<!", ">"),
        ("<(", ")>"),
        ("{", "}"),
    ] {
        let text = format!("{}true{}", begin.repeat(100_000), end.repeat(100_000));
        assert_eq!(parse("ltl", &text).is_ok(), begin == "{", "{begin}");
        // Braces may be nested, as sets are in data; nothing is built from them here.
        assert_eq!(parse("ctl", &text).is_ok(), begin == "{", "{begin}");
    }
    let chain = vec!["<a>"; 20].join(" <=> ");
    let error = parse("ctl", &chain).expect_err("it would be written out");
    assert_eq!(error.message, "this formula is too large");
}

#[test]
fn comments_and_blanks_do_not_matter() {
    for text in [
        "% said before\nAG(<a>)",
        "A G <a> % said behind",
        " \t\nAG\n<\na\n>\n",
    ] {
        parse("ctl", text).expect(text);
    }
}

/// Whatever is written, the parser answers.
#[test]
fn no_text_breaks_the_parser() {
    let pieces = [
        "A", "E", "X", "F", "G", "N", "U", "W", "R", "[", "]", "<", ">", "{", "}", "(", ")", "!",
        "&&", "||", "=>", "<=>", "true", "a", "\"", "é", "_", ",", " ", "%", "\n", "|", "#",
    ];
    let mut dice = sortie_model::Dice::new(7);
    let mut good = 0;
    for _ in 0..50_000 {
        let length = 1 + dice.index(8);
        let text: String = (0..length)
            .map(|_| pieces[dice.index(pieces.len())])
            .collect();
        let language = if dice.chance(1, 2) { "ctl" } else { "ltl" };
        match parse(language, &text) {
            Ok(()) => good += 1,
            Err(error) => {
                let source = Source {
                    name: "-",
                    text: &text,
                };
                assert!(!error.render(source, 80).is_empty());
            }
        }
    }
    assert!(good > 100, "{good}");
}

/// The examples of the page on formulas are formulas.
#[test]
fn documented_formulas_are_read() {
    let page = include_str!("../../../../docs/formulas.md");
    let mut language = "";
    let mut count = 0;
    for line in page.lines() {
        match line {
            "## CTL" => language = "ctl",
            "## LTL" => language = "ltl",
            line if line.starts_with("## ") => language = "",
            _ => {}
        }
        // The tables of examples have a formula on the left and words on the right.
        let cell = line
            .strip_prefix("| `")
            .and_then(|rest| rest.split_once("` | "));
        if let Some((formula, _)) = cell
            && !language.is_empty()
            && formula.contains(['<', '[', '{'])
            && !formula.contains(" U g]")
        {
            let formula = formula.replace("\\|", "|");
            parse(language, &formula).unwrap_or_else(|error| panic!("{formula}: {error:?}"));
            count += 1;
        }
    }
    assert!(count >= 14, "{count}");
}
