/* A buffer with one place between two producers and two consumers, who all wait at one condition.
 *
 * Wrong: a change of the buffer is announced by `signal`. It may wake somebody of the same kind, who can do nothing and
 * waits again, while those who could go on sleep: in the end all sleep.
 * Repaired: `broadcast`.
 *
 *   sortie cc -g -O1 programs/c/one_condition.c -o one_condition
 *   sortie run -- ./one_condition
 */
#include <pthread.h>

enum { PAIRS = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_full;

static void change_to(int full)
{
    pthread_mutex_lock(&lock);
    while (is_full == full)
        pthread_cond_wait(&changed, &lock);
    is_full = full;
#ifdef REPAIRED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
    pthread_mutex_unlock(&lock);
}

static void *produce(void *none)
{
    for (int i = 0; i < ROUNDS; i++)
        change_to(1);
    return none;
}

static void *consume(void *none)
{
    for (int i = 0; i < ROUNDS; i++)
        change_to(0);
    return none;
}

int main(void)
{
    pthread_t producers[PAIRS];
    pthread_t consumers[PAIRS];

    for (int i = 0; i < PAIRS; i++) {
        pthread_create(&producers[i], NULL, produce, NULL);
        pthread_create(&consumers[i], NULL, consume, NULL);
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(producers[i], NULL);
        pthread_join(consumers[i], NULL);
    }
    return 0;
}
