//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A lock that waits by an assumption: runs in which it is taken are not looked at. */
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_assume(int);
static int taken, inside;
#ifdef FIXED
static void __VERIFIER_atomic_acquire(void) { __VERIFIER_assume(taken == 0); taken = 1; }
#define ACQUIRE __VERIFIER_atomic_acquire
#else
static void acquire(void) { __VERIFIER_assume(taken == 0); taken = 1; }
#define ACQUIRE acquire
#endif
static void *work(void *unused)
{
    ACQUIRE();
    inside++;
    assert(inside == 1);
    inside--;
    taken = 0;
    return 0;
}
static void *left(void *unused) { return work(unused); }
static void *right(void *unused) { return work(unused); }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
