/* What ends a run: assertions, crashes, and calls that sortie does not control, which are named rather than followed. */
#include "core.h"
#include <execinfo.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

void escape(const char *what, uint64_t place)
{
    shared->end_place = place;
    finish(END_ESCAPE, what);
}

void escape_if_controlled(const char *what, uint64_t place)
{
    if (self)
        escape(what, place);
}

/* Where the thread is, innermost first, without the frames of the runtime. Called once before any run, since the first call loads a library. */
void note_frames(uint64_t *frames)
{
    /* What unwinds the stack uses locks of its own, which are none of the program's. */
    struct thread *hidden = self;
    self = NULL;
    void *found[MOST_FRAMES + 6];
    int count = backtrace(found, MOST_FRAMES + 6);
    Dl_info here, there;
    dladdr((void *)note_frames, &here);
    int kept = 0;
    for (int i = 0; i < count && kept < MOST_FRAMES; i++) {
        bool own = dladdr(found[i], &there) && there.dli_fbase == here.dli_fbase;
        if (!own)
            frames[kept++] = (uint64_t)found[i];
    }
    while (kept < MOST_FRAMES)
        frames[kept++] = 0;
    self = hidden;
}

static void note_crash(int signal, siginfo_t *info, void *context)
{
    shared->end_place = (uint64_t)info->si_addr;
    shared->end_thread = self ? self->id : 0;
    if (shared->tells_frames)
        note_frames(shared->end_frames);
}

/* Stack overflows need a stack of their own to be noted; without one they are still seen as the death of the process. */
void watch_for_crashes(void)
{
    struct sigaction action = {.sa_sigaction = note_crash, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

static void note_assertion(const char *expression, const char *file, int line, const char *function)
{
    shared->end = END_ASSERTION;
    shared->end_thread = self->id;
    snprintf(shared->message, sizeof shared->message, "%s:%d: %s: %s", file, line, function ? function : "?", expression);
}

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    if (self)
        note_assertion(expression, file, (int)line, function);
    REAL(__assert_fail)(expression, file, line, function);
    __builtin_unreachable();
}

EXPORT void sortie_runtime_assert(const char *expression, const char *file, int line, const char *function)
{
    if (self)
        note_assertion(expression, file, line, function);
}

EXPORT int sortie_runtime_toss(int alternatives)
{
    if (!self || alternatives <= 1)
        return 0;
    changes++;
    return (int)ask(ASK_TOSS, (uint32_t)alternatives);
}

EXPORT void sortie_runtime_count(const char *name, long amount)
{
    if (!self)
        return;
    for (uint32_t i = 0; i < shared->count_count; i++)
        if (strncmp(shared->counts[i].name, name, sizeof shared->counts[i].name - 1) == 0) {
            shared->counts[i].amount += amount;
            return;
        }
    if (shared->count_count == MOST_COUNTS)
        flush();
    struct count *count = &shared->counts[shared->count_count++];
    strncpy(count->name, name, sizeof count->name - 1);
    count->amount = amount;
}

EXPORT pid_t fork(void)
{
    escape_if_controlled("fork: other processes are not controlled", PLACE);
    return REAL(fork)();
}

EXPORT pid_t vfork(void)
{
    escape_if_controlled("vfork: other processes are not controlled", PLACE);
    return REAL(fork)();
}

EXPORT int system(const char *command)
{
    escape_if_controlled("system: other processes are not controlled", PLACE);
    return REAL(system)(command);
}

EXPORT FILE *popen(const char *command, const char *mode)
{
    escape_if_controlled("popen: other processes are not controlled", PLACE);
    return REAL(popen)(command, mode);
}

EXPORT int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                       char *const arguments[], char *const environment[])
{
    escape_if_controlled("posix_spawn: other processes are not controlled", PLACE);
    return REAL(posix_spawn)(child, path, actions, attributes, arguments, environment);
}

/* Functions that replace the program have no way back to control. */
#define REPLACES(name, ...)                                                                                            \
    EXPORT int name(__VA_ARGS__)                                                                                       \
    {                                                                                                                  \
        escape_if_controlled(#name ": another program is not controlled", PLACE);                                      \
        errno = ENOSYS;                                                                                                \
        return -1;                                                                                                     \
    }

REPLACES(execve, const char *path, char *const arguments[], char *const environment[])
REPLACES(execv, const char *path, char *const arguments[])
REPLACES(execvp, const char *file, char *const arguments[])
REPLACES(execvpe, const char *file, char *const arguments[], char *const environment[])
REPLACES(fexecve, int file, char *const arguments[], char *const environment[])
REPLACES(execl, const char *path, const char *argument, ...)
REPLACES(execlp, const char *file, const char *argument, ...)
REPLACES(execle, const char *path, const char *argument, ...)

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    escape_if_controlled("clone: threads and processes made by hand are not controlled", PLACE);
    errno = ENOSYS;
    return -1;
}

EXPORT int pthread_cancel(pthread_t thread)
{
    escape_if_controlled("pthread_cancel: cancellation is not controlled", PLACE);
    return REAL(pthread_cancel)(thread);
}

EXPORT int pthread_kill(pthread_t thread, int signal)
{
    if (signal != 0)
        escape_if_controlled("pthread_kill: signals are not controlled", PLACE);
    return REAL(pthread_kill)(thread, signal);
}

EXPORT int kill(pid_t process, int signal)
{
    if (signal != 0)
        escape_if_controlled("kill: signals are not controlled", PLACE);
    return REAL(kill)(process, signal);
}

EXPORT unsigned alarm(unsigned seconds)
{
    if (seconds != 0)
        escape_if_controlled("alarm: signals are not controlled", PLACE);
    return REAL(alarm)(seconds);
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *restrict value, struct itimerval *restrict old)
{
    escape_if_controlled("setitimer: signals are not controlled", PLACE);
    return REAL(setitimer)(which, value, old);
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    escape_if_controlled("timer_create: timers are not controlled", PLACE);
    return REAL(timer_create)(clock, event, timer);
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict signal)
{
    escape_if_controlled("sigwait: signals are not controlled", PLACE);
    return REAL(sigwait)(set, signal);
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    escape_if_controlled("sigwaitinfo: signals are not controlled", PLACE);
    return REAL(sigwaitinfo)(set, info);
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict span)
{
    escape_if_controlled("sigtimedwait: signals are not controlled", PLACE);
    return REAL(sigtimedwait)(set, info, span);
}

EXPORT int sigqueue(pid_t process, int signal, const union sigval value)
{
    escape_if_controlled("sigqueue: signals are not controlled", PLACE);
    return REAL(sigqueue)(process, signal, value);
}

EXPORT int sigsuspend(const sigset_t *set)
{
    escape_if_controlled("sigsuspend: signals are not controlled", PLACE);
    return REAL(sigsuspend)(set);
}

EXPORT int pause(void)
{
    escape_if_controlled("pause: signals are not controlled", PLACE);
    return REAL(pause)();
}
