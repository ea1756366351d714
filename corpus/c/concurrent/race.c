//! safe
//! with --check race: unsafe: any
//! with -DFIXED --check race: safe
//! skip gcc: the schedule is not forced
/* A race is a failure if that is asked for. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, other[2];
static void *work(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&m);
#endif
    n = 1;
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    other[0] = 1;
    return 0;
}
int main(void)
{
    pthread_t t;
    n = 2;
    pthread_create(&t, 0, work, 0);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    other[1] = 1;
    pthread_join(t, 0);
    return other[0] + n;
}
