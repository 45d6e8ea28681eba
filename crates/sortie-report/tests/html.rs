//! The page in a browser: it renders, nothing goes wrong in its script, keys go through a witness, it prints, and it is dark in the dark.

mod sample;

use sample::{HOSTILE, record, step};
use serde_json::{Value, json};
use sortie_report::formats::FORMATS;
use sortie_report::record::Record;
use sortie_report::story::Story;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A browser, if there is one. With `SORTIE_REQUIRE_ALL=1` there has to be.
fn browser() -> Option<&'static str> {
    let answers = |name: &&str| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    };
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = names.into_iter().find(answers);
    if found.is_none() {
        assert!(
            std::env::var("SORTIE_REQUIRE_ALL").as_deref() != Ok("1"),
            "there is no chromium"
        );
        println!("skipped: there is no chromium");
    }
    found
}

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the test's own folder");
    path
}

/// Starts the browser without a window on a page, and gives what it prints.
fn browse(browser: &str, folder: &Path, page: &str, options: &[&str]) -> String {
    let file = folder.join("page.html");
    fs::write(&file, page).expect("the test's own file");
    let out = folder.join("printed");
    let printed = fs::File::create(&out).expect("the test's own file");
    let mut child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
        ])
        .args(["--virtual-time-budget=3000", "--window-size=1280,900"])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .args(options)
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .stdout(printed)
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser can be started");
    // Long enough for the slowest machine; a browser that hangs must not hang the tests.
    let end = Instant::now() + Duration::from_secs(120);
    while child.try_wait().expect("the browser was started").is_none() {
        if Instant::now() > end {
            child.kill().expect("the browser was started");
            panic!("the browser does not come to an end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    fs::read_to_string(&out).expect("the page as text")
}

fn page(record: &Record) -> String {
    let html = FORMATS.iter().find(|format| format.name == "html");
    (html.expect("there is a page").text)(record).expect("there is always a page")
}

/// Runs a script at the end of a page: what it returns, after everything that went wrong anywhere on it.
fn examine(page: &str, name: &str, options: &[&str], script: &str) -> Option<Value> {
    let browser = browser()?;
    let listen = "<head><script>const faults = [];\
        addEventListener('error', (e) => faults.push(String(e.message)));\
        addEventListener('unhandledrejection', (e) => faults.push(String(e.reason)));\
        addEventListener('securitypolicyviolation', (e) => faults.push(e.violatedDirective + ' ' + e.blockedURI));\
        </script>";
    let report = format!(
        "<script>addEventListener('load', () => {{\n\
         const key = (key, on = document.body) => on.dispatchEvent(new KeyboardEvent('keydown', {{ key, bubbles: true, cancelable: true }}));\n\
         let result; try {{ result = (() => {{ {script} }})(); }} catch (e) {{ faults.push(String(e)); }}\n\
         document.documentElement.dataset.result = encodeURIComponent(JSON.stringify({{ result, faults }}));\n\
         }});</script></body>"
    );
    let changed = page
        .replacen("<head>", listen, 1)
        .replacen("</body>", &report, 1);
    let options = [options, &["--dump-dom"]].concat();
    let printed = browse(browser, &folder(name), &changed, &options);
    let result = printed.split("data-result=\"").nth(1);
    let result = result.and_then(|rest| rest.split('"').next());
    let result = decoded(result.unwrap_or_else(|| panic!("no result: {printed}")));
    let mut value: Value = serde_json::from_str(&result).expect("the script's own JSON");
    assert_eq!(value["faults"], json!([]), "the script of the page fails");
    Some(value["result"].take())
}

/// The inverse of `encodeURIComponent`.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next(), rest.next()].map(|d| d.expect("two digits"));
            let digits = std::str::from_utf8(&digits).expect("digits").to_owned();
            bytes.push(u8::from_str_radix(&digits, 16).expect("hexadecimal digits"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("the browser writes UTF-8")
}

/// A sender, a channel and a receiver that pass messages on for so many steps.
fn protocol(steps: usize) -> Record {
    let names = ["Sender", "Channel", "Receiver", "Idle"].map(String::from);
    let told = (0..steps).map(|place| {
        let (old, new) = (place.to_string(), (place + 1).to_string());
        match place % 3 {
            0 => step("produce", &[0], &[(0, &old, &new)]),
            1 => step("send(message)", &[0, 1], &[(0, &old, &new), (1, "", &new)]),
            _ => step(
                "deliver(message)",
                &[1, 2],
                &[(1, &old, ""), (2, "0", &new)],
            ),
        }
    });
    let mut record = record();
    record.model = "protocol".into();
    record.found.truncate(1);
    record.found[0].title = "deadlock".into();
    record.found[0].story = Story {
        components: names.to_vec(),
        fields: vec![
            "Sender.n".into(),
            "Channel.content".into(),
            "Receiver.n".into(),
        ],
        start: vec![Some("0".into()), None, Some("0".into())],
        steps: told.collect(),
        cycle: None,
    };
    record
}

#[test]
fn lanes_and_steps_are_there() {
    let script = "
        const rows = [...document.querySelectorAll('.lanes .row')];
        const box = (e) => e.getBoundingClientRect();
        const svgs = [...document.querySelectorAll('.lanes svg')];
        return {
            lanes: [...document.querySelectorAll('.lanes thead text')].map((t) => t.textContent),
            rows: rows.length,
            messages: document.querySelectorAll('.lanes .message').length,
            visible: svgs.every((svg) => box(svg).width > 100 && box(svg).height > 20),
            overflowing: [...document.querySelectorAll('.lanes .label')].filter((t) => box(t).right > box(t.closest('svg')).right).length,
            table: document.querySelectorAll('.steps tr[data-step]').length,
            figures: [...document.querySelectorAll('figure')].map((f) => f.className),
            flat: [...document.querySelectorAll('figure svg')].filter((svg) => box(svg).height < 50).length,
            idle: document.querySelector('.idle').textContent,
            fits: document.documentElement.scrollWidth <= innerWidth,
            at: document.querySelector('.witness').dataset.at,
        };";
    let Some(seen) = examine(&page(&protocol(30)), "lanes", &[], script) else {
        return;
    };
    let expected = json!({
        "lanes": ["Sender", "Channel", "Receiver"], "rows": 30, "messages": 20, "visible": true, "overflowing": 0, "table": 30,
        "figures": ["highway", "coverage", "coverage", "saturation", "success"], "flat": 0,
        "idle": "not taking part: Idle", "fits": true, "at": "0",
    });
    assert_eq!(seen, expected);
}

#[test]
fn keys_buttons_and_the_slider_go_through_the_steps() {
    let script = "
        const section = document.querySelector('.witness');
        const slider = section.querySelector('input[type=range]');
        const seen = [];
        const look = () => seen.push([
            Number(section.dataset.at), Number(slider.value),
            [...section.querySelectorAll('.row.now')].map((row) => Number(row.dataset.step)),
            [...section.querySelectorAll('.state tr')].map((row) => row.className + '|' + [...row.cells].map((c) => c.textContent).join('|')),
        ]);
        look();
        key('ArrowRight'); look();
        key('j'); look();
        key('j'); look();
        key('k'); key('ArrowLeft'); look();
        key('End'); key('ArrowRight'); look();
        key('Home'); key('k'); look();
        section.querySelector('[data-go=on]').click(); look();
        slider.value = 5; slider.dispatchEvent(new Event('input')); look();
        section.querySelector('.row[data-step=\"2\"]').dispatchEvent(new MouseEvent('click', { bubbles: true })); look();
        key('j', slider); look();
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', ctrlKey: true, bubbles: true })); look();
        return seen;";
    let Some(seen) = examine(&page(&protocol(6)), "keys", &[], script) else {
        return;
    };
    let seen = seen.as_array().expect("a list");
    let places: Vec<u64> = seen
        .iter()
        .map(|look| look[0].as_u64().expect("a step"))
        .collect();
    assert_eq!(places, [0, 1, 2, 3, 1, 6, 0, 1, 5, 2, 3, 3]);
    for look in seen {
        assert_eq!(look[0], look[1], "the slider follows");
        let now = if look[0] == 0 {
            json!([])
        } else {
            json!([look[0]])
        };
        assert_eq!(look[2], now, "the lanes follow");
    }
    assert_eq!(seen[0][3], json!(["|Sender.n|0", "|Receiver.n|0"]));
    assert_eq!(
        seen[1][3],
        json!(["changed|Sender.n|0 → 1", "|Receiver.n|0"])
    );
    let second = json!([
        "changed|Sender.n|1 → 2",
        "changed|Channel.content|2",
        "|Receiver.n|0"
    ]);
    assert_eq!(seen[2][3], second);
    let third = json!([
        "|Sender.n|2",
        "changed|Channel.content|2 → gone",
        "changed|Receiver.n|0 → 3"
    ]);
    assert_eq!(seen[3][3], third);
}

#[test]
fn hostile_texts_are_only_texts() {
    let script = "
        for (let step = 0; step < 12; step += 1) key('j');
        return {
            title: document.title,
            heading: document.querySelector('h1').textContent,
            scripts: document.querySelectorAll('script').length,
            images: document.querySelectorAll('img').length,
            labels: [...document.querySelector('.steps').querySelectorAll('tr[data-step] td:nth-child(3) code')].map((c) => c.textContent),
            at: document.querySelector('.witness').dataset.at,
            command: document.getElementById('command').textContent,
        };";
    let Some(seen) = examine(&page(&record()), "hostile", &[], script) else {
        return;
    };
    assert_eq!(seen["title"], format!("{}: found", HOSTILE[1]));
    assert_eq!(seen["heading"], HOSTILE[1]);
    // Two of the page, two of this test.
    assert_eq!(seen["scripts"], 4);
    assert_eq!(seen["images"], 0);
    assert_eq!(seen["at"], "12");
    assert_eq!(
        seen["command"],
        "sortie hunt 'a b' --action '</code>' --seed 1"
    );
    for place in [0, 1, 2, 3, 4, 6, 7, 10, 11] {
        assert_eq!(seen["labels"][place], HOSTILE[place]);
    }
}

#[test]
fn everything_can_be_reached_by_keyboard() {
    let script = "
        const unreachable = [...document.querySelectorAll('button, input, summary, .scroll, .state')].filter((e) => {
            if (e.getClientRects().length === 0) return false;
            e.focus();
            return document.activeElement !== e && getComputedStyle(e).overflow !== 'visible' && e.scrollHeight > e.clientHeight;
        });
        const unnamed = [...document.querySelectorAll('button, input')].filter((e) =>
            !e.textContent.trim() && !e.getAttribute('aria-label') && !e.closest('label'));
        return [unreachable.length, unnamed.length];";
    if let Some(seen) = examine(&page(&protocol(60)), "reach", &[], script) {
        assert_eq!(seen, json!([0, 0]));
    }
}

#[test]
fn it_is_dark_in_the_dark() {
    let script = "
        const luminance = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
        const style = getComputedStyle(document.body);
        return [luminance(style.backgroundColor), luminance(style.color)];";
    for (scheme, dark) in [("0", true), ("1", false)] {
        let option = format!("--blink-settings=preferredColorScheme={scheme}");
        let Some(seen) = examine(&page(&protocol(3)), "dark", &[&option], script) else {
            return;
        };
        let (ground, ink) = (seen[0].as_f64(), seen[1].as_f64());
        assert_eq!(ground < ink, dark, "{seen}");
    }
}

#[test]
fn it_prints_whole() {
    let Some(browser) = browser() else {
        return;
    };
    let pages = |steps: usize| {
        let folder = folder("print");
        let pdf = folder.join("page.pdf");
        let option = format!("--print-to-pdf={}", pdf.display());
        browse(browser, &folder, &page(&protocol(steps)), &[&option]);
        let bytes = fs::read(&pdf).expect("a printed page");
        assert!(bytes.starts_with(b"%PDF-"));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        text.matches("/Type /Page\n").count()
    };
    let (few, many) = (pages(6), pages(300));
    assert!(few >= 1, "{few}");
    // The lanes do not fit a page: what can be scrolled on a screen has to go on on paper.
    assert!(many >= few + 8, "{few}, {many}");
}

#[test]
fn without_a_script_everything_is_there_to_be_read() {
    let page = page(&protocol(6));
    let (before, rest) = page.rsplit_once("<script>").expect("there is a script");
    let (_, after) = rest.split_once("</script>").expect("it ends");
    let script = "
        const shown = (what) => [...document.querySelectorAll(what)].filter((e) => e.getClientRects().length > 0).length;
        return ['.row', '.steps tr[data-step]', 'figure', '#command', '.player', '.state', '#copy'].map(shown);";
    let seen = examine(&format!("{before}{after}"), "plain", &[], script);
    if let Some(seen) = seen {
        assert_eq!(seen, json!([6, 6, 5, 1, 0, 0, 0]));
    }
}
