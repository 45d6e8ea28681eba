/* A thread calls itself until its stack is full.
 * To tell the user: the program crashed (segmentation fault) in this thread, with its schedule; the handler must not need
 * the stack that is full. */
#include <pthread.h>

static int deeper(volatile int *above)
{
    volatile int here[256];
    here[0] = *above + 1;
    if (here[0] < 0)
        return 0;
    return deeper(here) + here[0];
}

static void *run(void *none)
{
    volatile int zero = 0;
    return deeper(&zero) ? none : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
