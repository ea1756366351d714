//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A thread ends and keeps a mutex, for which another one waits for ever. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *left(void *unused)
{
    pthread_mutex_lock(&m);
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
    return 0;
}
static void *right(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
