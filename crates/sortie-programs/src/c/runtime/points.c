/* Linked into programs that `sortie cc` compiles, in place of the compiler's own runtime for finding races: tells the hunter of every access to
 * memory before it happens. Without a hunter the program runs as usual. Atomic operations are sequentially consistent whatever was asked for. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WRITE 1u
#define ATOMIC 2u

extern void sortie_runtime_access(const void *, uint64_t, uint32_t, uint64_t) __attribute__((weak));
extern void sortie_runtime_instrumented(void) __attribute__((weak));

#define TELL(address, size, access)                                                                                    \
    do {                                                                                                               \
        if (sortie_runtime_access)                                                                                     \
            sortie_runtime_access((const void *)(address), (size), (access), (uint64_t)__builtin_return_address(0));   \
    } while (0)

void __tsan_init(void)
{
    if (sortie_runtime_instrumented)
        sortie_runtime_instrumented();
}

void __tsan_func_entry(void *place)
{
    (void)place;
}

void __tsan_func_exit(void)
{
}

#define ACCESSES(size)                                                                                                 \
    void __tsan_read##size(void *p) { TELL(p, size, 0); }                                                              \
    void __tsan_write##size(void *p) { TELL(p, size, WRITE); }                                                         \
    void __tsan_read_write##size(void *p) { TELL(p, size, WRITE); }                                                    \
    void __tsan_unaligned_read##size(void *p) { TELL(p, size, 0); }                                                    \
    void __tsan_unaligned_write##size(void *p) { TELL(p, size, WRITE); }                                               \
    void __tsan_unaligned_read_write##size(void *p) { TELL(p, size, WRITE); }                                          \
    void __tsan_volatile_read##size(void *p) { TELL(p, size, 0); }                                                     \
    void __tsan_volatile_write##size(void *p) { TELL(p, size, WRITE); }                                                \
    void __tsan_unaligned_volatile_read##size(void *p) { TELL(p, size, 0); }                                           \
    void __tsan_unaligned_volatile_write##size(void *p) { TELL(p, size, WRITE); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *p, size_t size)
{
    TELL(p, size, 0);
}

void __tsan_write_range(void *p, size_t size)
{
    TELL(p, size, WRITE);
}

void __tsan_vptr_update(void **p, void *value)
{
    (void)value;
    TELL(p, sizeof *p, WRITE);
}

void __tsan_vptr_read(void **p)
{
    TELL(p, sizeof *p, 0);
}

void *__real_memcpy(void *, const void *, size_t);
void *__real_memmove(void *, const void *, size_t);
void *__real_memset(void *, int, size_t);

void *__tsan_memcpy(void *to, const void *from, size_t size)
{
    TELL(from, size, 0);
    TELL(to, size, WRITE);
    return __real_memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
    TELL(from, size, 0);
    TELL(to, size, WRITE);
    return __real_memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, size_t size)
{
    TELL(to, size, WRITE);
    return __real_memset(to, value, size);
}

#define UPDATE(bits, type, name)                                                                                       \
    type __tsan_atomic##bits##_fetch_##name(volatile type *p, type value, int order)                                   \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        TELL(p, sizeof *p, WRITE | ATOMIC);                                                                            \
        return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                                                      \
    }

#define ATOMICS(bits, type)                                                                                            \
    type __tsan_atomic##bits##_load(const volatile type *p, int order)                                                 \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        TELL(p, sizeof *p, ATOMIC);                                                                                    \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                   \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile type *p, type value, int order)                                          \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        TELL(p, sizeof *p, WRITE | ATOMIC);                                                                            \
        __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                                  \
    }                                                                                                                  \
    type __tsan_atomic##bits##_exchange(volatile type *p, type value, int order)                                       \
    {                                                                                                                  \
        (void)order;                                                                                                   \
        TELL(p, sizeof *p, WRITE | ATOMIC);                                                                            \
        return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                                        \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, type value, int order, int other) \
    {                                                                                                                  \
        (void)order, (void)other;                                                                                      \
        TELL(p, sizeof *p, WRITE | ATOMIC);                                                                            \
        return __atomic_compare_exchange_n(p, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected, type value, int order, int other) \
    {                                                                                                                  \
        (void)order, (void)other;                                                                                      \
        TELL(p, sizeof *p, WRITE | ATOMIC);                                                                            \
        return __atomic_compare_exchange_n(p, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
    }                                                                                                                  \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type value, int order, int other) \
    {                                                                                                                  \
        (void)order, (void)other;                                                                                      \
        TELL(p, sizeof *p, WRITE | ATOMIC);                                                                            \
        __atomic_compare_exchange_n(p, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                       \
        return expected;                                                                                               \
    }                                                                                                                  \
    UPDATE(bits, type, add)                                                                                            \
    UPDATE(bits, type, sub)                                                                                            \
    UPDATE(bits, type, and)                                                                                            \
    UPDATE(bits, type, or)                                                                                             \
    UPDATE(bits, type, xor)                                                                                            \
    UPDATE(bits, type, nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* Functions of the C library that touch memory: calls in the program come here when it is linked. */
#define WRAPPED(type, name, parameters) type __real_##name parameters; type __wrap_##name parameters

WRAPPED(void *, memcpy, (void *to, const void *from, size_t size))
{
    TELL(from, size, 0);
    TELL(to, size, WRITE);
    return __real_memcpy(to, from, size);
}

WRAPPED(void *, memmove, (void *to, const void *from, size_t size))
{
    TELL(from, size, 0);
    TELL(to, size, WRITE);
    return __real_memmove(to, from, size);
}

WRAPPED(void *, memset, (void *to, int value, size_t size))
{
    TELL(to, size, WRITE);
    return __real_memset(to, value, size);
}

WRAPPED(int, memcmp, (const void *left, const void *right, size_t size))
{
    TELL(left, size, 0);
    TELL(right, size, 0);
    return __real_memcmp(left, right, size);
}

WRAPPED(size_t, strlen, (const char *text))
{
    TELL(text, 1, 0);
    return __real_strlen(text);
}

WRAPPED(int, strcmp, (const char *left, const char *right))
{
    TELL(left, 1, 0);
    TELL(right, 1, 0);
    return __real_strcmp(left, right);
}

WRAPPED(char *, strcpy, (char *to, const char *from))
{
    TELL(from, 1, 0);
    TELL(to, __real_strlen(from) + 1, WRITE);
    return __real_strcpy(to, from);
}

WRAPPED(char *, strncpy, (char *to, const char *from, size_t size))
{
    TELL(from, 1, 0);
    TELL(to, size, WRITE);
    return __real_strncpy(to, from, size);
}

WRAPPED(char *, strcat, (char *to, const char *from))
{
    TELL(from, 1, 0);
    TELL(to, 1, WRITE);
    return __real_strcat(to, from);
}

/* What is freed must not be touched any more, so that this is an access like a write. */
WRAPPED(void, free, (void *memory))
{
    if (memory)
        TELL(memory, 1, WRITE);
    __real_free(memory);
}
