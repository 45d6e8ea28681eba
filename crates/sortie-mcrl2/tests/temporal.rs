//! CTL and LTL on specifications.

mod public;

use sortie_formula::temporal::{Ctl, Ending, FairAnswer, Fairness, Ltl, fair_counterexample};
use sortie_formula::{Allowance, Examination, Truth, compile};
use sortie_mcrl2::{Mcrl2Model, open};
use sortie_model::Budget;
use sortie_search::Unfolding;

fn model(text: &str) -> Mcrl2Model {
    open("test", text, &[]).expect("a good specification")
}

fn ctl(model: &Mcrl2Model, formula: &str) -> Truth {
    let formula = Ctl::parse(formula).expect("a good formula");
    let context = model.context(&[]);
    let equations = compile(context.evaluator, &formula.formula(), 0).expect("no data");
    let budget = Budget::default();
    let mut space = Unfolding::new(model, &budget).expect("an initial state");
    let mut examination = Examination::new(&equations, context, &mut space);
    examination.decide(Allowance::default()).expect("an answer")
}

/// The answer by equations and by search, which are to be the same.
fn ltl(model: &Mcrl2Model, text: &str) -> Truth {
    let formula = Ltl::parse(text).expect("a good formula");
    let equations = formula.equations().expect("a small automaton");
    let budget = Budget::default();
    let mut space = Unfolding::new(model, &budget).expect("an initial state");
    let context = model.context(&[]);
    let mut examination = Examination::new(&equations, context, &mut space);
    let truth = examination.decide(Allowance::default()).expect("an answer");
    let searched = match fair(model, text, Fairness::None) {
        FairAnswer::Holds => Truth::True,
        FairAnswer::Violated(_) => Truth::False,
        FairAnswer::Unknown => Truth::Unknown,
    };
    assert_eq!(truth, searched, "{text}");
    truth
}

fn fair(model: &Mcrl2Model, formula: &str, fairness: Fairness) -> FairAnswer {
    let formula = Ltl::parse(formula).expect("a good formula");
    let budget = Budget::default();
    let mut space = Unfolding::new(model, &budget).expect("an initial state");
    let allowance = Allowance::default();
    fair_counterexample(&formula, fairness, &mut space, model, &[], allowance).expect("an answer")
}

/// The three kinds of fairness, from all paths to the fewest.
const KINDS: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

/// For which kinds of fairness the formula holds.
#[track_caller]
fn check(model: &Mcrl2Model, formula: &str, expected: [bool; 3]) {
    assert_eq!(ltl(model, formula) == Truth::True, expected[0], "{formula}");
    let found = KINDS.map(|kind| fair(model, formula, kind));
    assert!(!found.contains(&FairAnswer::Unknown), "{formula}");
    let found = found.map(|answer| answer == FairAnswer::Holds);
    assert_eq!(found, expected, "{formula}");
}

/// A channel that loses messages again and again.
#[test]
fn what_is_sent_again_and_again_arrives_at_last() {
    let model = model(
        "act accept, send, lose, pass, deliver;
         proc Sender = accept . Sending;
              Sending = send . (lose . Sending + pass . deliver . Sender);
         init Sender;",
    );
    check(&model, "G (<accept> => F <deliver>)", [false, false, true]);
    check(&model, "G (<pass> => X <deliver>)", [true; 3]);
    check(&model, "GF <pass> => GF <accept>", [true; 3]);
    check(&model, "FG !<lose>", [false; 3]);
    assert_eq!(ctl(&model, "AG EF <deliver>"), Truth::True);
    assert_eq!(ctl(&model, "AG AF <deliver>"), Truth::False);
    assert_eq!(
        ctl(&model, "AG ([lose] || [!lose] || E[true U <accept>])"),
        Truth::True
    );
    let FairAnswer::Violated(lasso) = fair(&model, "G (<accept> => F <deliver>)", Fairness::Weak)
    else {
        panic!("the channel may lose everything");
    };
    let Ending::Cycle(cycle) = &lasso.ending else {
        panic!("nothing ends: {lasso:?}");
    };
    // accept, and then send and lose for ever.
    assert_eq!((lasso.prefix.len(), cycle.len()), (1, 2));
}

/// Two processes that have nothing to do with each other.
#[test]
fn what_stays_possible_happens() {
    let model = model(
        "act tick, once;
         proc Clock = tick . Clock;
         init Clock || once . delta;",
    );
    check(&model, "F <once || once|tick>", [false, true, true]);
    // The two may happen together, which is another label.
    check(&model, "F <once>", [false; 3]);
    check(&model, "G F <tick>", [true; 3]);
}

fn public_model(folder: &std::path::Path, name: &str) -> Mcrl2Model {
    let path = folder.join("specs/examples/academic").join(name);
    let text = std::fs::read_to_string(&path);
    model(&text.unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The channels of this protocol choose between passing and garbling by two steps with one label, so no fairness over labels makes them pass.
#[test]
fn alternating_bit_protocol() {
    let Some(folder) = public::folder() else {
        return;
    };
    let model = public_model(&folder, "abp/abp.mcrl2");
    check(&model, "G (<r1(_)> => F <s4(_)>)", [false; 3]);
    check(&model, "G (<r1(d1)> => [!s4(d2)] W <s4(d1)>)", [true; 3]);
    check(&model, "G (<r1> => X (!<r1> W <s4>))", [true; 3]);
    let passes = "FG !<c3(e)> && FG !<c6(e)>";
    check(&model, &format!("{passes} => GF <r1>"), [true; 3]);
    assert_eq!(ctl(&model, "AG EF <r1(d1)>"), Truth::True);
    assert_eq!(ctl(&model, "AG (<r1> => AF <s4>)"), Truth::False);
}

#[test]
fn dining_philosophers() {
    let Some(folder) = public::folder() else {
        return;
    };
    let model = public_model(&folder, "dining/dining3.mcrl2");
    check(&model, "F [false]", [false; 3]);
    check(&model, "GF <eat>", [false; 3]);
    check(&model, "GF <eat(p1)> || F [false]", [false, false, true]);
    assert_eq!(ctl(&model, "EF [false]"), Truth::True);
    assert_eq!(
        ctl(&model, "EG <eat || lock || free || lock|lock || free|free>"),
        Truth::True
    );
}

#[test]
fn mutual_exclusion() {
    let Some(folder) = public::folder() else {
        return;
    };
    let model = public_model(&folder, "mutex_models/Petersons/Petersons_spec.mcrl2");
    check(&model, "G (<enter> => X (!<enter> W <leave>))", [true; 3]);
    check(&model, "G (<wish(0)|set_flag> => F <enter(0)>)", [true; 3]);
}
