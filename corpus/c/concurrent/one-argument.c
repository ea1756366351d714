//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* All threads are given the address of one variable, which changes before they read it. */
#include <assert.h>
#include <pthread.h>
static int seen[2];
static void *work(void *arg) { seen[*(int *)arg] = 1; return 0; }
int main(void)
{
    pthread_t t[2];
    int each[2] = { 0, 1 };
#ifdef FIXED
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, &each[i]);
#else
    int number = 0;
    pthread_create(&t[0], 0, work, &number);
    number = 1;
    pthread_create(&t[1], 0, work, &number);
#endif
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(seen[0] && seen[1] && each[0] == 0);
    return 0;
}
