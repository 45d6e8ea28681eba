/* A reader sleeps until a writer has written.
 *
 * Wrong: the reader looks at the flag before taking the lock and does not look again. If the writer writes and signals
 * after the look and before the wait, the signal wakes nobody and the reader sleeps for ever.
 * Repaired: the reader looks at the flag under the lock, again after every waking.
 *
 *   sortie cc -g -O1 programs/c/lost_signal.c -o lost_signal
 *   sortie run -- ./lost_signal
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static atomic_int is_written;

static void *reader(void *none)
{
#ifdef REPAIRED
    pthread_mutex_lock(&lock);
    while (!atomic_load(&is_written))
        pthread_cond_wait(&written, &lock);
    pthread_mutex_unlock(&lock);
#else
    if (!atomic_load(&is_written)) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&written, &lock);
        pthread_mutex_unlock(&lock);
    }
#endif
    return none;
}

static void *writer(void *none)
{
    pthread_mutex_lock(&lock);
    atomic_store(&is_written, 1);
    pthread_cond_signal(&written);
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
