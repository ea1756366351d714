//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A lock by test and set. The wrong version tests and sets in two steps. */
#include <assert.h>
#include <pthread.h>
static int taken, inside;
#ifdef FIXED
static int __VERIFIER_atomic_test_and_set(void) { int old = taken; taken = 1; return old; }
#define TEST_AND_SET __VERIFIER_atomic_test_and_set
#else
static int test_and_set(void) { int old = taken; taken = 1; return old; }
#define TEST_AND_SET test_and_set
#endif
static void *work(void *unused)
{
    while (TEST_AND_SET())
        ;
    inside++;
    assert(inside == 1);
    inside--;
    taken = 0;
    return 0;
}
int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_create(&c, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(!taken);
    return 0;
}
