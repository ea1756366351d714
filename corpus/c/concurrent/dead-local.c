//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A thread is given the address of a variable of a function that has returned. */
#include <pthread.h>
static pthread_t t;
static int seen;
static void *work(void *arg) { seen = *(int *)arg; return 0; }
static void start(void)
{
    int here = 1;
    pthread_create(&t, 0, work, &here);
#ifdef FIXED
    pthread_join(t, 0);
#endif
}
int main(void)
{
    start();
#ifndef FIXED
    pthread_join(t, 0);
#endif
    return 0;
}
