/* Two polite people at a narrow door: each says that they want to pass, and lets the other go first.
 *
 * Wrong: if both have said so before either looks, each sees that the other wants to pass, and both say "after you" for
 * ever. Nobody is blocked: both threads keep running and get nowhere.
 * Repaired: each says whose turn it is, too; the word of the last to speak counts (Peterson's algorithm).
 *
 *   sortie cc -g -O1 programs/c/livelock.c -o livelock
 *   sortie run -- ./livelock
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int wants[2];
static atomic_int turn;
static int in_the_door;
static int number[2] = {0, 1};

static int lets_pass(int other)
{
#ifdef REPAIRED
    return atomic_load(&wants[other]) && atomic_load(&turn) == other;
#else
    return atomic_load(&wants[other]);
#endif
}

static void *pass(void *who)
{
    int me = *(int *)who;
    int other = 1 - me;

    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
    while (lets_pass(other))
        sched_yield();
    in_the_door++;
    assert(in_the_door == 1);
    in_the_door--;
    atomic_store(&wants[me], 0);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, pass, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
