/* A thread is created detached and says by a semaphore that it is done.
 * To tell the user: nothing; that is a normal end with status 0. */
#include <pthread.h>
#include <semaphore.h>

static sem_t done;

static void *run(void *none)
{
    sem_post(&done);
    return none;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, run, NULL);
    pthread_attr_destroy(&attributes);
    sem_wait(&done);
    return 0;
}
