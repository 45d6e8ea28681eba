/* Memory accesses of programs that were compiled by `sortie cc`.
 *
 * Only accesses to selected words of four bytes are scheduling points: those that the hunter chose, because in an earlier run two threads touched
 * them, one changed them, and no lock was held at all times. The others are only watched, to tell the hunter which words to select next. */
#include "core.h"

#define WATCHED 16384
#define PROBES 8
/* A thread that makes so many accesses between two scheduling points may be waiting for another. */
#define QUIET 4096

#define ACCESS_WRITE 1
#define ACCESS_ATOMIC 2

struct watched {
    uint64_t word;
    uint64_t held[4]; /* locks held at all accesses so far */
    uint32_t thread;
    uint8_t written, many, told, locks;
};

static struct watched watched[WATCHED];

static uint64_t hash(uint64_t word)
{
    return (word >> 2) * 0x9e3779b97f4a7c15ull;
}

static bool is_selected(uint64_t word)
{
    if (shared->selected_count == 0)
        return false;
    for (uint64_t slot = hash(word) >> (64 - 16);; slot = (slot + 1) % SELECTED_SLOTS) {
        if (shared->selected[slot] == word)
            return true;
        if (shared->selected[slot] == 0)
            return false;
    }
}

static bool holds(uint64_t lock)
{
    for (uint32_t i = 0; i < self->held_count && i < MOST_HELD; i++)
        if (self->held[i] == lock)
            return true;
    return false;
}

static void watch(uint64_t word, bool writes)
{
    uint64_t at = hash(word) >> (64 - 14);
    struct watched *entry = NULL;
    for (uint32_t i = 0; i < PROBES && !entry; i++) {
        struct watched *here = &watched[(at + i) % WATCHED];
        if (here->word == word || here->word == 0)
            entry = here;
    }
    if (!entry)
        shared->overlooked++;
    if (!entry || entry->told)
        return;
    if (entry->word == 0) {
        *entry = (struct watched){.word = word, .thread = self->id, .written = writes};
        for (uint32_t i = 0; i < self->held_count && i < 4; i++)
            entry->held[entry->locks++] = self->held[i];
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entry->locks; i++)
        if (holds(entry->held[i]))
            entry->held[kept++] = entry->held[i];
    entry->locks = (uint8_t)kept;
    entry->many |= entry->thread != self->id;
    entry->written |= writes;
    if (!entry->many || !entry->written || kept > 0)
        return;
    if (shared->discovered_count == MOST_DISCOVERED) {
        shared->overlooked++;
        return;
    }
    entry->told = 1;
    shared->discovered[shared->discovered_count++] = word;
}

/* Where the main thread's stack is depends on the names of the program and on its environment; words of it are told by how far they are from its
 * beginning, so that they are the same in another call. */
#define MAIN_STACK_SIZE (64ull << 20)
#define MAIN_STACK_TOLD (1ull << 62)

static uint64_t told_word(uint64_t word)
{
    bool on_main_stack = word < main_stack && main_stack - word < MAIN_STACK_SIZE;
    return on_main_stack ? MAIN_STACK_TOLD - (main_stack - word) : word;
}

/* Called before every access, by what `sortie cc` links into the program. */
EXPORT void sortie_runtime_access(const void *address, uint64_t size, uint32_t access, uint64_t place)
{
    if (!self)
        return;
    bool writes = access & ACCESS_WRITE;
    if (writes)
        changes++;
    if (shared->threads == 1)
        return;
    uint64_t begin = told_word((uint64_t)address & ~3ull), end = begin + ((uint64_t)address & 3) + (size ? size - 1 : 0);
    for (uint64_t word = begin; word <= end; word += 4) {
        if (is_selected(word)) {
            bool atomic = access & ACCESS_ATOMIC;
            uint8_t kind = writes ? (atomic ? MOVE_ATOMIC_WRITE : MOVE_WRITE) : (atomic ? MOVE_ATOMIC_READ : MOVE_READ);
            uint64_t first = word == begin ? begin + ((uint64_t)address & 3) : word;
            /* Accesses of different sizes must be known to touch the same thing. */
            point_in(kind, word & ~7ull, (uint8_t)(first & 7), !writes, place);
            return;
        }
        watch(word, writes);
    }
    if (++self->quiet >= QUIET)
        point(MOVE_YIELD, begin, true, place);
}

/* Tells that the program was compiled so that its accesses are seen. */
EXPORT void sortie_runtime_instrumented(void)
{
    if (shared)
        shared->instrumented = 1;
}
