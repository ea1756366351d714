//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* The last user frees. The wrong version counts down in two steps, so both may be the last, or none. */
#include <pthread.h>
#include <stdlib.h>
static int users = 2;
static int *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&m);
    int last = --users == 0;
    pthread_mutex_unlock(&m);
#else
    users--;
    int last = users == 0;
#endif
    if (last)
        free(shared);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    shared = malloc(sizeof *shared);
    pthread_create(&a, 0, use, 0);
    pthread_create(&b, 0, use, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
