//! safe
//! with --threads-of-environment 2: safe
//! with --threads-of-environment 2: safe full()
//! inputs: 0..0 functions 0 nesting 2
//! twin: threads/slots.ia
/* Places are counted under a lock that is not held during the call out. */
#include <assert.h>
#include <pthread.h>
#define PLACES 2
extern void full(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char used;
void take(void)
{
    _Bool got = 0;
    pthread_mutex_lock(&m);
    if (used < PLACES) {
        used++;
        got = 1;
    }
    assert(used <= PLACES);
    pthread_mutex_unlock(&m);
    if (!got && used < PLACES) full();
}
