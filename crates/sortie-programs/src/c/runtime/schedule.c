/* Who moves. One thread has the baton; all others sleep, each on its own futex. Every hook is a scheduling point: the thread says what it
 * is about to do, and the baton goes to one of the threads that can do what they said. Locks are shadows that are never taken for real, so it is
 * known exactly who can move, and nobody can is a deadlock. */
#include "core.h"
#include <linux/futex.h>
#include <sys/syscall.h>

struct thread threads[MOST_THREADS];
__thread struct thread *self __attribute__((tls_model("initial-exec")));
uint64_t now = 1000000000ull * 1000000000ull;
uint64_t changes;

static struct thread *holder;    /* of the baton */
static struct thread *leaving;   /* has passed the baton on for the last time and is not gone yet */
static uint64_t moves;           /* so far in this run */
static uint64_t dice = 88172645463325252ull;
static uint64_t changes_before;  /* when everybody had had a chance */

/* How long a run goes on after its limit, to see whether it ends when everybody has a chance. */
#define FAIR_MOVES 10000
/* How long it must go on without any change to be a livelock. */
#define STILL_MOVES 50000

/* How often to look whether a thread that has ended is gone, which takes it microseconds. */
#define MOST_LOOKS 20000

void futex_wait(uint32_t *word, uint32_t value)
{
    system_call(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}

void futex_wake(uint32_t *word)
{
    system_call(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void hand_to_hunter(enum word word)
{
    shared->word = word;
    __atomic_store_n(&shared->turn, TURN_HUNTER, __ATOMIC_SEQ_CST);
    futex_wake(&shared->turn);
    while (__atomic_load_n(&shared->turn, __ATOMIC_SEQ_CST) != TURN_PROGRAM)
        futex_wait(&shared->turn, TURN_HUNTER);
}

void flush(void)
{
    hand_to_hunter(WORD_FULL);
}

static bool is_fair(void)
{
    return moves > shared->limit;
}

/* Beyond the limit nobody is asked any more: the rest is random, and therefore fair, and always the same. */
static uint32_t fair_draw(uint32_t alternatives)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)((dice >> 11) % alternatives);
}

uint32_t ask(enum question question, uint32_t alternatives)
{
    if (is_fair())
        return fair_draw(alternatives);
    shared->question = question;
    shared->alternatives = alternatives;
    hand_to_hunter(WORD_QUESTION);
    return shared->answer < alternatives ? shared->answer : 0;
}

/* Whether the thread can do what it is about to do; the flag tells whether only because it stops waiting. */
static bool can_move(const struct thread *thread, uint8_t *flags)
{
    bool ready = true;
    bool gives_up = thread->deadline != FOR_EVER;
    const struct object *target = thread->target;
    switch (thread->pending.kind) {
    case MOVE_LOCK:
        ready = lock_is_free(target, thread);
        break;
    case MOVE_READ_LOCK:
        ready = target->owner == 0;
        break;
    case MOVE_JOIN:
        ready = threads[thread->joined].finished;
        break;
    case MOVE_SEM_WAIT:
        ready = target->value > 0;
        break;
    case MOVE_BARRIER_PASS:
        ready = target->generation != thread->generation;
        break;
    case MOVE_ONCE:
        ready = target->owner == 0;
        break;
    case MOVE_WAKE:
    case MOVE_FUTEX_PASS:
        ready = thread->woken;
        break;
    default:
        return true;
    }
    if (ready)
        return true;
    *flags |= FLAG_TIMEOUT;
    return gives_up;
}

/* What a thread did while nothing changed. */
#define DID_WORK 1
#define DID_WAIT 2

/* A thread that locks and unlocks and never waits may just have a long way to go. */
static bool everybody_idles(void)
{
    for (uint32_t i = 0; i < shared->threads; i++)
        if (!threads[i].finished && threads[i].idles == DID_WORK)
            return false;
    return true;
}

static void check_limit(void)
{
    moves++;
    if (moves <= shared->limit)
        return;
    if (moves == shared->limit + 1)
        shared->end = END_LIMIT;
    if (moves == shared->limit + FAIR_MOVES)
        changes_before = changes;
    if (moves > shared->limit + FAIR_MOVES && changes != changes_before)
        finish(END_LIMIT, "");
    if (moves > shared->limit + FAIR_MOVES + STILL_MOVES)
        finish(everybody_idles() ? END_LIVELOCK : END_LIMIT, "");
}

/* Notes whether a move is one of somebody who waits for others: looking, yielding, giving up. */
static void note_idling(struct thread *thread, const struct move *move)
{
    switch (move->kind) {
    case MOVE_READ:
    case MOVE_ATOMIC_READ:
    case MOVE_SEM_VALUE:
        return;
    case MOVE_YIELD:
        thread->idles |= move->object == 0 || move->object == thread->quiet_word ? DID_WAIT : DID_WORK;
        thread->quiet_word = move->object;
        return;
    case MOVE_SLEEP:
    case MOVE_TRYLOCK:
    case MOVE_TRY_READ_LOCK:
    case MOVE_SEM_TRYWAIT:
        thread->idles |= DID_WAIT;
        return;
    default:
        thread->idles |= move->flags & FLAG_TIMEOUT ? DID_WAIT : DID_WORK;
    }
}

static void log_move(const struct move *move)
{
    if (is_fair())
        return;
    if (shared->move_count == MOST_MOVES)
        flush();
    shared->moves[shared->move_count++] = *move;
    if (shared->tells_frames)
        flush();
}

static void tell_blocked(struct thread *thread)
{
    if (thread->blocked)
        return;
    thread->blocked = true;
    struct move move = thread->pending;
    move.flags = FLAG_BLOCKED;
    log_move(&move);
}

/* The thread that moves next. */
static struct thread *choose(void)
{
    uint32_t count = 0, unfinished = 0;
    int32_t current = -1;
    for (uint32_t i = 0; i < shared->threads; i++) {
        struct thread *thread = &threads[i];
        if (thread->finished)
            continue;
        unfinished++;
        uint8_t flags = thread->pending.flags & FLAG_YIELD;
        if (!can_move(thread, &flags)) {
            tell_blocked(thread);
            continue;
        }
        thread->blocked = false;
        if (thread == self)
            current = (int32_t)count;
        shared->offered[count] = thread->pending;
        shared->offered[count].flags = flags;
        count++;
    }
    if (unfinished == 0)
        return NULL;
    if (count == 0)
        finish(END_DEADLOCK, "");
    check_limit();
    uint32_t chosen = 0;
    shared->current = current;
    if (count > 1)
        chosen = ask(ASK_THREAD, count);
    else if (unfinished > 1)
        log_move(&shared->offered[0]);
    const struct move *move = &shared->offered[chosen];
    struct thread *thread = &threads[move->thread];
    thread->pending.flags = move->flags;
    if (moves > shared->limit + FAIR_MOVES)
        note_idling(thread, move);
    if ((move->flags & FLAG_TIMEOUT) && now < thread->deadline)
        now = thread->deadline;
    return thread;
}

static void wait_for_baton(void)
{
    while (!__atomic_load_n(&self->baton, __ATOMIC_ACQUIRE))
        futex_wait(&self->baton, 0);
    self->baton = 0;
    shared->holder = self->tid;
    shared->end_thread = self->id;
    if (leaving) {
        for (uint32_t looks = 0; system_call(SYS_tgkill, getpid(), leaving->tid, 0) == 0; looks++) {
            if (looks == MOST_LOOKS)
                escape("a thread that has ended does not leave: something outside sortie's control keeps it", self->pending.place);
            struct timespec moment = {0, looks < 10 ? 0 : 20000};
            system_call(looks < 10 ? SYS_sched_yield : SYS_nanosleep, &moment, NULL);
        }
        leaving = NULL;
    }
}

static void give_baton(struct thread *next)
{
    holder = next;
    __atomic_store_n(&next->baton, 1, __ATOMIC_RELEASE);
    futex_wake(&next->baton);
}

static void pass_on(void)
{
    shared->progress++;
    self->quiet = 0;
    if (shared->tells_frames)
        note_frames(shared->frames[self->id]);
    if (holder != self)
        escape("a thread runs that has not been given its turn: something outside sortie's control woke it", self->pending.place);
    struct thread *next = choose();
    if (next == self)
        return;
    give_baton(next);
    wait_for_baton();
}

static void prepare(uint8_t kind, uint64_t object, bool looks, uint64_t place)
{
    self->clock_reads = 0;
    self->deadline = FOR_EVER;
    self->pending = (struct move){
        .object = object,
        .place = place,
        .thread = self->id,
        .kind = kind,
        .looks = looks,
        .flags = kind == MOVE_YIELD || kind == MOVE_SLEEP ? FLAG_YIELD : 0,
    };
}

void point(uint8_t kind, uint64_t object, bool looks, uint64_t place)
{
    prepare(kind, object, looks, place);
    pass_on();
}

void point_in(uint8_t kind, uint64_t word, uint8_t offset, bool looks, uint64_t place)
{
    prepare(kind, word, looks, place);
    self->pending.offset = offset;
    pass_on();
}

void point_at(uint8_t kind, struct object *object, uint64_t place, uint64_t deadline)
{
    prepare(kind, object->address, false, place);
    self->target = object;
    self->deadline = deadline;
    pass_on();
}

bool timed_out(void)
{
    return self->pending.flags & FLAG_TIMEOUT;
}

struct thread *new_thread(void)
{
    if (shared->threads == MOST_THREADS)
        escape("the program creates more than 1024 threads", self->pending.place);
    struct thread *thread = &threads[shared->threads];
    thread->id = shared->threads++;
    uint64_t parent = self ? self->who : 0;
    uint64_t child = self ? ++self->children : 0;
    thread->who = (parent ^ (child + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
    thread->who ^= thread->who >> 32;
    thread->deadline = FOR_EVER;
    thread->pending = (struct move){.object = THREAD_OBJECT(thread->id), .thread = thread->id, .kind = MOVE_START};
    shared->who[thread->id] = thread->who;
    return thread;
}

void thread_begins(struct thread *thread)
{
    self = thread;
    thread->tid = (uint32_t)system_call(SYS_gettid);
    if (thread->id == 0) {
        holder = thread;
        shared->holder = thread->tid;
    } else {
        wait_for_baton();
    }
}

/* The last move of a thread. When it returns, the thread must only leave. */
void thread_ends(uint64_t place)
{
    prepare(MOVE_END, THREAD_OBJECT(self->id), false, place);
    pass_on();
    self->finished = true;
    changes++;
    struct thread *next = choose();
    if (!next)
        return;
    if (self->id != 0)
        leaving = self;
    give_baton(next);
}
