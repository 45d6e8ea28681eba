/* What a program can tell sortie. Without sortie, the same program runs as usual: tosses are random, counts are ignored. */
#ifndef SORTIE_H
#define SORTIE_H

#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int sortie_runtime_toss(int) __attribute__((weak));
extern void sortie_runtime_count(const char *, long) __attribute__((weak));
extern void sortie_runtime_assert(const char *, const char *, int, const char *) __attribute__((weak));
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

/* One of 0, 1, ..., n - 1: all of them are tried. */
static inline int sortie_toss(int n)
{
    if (sortie_runtime_toss)
        return sortie_runtime_toss(n);
    return rand() % n;
}

/* Counts something for the fitness of a run: `--fitness NAME`. */
static inline void sortie_count(const char *name, long amount)
{
    if (sortie_runtime_count)
        sortie_runtime_count(name, amount);
}

/* An assertion that NDEBUG does not switch off. */
#define sortie_assert(condition)                                                                                       \
    ((condition) ? (void)0                                                                                             \
                 : (sortie_runtime_assert ? sortie_runtime_assert(#condition, __FILE__, __LINE__, __func__) : (void)0, \
                    __assert_fail(#condition, __FILE__, __LINE__, __func__)))

#endif
