/* A cook waits for an order; a waiter brings one. The kitchen has a lock, and the board inside it another.
 *
 * Wrong: the cook holds the kitchen's lock while waiting at the board. Waiting gives up the lock of the board only, and
 * the waiter cannot come in: if the cook is first, both wait for ever.
 * Repaired: the cook leaves the kitchen before waiting at the board.
 *
 *   sortie cc -g -O1 programs/c/nested_wait.c -o nested_wait
 *   sortie run -- ./nested_wait
 */
#include <pthread.h>

static pthread_mutex_t kitchen = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t board = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t written = PTHREAD_COND_INITIALIZER;
static int orders;
static int visits;

static void *cook(void *none)
{
    pthread_mutex_lock(&kitchen);
    visits++;
#ifdef REPAIRED
    pthread_mutex_unlock(&kitchen);
#endif
    pthread_mutex_lock(&board);
    while (orders == 0)
        pthread_cond_wait(&written, &board);
    orders--;
    pthread_mutex_unlock(&board);
#ifndef REPAIRED
    pthread_mutex_unlock(&kitchen);
#endif
    return none;
}

static void *waiter(void *none)
{
    pthread_mutex_lock(&kitchen);
    visits++;
    pthread_mutex_lock(&board);
    orders++;
    pthread_cond_signal(&written);
    pthread_mutex_unlock(&board);
    pthread_mutex_unlock(&kitchen);
    return none;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, waiter, NULL);
    pthread_create(&threads[1], NULL, cook, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return orders == 0 && visits == 2 ? 0 : 1;
}
