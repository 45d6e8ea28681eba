/* Forks, and waits for the child.
 * To tell the user: the child is not controlled; only threads of the first process are. The run ends well. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    int status;
    pid_t child = fork();

    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (child == 0)
        _exit(0);
    waitpid(child, &status, 0);
    return status;
}
