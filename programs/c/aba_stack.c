/* A stack of cells is shared without locks: whoever pops a cell owns it until pushing it back.
 *
 * Wrong: a pop reads the top cell A and the cell B below, and swings the top from A to B if the top is still A. It may be
 * A again: another thread has popped A and B and pushed A back. Then B is on the stack and owned at the same time, and
 * the next pop gives it to a second owner. The first thread must stop between reading B and its compare-and-swap while
 * the other runs through three operations (the ABA problem).
 * Repaired: the top carries a number that every change increases.
 *
 *   sortie cc -g -O1 programs/c/aba_stack.c -o aba_stack
 *   sortie run -- ./aba_stack
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CELLS = 3, NONE = 0 };

/* The low half is a cell, counted from 1; the high half counts changes. */
static _Atomic uint64_t top;
static atomic_uint below[CELLS + 1];
static atomic_int owners[CELLS + 1];

static unsigned cell_of(uint64_t word)
{
    return (unsigned)(word & UINT32_MAX);
}

static uint64_t changed(uint64_t old, unsigned cell)
{
#ifdef REPAIRED
    return ((old >> 32) + 1) << 32 | cell;
#else
    return (old >> 32) << 32 | cell;
#endif
}

static void push(unsigned cell)
{
    uint64_t old = atomic_load(&top);
    do
        atomic_store(&below[cell], cell_of(old));
    while (!atomic_compare_exchange_strong(&top, &old, changed(old, cell)));
}

static unsigned pop(void)
{
    uint64_t old = atomic_load(&top);
    unsigned next;
    do {
        if (cell_of(old) == NONE)
            return NONE;
        next = atomic_load(&below[cell_of(old)]);
    } while (!atomic_compare_exchange_strong(&top, &old, changed(old, next)));
    return cell_of(old);
}

static unsigned acquire(void)
{
    unsigned cell = pop();
    if (cell != NONE) {
        int others = atomic_fetch_add(&owners[cell], 1);
        assert(others == 0);
    }
    return cell;
}

static void release(unsigned cell)
{
    if (cell == NONE)
        return;
    atomic_fetch_sub(&owners[cell], 1);
    push(cell);
}

static void *keep_two(void *none)
{
    acquire();
    acquire();
    return none;
}

static void *give_one_back(void *none)
{
    unsigned first = acquire();
    acquire();
    release(first);
    return none;
}

int main(void)
{
    pthread_t threads[2];

    for (unsigned cell = CELLS; cell >= 1; cell--)
        push(cell);
    pthread_create(&threads[0], NULL, keep_two, NULL);
    pthread_create(&threads[1], NULL, give_one_back, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
