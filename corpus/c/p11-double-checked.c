//! safe
//! with --threads-of-environment 2: unsafe: any
//! with -DFIXED: safe
//! with -DFIXED --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 2
//! twin: modules/p11-double-checked.ia threads/double-checked.ia, with -DFIXED modules/p11-double-checked-fixed.ia threads/double-checked-fixed.ia
/* Double-checked initialisation without a lock around the second look. Sequential environments: SAFE. Two threads: UNSAFE. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, inits;
int get(void)
{
    if (ready) return inits;
    pthread_mutex_lock(&m);
#ifdef FIXED
    if (!ready) {
#endif
        inits++;
        assert(inits == 1);
        ready = 1;
#ifdef FIXED
    }
#endif
    pthread_mutex_unlock(&m);
    return inits;
}
