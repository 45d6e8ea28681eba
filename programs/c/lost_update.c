/* Three threads count to three together, one number each.
 *
 * Wrong: reading, adding and writing are three steps. Two threads that read the same number count one together.
 * Repaired: one atomic addition.
 *
 *   sortie cc -g -O1 programs/c/lost_update.c -o lost_update
 *   sortie run -- ./lost_update
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3 };

#ifdef REPAIRED
static atomic_int counter;
#else
static int counter;
#endif

static void *count(void *none)
{
#ifdef REPAIRED
    atomic_fetch_add(&counter, 1);
#else
    int so_far = counter;
    counter = so_far + 1;
#endif
    return none;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(counter == THREADS);
    return 0;
}
