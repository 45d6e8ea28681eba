/* Seventeen philosophers toss a coin for the fork to take first (the program PHIL of Godefroid and Khurshid).
 *
 * Wrong: if all coins fall alike and each philosopher takes the first fork before anybody gets the second, nobody ever
 * eats. There are two such deadlocks, all left and all right, and random runs hardly find them: the coins alone fall
 * alike once in 65,536 times. The program counts those who have a fork before the first meal, and a genetic search that takes
 * this count for the fitness of a run is led to the deadlock step by step.
 * Repaired: the first philosopher always takes the left fork first and the second one the right fork; the others toss.
 *
 * The number of philosophers is the first argument (17 if there is none).
 *
 *   sortie cc -g -O1 programs/c/tossing_philosophers.c -o tossing_philosophers
 *   sortie run --strategy genetic --fitness early_forks -- ./tossing_philosophers
 */
#include <pthread.h>
#include <sortie.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST = 32 };

static int seats = 17;
static pthread_mutex_t forks[MOST];
static int number[MOST];
static atomic_int meals;

static int right_first(int me)
{
#ifdef REPAIRED
    if (me < 2)
        return me;
#else
    (void)me;
#endif
    return sortie_toss(2);
}

static void *philosopher(void *seat)
{
    int me = *(int *)seat;
    int left = me;
    int right = (me + 1) % seats;
    int is_right_first = right_first(me);

    pthread_mutex_lock(&forks[is_right_first ? right : left]);
    if (atomic_load(&meals) == 0)
        sortie_count("early_forks", 1);
    pthread_mutex_lock(&forks[is_right_first ? left : right]);
    atomic_fetch_add(&meals, 1);
    pthread_mutex_unlock(&forks[left]);
    pthread_mutex_unlock(&forks[right]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];

    if (argc > 1)
        seats = atoi(argv[1]);
    if (seats < 2 || seats > MOST)
        return 2;
    for (int i = 0; i < seats; i++) {
        pthread_mutex_init(&forks[i], NULL);
        number[i] = i;
    }
    for (int i = 0; i < seats; i++)
        pthread_create(&threads[i], NULL, philosopher, &number[i]);
    for (int i = 0; i < seats; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < seats; i++)
        pthread_mutex_destroy(&forks[i]);
    return 0;
}
