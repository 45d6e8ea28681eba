/* Mutexes, spin locks, reader-writer locks. */
#include "core.h"

bool lock_is_free(const struct object *lock, const struct thread *thread)
{
    if (lock->kind == OBJECT_RWLOCK)
        return lock->owner == 0 && lock->readers == 0;
    if (lock->owner == 0)
        return true;
    /* Taking such a lock again does not wait: it counts, or it is refused. */
    bool answers = lock->mutex_kind == PTHREAD_MUTEX_RECURSIVE || lock->mutex_kind == PTHREAD_MUTEX_ERRORCHECK;
    return lock->owner == thread->id + 1 && answers;
}

void take_lock(struct object *lock)
{
    if (lock->owner == 0)
        hold(lock->address);
    lock->owner = self->id + 1;
    lock->depth++;
}

/* The shadow of a mutex. While nobody has it, another one may have come to lie at its address without a call that tells. */
static struct object *mutex_at(const void *address, uint64_t place)
{
    struct object *lock = object_at(address, OBJECT_MUTEX);
    if (lock->owner == 0)
        lock->mutex_kind = kind_of_mutex(address, place);
    return lock;
}

int lock_mutex(const void *address, uint64_t place, uint64_t deadline)
{
    struct object *lock = mutex_at(address, place);
    point_at(MOVE_LOCK, lock, place, deadline);
    if (timed_out())
        return ETIMEDOUT;
    if (lock->owner == self->id + 1 && lock->mutex_kind == PTHREAD_MUTEX_ERRORCHECK)
        return EDEADLK;
    take_lock(lock);
    return 0;
}

int try_mutex(const void *address, uint64_t place)
{
    struct object *lock = mutex_at(address, place);
    point(MOVE_TRYLOCK, lock->address, false, place);
    if (lock->owner != 0 && !(lock->owner == self->id + 1 && lock->mutex_kind == PTHREAD_MUTEX_RECURSIVE))
        return EBUSY;
    take_lock(lock);
    return 0;
}

int unlock_mutex(const void *address, uint64_t place)
{
    struct object *lock = mutex_at(address, place);
    point(MOVE_UNLOCK, lock->address, false, place);
    bool owned = lock->owner == self->id + 1;
    if (!owned && (lock->mutex_kind == PTHREAD_MUTEX_ERRORCHECK || lock->mutex_kind == PTHREAD_MUTEX_RECURSIVE))
        return EPERM;
    if (!shared->instrumented)
        changes++;
    if (lock->depth > 1) {
        lock->depth--;
        return 0;
    }
    lock->owner = lock->depth = 0;
    if (owned)
        release(lock->address);
    return 0;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    if (controlled)
        forget_object(mutex);
    return REAL(pthread_mutex_init)(mutex, attributes);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    if (!self)
        return REAL(pthread_mutex_destroy)(mutex);
    if (object_at(mutex, OBJECT_MUTEX)->owner)
        return EBUSY;
    forget_object(mutex);
    return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    return self ? lock_mutex(mutex, PLACE, FOR_EVER) : REAL(pthread_mutex_lock)(mutex);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return self ? try_mutex(mutex, PLACE) : REAL(pthread_mutex_trylock)(mutex);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
    return self ? lock_mutex(mutex, PLACE, deadline_of(until, CLOCK_REALTIME)) : REAL(pthread_mutex_timedlock)(mutex, until);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
    return self ? lock_mutex(mutex, PLACE, deadline_of(until, clock)) : REAL(pthread_mutex_clocklock)(mutex, clock, until);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    return self ? unlock_mutex(mutex, PLACE) : REAL(pthread_mutex_unlock)(mutex);
}

/* A spin lock is a reader-writer lock without readers. */
static struct object *spin(pthread_spinlock_t *lock)
{
    return object_at((const void *)lock, OBJECT_RWLOCK);
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared_between_processes)
{
    if (controlled)
        forget_object((const void *)lock);
    return REAL(pthread_spin_init)(lock, shared_between_processes);
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    if (controlled)
        forget_object((const void *)lock);
    return 0;
}

