/* A sender hands numbers to a receiver through a ring of three places, without locks.
 *
 * Wrong: the sender says that a place is filled before filling it. A receiver that comes in between takes what was in
 * the place before.
 * Repaired: the place is filled first.
 *
 *   sortie cc -g -O1 programs/c/circular_buffer.c -o circular_buffer
 *   sortie run -- ./circular_buffer
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { PLACES = 3, NUMBERS = 5 };

static int ring[PLACES];
static atomic_uint filled;
static atomic_uint emptied;

/* Sends what fits. It gives up where the ring is full, so that nobody waits. */
static void *send(void *none)
{
    for (int number = 1; number <= NUMBERS; number++) {
        unsigned at = atomic_load(&filled);
        if (at - atomic_load(&emptied) == PLACES)
            return none;
#ifdef REPAIRED
        ring[at % PLACES] = number;
        atomic_store(&filled, at + 1);
#else
        atomic_store(&filled, at + 1);
        ring[at % PLACES] = number;
#endif
    }
    return none;
}

static void *receive(void *none)
{
    int expected = 1;
    for (int tries = 0; tries < NUMBERS; tries++) {
        unsigned at = atomic_load(&emptied);
        if (at == atomic_load(&filled))
            continue;
        int number = ring[at % PLACES];
        assert(number == expected);
        expected++;
        atomic_store(&emptied, at + 1);
    }
    return none;
}

int main(void)
{
    pthread_t sender;
    pthread_t receiver;

    pthread_create(&sender, NULL, send, NULL);
    pthread_create(&receiver, NULL, receive, NULL);
    pthread_join(sender, NULL);
    pthread_join(receiver, NULL);
    return 0;
}
