//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A wait for a condition may end without a signal, so the condition is looked at again. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int full;
static void *producer(void *unused)
{
    pthread_mutex_lock(&m);
    full = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, producer, 0);
    pthread_mutex_lock(&m);
#ifdef FIXED
    while (!full)
#else
    if (!full)
#endif
        pthread_cond_wait(&ready, &m);
    assert(full);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
