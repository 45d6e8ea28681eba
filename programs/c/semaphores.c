/* A producer and a consumer share a list: one semaphore counts items, another keeps them from meeting in the list.
 *
 * Wrong: the consumer enters the list before waiting for an item. If there is none, the producer cannot enter to bring
 * one, and both wait for ever.
 * Repaired: the consumer waits for an item first.
 *
 *   sortie cc -g -O1 programs/c/semaphores.c -o semaphores
 *   sortie run -- ./semaphores
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { ITEMS = 2 };

static sem_t list;
static sem_t items;
static int length;

static void *produce(void *none)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&list);
        length++;
        sem_post(&list);
        sem_post(&items);
    }
    return none;
}

static void *consume(void *none)
{
    for (int i = 0; i < ITEMS; i++) {
#ifdef REPAIRED
        sem_wait(&items);
        sem_wait(&list);
#else
        sem_wait(&list);
        sem_wait(&items);
#endif
        assert(length > 0);
        length--;
        sem_post(&list);
    }
    return none;
}

int main(void)
{
    pthread_t producer;
    pthread_t consumer;

    sem_init(&list, 0, 1);
    sem_init(&items, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    sem_destroy(&items);
    sem_destroy(&list);
    return 0;
}
