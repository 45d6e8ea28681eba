/* A driver is stopped while a request may be under way. Requests are counted, and the count says when it is safe.
 *
 * Wrong: a request looks whether the driver is being stopped before it is counted. If the stop comes in between, it finds
 * no request under way and frees everything, and the request then works on a driver that is gone.
 * Repaired: a request is counted first and looks then.
 *
 *   sortie cc -g -O1 programs/c/driver_stop.c -o driver_stop
 *   sortie run -- ./driver_stop
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* One for the driver itself, one for each request. The last to leave says that all have left. */
static atomic_int users = 1;
static atomic_int is_stopping;
static atomic_int is_gone;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_left = PTHREAD_COND_INITIALIZER;
static int have_left;

static void leave(void)
{
    if (atomic_fetch_sub(&users, 1) == 1) {
        pthread_mutex_lock(&lock);
        have_left = 1;
        pthread_cond_signal(&all_left);
        pthread_mutex_unlock(&lock);
    }
}

/* Whether the request may go on; if so it must leave afterwards. */
static int enter(void)
{
#ifdef REPAIRED
    atomic_fetch_add(&users, 1);
    if (atomic_load(&is_stopping)) {
        leave();
        return 0;
    }
#else
    if (atomic_load(&is_stopping))
        return 0;
    atomic_fetch_add(&users, 1);
#endif
    return 1;
}

static void *request(void *none)
{
    if (enter()) {
        int gone = atomic_load(&is_gone);
        assert(!gone);
        leave();
    }
    return none;
}

static void *stop(void *none)
{
    atomic_store(&is_stopping, 1);
    leave();
    pthread_mutex_lock(&lock);
    while (!have_left)
        pthread_cond_wait(&all_left, &lock);
    pthread_mutex_unlock(&lock);
    atomic_store(&is_gone, 1);
    return none;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, request, NULL);
    pthread_create(&threads[1], NULL, stop, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
