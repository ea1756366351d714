//! safe
//! with --threads-of-environment 2: unsafe: any
//! inputs: 0..0 functions 0 nesting 2
//! twin: threads/slots-wrong.ia
/* Places are counted, but the count is looked at before the lock is taken. */
#include <assert.h>
#include <pthread.h>
#define PLACES 1
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char used;
void take(void)
{
    if (used >= PLACES) return;
    pthread_mutex_lock(&m);
    used++;
    assert(used <= PLACES);
    pthread_mutex_unlock(&m);
}
