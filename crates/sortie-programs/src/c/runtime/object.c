/* Shadows of the program's locks, conditions and semaphores, found by their addresses. */
#include "core.h"

#define MOST_OBJECTS 65535
#define BUCKETS 8192

static struct object objects[MOST_OBJECTS];
static uint32_t object_count = 1;
static uint32_t buckets[BUCKETS];

static uint32_t *bucket_of(uint64_t address)
{
    return &buckets[((address >> 3) * 0x9e3779b97f4a7c15ull) >> (64 - 13)];
}

#define ROBUST 16

uint8_t kind_of_mutex(const void *address, uint64_t place)
{
    const pthread_mutex_t *mutex = address;
    if (mutex->__data.__kind & ROBUST)
        escape("robust mutexes are not controlled", place);
    return mutex->__data.__kind & 3;
}

struct object *object_at(const void *address, enum object_kind kind)
{
    uint64_t key = (uint64_t)address;
    uint32_t *bucket = bucket_of(key);
    for (uint32_t i = *bucket; i; i = objects[i].next)
        if (objects[i].address == key && objects[i].kind == kind)
            return &objects[i];
    if (object_count == MOST_OBJECTS)
        escape("the program uses more than 65,534 locks, conditions and semaphores", self->pending.place);
    struct object *object = &objects[object_count];
    *object = (struct object){.address = key, .kind = kind, .next = *bucket};
    *bucket = object_count++;
    return object;
}

void forget_object(const void *address)
{
    uint64_t key = (uint64_t)address;
    for (uint32_t *link = bucket_of(key); *link;) {
        struct object *object = &objects[*link];
        if (object->address == key)
            *link = object->next;
        else
            link = &object->next;
    }
}

void hold(uint64_t lock)
{
    if (self->held_count < MOST_HELD)
        self->held[self->held_count] = lock;
    self->held_count++;
}

void release(uint64_t lock)
{
    uint32_t kept = self->held_count < MOST_HELD ? self->held_count : MOST_HELD;
    for (uint32_t i = kept; i-- > 0;)
        if (self->held[i] == lock) {
            for (uint32_t j = i + 1; j < kept; j++)
                self->held[j - 1] = self->held[j];
            self->held_count--;
            return;
        }
}
