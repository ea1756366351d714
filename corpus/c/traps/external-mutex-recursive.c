//! safe-up-to: 8 locks of a recursive mutex at once
//! with -DWRONG: unsafe: any
//! skip gcc: an unlock that is refused ends nothing
//! inputs: 0..1 functions 0 nesting 2
/* A recursive mutex may be locked by the client already. A callback may give it back as often as it is locked. */
#define _GNU_SOURCE
#include <pthread.h>
pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
extern void cb(void);
void a(void)
{
    pthread_mutex_lock(&m);
#ifdef WRONG
    cb();
#endif
    pthread_mutex_unlock(&m);
#ifndef WRONG
    cb();
#endif
}
