/* Four clerks and a manager count visitors in one variable.
 *
 * Wrong: the manager holds another lock than the clerks. A visitor is lost if the manager reads the number, a clerk
 * counts, and the manager writes, or the other way round.
 * Repaired: everybody holds the same lock.
 *
 *   sortie cc -g -O1 programs/c/wrong_lock.c -o wrong_lock
 *   sortie run -- ./wrong_lock
 */
#include <assert.h>
#include <pthread.h>

enum { CLERKS = 4 };

static pthread_mutex_t of_clerks = PTHREAD_MUTEX_INITIALIZER;
static int visitors;

#ifdef REPAIRED
#define OF_MANAGER (&of_clerks)
#else
static pthread_mutex_t of_manager = PTHREAD_MUTEX_INITIALIZER;
#define OF_MANAGER (&of_manager)
#endif

static void count_one(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    int so_far = visitors;
    visitors = so_far + 1;
    pthread_mutex_unlock(lock);
}

static void *clerk(void *none)
{
    count_one(&of_clerks);
    return none;
}

static void *manager(void *none)
{
    count_one(OF_MANAGER);
    return none;
}

int main(void)
{
    pthread_t clerks[CLERKS];
    pthread_t boss;

    pthread_create(&boss, NULL, manager, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerks[i], NULL, clerk, NULL);
    pthread_join(boss, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    assert(visitors == CLERKS + 1);
    return 0;
}
