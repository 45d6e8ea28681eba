/* A page is looked up in a cache while another thread makes room.
 *
 * Wrong: the reader asks under the lock whether the page is there, gives up the lock, and takes it again to use the
 * page. If the page was thrown out in between, the reader follows a null pointer.
 * Repaired: asking and using happen under one lock.
 *
 *   sortie cc -g -O1 programs/c/racy_cache.c -o racy_cache
 *   sortie run -- ./racy_cache
 */
#include <pthread.h>
#include <stdlib.h>

struct page {
    int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct page *cached;

static void *use(void *none)
{
    pthread_mutex_lock(&lock);
    int is_there = cached != NULL;
#ifndef REPAIRED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (is_there)
        cached->uses++;
    pthread_mutex_unlock(&lock);
    return none;
}

static void *make_room(void *none)
{
    pthread_mutex_lock(&lock);
    free(cached);
    cached = NULL;
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void)
{
    pthread_t reader;
    pthread_t cleaner;

    cached = calloc(1, sizeof *cached);
    pthread_create(&reader, NULL, use, NULL);
    pthread_create(&cleaner, NULL, make_room, NULL);
    pthread_join(reader, NULL);
    pthread_join(cleaner, NULL);
    return 0;
}
