/* Time is a choice: a sleep or a timed wait may end whenever the hunter likes, and clocks follow. */
#include "core.h"
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>

#define SECOND 1000000000ull

/* All clocks show the same time. */
uint64_t deadline_of(const struct timespec *time, clockid_t clock)
{
    uint64_t deadline = (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
    return deadline == FOR_EVER ? deadline - 1 : deadline;
}

static void sleep_until(uint64_t end, uint64_t place)
{
    point(MOVE_SLEEP, (uint64_t)&now, false, place);
    if (now < end)
        now = end;
}

/* Who looks at the clock again and again waits for it: it moves on by ever longer spans. */
static void look_at_clock(void)
{
    uint32_t doubling = self->clock_reads < 17 ? self->clock_reads : 17;
    self->clock_reads++;
    now += 1000ull << doubling;
}

static void tell(uint64_t time, struct timespec *result)
{
    result->tv_sec = (time_t)(time / SECOND);
    result->tv_nsec = (long)(time % SECOND);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *result)
{
    if (!self)
        return REAL(clock_gettime)(clock, result);
    look_at_clock();
    tell(now, result);
    return 0;
}

EXPORT int timespec_get(struct timespec *result, int base)
{
    if (!self)
        return REAL(timespec_get)(result, base);
    look_at_clock();
    tell(now, result);
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict result, void *restrict zone)
{
    if (!self)
        return REAL(gettimeofday)(result, zone);
    look_at_clock();
    result->tv_sec = (time_t)(now / SECOND);
    result->tv_usec = (suseconds_t)(now % SECOND / 1000);
    return 0;
}

EXPORT time_t time(time_t *result)
{
    if (!self)
        return REAL(time)(result);
    look_at_clock();
    time_t seconds = (time_t)(now / SECOND);
    if (result)
        *result = seconds;
    return seconds;
}

EXPORT clock_t clock(void)
{
    if (!self)
        return REAL(clock)();
    look_at_clock();
    return (clock_t)(now / (SECOND / CLOCKS_PER_SEC) % 1000000000u);
}

EXPORT int nanosleep(const struct timespec *span, struct timespec *left)
{
    if (!self)
        return REAL(nanosleep)(span, left);
    sleep_until(now + deadline_of(span, CLOCK_REALTIME), PLACE);
    return 0;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span, struct timespec *left)
{
    if (!self)
        return REAL(clock_nanosleep)(clock, flags, span, left);
    uint64_t end = deadline_of(span, clock);
    sleep_until(flags & TIMER_ABSTIME ? end : now + end, PLACE);
    return 0;
}

EXPORT unsigned sleep(unsigned seconds)
{
    if (!self)
        return REAL(sleep)(seconds);
    sleep_until(now + seconds * SECOND, PLACE);
    return 0;
}

EXPORT int usleep(useconds_t span)
{
    if (!self)
        return REAL(usleep)(span);
    sleep_until(now + span * 1000ull, PLACE);
    return 0;
}

EXPORT int thrd_sleep(const struct timespec *span, struct timespec *left)
{
    if (!self)
        return REAL(thrd_sleep)(span, left);
    sleep_until(now + deadline_of(span, CLOCK_REALTIME), PLACE);
    return 0;
}

EXPORT int sched_yield(void)
{
    if (!self)
        return REAL(sched_yield)();
    point(MOVE_YIELD, 0, true, PLACE);
    return 0;
}

EXPORT void thrd_yield(void)
{
    if (self)
        point(MOVE_YIELD, 0, true, PLACE);
}

/* Without anything to watch these are sleeps; otherwise they ask the system, and do not wait for it if they need not. */
EXPORT int poll(struct pollfd *watched, nfds_t count, int milliseconds)
{
    if (!self || count > 0)
        return REAL(poll)(watched, count, milliseconds);
    if (milliseconds < 0)
        escape("poll: waits for a signal, and signals are not controlled", PLACE);
    sleep_until(now + (uint64_t)milliseconds * 1000000u, PLACE);
    return 0;
}

EXPORT int select(int count, fd_set *readable, fd_set *writable, fd_set *odd, struct timeval *span)
{
    if (!self || count > 0 || !span)
        return REAL(select)(count, readable, writable, odd, span);
    sleep_until(now + (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_usec * 1000u, PLACE);
    return 0;
}
