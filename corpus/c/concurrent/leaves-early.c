//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A thread ends inside of a function that it has called. */
#include <assert.h>
#include <pthread.h>
static int n;
static void stop(int early) { if (early) pthread_exit(0); }
static void *work(void *arg)
{
    stop(*(int *)arg);
    n = 1;
    return 0;
}
int main(void)
{
    pthread_t t;
#ifdef FIXED
    int early = 1;
#else
    int early = 0;
#endif
    pthread_create(&t, 0, work, &early);
    pthread_join(t, 0);
    assert(n == 0);
    return 0;
}
