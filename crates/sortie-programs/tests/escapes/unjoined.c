/* The main thread returns while others still run.
 * To tell the user: nothing; whether the others come to their end is a matter of schedule, and the status is 0. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *none)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return none;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    return 0;
}
