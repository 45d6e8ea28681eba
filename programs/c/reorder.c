/* Setters write two variables, one after the other; a checker must never see the first without the second.
 *
 * Wrong: nothing makes the two writes one. The checker fails if it reads `a` after some setter has written it, and
 * then `b` before any setter has written that. Every setter that runs to its end hides the bug for good, so all
 * setters but one must not have begun, or must all stop at the same place: the more setters, the rarer.
 * Repaired: writers and reader hold a lock.
 *
 * The number of setters is the first argument (3 if there is none).
 *
 *   sortie cc -g -O1 programs/c/reorder.c -o reorder
 *   sortie run -- ./reorder 10
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 100 };

static int a;
static int b;

#ifdef REPAIRED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define ENTER() pthread_mutex_lock(&lock)
#define LEAVE() pthread_mutex_unlock(&lock)
#else
#define ENTER() ((void)0)
#define LEAVE() ((void)0)
#endif

static void *set(void *none)
{
    ENTER();
    a = 1;
    b = 1;
    LEAVE();
    return none;
}

static void *check(void *none)
{
    ENTER();
    int saw_a = a;
    int saw_b = b;
    LEAVE();
    assert(!saw_a || saw_b);
    return none;
}

int main(int argc, char **argv)
{
    int setters = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t threads[MOST];
    pthread_t checker;

    if (setters < 1 || setters > MOST)
        return 2;
    for (int i = 0; i < setters; i++)
        pthread_create(&threads[i], NULL, set, NULL);
    pthread_create(&checker, NULL, check, NULL);
    for (int i = 0; i < setters; i++)
        pthread_join(threads[i], NULL);
    pthread_join(checker, NULL);
    return 0;
}
