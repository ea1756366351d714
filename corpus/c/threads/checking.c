//! safe
//! with --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 2
/* A mutex that checks for errors says so if its owner takes it again. Another thread waits for it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
extern void cb(void);
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static unsigned char inside;
void work(void)
{
    if (pthread_mutex_lock(&m) != 0) return;
    inside++;
    assert(inside == 1);
    cb();
    inside--;
    pthread_mutex_unlock(&m);
}
