/* One thread computes for ever and never calls anything.
 * To tell the user: a thread did not come to a scheduling point within the time limit of a run (plain compiler), or the run
 * exceeded its steps (`sortie cc`, where the loop touches memory). */
#include <pthread.h>

static volatile unsigned long sum;

static void *compute(void *none)
{
    for (;;)
        sum = sum * 3 + 1;
    return none;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, compute, NULL);
    pthread_join(thread, NULL);
    return 0;
}
