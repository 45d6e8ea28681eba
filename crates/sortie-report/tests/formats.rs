//! Every format, with texts that try to be something else: files are well formed, say what they must, and give the texts back.

mod sample;

use roxmltree::{Document, Node};
use sample::{HOSTILE, record, story};
use serde_json::Value;
use sortie_model::{Spending, Verdict};
use sortie_report::formats::FORMATS;
use sortie_report::record::Record;

fn written(name: &str, record: &Record) -> Option<String> {
    let format = FORMATS.iter().find(|format| format.name == name);
    (format.expect("a format of the table").text)(record)
}

fn text(name: &str, record: &Record) -> String {
    written(name, record).expect("something was found")
}

fn json(name: &str, record: &Record) -> Value {
    serde_json::from_str(&text(name, record)).expect("well-formed JSON")
}

fn nothing_found(verdict: Verdict) -> Record {
    Record {
        sentence: format!("{}: nothing", verdict.name()),
        verdict,
        found: Vec::new(),
        ..record()
    }
}

#[test]
fn formats_of_witnesses_need_one_and_the_others_do_not() {
    let nothing = nothing_found(Verdict::Exhausted);
    let without: Vec<&str> = FORMATS
        .iter()
        .filter(|format| (format.text)(&nothing).is_none())
        .map(|format| format.name)
        .collect();
    assert_eq!(without, ["dot", "itf", "mermaid", "mcrl2"]);
    for format in FORMATS {
        let text = (format.text)(&record()).expect("something was found");
        assert!(text.ends_with('\n'), "{}", format.name);
    }
}

/// The one element of this name below a node.
fn only<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    let mut all = node.children().filter(|child| child.has_tag_name(name));
    let first = all.next();
    assert!(all.next().is_none(), "there is more than one {name}");
    first
}

#[test]
fn junit_has_a_case_for_each_property() {
    let text = text("junit", &record());
    let document = Document::parse(&text).expect("well-formed XML");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let suite = only(root, "testsuite").expect("a suite");
    assert_eq!(suite.attribute("name"), Some(HOSTILE[1]));
    for node in [root, suite] {
        let count = |name| node.attribute(name);
        assert_eq!(count("tests"), Some("2"));
        assert_eq!(count("failures"), Some("1"));
        assert_eq!(count("errors"), Some("0"));
        assert_eq!(count("skipped"), Some("1"));
        assert_eq!(count("time"), Some("1.500"));
    }
    let cases = suite
        .children()
        .filter(|node| node.has_tag_name("testcase"));
    let cases: Vec<Node> = cases.collect();
    let names: Vec<Option<&str>> = cases.iter().map(|case| case.attribute("name")).collect();
    assert_eq!(names, [Some("deadlock"), Some(HOSTILE[2])]);
    let failure = only(cases[0], "failure").expect("it was found");
    assert!(failure.attribute("type").is_some());
    let message = failure.attribute("message").expect("a message");
    assert!(message.contains(HOSTILE[1]), "{message}");
    let details = failure.text().expect("the steps");
    assert!(
        details.contains(HOSTILE[3]) && details.contains("another"),
        "{details}"
    );
    assert!(only(cases[1], "failure").is_none());
    assert!(
        only(cases[1], "skipped").is_some(),
        "it was not looked for to the end"
    );
    let properties = only(suite, "properties").expect("the settings");
    let seed = properties
        .children()
        .find(|p| p.attribute("name") == Some("seed"));
    let seed = seed.and_then(|p| p.attribute("value"));
    assert_eq!(seed, Some("18446744073709551615"));
}

#[test]
fn junit_tells_verdicts_apart() {
    let outcome = |record: &Record| {
        let text = text("junit", record);
        let document = Document::parse(&text).expect("well-formed XML");
        let kinds = ["failure", "error", "skipped"];
        document.descendants().find_map(|node| {
            let name = node.tag_name().name();
            kinds.iter().find(|kind| **kind == name).copied()
        })
    };
    let spent = || nothing_found(Verdict::Spent(Spending::States));
    assert_eq!(outcome(&nothing_found(Verdict::Exhausted)), None);
    assert_eq!(outcome(&spent()), Some("skipped"));
    let strict = Record {
        must_exhaust: true,
        never_seen: Vec::new(),
        ..spent()
    };
    assert_eq!(outcome(&strict), Some("failure"));
    let broken = nothing_found(Verdict::Broken("<it>".into()));
    assert_eq!(outcome(&broken), Some("error"));
}

