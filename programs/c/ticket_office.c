/* Two counters sell the seats of a theatre, written with the threads of C11.
 *
 * Wrong: a counter asks under the lock whether a seat is free, gives up the lock, and sells a seat under the lock without
 * asking again. Two counters that both ask about the last seat sell it twice.
 * Repaired: asking and selling happen under one lock.
 *
 *   sortie cc -g -O1 programs/c/ticket_office.c -o ticket_office
 *   sortie run -- ./ticket_office
 */
#include <assert.h>
#include <threads.h>

enum { COUNTERS = 2, SEATS = 3 };

static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock;
static cnd_t opened;
static int is_open;
static int seats_left = SEATS;

static void build(void)
{
    mtx_init(&lock, mtx_plain);
    cnd_init(&opened);
}

/* Whether a seat was sold. */
static int sell(void)
{
    mtx_lock(&lock);
    int is_free = seats_left > 0;
#ifndef REPAIRED
    mtx_unlock(&lock);
    mtx_lock(&lock);
#endif
    if (is_free)
        seats_left--;
    assert(seats_left >= 0);
    mtx_unlock(&lock);
    return is_free;
}

static int counter(void *none)
{
    (void)none;
    call_once(&once, build);
    mtx_lock(&lock);
    while (!is_open)
        cnd_wait(&opened, &lock);
    mtx_unlock(&lock);
    while (sell())
        continue;
    return 0;
}

int main(void)
{
    thrd_t counters[COUNTERS];

    for (int i = 0; i < COUNTERS; i++)
        thrd_create(&counters[i], counter, NULL);
    call_once(&once, build);
    mtx_lock(&lock);
    is_open = 1;
    cnd_broadcast(&opened);
    mtx_unlock(&lock);
    for (int i = 0; i < COUNTERS; i++)
        thrd_join(counters[i], NULL);
    cnd_destroy(&opened);
    mtx_destroy(&lock);
    return 0;
}
