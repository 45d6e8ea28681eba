/* A program starts a worker and tells it where to write its result.
 *
 * Wrong: the place is set after the worker has been started. A worker that runs at once follows a null pointer.
 * Repaired: the place is set first.
 *
 *   sortie cc -g -O1 programs/c/use_before_init.c -o use_before_init
 *   sortie run -- ./use_before_init
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int result;
static int *_Atomic place;

static void *worker(void *none)
{
    int *where = atomic_load(&place);
    *where = 42;
    return none;
}

int main(void)
{
    pthread_t thread;

#ifdef REPAIRED
    atomic_store(&place, &result);
    pthread_create(&thread, NULL, worker, NULL);
#else
    pthread_create(&thread, NULL, worker, NULL);
    atomic_store(&place, &result);
#endif
    pthread_join(thread, NULL);
    assert(result == 42);
    return 0;
}
