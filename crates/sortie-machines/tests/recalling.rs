//! Code whose results are looked up does what code does that is run: every step of a walk is one that the model lists.

use sortie_machines::{Machines, Settings, Timing, lurch};
use sortie_model::{Choice, Chooser, CompositeChoices, Dice, Flow, Model, Steps, View};
use sortie_syntax::Source;

/// Two queues of numbers, with those who put something in and those who take it out.
const QUEUES: &str = "#include <stdlib.h>
typedef struct Cell { int value; struct Cell *next; } Cell;
Cell *q[2];
int got, total, *last = &total;

int length(Cell *c) { int n; for (n = 0; c; n++) c = c->next; return n; }
int has(Cell *c, int value) { return c && c->value == value; }
void put(Cell **queue, int value)
{
  Cell *new = (Cell *) malloc(sizeof(Cell));
  Cell *at;
  new->value = value;
  new->next = NULL;
  if (!*queue) { *queue = new; return; }
  for (at = *queue; at->next; at = at->next);
  at->next = new;
}
void take(Cell **queue, int *into)
{
  Cell *first = *queue;
  *into = first->value;
  *queue = first->next;
  free(first);
}
MORE
%%

full;
empty;

a; (length(q[0]) < 3); {put(&q[0], 1);}; a;
a; (length(q[0]) < 2); full,{put(&q[0], 2);}; a;
a; full;               -;                a2;
a2; (got != 2);        {total = got;};   a;

b; (has(q[0], 1)); {take(&q[0], &got); put(&q[1], got);}; b;
b; (has(q[0], 2)); {take(&q[0], last);};                  b2;
b2; -;             {got = total; EXTRA};                  b;

c; (length(q[1]) > 1 && got == 1); {take(&q[1], &got); take(&q[1], &total);}; c;
c; (q[1] && q[1]->value != total); {q[1]->value = total;};                    c;
c; (total == 2);                   {total = 0; last = EITHER;};               c;

d; (got && total); -; d2;
d2; -;             -; d;

e; (got && total);   -; e2;
e; (!got || !total); -; e3;
e2; -;               -; e;
e3; -;               -; e;
";

struct Wanderer<'a> {
    model: &'a Machines,
    dice: Dice,
    before: Vec<u32>,
    steps: Steps,
}

impl Chooser for Wanderer<'_> {
    fn choose(&mut self, choice: Choice<'_>) -> usize {
        choice.draw(&mut self.dice)
    }

    fn arrive(&mut self, view: View<'_>) -> Flow {
        let state = view.state.expect("machines show their states");
        assert_eq!(view.print, Some(self.model.fingerprint(state)));
        if view.taken > 0 {
            self.steps.clear();
            let listed = self.model.expand(&self.before, &mut self.steps);
            listed.expect("there are not many");
            let mut targets = self.steps.iter().map(|(_, target)| target);
            assert!(
                targets.any(|target| target == state),
                "{:?}",
                self.model.describe(state)
            );
        }
        self.before = state.to_vec();
        Flow::Go
    }
}

fn check(text: &str, timing: Timing) {
    let source = Source {
        name: "queues",
        text,
    };
    let read = lurch::read(source).expect("it is well formed");
    let settings = Settings {
        timing: Some(timing),
        ..Settings::default()
    };
    let model = Machines::new(read.system, settings).expect("it begins");
    let mut walk = model.own_walk();
    let mut wanderer = Wanderer {
        model: &model,
        dice: Dice::new(3),
        before: Vec::new(),
        steps: Steps::new(1),
    };
    let mut first = Vec::new();
    model.initial(&mut first).expect("it begins");
    wanderer.steps = Steps::new(first.len());
    for _ in 0..200 {
        walk.run(&mut wanderer, 100).expect("nothing fails");
    }
}

#[test]
fn queues_of_their_own() {
    let text = QUEUES.replace("MORE", "").replace("EXTRA", "");
    let text = text.replace("EITHER", "&got");
    check(&text, Timing::Asynchronous);
    check(&text, Timing::Synchronous);
}

/// Now and then, two variables lead to the same cell.
#[test]
fn queues_that_share() {
    let text = QUEUES.replace("MORE", "Cell *seen;");
    let text = text.replace(
        "EXTRA",
        "if (!q[1]) seen = NULL; else if (total == 1) seen = q[1];",
    );
    let text = text.replace("EITHER", "&total");
    check(&text, Timing::Asynchronous);
    check(&text, Timing::Synchronous);
}
