#define _GNU_SOURCE
/* A thread waits in the kernel by the function `syscall`.
 * To tell the user: raw futex calls are not modelled; the run was given up, naming the place. */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *sleeper(void *none)
{
    while (atomic_load(&word) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return none;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    pthread_join(thread, NULL);
    return 0;
}
