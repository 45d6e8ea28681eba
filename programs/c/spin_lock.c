/* A lock made of one atomic word: wait until it is free, then take it.
 *
 * Wrong: looking and taking are two steps. Two threads that both see the lock free are both inside.
 * Repaired: one atomic exchange looks and takes.
 *
 *   sortie cc -g -O1 programs/c/spin_lock.c -o spin_lock
 *   sortie run -- ./spin_lock
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { THREADS = 2 };

static atomic_int is_taken;
static int inside;

static void take(void)
{
#ifdef REPAIRED
    while (atomic_exchange(&is_taken, 1))
        sched_yield();
#else
    while (atomic_load(&is_taken))
        sched_yield();
    atomic_store(&is_taken, 1);
#endif
}

static void *enter(void *none)
{
    take();
    inside++;
    assert(inside == 1);
    inside--;
    atomic_store(&is_taken, 0);
    return none;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, enter, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
