//! safe
//! with --threads-of-environment 2: unsafe: any
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/tried-lock.ia threads/tried-lock.ia
/* A lock that is tried is free while one thread is in the module. It is held if another thread is between lock and unlock. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
void a(void)
{
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
}
void b(void)
{
    if (pthread_mutex_trylock(&m)) assert(0);
    pthread_mutex_unlock(&m);
}
