/* Money is transferred between two accounts, paid in and taken out, while an auditor adds up.
 *
 * Wrong: a transfer takes the money from one account, gives up the lock, and only then takes the lock to put it into
 * the other. An auditor in between misses the money.
 * Repaired: both locks are held for the whole transfer, in the same order by everybody.
 *
 *   sortie cc -g -O1 programs/c/account.c -o account
 *   sortie run -- ./account
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
static int a = 100;
static int b = 100;

static void *transfer(void *none)
{
#ifdef REPAIRED
    pthread_mutex_lock(&lock_a);
    pthread_mutex_lock(&lock_b);
    a -= 30;
    b += 30;
    pthread_mutex_unlock(&lock_b);
    pthread_mutex_unlock(&lock_a);
#else
    pthread_mutex_lock(&lock_a);
    a -= 30;
    pthread_mutex_unlock(&lock_a);
    pthread_mutex_lock(&lock_b);
    b += 30;
    pthread_mutex_unlock(&lock_b);
#endif
    return none;
}

/* Pays in and takes out the same under one lock, so it changes no sum. */
static void *cashier(void *none)
{
    pthread_mutex_lock(&lock_b);
    b += 50;
    b -= 50;
    pthread_mutex_unlock(&lock_b);
    return none;
}

static void *audit(void *none)
{
    pthread_mutex_lock(&lock_a);
    pthread_mutex_lock(&lock_b);
    int sum = a + b;
    pthread_mutex_unlock(&lock_b);
    pthread_mutex_unlock(&lock_a);
    assert(sum == 200);
    return none;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, transfer, NULL);
    pthread_create(&threads[1], NULL, cashier, NULL);
    pthread_create(&threads[2], NULL, audit, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
