//! Walks that draw for themselves and tell of rows of places go the same way as those that ask, one question and one place at a time.

use sortie_machines::{Machines, Settings, Timing, lurch};
use sortie_model::{
    Choice, Chooser, Dice, End, Fingerprint, Flow, Model, Passed, Remarks, Source, View,
};

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

/// Where a walk was, as it was told.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    taken: u64,
    print: Fingerprint,
    enabled: usize,
    remarks: Remarks,
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
            remarks: self.model.remarks(state),
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
                remarks: place.remarks,
            });
            if taken == self.last {
                return (passed + 1, Flow::Stop);
            }
        }
        (most, Flow::Go)
    }
}

#[test]
fn rows_lead_where_single_places_do() {
    for timing in [Timing::Asynchronous, Timing::Synchronous] {
        let model = || {
            let source = Source {
                name: "roaming",
                text: SYSTEM,
            };
            let read = lurch::read(source).expect("it is well formed");
            let settings = Settings {
                timing: Some(timing),
                ..Settings::default()
            };
            Machines::new(read.system, settings).expect("it begins")
        };
        let (one, other) = (model(), model());
        let mut asking = one.own_walk().expect("machines walk");
        let mut roaming = other.own_walk().expect("machines walk");
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
        assert_eq!(one.warnings(), other.warnings());
        assert_eq!(
            one.warnings().len(),
            usize::from(timing == Timing::Synchronous)
        );
    }
}
