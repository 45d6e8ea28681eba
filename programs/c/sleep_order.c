/* A program gives its helper a while to prepare, and then uses what was prepared.
 *
 * Wrong: sleeping is not waiting. On a busy machine the helper may need longer than the sleep.
 * Repaired: wait for the helper's end.
 *
 *   sortie cc -g -O1 programs/c/sleep_order.c -o sleep_order
 *   sortie run -- ./sleep_order
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_prepared;

static void *prepare(void *none)
{
    pthread_mutex_lock(&lock);
    is_prepared = 1;
    pthread_mutex_unlock(&lock);
    return none;
}

static int look(void)
{
    pthread_mutex_lock(&lock);
    int seen = is_prepared;
    pthread_mutex_unlock(&lock);
    return seen;
}

int main(void)
{
    pthread_t helper;
    int seen;

    pthread_create(&helper, NULL, prepare, NULL);
#ifdef REPAIRED
    pthread_join(helper, NULL);
    seen = look();
#else
    usleep(20000);
    seen = look();
    pthread_join(helper, NULL);
#endif
    assert(seen);
    return 0;
}