static void take_for_writing(struct object *lock)
{
    lock->owner = self->id + 1;
    hold(lock->address);
}

static int write_lock(struct object *lock, uint64_t place, uint64_t deadline)
{
    point_at(MOVE_LOCK, lock, place, deadline);
    if (timed_out())
        return ETIMEDOUT;
    take_for_writing(lock);
    return 0;
}

/* Who has a reader-writer lock for writing is told so; a spin lock does not know. */
static int rw_write_lock(struct object *lock, uint64_t place, uint64_t deadline)
{
    return lock->owner == self->id + 1 ? EDEADLK : write_lock(lock, place, deadline);
}

static int try_write_lock(struct object *lock, uint64_t place)
{
    point(MOVE_TRYLOCK, lock->address, false, place);
    if (lock->owner || lock->readers)
        return EBUSY;
    take_for_writing(lock);
    return 0;
}

/* Several threads have a lock for reading at a time, so that it does not protect what they write: it is not held in that sense. */
static int read_lock(struct object *lock, uint64_t place, uint64_t deadline)
{
    if (lock->owner == self->id + 1)
        return EDEADLK;
    point_at(MOVE_READ_LOCK, lock, place, deadline);
    if (timed_out())
        return ETIMEDOUT;
    lock->readers++;
    return 0;
}

static int unlock_either(struct object *lock, uint64_t place)
{
    point(MOVE_UNLOCK, lock->address, false, place);
    if (!shared->instrumented)
        changes++;
    if (lock->owner)
        lock->owner = 0;
    else if (lock->readers)
        lock->readers--;
    release(lock->address);
    return 0;
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    return self ? write_lock(spin(lock), PLACE, FOR_EVER) : REAL(pthread_spin_lock)(lock);
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    return self ? try_write_lock(spin(lock), PLACE) : REAL(pthread_spin_trylock)(lock);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    return self ? unlock_either(spin(lock), PLACE) : REAL(pthread_spin_unlock)(lock);
}

static struct object *rwlock(pthread_rwlock_t *lock)
{
    return object_at(lock, OBJECT_RWLOCK);
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    if (controlled)
        forget_object(lock);
    return REAL(pthread_rwlock_init)(lock, attributes);
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    if (controlled)
        forget_object(lock);
    return 0;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return self ? read_lock(rwlock(lock), PLACE, FOR_EVER) : REAL(pthread_rwlock_rdlock)(lock);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return self ? read_lock(rwlock(lock), PLACE, deadline_of(until, CLOCK_REALTIME)) : REAL(pthread_rwlock_timedrdlock)(lock, until);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    return self ? read_lock(rwlock(lock), PLACE, deadline_of(until, clock)) : REAL(pthread_rwlock_clockrdlock)(lock, clock, until);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    if (!self)
        return REAL(pthread_rwlock_tryrdlock)(lock);
    struct object *object = rwlock(lock);
    point(MOVE_TRY_READ_LOCK, object->address, false, PLACE);
    if (object->owner)
        return EBUSY;
    object->readers++;
    return 0;
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return self ? rw_write_lock(rwlock(lock), PLACE, FOR_EVER) : REAL(pthread_rwlock_wrlock)(lock);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    return self ? rw_write_lock(rwlock(lock), PLACE, deadline_of(until, CLOCK_REALTIME)) : REAL(pthread_rwlock_timedwrlock)(lock, until);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
    return self ? rw_write_lock(rwlock(lock), PLACE, deadline_of(until, clock)) : REAL(pthread_rwlock_clockwrlock)(lock, clock, until);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return self ? try_write_lock(rwlock(lock), PLACE) : REAL(pthread_rwlock_trywrlock)(lock);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    return self ? unlock_either(rwlock(lock), PLACE) : REAL(pthread_rwlock_unlock)(lock);
}
