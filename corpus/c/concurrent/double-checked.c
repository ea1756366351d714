//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A lazy initialisation. The wrong version looks without the mutex only. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, made;
static void *use(void *unused)
{
    if (!ready) {
        pthread_mutex_lock(&m);
#ifdef FIXED
        if (!ready)
#endif
        {
            made++;
            ready = 1;
        }
        pthread_mutex_unlock(&m);
    }
    assert(made == 1);
    return 0;
}
static void *left(void *unused) { return use(unused); }
static void *right(void *unused) { return use(unused); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
