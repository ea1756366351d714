//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A thread that gives nothing, though somebody looks at what it gives. */
#include <pthread.h>
static int cell, seen;
static void *work(void *arg)
{
    cell++;
#ifdef FIXED
    return &cell;
#endif
}
int main(void)
{
    pthread_t t;
    void *given;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, &given);
    seen = given == &cell;
    return 0;
}
