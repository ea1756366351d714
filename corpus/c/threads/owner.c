//! unsafe: a() · f() · a() · fail
//! moves: 2
//! with --threads-of-environment 2: unsafe: any
//! inputs: 0..0 functions 0 nesting 2
//! twin: threads/owner.ia
/* The owner of a mutex is the thread: a call back takes it a second time. One thread is enough. */
#include <pthread.h>
extern void f(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void a(void)
{
    pthread_mutex_lock(&m);
    f();
    pthread_mutex_unlock(&m);
}
