//! Small C programs whose outcomes are known: each ends with an exit status that says what it saw, and all runs together must show exactly the
//! statuses that sequential consistency and POSIX allow.

#![cfg(feature = "c")]

mod support;

use sortie_hunt::Program;
use sortie_model::Verdict;
use support::{Hunt, failures, folder, has_compiler, hunt, plainly, replay, with_memory};

const BEGIN: &str = "
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>
static pthread_t t1, t2;
static const struct timespec soon = {1, 0};
static void both(void *(*a)(void *), void *(*b)(void *))
{
    pthread_create(&t1, 0, a, 0);
    pthread_create(&t2, 0, b, 0);
    pthread_join(t1, 0);
    pthread_join(t2, 0);
}
";

/// Runs every schedule of a program and compares the exit statuses with those expected.
fn check(name: &str, source: &str, memory: bool, expected: &[&str]) {
    if !has_compiler() {
        return;
    }
    let folder = folder("litmus");
    let (file, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&file, format!("{BEGIN}{source}")).expect("the source can be written");
    if memory {
        with_memory(&file, &program, &[]);
    } else {
        plainly(&file, &program, &[]);
    }
    let all = Hunt {
        strategy: "exhaustive",
        keep_going: true,
        runs: 100_000,
        ..hunt(&program, &[])
    };
    let results = all.go().expect("the program can be run");
    let mut expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
    expected.sort();
    assert_eq!(failures(&results), expected, "{name}");
    if expected.is_empty() {
        assert_eq!(results.verdict, Verdict::Exhausted, "{name}");
    }
    for found in &results.found {
        for _ in 0..3 {
            assert_eq!(replay(&all.program, &found.witness), None, "{name}");
        }
    }
}

#[test]
fn stores_are_seen_in_order() {
    let program = "
        static volatile int x, y, a, b;
        static void *first(void *n) { x = 1; a = y; return n; }
        static void *second(void *n) { y = 1; b = x; return n; }
        int main(void) { both(first, second); return 10 + 2 * a + b; }";
    check(
        "store_buffer",
        program,
        true,
        &["exit status 11", "exit status 12", "exit status 13"],
    );
}

#[test]
fn messages_are_passed_in_order() {
    let program = "
        static volatile int data, flag, seen = 2;
        static void *send(void *n) { data = 1; flag = 1; return n; }
        static void *receive(void *n) { if (flag) seen = data; return n; }
        int main(void) { both(send, receive); return seen == 0 ? 9 : 10 + seen; }";
    check(
        "message",
        program,
        true,
        &["exit status 11", "exit status 12"],
    );
}

#[test]
fn updates_get_lost_unless_they_are_atomic() {
    let racy = "
        static volatile int x;
        static void *add(void *n) { x = x + 1; return n; }
        int main(void) { both(add, add); return 10 + x; }";
    check(
        "lost_update",
        racy,
        true,
        &["exit status 11", "exit status 12"],
    );
    let atomic = "
        static atomic_int x;
        static void *add(void *n) { x++; return n; }
        int main(void) { both(add, add); return x == 2 ? 0 : 1; }";
    check("atomic_update", atomic, true, &[]);
}

#[test]
fn locks_exclude_one_another() {
    let program = "
        static int x;
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static void *add(void *n) { pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m); return n; }
        int main(void) { both(add, add); return x == 2 ? 0 : 1; }";
    check("lock", program, true, &[]);
}

#[test]
fn kinds_of_mutexes_answer_as_posix_says() {
    let program = "
        static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
        static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
        static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
        static void *other(void *n)
        {
            if (pthread_mutex_trylock(&again) != EBUSY || pthread_mutex_unlock(&checked) != EPERM) _exit(1);
            if (pthread_mutex_trylock(&plain) != EBUSY || pthread_mutex_timedlock(&plain, &soon) != ETIMEDOUT) _exit(2);
            return n;
        }
        int main(void)
        {
            pthread_mutex_t made;
            pthread_mutexattr_t kind;
            pthread_mutexattr_init(&kind);
            pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
            pthread_mutex_init(&made, &kind);
            if (pthread_mutex_lock(&made) || pthread_mutex_lock(&made) || pthread_mutex_unlock(&made)) return 3;
            if (pthread_mutex_destroy(&made) != EBUSY || pthread_mutex_unlock(&made) || pthread_mutex_destroy(&made)) return 4;
            if (pthread_mutex_lock(&again) || pthread_mutex_trylock(&again) || pthread_mutex_unlock(&again)) return 5;
            if (pthread_mutex_unlock(&checked) != EPERM) return 8;
            if (pthread_mutex_lock(&checked) || pthread_mutex_lock(&checked) != EDEADLK) return 6;
            if (pthread_mutex_lock(&plain) || pthread_mutex_trylock(&plain) != EBUSY) return 7;
            both(other, other);
            return 0;
        }";
    check("kinds", program, true, &[]);
}

