//! unsafe: a() · cb() · a() · cb() · a() · fail
//! inputs: 0..0 functions 0 nesting 3
//! skip gcc: headers that stand before the file hide recursive mutexes
/* What fails below the bound is a failure; that a bound is met is none. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
extern void cb(void);
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int inside;
void a(void)
{
    pthread_mutex_lock(&m);
    inside++;
    assert(inside < 3);
    cb();
    inside--;
    pthread_mutex_unlock(&m);
}
