/* Linked statically (-static), so that no library can be loaded before it.
 * To tell the user: nothing was controlled; link the program dynamically, or compile it with `sortie cc`. */
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
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    run(NULL);
    pthread_join(thread, NULL);
    return 0;
}