#[test]
fn a_lock_taken_twice_is_a_deadlock() {
    let program = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }";
    check("twice", program, false, &["deadlock"]);
}

#[test]
fn a_lock_with_a_deadline_is_had_or_given_up() {
    let program = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static int result;
        static void *hold(void *n) { pthread_mutex_lock(&m); usleep(1000); pthread_mutex_unlock(&m); return n; }
        static void *want(void *n)
        {
            result = pthread_mutex_timedlock(&m, &soon);
            if (result == 0) pthread_mutex_unlock(&m);
            return n;
        }
        int main(void) { both(hold, want); return result == 0 ? 10 : result == ETIMEDOUT ? 11 : 12; }";
    check(
        "timed_lock",
        program,
        false,
        &["exit status 10", "exit status 11"],
    );
}

#[test]
fn a_signal_wakes_any_waiter_and_is_lost_without_one() {
    let program = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static int waiting, first;
        static void *wait(void *n)
        {
            pthread_mutex_lock(&m);
            waiting++;
            pthread_cond_wait(&c, &m);
            if (!first) first = n ? 2 : 1;
            pthread_mutex_unlock(&m);
            return n;
        }
        int main(void)
        {
            pthread_create(&t1, 0, wait, 0);
            pthread_create(&t2, 0, wait, &first);
            for (int ready = 0; !ready; sched_yield()) {
                pthread_mutex_lock(&m);
                ready = waiting == 2;
                pthread_mutex_unlock(&m);
            }
            pthread_cond_signal(&c);
            pthread_cond_signal(&c);
            pthread_join(t1, 0);
            pthread_join(t2, 0);
            return 10 + first;
        }";
    if !has_compiler() {
        return;
    }
    // Spinning has no last schedule, so that not all are tried here.
    let folder = folder("litmus");
    let (file, binary) = (folder.join("any_waiter.c"), folder.join("any_waiter"));
    std::fs::write(&file, format!("{BEGIN}{program}")).expect("the source can be written");
    plainly(&file, &binary, &[]);
    let some = Hunt {
        keep_going: true,
        runs: 300,
        ..hunt(&binary, &[])
    };
    let results = some.go().expect("the program can be run");
    assert_eq!(failures(&results), ["exit status 11", "exit status 12"]);
    let lost = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static void *wait(void *n) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return n; }
        static void *tell(void *n) { pthread_cond_signal(&c); return n; }
        int main(void) { both(wait, tell); return 10; }";
    check("lost_signal", lost, false, &["deadlock", "exit status 10"]);
}

#[test]
fn a_wait_with_a_deadline_is_woken_or_given_up() {
    let program = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static int result;
        static void *wait(void *n)
        {
            pthread_mutex_lock(&m);
            result = pthread_cond_timedwait(&c, &m, &soon);
            pthread_mutex_unlock(&m);
            return n;
        }
        static void *tell(void *n) { pthread_mutex_lock(&m); pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); return n; }
        int main(void)
        {
            pthread_create(&t1, 0, wait, 0);
            tell(0);
            pthread_join(t1, 0);
            return result == 0 ? 10 : result == ETIMEDOUT ? 11 : 12;
        }";
    check(
        "timed_wait",
        program,
        false,
        &["exit status 10", "exit status 11"],
    );
}

#[test]
fn semaphores_count() {
    let program = "
        static sem_t s;
        static int got;
        static void *take(void *n) { if (sem_trywait(&s) == 0) got |= n ? 2 : 1; return n; }
        static void *post(void *n) { sem_post(&s); return n; }
        int main(void)
        {
            int value;
            sem_init(&s, 0, 1);
            if (sem_getvalue(&s, &value) || value != 1) return 1;
            if (sem_wait(&s) || sem_trywait(&s) != -1 || errno != EAGAIN) return 2;
            if (sem_timedwait(&s, &soon) != -1 || errno != ETIMEDOUT) return 3;
            both(take, post);
            sem_getvalue(&s, &value);
            return value + got == 1 ? 10 + got : 4;
        }";
    check(
        "semaphore",
        program,
        false,
        &["exit status 10", "exit status 11"],
    );
}

#[test]
fn readers_share_and_writers_do_not() {
    let program = "
        static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        static volatile int together;
        static void *look(void *n)
        {
            pthread_rwlock_rdlock(&l);
            together++;
            sched_yield();
            int seen = together;
            together--;
            pthread_rwlock_unlock(&l);
            return (void *)(long)seen;
        }
        int main(void)
        {
            void *other;
            if (pthread_rwlock_rdlock(&l) || pthread_rwlock_trywrlock(&l) != EBUSY || pthread_rwlock_tryrdlock(&l)) return 1;
            if (pthread_rwlock_unlock(&l) || pthread_rwlock_unlock(&l) || pthread_rwlock_wrlock(&l)) return 2;
            if (pthread_rwlock_tryrdlock(&l) != EBUSY || pthread_rwlock_rdlock(&l) != EDEADLK || pthread_rwlock_unlock(&l)) return 3;
            pthread_create(&t1, 0, look, 0);
            long own = (long)look(0);
            pthread_join(t1, &other);
            return 10 + (own == 2 || (long)other == 2);
        }";
    check(
        "readers",
        program,
        false,
        &["exit status 10", "exit status 11"],
    );
    let upgrade = "
        static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        static void *up(void *n) { pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); return n; }
        int main(void) { both(up, up); return 10; }";
    check("upgrade", upgrade, true, &["deadlock"]);
}

