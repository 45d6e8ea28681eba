/* The main thread ends by pthread_exit; the others go on, and the last one ends the process.
 * To tell the user: nothing; that is a normal end with status 0. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *none)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    pthread_exit(NULL);
}
