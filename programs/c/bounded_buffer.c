/* A buffer with one place between a producer and two consumers.
 *
 * Wrong: a consumer that finds the buffer empty waits once, and does not look again when it wakes. Between the signal
 * and its return from the wait another consumer may have taken the item.
 * Repaired: `while` instead of `if`.
 *
 *   sortie cc -g -O1 programs/c/bounded_buffer.c -o bounded_buffer
 *   sortie run -- ./bounded_buffer
 */
#include <assert.h>
#include <pthread.h>

enum { CONSUMERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *none)
{
    pthread_mutex_lock(&lock);
#ifdef REPAIRED
    while (items == 0)
#else
    if (items == 0)
#endif
        pthread_cond_wait(&filled, &lock);
    assert(items == 1);
    items = 0;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&lock);
    return none;
}

static void *produce(void *none)
{
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_mutex_lock(&lock);
        while (items == 1)
            pthread_cond_wait(&emptied, &lock);
        items = 1;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return none;
}

int main(void)
{
    pthread_t producer;
    pthread_t consumers[CONSUMERS];

    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    pthread_join(producer, NULL);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    return 0;
}
