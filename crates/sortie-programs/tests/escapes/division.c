/* Divides by zero if a thread was faster than the main thread.
 * To tell the user: the program crashed (SIGFPE, arithmetic), in which thread, and its schedule. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int divisor = 1;

static void *clear(void *none)
{
    pthread_mutex_lock(&lock);
    divisor = 0;
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t thread;
    volatile int result = 0;

    pthread_create(&thread, NULL, clear, NULL);
    pthread_mutex_lock(&lock);
    result = 100 / divisor;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return result == 100 ? 0 : 1;
}
