//! Walks that draw for themselves and tell of rows of places go the same way as those that ask, one question and one place at a time.

use sortie_machines::{Machines, Settings, Timing, Watchers, lurch};
use sortie_model::{
    Choice, Chooser, CompositeChoices, Dice, End, Fingerprint, Flow, Model, Passed, Status, View,
};
use sortie_syntax::Source;

const SYSTEM: &str = "int n = 0;
%%

left;
right;

a;  (n < 3); {n++;}; a2;
a2; right;   left;   #a3;
a2; -;       -;      a;
#a3; -;      left;   a;

b;  left;    right;  b2;
b2; -;       {n = 0;}; b;
b2; (n == 2); left;  b3.

c;  left;    right;  c;
c;  b2;      left;   c;
";

/// Philosophers in a circle, too many for a table of all states. Two of them set the same flag, which another one and a watcher ask for.
fn philosophers(count: usize, more: &str) -> String {
    let mut text = String::from("int flag = 0; int other = 0;\n%%\n\n");
    for fork in 0..count {
        text += &format!("f{fork}t;\nf{fork}l;\nf{fork}r;\n\n");
    }
    for one in 0..count {
        let next = (one + 1) % count;
        let (eats, rests, hungry) = match one {
            0 => (",{flag = 1;}", ",{flag = 0;}", ""),
            2 => (",{flag = 2;}", ",{flag = 0;}", ""),
            4 => ("", "", ",(flag != 1)"),
            _ => ("", "", ""),
        };
        text += &format!(
            "p{one}w; f{one}t{hungry}; f{one}l; p{one}l;
p{one}w; f{next}t; f{next}r; p{one}r;
p{one}l; f{next}t; f{next}r{eats}; #p{one}e;
p{one}r; f{one}t; f{one}l{eats}; #p{one}e;
#p{one}e; -; f{one}t,f{next}t{rests}; p{one}w;

"
        );
    }
    text + "n: calm; (flag < 2); -; calm;
n: calm; (flag); -; =busy;
n: =busy; (!flag); -; calm;
" + more
}

/// Machines with code, which nothing is kept beside.
const CODE: &str = "int a[3]; int n = 0;
void shift(int by) { int i; for (i = 0; i < 2; i++) a[i] = a[i + 1]; a[2] = by; n = (n + by) % 50; }
%%

x; (a[0] != 2); {shift(1);}; x2;
x; -;           {shift(2);}; x;
x2; (n > 3);    {shift(3);}; #x3;
x2; -;          {n = 2;};    x;
#x3; -;         -;           x;

y; (n % 3 == 1); {shift(4);}; y2;
y; -;            {n++;};      y;
y2; (a[2] != n); -;           y;
";

/// Where a walk was, as it was told.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    taken: u64,
    print: Fingerprint,
    enabled: usize,
    status: Status,
}

struct Listener<'a> {
    model: &'a Machines,
    /// Of a listener that hears rows: how far it goes along.
    along: Option<Dice>,
    answers: Dice,
    last: u64,
    told: Vec<Told>,
    rows: usize,
}

impl Chooser for Listener<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        choice.draw(&mut self.answers)
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let state = view.state.expect("machines show their states");
        assert_eq!(view.print, Some(self.model.fingerprint(state)));
        self.told.push(Told {
            taken: view.taken,
            print: self.model.fingerprint(state),
            enabled: view.enabled.expect("machines know what they can do"),
            status: self.model.status(state, false),
        });
        match view.taken == self.last {
            true => Flow::Stop,
            false => Flow::Go,
        }
    }

    fn hears_rows(&self) -> bool {
        self.along.is_some()
    }

    fn pass(&mut self, taken: u64, row: &[Passed]) -> (usize, Flow) {
        let dice = self.along.as_mut().expect("rows were wanted");
        let most = match dice.index(4) {
            0 => dice.index(row.len() + 1),
            _ => row.len(),
        };
        self.rows += 1;
        for (passed, place) in row[..most].iter().enumerate() {
            let taken = taken + passed as u64;
            self.told.push(Told {
                taken,
                print: place.print,
                enabled: place.enabled as usize,
                status: place.status,
            });
            if taken == self.last {
                return (passed + 1, Flow::Stop);
            }
        }
        (most, Flow::Go)
    }
}

fn model(text: &str, timing: Timing, watchers: Watchers) -> Machines {
    let source = Source {
        name: "roaming",
        text,
    };
    let read = lurch::read(source).expect("it is well formed");
    let settings = Settings {
        timing: Some(timing),
        watchers,
        ..Settings::default()
    };
    Machines::new(read.system, settings).expect("it begins")
}

