/* A client waits for an answer, but not longer than a minute.
 *
 * Wrong: the client leaves the wait when the time is over, and then uses the answer as if it had come. In ordinary runs
 * the answer comes at once; the bug needs a server that is slower than the client's patience.
 * Repaired: after the wait the client asks whether the answer is there, and goes without it if not.
 *
 *   sortie cc -g -O1 programs/c/timed_wait.c -o timed_wait
 *   sortie run -- ./timed_wait
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int has_answer;
static int answer;

static void *server(void *none)
{
    pthread_mutex_lock(&lock);
    answer = 42;
    has_answer = 1;
    pthread_cond_signal(&answered);
    pthread_mutex_unlock(&lock);
    return none;
}

static void *client(void *none)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&lock);
    while (!has_answer)
        if (pthread_cond_timedwait(&answered, &lock, &until) == ETIMEDOUT)
            break;
#ifdef REPAIRED
    if (has_answer)
#endif
        assert(answer == 42);
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, client, NULL);
    pthread_create(&threads[1], NULL, server, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