#[test]
fn sarif_has_what_the_standard_requires() {
    let log = json("sarif", &record());
    assert_eq!(log["version"], "2.1.0");
    assert!(
        log["$schema"]
            .as_str()
            .is_some_and(|s| s.contains("sarif-2.1.0"))
    );
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "sortie");
    let rules = driver["rules"].as_array().expect("rules");
    let invocation = &runs[0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    assert_eq!(
        invocation["toolExecutionNotifications"][0]["message"]["text"],
        HOSTILE[3]
    );
    let results = runs[0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 3, "two things found, and a property without");
    for result in results {
        assert!(result["message"]["text"].is_string());
        let rule = result["ruleIndex"].as_u64().expect("a rule") as usize;
        assert_eq!(result["ruleId"], rules[rule]["id"]);
        let kind = result["kind"].as_str().expect("a kind");
        assert!(["pass", "open", "informational", "fail"].contains(&kind));
        // Only what fails has a level.
        assert_eq!(result["level"] == "none", kind != "fail");
        let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(uri, "models/a%20b.mcrl2");
    }
    let flow = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let flow = flow.as_array().expect("a flow");
    assert_eq!(flow.len(), HOSTILE.len());
    for (at, text) in flow.iter().zip(HOSTILE) {
        assert_eq!(at["location"]["message"]["text"], text);
        assert_eq!(at["state"][text]["text"], format!("{text}#"));
    }
    assert!(
        results[1]["codeFlows"].is_null(),
        "a flow of no steps is not allowed"
    );
    assert_eq!(results[2]["kind"], "open");
    let passed = json("sarif", &nothing_found(Verdict::Exhausted));
    assert_eq!(passed["runs"][0]["results"][0]["kind"], "pass");
    let broken = json("sarif", &nothing_found(Verdict::Broken("it".into())));
    assert_eq!(
        broken["runs"][0]["invocations"][0]["executionSuccessful"],
        false
    );
}

#[test]
fn itf_states_have_all_variables() {
    let trace = json("itf", &record());
    assert_eq!(trace["#meta"]["format"], "ITF");
    assert!(trace["params"].is_array());
    let variables = trace["vars"].as_array().expect("variables");
    assert_eq!(variables.len(), HOSTILE.len() + 1);
    let states = trace["states"].as_array().expect("states");
    assert_eq!(states.len(), HOSTILE.len() + 1);
    for (index, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], index);
        for variable in variables {
            let variable = variable.as_str().expect("a name");
            assert!(state.get(variable).is_some(), "{index}: {variable}");
        }
    }
    assert_eq!(states[0][HOSTILE[3]]["#bigint"], "0");
    assert_eq!(states[4][HOSTILE[3]], format!("{}#", HOSTILE[3]));
    assert_eq!(states[4]["mbt::actionTaken"], HOSTILE[3]);
    // The loop has two steps: after the last state comes the one after its beginning.
    assert_eq!(trace["loop"], HOSTILE.len() - 2 + 1);
}

/// The strings of a DOT file, and what is left of it without them.
fn strings(dot: &str) -> (Vec<String>, String) {
    let (mut strings, mut rest) = (Vec::new(), String::new());
    let mut letters = dot.chars();
    while let Some(letter) = letters.next() {
        if letter != '"' {
            rest.push(letter);
            continue;
        }
        let mut string = String::new();
        loop {
            match letters.next().expect("every string ends") {
                '"' => break,
                '\\' => {
                    string.push('\\');
                    string.push(letters.next().expect("every string ends"));
                }
                other => string.push(other),
            }
        }
        strings.push(string);
    }
    (strings, rest)
}

