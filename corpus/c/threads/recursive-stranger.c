//! safe
//! with --threads-of-environment 2: unsafe: any
//! with -DFIXED: safe
//! with -DFIXED --threads-of-environment 2: safe
//! inputs: 0..0 functions 0 nesting 2
/* Who owns a mutex is kept in a variable, which says that somebody does, but not who. Another thread gives the mutex back. */
#define _GNU_SOURCE
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned char taken;
void begin(void)
{
    pthread_mutex_lock(&m);
    if (taken) {
        pthread_mutex_unlock(&m);
        return;
    }
#ifdef FIXED
    pthread_mutex_unlock(&m);
#else
    taken = 1;
#endif
}
void end(void)
{
    if (!taken) return;
    taken = 0;
    pthread_mutex_unlock(&m);
}
