//! safe
//! with --threads-of-environment 2: unsafe: any
//! with -DFIXED: safe
//! with -DFIXED --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 2
/* A mutex that checks for errors is given back by another thread than the one that took it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static unsigned char taken;
void begin(void)
{
    pthread_mutex_lock(&m);
#ifdef FIXED
    pthread_mutex_unlock(&m);
#else
    taken = 1;
#endif
}
void end(void)
{
    if (!taken) return;
    int given = pthread_mutex_unlock(&m);
    assert(given == 0);
    taken = 0;
}
