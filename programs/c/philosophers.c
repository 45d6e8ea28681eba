/* Five philosophers at a round table take the left fork, then the right fork, eat, and put both back.
 *
 * Wrong: if each has taken the left fork, nobody gets the right one.
 * Repaired: the last philosopher takes the right fork first.
 *
 *   sortie cc -g -O1 programs/c/philosophers.c -o philosophers
 *   sortie run -- ./philosophers
 */
#include <pthread.h>

enum { SEATS = 5 };

static pthread_mutex_t forks[SEATS];
static int meals[SEATS];

static void *philosopher(void *seat)
{
    int *meal = seat;
    int me = (int)(meal - meals);
    int first = me;
    int second = (me + 1) % SEATS;

#ifdef REPAIRED
    if (me == SEATS - 1) {
        first = 0;
        second = me;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    (*meal)++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];

    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, philosopher, &meals[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_destroy(&forks[i]);
    return 0;
}
