/* An owner pushes jobs onto one end of a queue and pops them there; a thief steals from the other end (the queue of
 * Chase and Lev, with room for all jobs).
 *
 * Wrong: the owner looks at the thief's end before announcing which job it is about to take. Those two must happen in
 * the other order; it is the order that weak memory spoils where a fence is missing. The owner must stop between the
 * two while the thief steals everything up to and including the announced job: two steals in a row if two jobs are
 * left. Then that job is done twice.
 * Repaired: announce first, look then.
 *
 *   sortie cc -g -O1 programs/c/work_stealing.c -o work_stealing
 *   sortie run -- ./work_stealing
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { JOBS = 6, ATTEMPTS = 4, NOTHING = -1 };

static atomic_int top;
static atomic_int bottom;
static atomic_int jobs[JOBS];
static atomic_int done[JOBS];

static void push(int job)
{
    int at = atomic_load(&bottom);
    atomic_store(&jobs[at], job);
    atomic_store(&bottom, at + 1);
}

static int pop(void)
{
    int at = atomic_load(&bottom) - 1;
    if (at < 0)
        return NOTHING;
#ifdef REPAIRED
    atomic_store(&bottom, at);
    int first = atomic_load(&top);
#else
    int first = atomic_load(&top);
    atomic_store(&bottom, at);
#endif
    if (first > at) {
        atomic_store(&bottom, first);
        return NOTHING;
    }
    int job = atomic_load(&jobs[at]);
    if (first == at) {
        if (!atomic_compare_exchange_strong(&top, &first, first + 1))
            job = NOTHING;
        atomic_store(&bottom, at + 1);
    }
    return job;
}

static int steal(void)
{
    int first = atomic_load(&top);
    if (first >= atomic_load(&bottom))
        return NOTHING;
    int job = atomic_load(&jobs[first]);
    if (!atomic_compare_exchange_strong(&top, &first, first + 1))
        return NOTHING;
    return job;
}

static void work(int job)
{
    if (job != NOTHING) {
        int before = atomic_fetch_add(&done[job], 1);
        assert(before == 0);
    }
}

static void *thief(void *none)
{
    for (int i = 0; i < ATTEMPTS; i++)
        work(steal());
    return none;
}

static void *owner(void *none)
{
    int job = 0;

    while (job < 4)
        push(job++);
    work(pop());
    work(pop());
    while (job < JOBS)
        push(job++);
    for (int i = 0; i < JOBS; i++)
        work(pop());
    return none;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, owner, NULL);
    pthread_create(&threads[1], NULL, thief, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    for (int i = 0; i < JOBS; i++)
        assert(atomic_load(&done[i]) == 1);
    return 0;
}
