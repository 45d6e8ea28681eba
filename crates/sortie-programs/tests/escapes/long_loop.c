/* Takes and gives back a lock three million times.
 * To tell the user: the run was cut at its limit of steps, which limit that is, and how to raise it. Never "livelock"
 * without saying that it is only a long run. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    for (int i = 0; i < 3000000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
