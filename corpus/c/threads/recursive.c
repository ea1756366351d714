//! safe
//! with --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 3
/* A recursive mutex may be taken again by the thread that holds it, and is free when it was given back as often. */
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
    if (inside == 1) cb();
    inside--;
    assert(inside >= 0);
    pthread_mutex_unlock(&m);
}
