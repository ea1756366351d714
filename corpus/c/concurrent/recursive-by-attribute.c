//! safe
//! with -DNORMAL: unsafe: any
//! with -DSTRANGER: unsafe: any
//! skip gcc: the schedule is not forced
/* Two threads count under a mutex that attributes make recursive. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock;
static int count;
static void add(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}
static void *twice(void *nothing)
{
    pthread_mutex_lock(&lock);
    add();
    add();
    assert(count % 2 == 0);
    pthread_mutex_unlock(&lock);
#ifdef STRANGER
    pthread_mutex_unlock(&lock);
#endif
    return nothing;
}
int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
#ifndef NORMAL
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&lock, &kind);
    pthread_t first, second;
    pthread_create(&first, 0, twice, 0);
    pthread_create(&second, 0, twice, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 4);
    return 0;
}
