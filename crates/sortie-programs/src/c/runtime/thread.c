/* Threads: their beginning, their end, waiting for it, and things done once. */
#include "core.h"
#include <limits.h>
#include <sys/mman.h>

#define STACK (8ull << 20)
#define GUARD 4096ull

static pthread_key_t last_key;
static char *stacks;

/* Runs after all other destructors of a thread: only its last call ends it. */
static void last_destructor(void *round)
{
    if ((uintptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(last_key, (void *)((uintptr_t)round + 1));
    else if (self)
        thread_ends(0);
}

/* Stacks have addresses of their own, so that where a thread's variables are does not depend on whose stack is free. */
void prepare_threads(void)
{
    pthread_key_create(&last_key, last_destructor);
    stacks = mmap(NULL, MOST_THREADS * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED)
        stacks = NULL;
}

void mark_thread(void)
{
    pthread_setspecific(last_key, (void *)1);
}

static void *trampoline(void *argument)
{
    struct thread *thread = argument;
    thread_begins(thread);
    mark_thread();
    return thread->start(thread->argument);
}

/* Whether attributes name a stack; without one, the address is what remains when a size is taken from nothing. */
static bool names_stack(const pthread_attr_t *attributes)
{
    void *stack = NULL;
    size_t size = 0;
    return pthread_attr_getstack(attributes, &stack, &size) == 0 && (uintptr_t)stack + size != 0;
}

static void place_stack(struct thread *thread, pthread_attr_t *attributes)
{
    size_t size = 0;
    pthread_attr_getstacksize(attributes, &size);
    if (!stacks || size > STACK - GUARD)
        return;
    char *bottom = stacks + thread->id * STACK;
    mprotect(bottom, GUARD, PROT_NONE);
    pthread_attr_setstack(attributes, bottom + GUARD, STACK - GUARD);
}

int create_thread(pthread_t *result, const pthread_attr_t *given, void *(*start)(void *), void *argument, uint64_t place)
{
    point(MOVE_CREATE, 0, false, place);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    int detached = PTHREAD_CREATE_JOINABLE;
    if (given) {
        size_t size = 0;
        pthread_attr_getdetachstate(given, &detached);
        pthread_attr_setdetachstate(&attributes, detached);
        if (pthread_attr_getstacksize(given, &size) == 0)
            pthread_attr_setstacksize(&attributes, size);
    }
    struct thread *thread = new_thread();
    thread->start = start;
    thread->argument = argument;
    thread->pending.place = (uint64_t)start + 1;
    thread->detached = detached == PTHREAD_CREATE_DETACHED;
    bool has_own = given && names_stack(given);
    if (!has_own)
        place_stack(thread, &attributes);
    int error = REAL(pthread_create)(&thread->handle, has_own ? given : &attributes, trampoline, thread);
    pthread_attr_destroy(&attributes);
    if (error)
        escape("the system gives no more threads", place);
    *result = thread->handle;
    changes++;
    /* The new thread must be able to come before accesses to memory that are not seen. */
    point(MOVE_GO_ON, THREAD_OBJECT(thread->id), true, place);
    return 0;
}

EXPORT int pthread_create(pthread_t *result, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    if (!self)
        return REAL(pthread_create)(result, attributes, start, argument);
    return create_thread(result, attributes, start, argument, PLACE);
}

/* A handle may be used again once a thread is gone: the latest thread that had it is meant. */
static struct thread *thread_of(pthread_t handle)
{
    for (uint32_t i = shared->threads; i-- > 0;)
        if (threads[i].handle == handle)
            return &threads[i];
    return NULL;
}

int join_thread(pthread_t handle, void **result, uint64_t place, uint64_t deadline)
{
    struct thread *thread = thread_of(handle);
    if (!thread)
        return ESRCH;
    if (thread == self)
        return EDEADLK;
    if (thread->detached)
        return EINVAL;
    self->joined = thread->id;
    struct object ended = {.address = THREAD_OBJECT(thread->id)};
    point_at(MOVE_JOIN, &ended, place, deadline);
    if (timed_out())
        return ETIMEDOUT;
    thread->detached = true;
    return REAL(pthread_join)(handle, result);
}

EXPORT int pthread_join(pthread_t handle, void **result)
{
    return self ? join_thread(handle, result, PLACE, FOR_EVER) : REAL(pthread_join)(handle, result);
}

EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *until)
{
    return self ? join_thread(handle, result, PLACE, deadline_of(until, CLOCK_REALTIME)) : REAL(pthread_timedjoin_np)(handle, result, until);
}

EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *until)
{
    return self ? join_thread(handle, result, PLACE, deadline_of(until, clock)) : REAL(pthread_clockjoin_np)(handle, result, clock, until);
}

EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    if (!self)
        return REAL(pthread_tryjoin_np)(handle, result);
    struct thread *thread = thread_of(handle);
    if (!thread)
        return ESRCH;
    point(MOVE_SEM_VALUE, THREAD_OBJECT(thread->id), true, PLACE);
    if (!thread->finished)
        return EBUSY;
    thread->detached = true;
    return REAL(pthread_join)(handle, result);
}

EXPORT int pthread_detach(pthread_t handle)
{
    struct thread *thread = self ? thread_of(handle) : NULL;
    if (thread)
        thread->detached = true;
    return REAL(pthread_detach)(handle);
}

/* What the C library writes into a control variable when its routine is done. A program may write the initial value again. */
#define ONCE_DONE 2

struct doing {
    struct object *object;
    int *control;
    bool done;
};

/* The routine has returned, or has thrown an exception: then the next thread tries again. */
static void leave_once(struct doing *doing)
{
    doing->object->owner = 0;
    if (doing->done)
        *doing->control = ONCE_DONE;
    changes++;
}

int once_only(void *control, void (*routine)(void), uint64_t place)
{
    struct object *object = object_at(control, OBJECT_ONCE);
    point_at(MOVE_ONCE, object, place, FOR_EVER);
    if (*(int *)control == ONCE_DONE)
        return 0;
    struct doing doing __attribute__((cleanup(leave_once))) = {object, control, false};
    object->owner = self->id + 1;
    routine();
    doing.done = true;
    return 0;
}

EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    return self ? once_only(control, routine, PLACE) : REAL(pthread_once)(control, routine);
}
