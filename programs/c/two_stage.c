/* Orders are written in two stages: the amount under one lock, then the amount with tax under another.
 *
 * Wrong: between the stages neither lock is held. A reader that comes in between sees the amount and not yet the tax.
 * It fails if it runs after the first stage of some writer and before the second stage of every writer.
 * Repaired: the first lock is kept until the second stage is done.
 *
 * The number of writers is the first argument (1 if there is none).
 *
 *   sortie cc -g -O1 programs/c/two_stage.c -o two_stage
 *   sortie run -- ./two_stage
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { MOST = 100 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static int amount;
static int with_tax;

static void *order(void *none)
{
    pthread_mutex_lock(&first);
    amount = 100;
#ifndef REPAIRED
    pthread_mutex_unlock(&first);
#endif
    pthread_mutex_lock(&second);
    with_tax = 119;
    pthread_mutex_unlock(&second);
#ifdef REPAIRED
    pthread_mutex_unlock(&first);
#endif
    return none;
}

static void *bill(void *none)
{
    pthread_mutex_lock(&first);
    int ordered = amount;
    pthread_mutex_unlock(&first);
    if (ordered == 0)
        return none;
    pthread_mutex_lock(&second);
    int to_pay = with_tax;
    pthread_mutex_unlock(&second);
    assert(to_pay == 119);
    return none;
}

int main(int argc, char **argv)
{
    int writers = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t threads[MOST];
    pthread_t reader;

    if (writers < 1 || writers > MOST)
        return 2;
    for (int i = 0; i < writers; i++)
        pthread_create(&threads[i], NULL, order, NULL);
    pthread_create(&reader, NULL, bill, NULL);
    for (int i = 0; i < writers; i++)
        pthread_join(threads[i], NULL);
    pthread_join(reader, NULL);
    return 0;
}
