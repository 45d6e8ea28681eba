/* A logger is made when it is first asked for, and there must be only one.
 *
 * Wrong: whoever finds none makes one. Two threads that both look before either has stored its logger make two.
 * Repaired: `pthread_once`.
 *
 *   sortie cc -g -O1 programs/c/singleton.c -o singleton
 *   sortie run -- ./singleton
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct logger {
    int lines;
};

static struct logger store[2];
static atomic_int made;
static struct logger *_Atomic the_logger;

static void make(void)
{
    int index = atomic_fetch_add(&made, 1);
    atomic_store(&the_logger, &store[index]);
}

static struct logger *get(void)
{
#ifdef REPAIRED
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
#else
    if (!atomic_load(&the_logger))
        make();
#endif
    return atomic_load(&the_logger);
}

static void *user(void *none)
{
    get();
    return none;
}

int main(void)
{
    pthread_t users[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&users[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
    assert(atomic_load(&made) == 1);
    return 0;
}
