//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A thread begins another one, and waits for it. */
#include <assert.h>
#include <pthread.h>
static int n;
static void *inner(void *unused) { n++; return 0; }
static void *outer(void *unused)
{
    pthread_t t;
    pthread_create(&t, 0, inner, 0);
#ifdef FIXED
    pthread_join(t, 0);
#endif
    n++;
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, outer, 0);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
