//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Three threads count. Without the mutex an update can be lost. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    n++;
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(n == 3);
    return 0;
}
