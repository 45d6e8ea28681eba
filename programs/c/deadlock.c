/* Two threads need two locks each.
 *
 * Wrong: they take them in opposite order. If each has its first lock, each waits for the other for ever.
 * Repaired: both take the locks in the same order.
 *
 *   sortie cc -g -O1 programs/c/deadlock.c -o deadlock
 *   sortie run -- ./deadlock
 */
#include <pthread.h>

static pthread_mutex_t source = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t target = PTHREAD_MUTEX_INITIALIZER;
static int copied;
static int restored;

static void *copy(void *none)
{
    pthread_mutex_lock(&source);
    pthread_mutex_lock(&target);
    copied++;
    pthread_mutex_unlock(&target);
    pthread_mutex_unlock(&source);
    return none;
}

static void *restore(void *none)
{
#ifdef REPAIRED
    pthread_mutex_lock(&source);
    pthread_mutex_lock(&target);
#else
    pthread_mutex_lock(&target);
    pthread_mutex_lock(&source);
#endif
    restored++;
    pthread_mutex_unlock(&source);
    pthread_mutex_unlock(&target);
    return none;
}

int main(void)
{
    pthread_t copier;
    pthread_t restorer;

    pthread_create(&copier, NULL, copy, NULL);
    pthread_create(&restorer, NULL, restore, NULL);
    pthread_join(copier, NULL);
    pthread_join(restorer, NULL);
    return copied + restored == 2 ? 0 : 1;
}
