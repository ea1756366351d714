//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A mutex that is tried: who does not get it must not go on as if. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int inside;
static void *work(void *unused)
{
    int failed = pthread_mutex_trylock(&m);
#ifdef FIXED
    if (failed) return 0;
#endif
    inside++;
    assert(inside == 1);
    inside--;
    if (!failed) pthread_mutex_unlock(&m);
    return 0;
}
static void *left(void *unused) { return work(unused); }
static void *right(void *unused) { return work(unused); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
