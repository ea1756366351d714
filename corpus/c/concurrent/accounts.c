//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Money goes from one account to another under two mutexes; the wrong version reads the sum without them. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x = 2, y = 0;
static void *move(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        x--;
        y++;
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, move, 0);
#ifdef FIXED
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
#endif
    assert(x + y == 2);
#ifdef FIXED
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
#endif
    pthread_join(t, 0);
    return 0;
}
