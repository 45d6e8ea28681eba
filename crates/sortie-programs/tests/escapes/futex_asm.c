/* A thread waits in the kernel by an inline system call that no library sees.
 * To tell the user: a thread is blocked outside of what is modelled (system call 202, futex); the run was given up. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int word;

static long futex(int operation, int value)
{
    long result = SYS_futex;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(&word), "S"((long)operation), "d"((long)value), "r"(timeout)
                     : "rcx", "r11", "memory");
    return result;
}

static void *sleeper(void *none)
{
    while (atomic_load(&word) == 0)
        futex(FUTEX_WAIT, 0);
    return none;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    atomic_store(&word, 1);
    futex(FUTEX_WAKE, 1);
    pthread_join(thread, NULL);
    return 0;
}
