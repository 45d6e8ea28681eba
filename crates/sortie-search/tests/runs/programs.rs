//! Programs with known bugs, of the kinds that benchmarks of concurrency testing use.

use super::simulated::Do::*;
use super::simulated::{Do, Program};

/// A task that creates all others and waits for them.
fn led_by_main(tasks: Vec<Vec<Do>>) -> Program {
    let numbers = 1..=tasks.len();
    let main = numbers
        .clone()
        .map(Create)
        .chain(numbers.map(Join))
        .collect();
    Program::new([main].into_iter().chain(tasks).collect())
}

/// Setters write two variables, a checker must not come between.
pub fn reorder(setters: usize) -> Program {
    let setter = vec![Store(0, |_| 1), Store(1, |_| -1)];
    let checker = vec![
        Load(0, 0),
        Load(1, 1),
        Check(
            |r| (r[0] == 0 && r[1] == 0) || (r[0] == 1 && r[1] == -1),
            "reordered",
        ),
    ];
    led_by_main(
        (0..setters)
            .map(|_| setter.clone())
            .chain([checker])
            .collect(),
    )
}

/// Two variables are written under two locks, one after the other; readers expect both or none.
pub fn two_stage(writers: usize) -> Program {
    let writer = vec![
        Lock(0),
        Store(0, |_| 1),
        Unlock(0),
        Lock(1),
        Load(0, 0),
        Store(1, |r| r[0] + 1),
        Unlock(1),
    ];
    let reader = vec![
        Lock(0),
        Load(0, 0),
        Unlock(0),
        Jump(|r| r[0] == 0, 8),
        Lock(1),
        Load(1, 1),
        Unlock(1),
        Check(|r| r[1] == r[0] + 1, "half written"),
    ];
    led_by_main(
        (0..writers)
            .map(|_| writer.clone())
            .chain([reader])
            .collect(),
    )
}

/// Two increments without a lock.
pub fn lost_update() -> Program {
    let increment = vec![Load(0, 0), Store(0, |r| r[0] + 1)];
    let mut program = led_by_main(vec![increment.clone(), increment]);
    program.tasks[0].extend([Load(0, 0), Check(|r| r[0] == 2, "lost")]);
    program
}

/// Two locks taken in different orders.
pub fn crossed_locks() -> Program {
    let task = |first, second| vec![Lock(first), Lock(second), Unlock(second), Unlock(first)];
    led_by_main(vec![task(0, 1), task(1, 0)])
}

/// Philosophers who take the left fork first.
pub fn philosophers(count: usize) -> Program {
    let task = |i: usize| {
        let (left, right) = (i, (i + 1) % count);
        vec![Lock(left), Lock(right), Unlock(right), Unlock(left)]
    };
    led_by_main((0..count).map(task).collect())
}

/// A task waits in a loop for another to set a flag, then trusts a value that is written too late.
pub fn spinning(yields: bool) -> Program {
    let pause = if yields { Yield } else { Load(2, 2) };
    let waiter = vec![
        Load(0, 0),
        Jump(|r| r[0] == 1, 4),
        pause,
        Jump(|_| true, 0),
        Load(1, 1),
        Check(|r| r[1] == 7, "too early"),
    ];
    let worker = vec![Store(0, |_| 1), Store(1, |_| 7)];
    led_by_main(vec![waiter, worker])
}

/// Each of two tasks does work of its own before and after a short critical moment: with many places to ask, few runs mix the moments.
pub fn far_apart(work: usize) -> Program {
    let own = |variable: usize| std::iter::repeat_n(Store(variable, |_| 1), work);
    let first = own(4)
        .chain([Store(0, |_| 1), Store(0, |_| 0)])
        .chain(own(4));
    let second = [Load(0, 0), Check(|r| r[0] == 0, "seen")]
        .into_iter()
        .chain(own(5));
    led_by_main(vec![first.collect(), second.collect()])
}

/// A flag is seen, then the object behind it used without looking again.
pub fn wrong_lock(tasks: usize) -> Program {
    let right = vec![Lock(0), Load(0, 0), Store(0, |r| r[0] + 1), Unlock(0)];
    let wrong = vec![
        Lock(1),
        Load(0, 0),
        Load(0, 1),
        Check(|r| r[0] == r[1], "changed under a lock"),
        Unlock(1),
    ];
    led_by_main((0..tasks).map(|_| right.clone()).chain([wrong]).collect())
}
