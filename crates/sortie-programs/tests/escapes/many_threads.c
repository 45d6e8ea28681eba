/* Two hundred threads at once.
 * To tell the user: nothing; the run ends well. If there is a limit to the number of threads, it must be named. */
#include <pthread.h>

enum { THREADS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *run(void *none)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return count == THREADS ? 0 : 1;
}
