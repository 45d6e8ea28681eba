/* Four stations in a ring; only the holder of the token sends, then hands the token to the next station.
 *
 * Wrong: all stations wait at one condition, and the token is announced by `signal`. It may wake a station that is not
 * meant; that one waits again, the one that is meant was never woken, and the ring stands still.
 * Repaired: the token is announced by `broadcast`.
 *
 *   sortie cc -g -O1 programs/c/token_ring.c -o token_ring
 *   sortie run -- ./token_ring
 */
#include <assert.h>
#include <pthread.h>

enum { STATIONS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int holder;
static int sent[STATIONS];
static int number[STATIONS];

static void *station(void *which)
{
    int me = *(int *)which;

    pthread_mutex_lock(&lock);
    while (holder != me)
        pthread_cond_wait(&passed, &lock);
    for (int before = 0; before < me; before++)
        assert(sent[before]);
    sent[me] = 1;
    holder = (me + 1) % STATIONS;
#ifdef REPAIRED
    pthread_cond_broadcast(&passed);
#else
    pthread_cond_signal(&passed);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[STATIONS];

    for (int i = 0; i < STATIONS; i++)
        number[i] = i;
    for (int i = 0; i < STATIONS; i++)
        pthread_create(&threads[i], NULL, station, &number[i]);
    for (int i = 0; i < STATIONS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
