//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A mutex is freed by the thread that took it. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m);
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