#[test]
fn dot_keeps_texts_in_strings_and_closes_the_loop() {
    let dot = text("dot", &record());
    let (strings, rest) = strings(&dot);
    for word in ["script", "taken", "漢字", "participant"] {
        assert!(!rest.contains(word), "{word}: {rest}");
        assert!(strings.iter().any(|string| string.contains(word)), "{word}");
    }
    assert!(!dot.contains('\0'));
    let open = rest.matches('{').count();
    assert_eq!(open, 3, "the graph and two witnesses");
    assert_eq!(open, rest.matches('}').count());
    let last = HOSTILE.len() - 1;
    assert!(
        rest.contains(&format!("w0_{last} -> w0_{}", last - 1)),
        "{rest}"
    );
    assert!(!rest.contains(&format!("w0_{}", last + 1)), "{rest}");
}

#[test]
fn mermaid_has_a_line_for_each_step() {
    let text = text("mermaid", &record());
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sequenceDiagram"));
    let mut steps = 0;
    for line in lines.map(str::trim) {
        let (word, rest) = line.split_once([' ', '-']).unwrap_or((line, ""));
        match word {
            "title" | "autonumber" | "participant" | "loop" | "end" | "Note" => {}
            _ => {
                assert!(
                    word.starts_with('p') && word[1..].parse::<usize>().is_ok(),
                    "{line}"
                );
                let (_, label) = rest.split_once(": ").expect("a label");
                // What has a meaning is written by its number.
                let plain = without_numbers(label);
                assert!(!plain.contains(['#', ';', '<', '>', ':', '"']), "{line}");
                steps += 1;
            }
        }
    }
    assert_eq!(steps, HOSTILE.len());
    assert!(text.contains("loop for ever"));
}

/// A text without numbered characters.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(';').expect("a number ends");
        assert!(
            rest[at + 1..at + end].bytes().all(|b| b.is_ascii_digit()),
            "{text}"
        );
        rest = &rest[at + end + 1..];
    }
    out + rest
}

#[test]
fn mcrl2_traces_have_a_line_for_each_action() {
    let text = text("mcrl2", &record());
    let lines: Vec<&str> = text.split_terminator('\n').collect();
    assert_eq!(lines.len(), HOSTILE.len());
    assert_eq!(lines[0], "plain(1)");
    assert_eq!(lines[5], "line break  \ttab");
}

#[test]
fn markdown_rows_have_the_cells_of_their_head() {
    let text = text("markdown", &record());
    let cells = |line: &str| {
        let escaped = line.replace("\\\\", "").replace("\\|", "");
        escaped.matches('|').count()
    };
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > HOSTILE.len());
    let (first, second) = (&rows[..HOSTILE.len() + 3], &rows[HOSTILE.len() + 3..]);
    for row in first {
        assert_eq!(cells(row), 5, "{row}");
    }
    for row in second {
        assert_eq!(cells(row), 4, "{row}");
    }
    assert!(!text.contains("<script") && !text.contains("<img"));
    assert!(text.contains("sortie hunt 'a b' --action '</code>' --seed 1"));
}

#[test]
fn the_page_holds_no_markup_but_its_own() {
    let page = text("html", &record());
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img"));
    // The page asks nobody for anything; one of the texts would like to.
    let own = page.replace("img src=x", "");
    for word in [" src=", " href=", "@import", "url("] {
        assert!(!own.contains(word), "{word}");
    }
    let data = page.split("id=\"witnesses\">").nth(1).expect("the data");
    let data = data.split("</script>").next().expect("its end");
    let data: Value = serde_json::from_str(data).expect("well-formed JSON");
    assert_eq!(data[0]["steps"][1][0], HOSTILE[1]);
    assert_eq!(data[0]["fields"][2], HOSTILE[2]);
}

#[test]
fn long_witnesses_lose_their_middle_and_many_are_listed() {
    let mut record = record();
    let mut long = story();
    let one = long.steps.clone();
    long.steps = one.into_iter().cycle().take(50_000).collect();
    long.cycle = None;
    record.found[0].story = long;
    let another = record.found[1].clone();
    record.found.extend(std::iter::repeat_n(another, 30));
    let page = text("html", &record);
    assert!(page.contains("… 48000 steps are left out"));
    assert_eq!(page.matches("<tr data-step=").count(), 2000);
    assert_eq!(page.matches("<section class=\"witness\"").count(), 20);
    assert_eq!(page.matches("<li value=").count(), 12);
}
