/* Closes its standard output and error output, then fails.
 * To tell the user: the failed assertion (the program's own message is lost with its output), as for any other. What the
 * runtime and the fork server use must not be what the program closes. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *run(void *none)
{
    for (int i = 0; i < 64; i++)
        close(i);
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
