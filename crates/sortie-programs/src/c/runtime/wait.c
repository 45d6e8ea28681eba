/* Conditions, semaphores, barriers, and futexes that are called by name. */
#include "core.h"
#include <limits.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>

static uint64_t tickets;

/* Waiters for an object in a given kind of wait, in the order in which they began. */
static uint32_t waiters(uint8_t kind, uint64_t object, struct thread **found)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shared->threads; i++) {
        struct thread *thread = &threads[i];
        bool waits = !thread->finished && thread->pending.kind == kind && thread->pending.object == object && !thread->woken;
        if (!waits || thread == self)
            continue;
        uint32_t at = count++;
        for (; at > 0 && found[at - 1]->ticket > thread->ticket; at--)
            found[at] = found[at - 1];
        found[at] = thread;
    }
    return count;
}

/* Wakes waiters, any of them: which is a choice. Returns how many. */
static uint32_t wake(uint8_t kind, uint64_t object, uint32_t most)
{
    static struct thread *found[MOST_THREADS];
    uint32_t woken = 0;
    for (; woken < most; woken++) {
        uint32_t count = waiters(kind, object, found);
        if (count == 0)
            break;
        bool any = count > 1 && most - woken < count;
        found[any ? ask(ASK_WAITER, count) : 0]->woken = true;
        changes++;
    }
    return woken;
}

int wait_for_condition(const void *condition, const void *mutex, uint64_t place, uint64_t deadline)
{
    struct object *waited = object_at(condition, OBJECT_COND);
    struct object *lock = object_at(mutex, OBJECT_MUTEX);
    point(MOVE_WAIT, waited->address, false, place);
    uint32_t depth = lock->depth;
    lock->owner = lock->depth = 0;
    release(lock->address);
    self->woken = false;
    self->ticket = ++tickets;
    point_at(MOVE_WAKE, waited, place, deadline);
    bool gave_up = !self->woken;
    point_at(MOVE_LOCK, lock, place, FOR_EVER);
    take_lock(lock);
    lock->depth = depth ? depth : 1;
    return gave_up ? ETIMEDOUT : 0;
}

int wake_condition(const void *condition, uint8_t kind, uint64_t place)
{
    struct object *waited = object_at(condition, OBJECT_COND);
    point(kind, waited->address, false, place);
    wake(MOVE_WAKE, waited->address, kind == MOVE_SIGNAL ? 1 : UINT_MAX);
    return 0;
}

EXPORT int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    if (controlled)
        forget_object(condition);
    return REAL(pthread_cond_init)(condition, attributes);
}

EXPORT int pthread_cond_destroy(pthread_cond_t *condition)
{
    if (controlled)
        forget_object(condition);
    return 0;
}

EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return self ? wait_for_condition(condition, mutex, PLACE, FOR_EVER) : REAL(pthread_cond_wait)(condition, mutex);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until)
{
    if (!self)
        return REAL(pthread_cond_timedwait)(condition, mutex, until);
    return wait_for_condition(condition, mutex, PLACE, deadline_of(until, CLOCK_REALTIME));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    if (!self)
        return REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
    return wait_for_condition(condition, mutex, PLACE, deadline_of(until, clock));
}

EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    return self ? wake_condition(condition, MOVE_SIGNAL, PLACE) : REAL(pthread_cond_signal)(condition);
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    return self ? wake_condition(condition, MOVE_BROADCAST, PLACE) : REAL(pthread_cond_broadcast)(condition);
}

/* A semaphore that is met for the first time has the value that the C library knows. */
static struct object *semaphore(sem_t *address)
{
    struct object *object = object_at(address, OBJECT_SEM);
    if (object->generation == 0) {
        int value = 0;
        REAL(sem_getvalue)(address, &value);
        object->value = value;
        object->generation = 1;
    }
    return object;
}

static int wait_for_semaphore(sem_t *address, uint64_t place, uint64_t deadline)
{
    struct object *object = semaphore(address);
    point_at(MOVE_SEM_WAIT, object, place, deadline);
    if (timed_out()) {
        errno = ETIMEDOUT;
        return -1;
    }
    object->value--;
    return 0;
}

EXPORT int sem_init(sem_t *address, int between_processes, unsigned value)
{
    if (controlled)
        forget_object(address);
    return REAL(sem_init)(address, between_processes, value);
}

