//! safe
//! with -DNORMAL: unsafe: make() · ret · use() · fail
//! with -DEARLY: unsafe: any
//! inputs: 0..1 functions 0 nesting 2
/* Attributes say of what kind a mutex is. Before that it is of the normal kind. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t again, checks;
static int made;
void make(void)
{
    pthread_mutexattr_t kind;
    if (made) return;
    assert(pthread_mutexattr_init(&kind) == 0);
#ifndef NORMAL
    assert(pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE) == 0);
#endif
    assert(pthread_mutex_init(&again, &kind) == 0);
    assert(pthread_mutexattr_settype(&kind, 77) == EINVAL);
    assert(pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK) == 0);
    assert(pthread_mutex_init(&checks, &kind) == 0);
    pthread_mutexattr_destroy(&kind);
    made = 1;
}
void use(void)
{
#ifndef EARLY
    if (!made) return;
#endif
    pthread_mutex_lock(&again);
    assert(pthread_mutex_trylock(&again) == 0);
    pthread_mutex_lock(&again);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
    assert(pthread_mutex_unlock(&checks) == EPERM);
    assert(pthread_mutex_lock(&checks) == 0 && pthread_mutex_lock(&checks) == EDEADLK);
    assert(pthread_mutex_trylock(&checks) == EBUSY);
    assert(pthread_mutex_unlock(&checks) == 0);
}
