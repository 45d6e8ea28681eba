//! What holds for every search.

use crate::programs;
use crate::simulated::Do::*;
use crate::simulated::Program;
use sortie_model::*;
use sortie_search::schedulers::{Answer, Divergence, Failure, Replay, RunCounts, Setup, Trials};
use sortie_search::{Options, STRATEGIES, Strategy, strategy};

/// The strategies that search programs.
fn searches() -> impl Iterator<Item = &'static Strategy> {
    let all = STRATEGIES.iter();
    all.filter(|strategy| strategy.searches_programs())
}

fn setup<'a>(
    walk: &'a sortie_search::schedulers::MakeWalk<'a>,
    search: &str,
    threads: usize,
) -> Setup<'a> {
    Setup {
        strategy: strategy(search).unwrap(),
        max_steps: 2000,
        threads,
        ..Setup::new(walk)
    }
}

/// Everything there is to see after some runs, asked for in portions.
fn seen(
    program: &Program,
    search: &str,
    threads: usize,
    keep_going: bool,
    portions: &[u64],
) -> (RunCounts, Vec<Failure>, String) {
    let walk = || program.walk();
    let mut trials = Trials::new(Setup {
        keep_going,
        ..setup(&walk, search, threads)
    })
    .unwrap();
    for portion in portions {
        trials.go(*portion).unwrap();
    }
    let estimate = format!("{:?} {}", trials.unseen(), trials.distinct());
    (trials.counts(), trials.failures().to_vec(), estimate)
}

#[test]
fn neither_threads_nor_portions_show() {
    let tossing = Program::new(vec![
        vec![
            Toss(3, 0),
            Store(0, |r| r[0]),
            Load(1, 1),
            Check(|r| r[0] != 2 || r[1] != 2, "both two"),
        ],
        vec![Toss(3, 0), Store(1, |r| r[0])],
    ]);
    for program in [
        tossing.clone(),
        tossing.silent(),
        programs::reorder(3),
        programs::spinning(true),
    ] {
        for search in searches() {
            for keep_going in [false, true] {
                let one = seen(&program, search.name, 1, keep_going, &[300]);
                let three = seen(&program, search.name, 3, keep_going, &[1, 6, 93, 100, 100]);
                assert_eq!(one, three, "{}", search.name);
            }
        }
    }
}

#[test]
fn every_search_finds_lost_updates_and_its_failures_replay() {
    for program in [programs::lost_update(), programs::lost_update().silent()] {
        for search in searches() {
            let walk = || program.walk();
            let mut trials = Trials::new(setup(&walk, search.name, 1)).unwrap();
            assert_eq!(
                trials.go(1000).unwrap(),
                Some(Verdict::Found),
                "{}",
                search.name
            );
            let failure = &trials.failures()[0];
            assert_eq!(Some(failure.run), trials.counts().first_failed);
            for _ in 0..100 {
                let mut replay = Replay::new(&failure.answers);
                assert_eq!(
                    program.run(&mut replay).0,
                    End::Failed(failure.message.clone())
                );
                assert_eq!(replay.divergence(), None);
            }
        }
    }
}

#[test]
fn repaired_programs_are_not_blamed() {
    let increment = vec![Lock(0), Load(0, 0), Store(0, |r| r[0] + 1), Unlock(0)];
    let main = vec![
        Create(1),
        Create(2),
        Join(1),
        Join(2),
        Load(0, 0),
        Check(|r| r[0] == 2, "lost"),
    ];
    let program = Program::new(vec![main, increment.clone(), increment]);
    for search in searches() {
        let (counts, failures, _) = seen(&program, search.name, 1, false, &[1000]);
        assert_eq!((counts.failed, failures.len()), (0, 0), "{}", search.name);
    }
}

