/* A thread waits for a signal that another sends.
 * To tell the user: waiting for signals is not modelled; or, if it is, the run ends well. In no case a deadlock. */
#include <pthread.h>
#include <signal.h>

static sigset_t wanted;

static void *waiter(void *none)
{
    int got;
    return sigwait(&wanted, &got) == 0 ? none : &wanted;
}

int main(void)
{
    pthread_t thread;
    void *result;

    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, &result);
    return result != NULL;
}
