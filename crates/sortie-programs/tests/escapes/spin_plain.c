/* A thread spins on a variable until another sets it, without yielding.
 * To tell the user: nothing, if compiled by `sortie cc`: the one that spins makes way and the run ends well. With a plain
 * compiler the spinning thread never reaches a scheduling point, and the run is given up after its time limit. */
#include <pthread.h>

static volatile int is_set;

static void *spin(void *none)
{
    while (!is_set)
        continue;
    return none;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, spin, NULL);
    is_set = 1;
    pthread_join(thread, NULL);
    return 0;
}