#[test]
fn replays_tell_where_they_differ() {
    let program = programs::lost_update();
    let walk = || program.walk();
    let mut trials = Trials::new(setup(&walk, "random", 1)).unwrap();
    trials.go(1000).unwrap();
    let answers = trials.failures()[0].answers.clone();
    let differs = |answers: &[Answer], program: &Program| {
        let mut replay = Replay::new(answers);
        program.run(&mut replay);
        replay.divergence()
    };
    let mut longer = answers.clone();
    longer.push(Answer { chosen: 0, of: 2 });
    let fewer = Divergence::FewerQuestions {
        asked: answers.len(),
        answers: longer.len(),
    };
    assert_eq!(differs(&longer, &program), Some(fewer));
    let more = Divergence::MoreQuestions {
        answers: answers.len() - 1,
    };
    assert_eq!(differs(&answers[..answers.len() - 1], &program), Some(more));
    let mut other = answers.clone();
    other[1].of += 3;
    let other_question = Divergence::OtherQuestion {
        question: 1,
        expected: answers[1].of + 3,
        offered: answers[1].of,
    };
    assert_eq!(differs(&other, &program), Some(other_question));
    assert_eq!(
        fewer.to_string(),
        format!(
            "the run ended after {} of {} questions",
            answers.len(),
            longer.len()
        )
    );
}

#[test]
fn a_stop_ends_the_trials() {
    let program = programs::reorder(2);
    let walk = || program.walk();
    let stop = Stop::default();
    let mut trials = Trials::new(Setup {
        stop: stop.clone(),
        keep_going: true,
        ..setup(&walk, "random", 2)
    })
    .unwrap();
    assert_eq!(trials.go(100).unwrap(), None);
    stop.request(StopReason::Interrupt);
    let stopped = Some(Verdict::Spent(Spending::Stopped(StopReason::Interrupt)));
    assert_eq!(trials.go(100).unwrap(), stopped);
    assert_eq!(trials.counts().runs, 100);
}

/// Good and Turing: what was seen once in a thousand runs of 20 orders is nothing; and of orders too many to meet twice, nearly all are new.
#[test]
fn the_unseen_is_estimated_over_classes() {
    let walk_few = programs::lost_update();
    let (_, _, estimate) = seen(&walk_few, "urw", 1, true, &[2000]);
    assert!(
        estimate.starts_with("Some(Unseen { per_million: 0,"),
        "{estimate}"
    );
    let unshared = Program::new((0..4).map(|task| vec![Store(task, |_| 1); 6]).collect());
    let (_, _, estimate) = seen(&unshared, "random", 1, true, &[500]);
    assert!(
        estimate.ends_with(" 1"),
        "runs that differ in what commutes are one class: {estimate}"
    );
    let (_, _, estimate) = seen(&unshared.silent(), "random", 1, true, &[500]);
    assert!(estimate.ends_with(" 500"), "{estimate}");
    let (_, _, estimate) = seen(&programs::lost_update(), "exhaustive", 1, true, &[50]);
    assert!(estimate.starts_with("None"), "{estimate}");
}

#[test]
fn options_are_checked() {
    let program = programs::lost_update();
    let walk = || program.walk();
    let error = |search: &str, name: &str, value: &str| {
        let options = Options::default().with(name, value);
        let setup = Setup {
            options,
            ..setup(&walk, search, 1)
        };
        Trials::new(setup)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(
        error("pct", "changes", "1001"),
        "--changes cannot be '1001': it must be a whole number from 0 to 1000"
    );
    assert!(error("random", "walks", "3").contains("has no option 'walks'"));
    assert!(error("genetic", "parents", "900").contains("no more can have children"));
    assert!(error("genetic", "fitness", "1 +").contains("--fitness cannot be"));
    let unknown = strategy("best").err().unwrap().to_string();
    assert!(unknown.contains("auto, random"), "{unknown}");
    let blind = error("highway", "width", "8");
    assert!(
        blind.contains("needs visible states")
            && blind.ends_with("pct, urw, surw, pos, archive, exhaustive"),
        "{blind}"
    );
}

#[test]
fn a_depth_limits_runs() {
    let program = programs::reorder(3);
    let walk = || program.walk();
    let mut trials = Trials::new(Setup {
        options: Options::default().with("depth", 3),
        ..setup(&walk, "random", 1)
    })
    .unwrap();
    trials.go(10).unwrap();
    let counts = trials.counts();
    assert_eq!((counts.limited, counts.longest), (10, 3));
}
