//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* `main` waits for a thread that needs the mutex that `main` holds. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *unused)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    n++;
#ifdef FIXED
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
#else
    pthread_join(t, 0);
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
