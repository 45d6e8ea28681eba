/* One thread pushes plates onto a stack, another takes plates off.
 *
 * Wrong: only pushing takes the lock. If one reads the height, the other changes it and the first writes it back, a
 * plate is lost or taken twice, and the plates do not add up in the end.
 * Repaired: taking off takes the lock, too.
 *
 *   sortie cc -g -O1 programs/c/stack.c -o stack
 *   sortie run -- ./stack
 */
#include <assert.h>
#include <pthread.h>

enum { PLATES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stack[PLATES];
static int height;
static int taken;

static void *push(void *none)
{
    for (int plate = 1; plate <= PLATES; plate++) {
        pthread_mutex_lock(&lock);
        int top = height;
        stack[top] = plate;
        height = top + 1;
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void take_off(void)
{
    int top = height;
    if (top > 0) {
        assert(stack[top - 1] > 0);
        stack[top - 1] = 0;
        height = top - 1;
        taken++;
    }
}

static void *pop(void *none)
{
    for (int tries = 0; tries < PLATES; tries++) {
#ifdef REPAIRED
        pthread_mutex_lock(&lock);
        take_off();
        pthread_mutex_unlock(&lock);
#else
        take_off();
#endif
    }
    return none;
}

int main(void)
{
    pthread_t pusher;
    pthread_t popper;

    pthread_create(&pusher, NULL, push, NULL);
    pthread_create(&popper, NULL, pop, NULL);
    pthread_join(pusher, NULL);
    pthread_join(popper, NULL);
    assert(taken + height == PLATES);
    return 0;
}
