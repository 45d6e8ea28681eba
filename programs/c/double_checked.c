/* Settings are read once, by whoever needs them first; later users must not pay for a lock.
 *
 * Wrong: the pointer to the settings is published before they are filled in. A user who sees the pointer at the first
 * check, which takes no lock, uses settings that are still empty.
 * Repaired: the settings are filled in before the pointer is published.
 *
 *   sortie cc -g -O1 programs/c/double_checked.c -o double_checked
 *   sortie run -- ./double_checked
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct settings {
    int width;
    int height;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings the_settings;
static struct settings *_Atomic published;

static void read_settings(void)
{
    the_settings.width = 80;
    the_settings.height = 25;
}

static struct settings *get(void)
{
    struct settings *found = atomic_load(&published);
    if (found)
        return found;
    pthread_mutex_lock(&lock);
    found = atomic_load(&published);
    if (!found) {
        found = &the_settings;
#ifdef REPAIRED
        read_settings();
        atomic_store(&published, found);
#else
        atomic_store(&published, found);
        read_settings();
#endif
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void *user(void *none)
{
    struct settings *mine = get();
    int area = mine->width * mine->height;
    assert(area == 80 * 25);
    return none;
}

int main(void)
{
    pthread_t users[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&users[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(users[i], NULL);
    return 0;
}
