/* A thread ends the process while another waits for ever.
 * To tell the user: nothing; that is a normal end with status 0, not a deadlock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *leave(void *none)
{
    exit(0);
    return none;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, leave, NULL);
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
}
