/* C11 threads. */
#include "core.h"
#include <stdlib.h>
#include <threads.h>

/* They are those of POSIX under other names; their functions return numbers of their own. */
struct c11_start {
    int (*routine)(void *);
    void *argument;
};

static void *c11_trampoline(void *argument)
{
    struct c11_start start = *(struct c11_start *)argument;
    free(argument);
    return (void *)(intptr_t)start.routine(start.argument);
}

static int c11_result(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

EXPORT int thrd_create(thrd_t *result, thrd_start_t routine, void *argument)
{
    if (!self)
        return REAL(thrd_create)(result, routine, argument);
    struct c11_start *start = malloc(sizeof *start);
    *start = (struct c11_start){routine, argument};
    return c11_result(create_thread(result, NULL, c11_trampoline, start, PLACE));
}

EXPORT int thrd_join(thrd_t handle, int *result)
{
    if (!self)
        return REAL(thrd_join)(handle, result);
    void *value = NULL;
    int error = join_thread(handle, &value, PLACE, FOR_EVER);
    if (result)
        *result = (int)(intptr_t)value;
    return c11_result(error);
}

EXPORT int thrd_detach(thrd_t handle)
{
    return c11_result(pthread_detach(handle));
}

EXPORT int mtx_init(mtx_t *mutex, int kind)
{
    if (controlled)
        forget_object(mutex);
    return REAL(mtx_init)(mutex, kind);
}

EXPORT void mtx_destroy(mtx_t *mutex)
{
    if (controlled)
        forget_object(mutex);
}

EXPORT int mtx_lock(mtx_t *mutex)
{
    if (!self)
        return REAL(mtx_lock)(mutex);
    return c11_result(lock_mutex(mutex, PLACE, FOR_EVER));
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
    if (!self)
        return REAL(mtx_trylock)(mutex);
    return c11_result(try_mutex(mutex, PLACE));
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    if (!self)
        return REAL(mtx_timedlock)(mutex, until);
    return c11_result(lock_mutex(mutex, PLACE, deadline_of(until, CLOCK_REALTIME)));
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
    if (!self)
        return REAL(mtx_unlock)(mutex);
    return c11_result(unlock_mutex(mutex, PLACE));
}

EXPORT int cnd_init(cnd_t *condition)
{
    if (controlled)
        forget_object(condition);
    return REAL(cnd_init)(condition);
}

EXPORT void cnd_destroy(cnd_t *condition)
{
    if (controlled)
        forget_object(condition);
}

EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    if (!self)
        return REAL(cnd_wait)(condition, mutex);
    return c11_result(wait_for_condition(condition, mutex, PLACE, FOR_EVER));
}

EXPORT int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict mutex, const struct timespec *restrict until)
{
    if (!self)
        return REAL(cnd_timedwait)(condition, mutex, until);
    return c11_result(wait_for_condition(condition, mutex, PLACE, deadline_of(until, CLOCK_REALTIME)));
}

EXPORT int cnd_signal(cnd_t *condition)
{
    if (!self)
        return REAL(cnd_signal)(condition);
    return c11_result(wake_condition(condition, MOVE_SIGNAL, PLACE));
}

EXPORT int cnd_broadcast(cnd_t *condition)
{
    if (!self)
        return REAL(cnd_broadcast)(condition);
    return c11_result(wake_condition(condition, MOVE_BROADCAST, PLACE));
}

EXPORT void call_once(once_flag *control, void (*routine)(void))
{
    if (self)
        once_only(control, routine, PLACE);
    else
        REAL(call_once)(control, routine);
}
