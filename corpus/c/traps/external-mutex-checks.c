//! safe
//! with -DWRONG: unsafe: any
//! inputs: 0..1 functions 0 nesting 2
/* A mutex that checks for errors refuses what the client has done before; that must be looked at. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int inside;
void a(void)
{
#ifdef WRONG
    assert(pthread_mutex_lock(&m) == 0);
#else
    if (pthread_mutex_lock(&m)) return;
#endif
    assert(!inside);
    inside = 1;
    inside = 0;
    pthread_mutex_unlock(&m);
}
