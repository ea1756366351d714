//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* `main` ends its thread, not the program: the others go on. When `main` returns, the program is over. */
#include <assert.h>
#include <pthread.h>
static int done;
static void *work(void *unused)
{
    while (!done)
        ;
    assert(0);
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
#ifdef FIXED
    return 0;
#else
    done = 1;
    pthread_exit(0);
#endif
}
