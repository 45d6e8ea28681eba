/* What the parts of the runtime know of each other. */
#ifndef SORTIE_CORE_H
#define SORTIE_CORE_H

#define _GNU_SOURCE
#include "shared.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define EXPORT __attribute__((visibility("default")))
#define PLACE ((uint64_t)__builtin_return_address(0))

enum object_kind { OBJECT_MUTEX, OBJECT_COND, OBJECT_SEM, OBJECT_RWLOCK, OBJECT_BARRIER, OBJECT_ONCE };

/* The shadow of a lock, condition, semaphore, ...: the program's own is never used. */
struct object {
    uint64_t address;
    uint32_t next;
    uint8_t kind;
    uint8_t mutex_kind;
    uint16_t readers;
    uint32_t owner; /* thread number plus one; of a once: who runs it */
    uint32_t depth; /* of a recursive lock; of a barrier: how many have arrived */
    int64_t value;  /* of a semaphore; of a barrier: how many must arrive */
    uint64_t generation;
};

#define MOST_HELD 16

struct thread {
    uint32_t id;
    uint32_t baton; /* the futex on which the thread waits for its turn */
    uint32_t tid;
    bool finished;
    bool detached;
    bool woken;    /* from the wait it is in: condition, futex */
    bool blocked;  /* and the hunter knows */
    uint8_t idles; /* what it did while nothing changed: `DID_*` */
    struct move pending;
    struct object *target; /* what the pending move waits for */
    uint64_t deadline;     /* when the wait may end by itself */
    uint64_t ticket;      /* order of waiters */
    uint64_t generation;  /* of the barrier */
    uint32_t joined;      /* whose end is waited for */
    uint32_t children;
    uint32_t quiet;       /* accesses since the last scheduling point */
    uint64_t quiet_word;  /* the access that was made a scheduling point because there were many */
    uint32_t clock_reads; /* readings of the clock since another move */
    uint64_t who;
    void *(*start)(void *);
    void *argument;
    pthread_t handle;
    uint32_t held_count;
    uint64_t held[MOST_HELD];
};

extern HIDDEN struct shared *shared;
extern HIDDEN struct thread threads[MOST_THREADS];
extern HIDDEN __thread struct thread *self __attribute__((tls_model("initial-exec")));
extern HIDDEN uint64_t now; /* nanoseconds of the program's own time */
extern HIDDEN uint64_t changes; /* of anything that another thread could notice */
extern HIDDEN uint64_t main_stack; /* where the main function's variables begin */
extern HIDDEN bool controlled; /* whether this process is a hunted run */

/* The C library's function of that name. */
#define REAL(name)                                                                                                     \
    ({                                                                                                                 \
        static __typeof__(&name) real_;                                                                                \
        if (!real_)                                                                                                    \
            real_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                        \
        real_;                                                                                                         \
    })

/* The C library's own, not the hook of that name. */
#define system_call(...) REAL(syscall)(__VA_ARGS__)

/* A scheduling point: others may move now; returns when the thread may do what it said. */
HIDDEN void point(uint8_t kind, uint64_t object, bool looks, uint64_t place);
/* The same before an access to a word of memory, so many bytes after its beginning. */
HIDDEN void point_in(uint8_t kind, uint64_t word, uint8_t offset, bool looks, uint64_t place);
/* The same before something that has to wait for an object; without an end of its own if the deadline is `FOR_EVER`. */
#define FOR_EVER UINT64_MAX
HIDDEN void point_at(uint8_t kind, struct object *object, uint64_t place, uint64_t deadline);
/* Whether the wait that has just ended was given up. */
HIDDEN bool timed_out(void);
HIDDEN struct thread *new_thread(void);
HIDDEN void thread_begins(struct thread *thread);
HIDDEN void thread_ends(uint64_t place);
HIDDEN uint32_t ask(enum question question, uint32_t alternatives);
HIDDEN void flush(void);

HIDDEN int create_thread(pthread_t *result, const pthread_attr_t *attributes, void *(*start)(void *), void *argument, uint64_t place);
HIDDEN int join_thread(pthread_t handle, void **result, uint64_t place, uint64_t deadline);
HIDDEN int once_only(void *control, void (*routine)(void), uint64_t place);
HIDDEN void prepare_threads(void);
HIDDEN void mark_thread(void);
HIDDEN int lock_mutex(const void *mutex, uint64_t place, uint64_t deadline);
HIDDEN int try_mutex(const void *mutex, uint64_t place);
HIDDEN int unlock_mutex(const void *mutex, uint64_t place);
HIDDEN int wait_for_condition(const void *condition, const void *mutex, uint64_t place, uint64_t deadline);
HIDDEN int wake_condition(const void *condition, uint8_t kind, uint64_t place);

HIDDEN struct object *object_at(const void *address, enum object_kind kind);
HIDDEN void forget_object(const void *address);
/* The kind that the C library keeps in a mutex, which initialisers set as well. */
HIDDEN uint8_t kind_of_mutex(const void *address, uint64_t place);
HIDDEN void hold(uint64_t lock);
HIDDEN void release(uint64_t lock);
HIDDEN bool lock_is_free(const struct object *lock, const struct thread *thread);
HIDDEN void take_lock(struct object *lock);
HIDDEN uint64_t deadline_of(const struct timespec *time, clockid_t clock);

HIDDEN void finish(enum end end, const char *message) __attribute__((noreturn));
HIDDEN void escape(const char *what, uint64_t place) __attribute__((noreturn));
HIDDEN void escape_if_controlled(const char *what, uint64_t place);
HIDDEN void watch_for_crashes(void);
HIDDEN void note_frames(uint64_t *frames);

HIDDEN void futex_wait(uint32_t *word, uint32_t value);
HIDDEN void futex_wake(uint32_t *word);

#endif
