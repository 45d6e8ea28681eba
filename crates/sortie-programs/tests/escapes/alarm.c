/* The program goes on when a signal handler, started by a timer, says so.
 * To tell the user: signals come at real times, which are not chosen and not repeated. */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t is_time;

static void ring(int signal_number)
{
    (void)signal_number;
    is_time = 1;
}

static void *wait_for_it(void *none)
{
    while (!is_time)
        usleep(100);
    return none;
}

int main(void)
{
    struct itimerval soon = {{0, 0}, {0, 1000}};
    pthread_t thread;

    signal(SIGALRM, ring);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    pthread_join(thread, NULL);
    return 0;
}
