/* What a hunted program and the hunter share: one region of memory, laid out alike here and in src/region.rs.
 *
 * One of the two has the turn. The program has it while it runs; it hands it over with a word: a question, a full log, or its end. */
#ifndef SORTIE_SHARED_H
#define SORTIE_SHARED_H

#include <stdint.h>

#define MOST_THREADS 1024
#define MOST_MOVES 16384
#define MOST_COUNTS 256
#define MOST_MODULES 64
#define MOST_DISCOVERED 4096
#define SELECTED_SLOTS 65536
#define MOST_FRAMES 12

enum turn { TURN_PROGRAM, TURN_HUNTER };

enum word { WORD_QUESTION = 1, WORD_FULL, WORD_ENDED };

enum question { ASK_THREAD, ASK_TOSS, ASK_WAITER };

/* How a run ended, where the program itself can tell; a crash or an exit is told by the status of the process. */
enum end { END_PROCESS, END_DEADLOCK, END_LIMIT, END_LIVELOCK, END_ASSERTION, END_ESCAPE };

/* What a thread does at a scheduling point. Names for people are in src/moves.rs, in this order. */
enum kind {
    MOVE_START,
    MOVE_CREATE,
    MOVE_JOIN,
    MOVE_END,
    MOVE_EXIT,
    MOVE_LOCK,
    MOVE_TRYLOCK,
    MOVE_UNLOCK,
    MOVE_READ_LOCK,
    MOVE_TRY_READ_LOCK,
    MOVE_WAIT,
    MOVE_WAKE,
    MOVE_SIGNAL,
    MOVE_BROADCAST,
    MOVE_SEM_WAIT,
    MOVE_SEM_TRYWAIT,
    MOVE_SEM_POST,
    MOVE_SEM_VALUE,
    MOVE_BARRIER,
    MOVE_BARRIER_PASS,
    MOVE_ONCE,
    MOVE_SLEEP,
    MOVE_YIELD,
    MOVE_READ,
    MOVE_WRITE,
    MOVE_ATOMIC_READ,
    MOVE_ATOMIC_WRITE,
    MOVE_FUTEX_WAIT,
    MOVE_FUTEX_PASS,
    MOVE_FUTEX_WAKE,
    MOVE_GO_ON,
};

/* The move is taken because time ran out. */
#define FLAG_TIMEOUT 1
/* The thread would rather have others move. */
#define FLAG_YIELD 2
/* No move: the thread cannot do it from here on. */
#define FLAG_BLOCKED 4

/* Threads are objects too, with numbers that no address has. */
#define THREAD_OBJECT(id) ((uint64_t)(id) + 1)

struct move {
    uint64_t object;
    uint64_t place;
    uint32_t thread;
    uint8_t kind;
    uint8_t looks;
    uint8_t flags;
    uint8_t offset; /* into the word of memory that is the object */
};

struct count {
    char name[56];
    int64_t amount;
};

struct module {
    uint64_t base;
    uint64_t low;
    uint64_t high;
    char path[232];
};

struct shared {
    uint64_t size;
    uint32_t turn;
    uint32_t word;
    uint32_t command;
    int32_t server;
    int32_t child;
    uint32_t holder;
    uint32_t progress;
    uint32_t tells_frames;

    uint64_t limit;

    uint32_t question;
    uint32_t alternatives;
    int32_t current;
    uint32_t answer;

    uint32_t end;
    int32_t status;
    uint32_t end_thread;
    uint32_t instrumented;
    uint64_t end_place;
    char message[1024];

    uint32_t threads;
    uint32_t move_count;
    uint32_t count_count;
    uint32_t module_count;
    uint32_t discovered_count;
    uint32_t selected_count;
    uint32_t overlooked; /* accesses to words that there was no room to watch or to tell */

    uint64_t who[MOST_THREADS];
    struct move standing[MOST_THREADS];
    uint8_t finished[MOST_THREADS];
    uint32_t held_by[MOST_THREADS];
    struct move offered[MOST_THREADS];
    struct move moves[MOST_MOVES];
    uint64_t frames[MOST_THREADS][MOST_FRAMES];
    uint64_t end_frames[MOST_FRAMES];
    struct count counts[MOST_COUNTS];
    struct module modules[MOST_MODULES];
    uint64_t discovered[MOST_DISCOVERED];
    uint64_t selected[SELECTED_SLOTS];
};

#endif
