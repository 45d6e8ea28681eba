/* A text is appended to another while somebody shortens it.
 *
 * Wrong: every operation on one text is locked, but appending asks for the length, and then copies so many letters, under
 * two locks in a row. If the text is shortened in between, letters are copied that are no longer there.
 * Repaired: the lock of the other text is held from the length to the last letter.
 *
 *   sortie cc -g -O1 programs/c/string_append.c -o string_append
 *   sortie run -- ./string_append
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { ROOM = 16 };

struct text {
    pthread_mutex_t lock;
    int length;
    char letters[ROOM];
};

static struct text source = {PTHREAD_MUTEX_INITIALIZER, 5, "hello"};
static struct text target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static void append(struct text *to, struct text *from)
{
    pthread_mutex_lock(&to->lock);
    pthread_mutex_lock(&from->lock);
    int length = from->length;
#ifndef REPAIRED
    pthread_mutex_unlock(&from->lock);
    pthread_mutex_lock(&from->lock);
#endif
    assert(length <= from->length);
    memcpy(to->letters + to->length, from->letters, (size_t)length);
    pthread_mutex_unlock(&from->lock);
    to->length += length;
    pthread_mutex_unlock(&to->lock);
}

static void *writer(void *none)
{
    append(&target, &source);
    return none;
}

static void *eraser(void *none)
{
    pthread_mutex_lock(&source.lock);
    source.length = 0;
    memset(source.letters, 0, ROOM);
    pthread_mutex_unlock(&source.lock);
    return none;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, eraser, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
