/* A barrier made of a lock, a condition and a number of arrivals, used twice by two threads.
 *
 * Wrong: those who wait go on when the number is zero again. A fast thread that goes on to the second use makes it one
 * before the slow thread has looked; the slow one waits again, and both wait for ever.
 * Repaired: those who wait go on when the number of the round has changed.
 *
 *   sortie cc -g -O1 programs/c/reused_barrier.c -o reused_barrier
 *   sortie run -- ./reused_barrier
 */
#include <pthread.h>

enum { THREADS = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
static int arrived;
static int round_number;

static void meet(void)
{
    pthread_mutex_lock(&lock);
    arrived++;
    if (arrived == THREADS) {
        arrived = 0;
        round_number++;
        pthread_cond_broadcast(&all_here);
    } else {
#ifdef REPAIRED
        int mine = round_number;
        while (round_number == mine)
#else
        while (arrived != 0)
#endif
            pthread_cond_wait(&all_here, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *walker(void *none)
{
    for (int i = 0; i < ROUNDS; i++)
        meet();
    return none;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, walker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return round_number == ROUNDS ? 0 : 1;
}
