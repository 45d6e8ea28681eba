/* Two clerks put letters into a tray with room for three.
 *
 * Wrong: a clerk asks under the lock whether there is room, gives up the lock, takes it again, and puts the letter in
 * without asking again. With one place left, two clerks who ask before either puts a letter in overfill the tray.
 * Repaired: the lock is kept from the question to the answer's use.
 *
 *   sortie cc -g -O1 programs/c/queue.c -o queue
 *   sortie run -- ./queue
 */
#include <assert.h>
#include <pthread.h>

enum { ROOM = 3, CLERKS = 2, LETTERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tray[ROOM];
static int letters;

static void put(int letter)
{
    pthread_mutex_lock(&lock);
    int has_room = letters < ROOM;
#ifndef REPAIRED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (has_room) {
        assert(letters < ROOM);
        tray[letters] = letter;
        letters++;
    }
    pthread_mutex_unlock(&lock);
}

static void *clerk(void *none)
{
    for (int letter = 1; letter <= LETTERS; letter++)
        put(letter);
    return none;
}

int main(void)
{
    pthread_t clerks[CLERKS];

    for (int i = 0; i < CLERKS; i++)
        pthread_create(&clerks[i], NULL, clerk, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i], NULL);
    return letters == ROOM ? 0 : 1;
}
