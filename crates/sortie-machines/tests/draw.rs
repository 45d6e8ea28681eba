//! Pictures and sizes of systems.

use sortie_machines::{System, draw, language};
use sortie_syntax::Source;

fn model(name: &str, settings: &[(&str, &str)]) -> System {
    let path = format!(
        "{}/../../models/{name}.machines",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).expect("a model");
    let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let source = Source { name, text: &text };
    language::read(source, &settings)
        .expect("a model without errors")
        .system
}

fn system(text: &str) -> System {
    let source = Source { name: "test", text };
    language::read(source, &[])
        .expect("a text without errors")
        .system
}

const MODELS: [&str; 4] = ["philosophers", "queens", "tic_tac_toe", "leader_election"];

/// A fork has 2 states and a philosopher 3, with 3 transitions: 5 + 3 nodes. Each of these asks for two states and makes two, or asks for one and makes three.
#[test]
fn sizes_of_few_philosophers_are_those_counted_by_hand() {
    let composites = ["36", "216", "1296", "7776"];
    for (n, composite) in (2..=5_u64).zip(composites) {
        let size = draw::size(&model("philosophers", &[("N", &n.to_string())]));
        assert_eq!((size.and_or_nodes, size.and_or_edges), (8 * n, 12 * n));
        assert_eq!(size.composite, composite);
        assert!((size.composite_log10 - 6_f64.log10() * n as f64).abs() < 1e-9);
        assert_eq!(size.uncounted_variables, 0);
    }
}

#[test]
fn large_products_are_exact() {
    let size = draw::size(&model("philosophers", &[("N", "30")]));
    // 6 to the power of 30.
    assert_eq!(size.composite, "221073919720733357899776");
    let size = draw::size(&model("philosophers", &[("N", "10000")]));
    assert_eq!(size.composite.len(), 7782);
    let wide = "var a[4000]: 0..999; machine m { state s; s -> s do a[0] = a[1]; }";
    let all_change = wide.replace("a[0] = a[1]", "for k in 0..3999 { a[k] = 999; }");
    assert_eq!(draw::size(&system(&all_change)).composite, "about 10^12000");
}

#[test]
fn variables_count_with_the_values_they_can_have() {
    let size = draw::size(&system(
        "type Colour = { red, green, blue };
         var colour: Colour; var flag: bool; var small: 1..4; var copy: int; var wide: int;
         machine m {
            state a, b;
            go: a -> b when flag && colour == red do { small += 1; copy = small; wide += 1; }
         }",
    ));
    // 2 states, 3 colours, 2 truths, 4 numbers, 0..4 for the copy, which begins as 0; `wide` cannot be counted.
    assert_eq!(size.uncounted_variables, 1);
    assert_eq!(size.composite, (2 * 3 * 2 * 4 * 5).to_string());
    assert_eq!(size.and_or_nodes, 2 + 3 + 2 + 4 + 5 + 1 + 1);
    // From `a`, flag and colour; to `b`, small, copy and wide.
    assert_eq!(size.and_or_edges, 7);
}

/// Elements are closed in the order in which they were opened, and nothing is left open.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').expect("a tag has an end") + start;
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            let name = tag.split([' ', '\n']).next().expect("a tag has a name");
            open.push(name);
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    for (at, _) in svg.match_indices('&') {
        let entities = ["&amp;", "&lt;", "&gt;", "&quot;"];
        assert!(entities.iter().any(|e| svg[at..].starts_with(e)));
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

/// Quotes come in pairs on every line, and braces match outside of them.
fn assert_dot(dot: &str) {
    let mut depth = 0;
    for line in dot.lines() {
        let mut inside = false;
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if inside => {
                    letters.next();
                }
                '"' => inside = !inside,
                '{' if !inside => depth += 1,
                '}' if !inside => depth -= 1,
                _ => {}
            }
        }
        assert!(!inside, "{line}");
        assert!(depth >= 0, "{line}");
    }
    assert_eq!(depth, 0);
}

#[test]
fn pictures_are_well_formed() {
    for name in MODELS {
        let system = model(name, &[]);
        assert_well_formed(&draw::svg(&system));
        assert_dot(&draw::dot(&system));
    }
    let odd = System {
        name: "a \"b\" <c> & \\".into(),
        ..model("queens", &[("N", "1")])
    };
    assert_well_formed(&draw::svg(&odd));
    assert_dot(&draw::dot(&odd));
}

#[test]
fn of_many_machines_one_of_each_shape_is_drawn() {
    let few = model("philosophers", &[("N", "3")]);
    assert_eq!(draw::dot(&few).matches("subgraph").count(), 6);
    let many = model("philosophers", &[("N", "100")]);
    let dot = draw::dot(&many);
    assert_eq!(dot.matches("subgraph").count(), 2);
    assert!(dot.contains("philosopher[0], one of 100 alike"), "{dot}");
    assert!(draw::svg(&many).contains("fork[0], one of 100 alike"));
    let one_is_different = model("philosophers", &[("N", "100"), ("one_left_handed", "true")]);
    let dot = draw::dot(&one_is_different);
    assert!(dot.contains("philosopher[1], one of 99 alike"), "{dot}");
}

#[test]
fn pictures_tell_guards_effects_and_marks() {
    let svg = draw::svg(&model("philosophers", &[("N", "2")]));
    for told in [
        "take_left(0): thinking → holding_one when fork[0] in free do goto fork[0].taken",
        "put_back(1): eating → thinking do goto fork[1].free; goto fork[0].free",
        ">progress<",
    ] {
        assert!(svg.contains(told), "{told}\n{svg}");
    }
    let dot = draw::dot(&model("tic_tac_toe", &[]));
    assert!(dot.contains("put_cross ×9"), "{dot}");
    assert!(dot.contains("won\\nfault"), "{dot}");
}
