/* A thread gives up.
 * To tell the user: the program was aborted (SIGABRT), in which thread, and its schedule. */
#include <pthread.h>
#include <stdlib.h>

static void *run(void *none)
{
    abort();
    return none;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
