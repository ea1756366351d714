//! unsafe: a() · cb() · a() · fail
//! moves: 2
//! inputs: 0..0 functions 0 nesting 3
//! twin: modules/lock-around-a-call.ia
/* A lock that is held around a callback is taken twice by one thread. */
#include <pthread.h>
extern void cb(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void a(void)
{
    pthread_mutex_lock(&m);
    cb();
    pthread_mutex_unlock(&m);
}