EXPORT int sem_destroy(sem_t *address)
{
    if (controlled)
        forget_object(address);
    return 0;
}

EXPORT int sem_wait(sem_t *address)
{
    return self ? wait_for_semaphore(address, PLACE, FOR_EVER) : REAL(sem_wait)(address);
}

EXPORT int sem_timedwait(sem_t *address, const struct timespec *until)
{
    return self ? wait_for_semaphore(address, PLACE, deadline_of(until, CLOCK_REALTIME)) : REAL(sem_timedwait)(address, until);
}

EXPORT int sem_clockwait(sem_t *address, clockid_t clock, const struct timespec *until)
{
    return self ? wait_for_semaphore(address, PLACE, deadline_of(until, clock)) : REAL(sem_clockwait)(address, clock, until);
}

EXPORT int sem_trywait(sem_t *address)
{
    if (!self)
        return REAL(sem_trywait)(address);
    struct object *object = semaphore(address);
    point(MOVE_SEM_TRYWAIT, object->address, false, PLACE);
    if (object->value == 0) {
        errno = EAGAIN;
        return -1;
    }
    object->value--;
    return 0;
}

EXPORT int sem_post(sem_t *address)
{
    if (!self)
        return REAL(sem_post)(address);
    struct object *object = semaphore(address);
    point(MOVE_SEM_POST, object->address, false, PLACE);
    object->value++;
    changes++;
    return 0;
}

EXPORT int sem_getvalue(sem_t *address, int *value)
{
    if (!self)
        return REAL(sem_getvalue)(address, value);
    struct object *object = semaphore(address);
    point(MOVE_SEM_VALUE, object->address, true, PLACE);
    *value = (int)object->value;
    return 0;
}

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)
{
    if (controlled) {
        forget_object(barrier);
        if (count > 0)
            object_at(barrier, OBJECT_BARRIER)->value = count;
    }
    return REAL(pthread_barrier_init)(barrier, attributes, count);
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    if (controlled)
        forget_object(barrier);
    return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    if (!self)
        return REAL(pthread_barrier_wait)(barrier);
    struct object *object = object_at(barrier, OBJECT_BARRIER);
    uint64_t place = PLACE;
    point(MOVE_BARRIER, object->address, false, place);
    self->generation = object->generation;
    if (++object->depth >= object->value) {
        object->depth = 0;
        object->generation++;
        changes++;
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    point_at(MOVE_BARRIER_PASS, object, place, FOR_EVER);
    return 0;
}

/* Futexes that the program calls through the C library, as C++ atomics and the Rust library do. Those that it calls by an instruction of its
 * own are not seen here; who is woken by one runs without the baton, and that is. */
static long futex(uint32_t *word, int operation, uint32_t value, const struct timespec *time, uint64_t place)
{
    int command = operation & FUTEX_CMD_MASK;
    uint64_t address = (uint64_t)word;
    if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
        point(MOVE_FUTEX_WAKE, address, false, place);
        return wake(MOVE_FUTEX_PASS, address, value);
    }
    if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET)
        escape("a futex operation other than waiting and waking", place);
    point(MOVE_FUTEX_WAIT, address, false, place);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        errno = EAGAIN;
        return -1;
    }
    self->woken = false;
    self->ticket = ++tickets;
    uint64_t deadline = FOR_EVER;
    if (time && command == FUTEX_WAIT)
        deadline = now + (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
    else if (time)
        deadline = deadline_of(time, CLOCK_MONOTONIC);
    struct object waited = {.address = address};
    point_at(MOVE_FUTEX_PASS, &waited, place, deadline);
    if (!self->woken) {
        errno = ETIMEDOUT;
        return -1;
    }
    return 0;
}

EXPORT long syscall(long number, ...)
{
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
    long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    bool begins_process = number == SYS_clone || number == SYS_clone3 || number == SYS_execve;
#ifdef SYS_fork
    begins_process |= number == SYS_fork || number == SYS_vfork;
#endif
    if (begins_process)
        escape_if_controlled("a system call for another process or thread", PLACE);
    if (number == SYS_tgkill || number == SYS_tkill)
        escape_if_controlled("a system call that sends a signal", PLACE);
    if (self && number == SYS_futex)
        return futex((uint32_t *)a, (int)b, (uint32_t)c, (const struct timespec *)d, PLACE);
    return REAL(syscall)(number, a, b, c, d, e, f);
}
