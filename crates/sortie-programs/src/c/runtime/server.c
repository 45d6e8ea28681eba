/* The beginning: before `main`, the process becomes a server that forks a fresh copy of itself for every run. */
#include "core.h"
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct shared *shared;
bool controlled;
uint64_t main_stack;

static int note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    if (shared->module_count == MOST_MODULES)
        return 0;
    struct module *module = &shared->modules[shared->module_count++];
    module->base = info->dlpi_addr;
    module->low = UINT64_MAX;
    module->high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uint64_t low = info->dlpi_addr + part->p_vaddr, high = low + part->p_memsz;
        module->low = low < module->low ? low : module->low;
        module->high = high > module->high ? high : module->high;
    }
    strncpy(module->path, info->dlpi_name, sizeof module->path - 1);
    return 0;
}

static void become_a_run(pid_t server)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != server)
        _exit(0);
    controlled = true;
    watch_for_crashes();
    struct thread *first = new_thread();
    first->handle = pthread_self();
    thread_begins(first);
    mark_thread();
}

/* Returns in every run, never in the server. */
static void serve(void)
{
    pid_t server = getpid();
    shared->server = server;
    for (uint32_t command = 0;; command++) {
        while (__atomic_load_n(&shared->command, __ATOMIC_SEQ_CST) == command)
            futex_wait(&shared->command, command);
        pid_t child = REAL(fork)();
        if (child == 0) {
            become_a_run(server);
            return;
        }
        shared->child = child;
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        shared->status = status;
        shared->word = WORD_ENDED;
        __atomic_store_n(&shared->turn, TURN_HUNTER, __ATOMIC_SEQ_CST);
        futex_wake(&shared->turn);
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *region = getenv("SORTIE_REGION");
    if (!region)
        return;
    int file = atoi(region);
    unsetenv("SORTIE_REGION");
    unsetenv("LD_PRELOAD");
    struct shared *mapped = mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED || mapped->size != sizeof *mapped)
        _exit(127);
    close(file);
    shared = mapped;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dl_iterate_phdr(note_module, NULL);
    uint64_t ignored[MOST_FRAMES];
    note_frames(ignored);
    prepare_threads();
    serve();
}

/* Ends the run at once. */
void finish(enum end end, const char *message)
{
    shared->end = end;
    shared->end_thread = self ? self->id : 0;
    strncpy(shared->message, message, sizeof shared->message - 1);
    for (uint32_t i = 0; i < shared->threads; i++) {
        shared->standing[i] = threads[i].pending;
        shared->finished[i] = threads[i].finished;
        bool locks = threads[i].pending.kind == MOVE_LOCK || threads[i].pending.kind == MOVE_READ_LOCK;
        shared->held_by[i] = locks && !threads[i].finished ? threads[i].target->owner : 0;
    }
    system_call(SYS_exit_group, 0);
    __builtin_unreachable();
}

typedef int (*main_function)(int, char **, char **);
static main_function real_main;

/* The end of main ends all threads: when that happens is a choice. */
static int main_and_exit(int count, char **arguments, char **environment)
{
    main_stack = (uint64_t)__builtin_frame_address(0) & ~15ull;
    int status = real_main(count, arguments, environment);
    if (self)
        point(MOVE_EXIT, 0, false, (uint64_t)real_main);
    return status;
}

EXPORT int __libc_start_main(main_function program, int count, char **arguments, void (*init)(void), void (*fini)(void),
                             void (*loader_fini)(void), void *stack_end)
{
    typedef int (*start)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    start real = (start)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return real(main_and_exit, count, arguments, init, fini, loader_fini, stack_end);
}

EXPORT void exit(int status)
{
    if (self)
        point(MOVE_EXIT, 0, false, PLACE);
    REAL(exit)(status);
    __builtin_unreachable();
}

EXPORT void _exit(int status)
{
    if (self)
        point(MOVE_EXIT, 0, false, PLACE);
    system_call(SYS_exit_group, status);
    __builtin_unreachable();
}

EXPORT void _Exit(int status)
{
    if (self)
        point(MOVE_EXIT, 0, false, PLACE);
    system_call(SYS_exit_group, status);
    __builtin_unreachable();
}
