//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
//! skip gcc: what is undefined may do anything
/* A callback unlocks a mutex with external linkage that the library holds. The fixed library uses what it was given at most. */
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
extern void cb(void);
void a(void)
{
    if (pthread_mutex_trylock(&m)) return;
#ifdef FIXED
    pthread_mutex_unlock(&m);
    cb();
#else
    cb();
    pthread_mutex_unlock(&m);
#endif
}
