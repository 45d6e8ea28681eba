/* Two threads free the same block; the C library notices and aborts.
 * To tell the user: the program was aborted, with the library's own message ("double free") and the schedule. */
#include <pthread.h>
#include <stdlib.h>

static void *block;

static void *drop(void *none)
{
    free(block);
    return none;
}

int main(void)
{
    pthread_t thread;
    block = malloc(5000);
    pthread_create(&thread, NULL, drop, NULL);
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