fn check_rows(text: &str, timing: Timing, watchers: Watchers) {
    let (one, other) = (model(text, timing, watchers), model(text, timing, watchers));
    let mut asking = one.own_walk();
    let mut roaming = other.own_walk();
    let mut dice = Dice::new(11);
    let mut rows = 0;
    for path in 0..300 {
        let listener = |model, along| Listener {
            model,
            along,
            answers: dice.clone(),
            last: path * 7 % 120,
            told: Vec::new(),
            rows: 0,
        };
        let limit = if path % 3 == 0 { 60 } else { 1000 };
        let mut asked = listener(&one, None);
        let mut told = listener(&other, Some(Dice::new(path)));
        let end = asking.run(&mut asked, limit).expect("nothing fails");
        let mut drawn = dice.clone();
        let roamed = roaming.roam(&mut told, &mut drawn, limit);
        assert_eq!(roamed.expect("nothing fails"), end, "{timing:?}, {path}");
        assert_eq!(told.told, asked.told, "{timing:?}, {path}");
        assert_eq!(drawn, asked.answers, "{timing:?}, {path}");
        assert_ne!(end, End::Impossible);
        rows += told.rows;
        dice = drawn;
    }
    assert!(rows > 100, "{timing:?}: {rows} rows");
    assert_eq!(one.notes().warnings, other.notes().warnings);
    let contradicts = timing == Timing::Synchronous;
    assert_eq!(one.notes().warnings.len(), usize::from(contradicts));
}

#[test]
fn rows_lead_where_single_places_do() {
    for timing in [Timing::Asynchronous, Timing::Synchronous] {
        for watchers in [Watchers::LeftOut, Watchers::MoveIfTheyCan] {
            check_rows(SYSTEM, timing, watchers);
            check_rows(&philosophers(7, ""), timing, watchers);
        }
        check_rows(CODE, timing, Watchers::LeftOut);
    }
}

/// A guard and an effect that divide by zero at last. Nothing is told of that lies behind, and nothing is left out before.
#[test]
fn what_fails_does_so_in_the_same_place() {
    let parts = [
        "x; (10 / n < 100); {n--;}; x;",
        "x; -; {n = n - 1; m = 10 / n;}; x;",
    ];
    for (part, timing) in parts.into_iter().flat_map(|part| {
        let timings = [Timing::Asynchronous, Timing::Synchronous];
        timings.map(|timing| (part, timing))
    }) {
        let text = format!(
            "int n = 50; int m;\n%%\n\n{part}\n\ny; -; -; y2;\ny2; -; -; y;\ny2; -; {{m = m * 3 + n;}}; y;\n"
        );
        let model = model(&text, timing, Watchers::LeftOut);
        let mut asking = model.own_walk();
        let mut roaming = model.own_walk();
        let mut dice = Dice::new(5);
        for path in 0..100 {
            let listener = |along| Listener {
                model: &model,
                along,
                answers: dice.clone(),
                last: 1000,
                told: Vec::new(),
                rows: 0,
            };
            let mut asked = listener(None);
            let mut told = listener(Some(Dice::new(path)));
            let error = asking
                .run(&mut asked, 1000)
                .expect_err("it divides by zero");
            let roamed = roaming.roam(&mut told, &mut dice.clone(), 1000);
            let roamed = roamed.expect_err("it divides by zero");
            assert_eq!(roamed.to_string(), error.to_string());
            assert_eq!(told.told, asked.told, "{timing:?}, {path}");
            dice = asked.answers;
        }
    }
}

/// A transition that can never be taken but would give a variable a large value keeps all variables where they are otherwise.
#[test]
fn flags_beside_machines_change_nothing_else() {
    let never = "\nz; (0); {flag = 1000;}; z;\n";
    for watchers in [Watchers::LeftOut, Watchers::MoveIfTheyCan] {
        let models = ["", never].map(|more| {
            let text = philosophers(7, more);
            model(&text, Timing::Synchronous, watchers)
        });
        let mut walks = models.each_ref().map(|model| model.own_walk());
        let mut dice = Dice::new(3);
        for path in 0..200 {
            let mut along = |which: usize| {
                let mut listener = Wanderer {
                    model: &models[which],
                    states: Vec::new(),
                };
                let mut drawn = dice.clone();
                let end = walks[which].roam(&mut listener, &mut drawn, 40);
                (end.expect("nothing fails"), listener.states, drawn)
            };
            let (end, states, drawn) = along(0);
            assert!((end, states, drawn.clone()) == along(1), "path {path}");
            dice = drawn;
        }
        assert_eq!(models[0].notes().warnings, models[1].notes().warnings);
        assert_eq!(models[0].notes().warnings.len(), 1);
    }
}

/// Looks at every state in full, and at what the model itself says of the way there.
struct Wanderer<'a> {
    model: &'a Machines,
    states: Vec<Vec<(String, String)>>,
}

impl Chooser for Wanderer<'_> {
    fn choose(&mut self, _choice: Choice<'_>) -> usize {
        unreachable!("answers are drawn")
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let state = view.state.expect("machines show their states");
        assert_eq!(view.print, Some(self.model.fingerprint(state)));
        let fields = self.model.describe(state).into_iter();
        let fields = fields.map(|field| (field.name, field.value));
        self.states.push(fields.collect());
        Flow::Go
    }
}
