/* One thread reads from a pipe what another writes.
 * To tell the user: a thread is blocked in `read`, which is not modelled; or, if it is, the run ends well. In no case a
 * deadlock: the writer can go on. */
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *none)
{
    char letter;
    return read(ends[0], &letter, 1) == 1 ? none : &ends;
}

int main(void)
{
    pthread_t thread;
    void *result;

    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, NULL, reader, NULL);
    if (write(ends[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, &result);
    return result != NULL;
}
