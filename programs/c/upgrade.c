/* Readers of a table who find an entry missing give up their read lock and take the write lock to add it.
 *
 * Wrong: in between, another reader may have added the entry, and nobody looks again: it is added twice.
 * Repaired: look again under the write lock.
 *
 *   sortie cc -g -O1 programs/c/upgrade.c -o upgrade
 *   sortie run -- ./upgrade
 */
#include <assert.h>
#include <pthread.h>

enum { READERS = 2 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int entries;

static void *look_up(void *none)
{
    pthread_rwlock_rdlock(&lock);
    int is_there = entries > 0;
    pthread_rwlock_unlock(&lock);
    if (is_there)
        return none;
    pthread_rwlock_wrlock(&lock);
#ifdef REPAIRED
    if (entries == 0)
#endif
        entries++;
    assert(entries == 1);
    pthread_rwlock_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t readers[READERS];

    for (int i = 0; i < READERS; i++)
        pthread_create(&readers[i], NULL, look_up, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    return 0;
}
