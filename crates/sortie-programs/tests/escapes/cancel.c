/* Cancels a thread that waits at a condition, whose clean-up gives the lock back.
 * To tell the user: cancellation is not modelled; or, if it is, the run ends well. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void give_back(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *sleeper(void *none)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give_back, &lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return none;
}

int main(void)
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, sleeper, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return result != PTHREAD_CANCELED;
}
