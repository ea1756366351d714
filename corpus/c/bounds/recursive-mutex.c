//! safe-up-to: 8 locks of a recursive mutex at once
//! with -DTWICE: safe
//! inputs: 0..0 functions 0 nesting 3
/* A recursive mutex that is held during a call is taken as often as the environment calls back. The count of the model ends; with
   TWICE it is never met. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
extern void cb(void);
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int inside;
void a(void)
{
#ifdef TWICE
    if (inside == 2) return;
    inside++;
#endif
    pthread_mutex_lock(&m);
    cb();
    pthread_mutex_unlock(&m);
#ifdef TWICE
    inside--;
    assert(inside >= 0);
#endif
}