#[test]
fn barriers_spin_locks_and_once() {
    let program = "
        static pthread_barrier_t b;
        static pthread_spinlock_t s;
        static pthread_once_t o = PTHREAD_ONCE_INIT;
        static int serial, done, x;
        static void begin(void) { done++; }
        static void *run(void *n)
        {
            pthread_once(&o, begin);
            int result = pthread_barrier_wait(&b);
            pthread_spin_lock(&s);
            x++;
            serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
            pthread_spin_unlock(&s);
            return n;
        }
        int main(void)
        {
            pthread_barrier_init(&b, 0, 2);
            pthread_spin_init(&s, 0);
            both(run, run);
            return serial == 1 && done == 1 && x == 2 ? 0 : 1;
        }";
    check("barrier", program, true, &[]);
}

#[test]
fn threads_end_give_values_and_are_joined() {
    let program = "
        static pthread_key_t key;
        static int destroyed;
        static void destroy(void *value) { destroyed += *(int *)value; }
        static void *leave(void *n) { static int one = 1; pthread_setspecific(key, &one); pthread_exit(n); }
        static void *give(void *n) { return n; }
        int main(void)
        {
            void *a, *b;
            int x, y;
            pthread_key_create(&key, destroy);
            pthread_create(&t1, 0, leave, &x);
            pthread_create(&t2, 0, give, &y);
            pthread_join(t1, &a);
            pthread_join(t2, &b);
            return a == &x && b == &y && destroyed == 1 ? 0 : 1;
        }";
    check("ends", program, false, &[]);
}

#[test]
fn main_may_end_before_its_threads() {
    let program = "
        static void *fail(void *n) { sched_yield(); _exit(10); return n; }
        int main(void) { pthread_create(&t1, 0, fail, 0); return 11; }";
    check(
        "early",
        program,
        false,
        &["exit status 10", "exit status 11"],
    );
    let leaves = "
        static void *last(void *n) { sched_yield(); _exit(10); return n; }
        int main(void) { pthread_create(&t1, 0, last, 0); pthread_exit(0); }";
    check("leaves", leaves, false, &["exit status 10"]);
}

#[test]
fn sleeps_order_nothing() {
    let program = "
        static int order;
        static void *slow(void *n) { usleep(1000000); if (!order) order = 1; return n; }
        static void *quick(void *n) { usleep(1); if (!order) order = 2; return n; }
        int main(void) { both(slow, quick); return 10 + order; }";
    check(
        "sleeps",
        program,
        false,
        &["exit status 11", "exit status 12"],
    );
}

#[test]
fn once_may_be_set_back() {
    let program = "
        static pthread_once_t o = PTHREAD_ONCE_INIT;
        static int done;
        static void begin(void) { done++; }
        int main(void)
        {
            pthread_once(&o, begin);
            pthread_once(&o, begin);
            o = (pthread_once_t)PTHREAD_ONCE_INIT;
            pthread_once(&o, begin);
            return done == 2 ? 0 : 1;
        }";
    check("once_again", program, false, &[]);
}

#[test]
fn another_kind_of_mutex_may_come_to_lie_at_an_address() {
    let program = "
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void)
        {
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
            m = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
            pthread_mutex_lock(&m);
            return pthread_mutex_lock(&m);
        }";
    check("other_kind", program, false, &[]);
}

#[test]
fn more_memory_than_can_be_watched_is_told() {
    if !has_compiler() {
        return;
    }
    let program = "
        static volatile int many[40000];
        static void *touch(void *n) { for (int i = 0; i < 40000; i++) many[i]++; return n; }
        int main(void) { both(touch, touch); return 0; }";
    let folder = folder("litmus");
    let (file, binary) = (folder.join("many_words.c"), folder.join("many_words"));
    std::fs::write(&file, format!("{BEGIN}{program}")).expect("the source can be written");
    with_memory(&file, &binary, &[]);
    let few = Hunt {
        runs: 2,
        ..hunt(&binary, &[])
    };
    let results = few.go().expect("the program can be run");
    let counts = results.program.expect("it is a program");
    let remarks = few.program.remarks(&counts).concat();
    assert!(remarks.contains("more memory to watch"), "{remarks}");
}
