//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Both threads are given numbers; the wrong version counts those that are not small. */
#include <assert.h>
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *unused)
{
    _Bool more = __VERIFIER_nondet_bool();
    pthread_mutex_lock(&m);
    if (more) n++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef FIXED
    assert(n <= 2);
#else
    assert(n < 2);
#endif
    return 0;
}
