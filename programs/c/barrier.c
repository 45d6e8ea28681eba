/* Two threads compute in rounds: each writes its own cell, all meet, each reads the other's cell.
 *
 * Wrong: they meet once in a round, not twice. A fast thread writes its cell for the next round while the slow one has
 * not yet read the cell of this round.
 * Repaired: they meet again after reading.
 *
 *   sortie cc -g -O1 programs/c/barrier.c -o barrier
 *   sortie run -- ./barrier
 */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 2, ROUNDS = 3 };

static pthread_barrier_t meeting;
static int cells[THREADS];
static int number[THREADS];

static void *compute(void *which)
{
    int me = *(int *)which;

    for (int round = 1; round <= ROUNDS; round++) {
        cells[me] = round;
        pthread_barrier_wait(&meeting);
        int neighbour = cells[1 - me];
        assert(neighbour == round);
#ifdef REPAIRED
        pthread_barrier_wait(&meeting);
#endif
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    pthread_barrier_init(&meeting, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        pthread_create(&threads[i], NULL, compute, &number[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&meeting);
    return 0;
}
