//! unsafe: any
//! with -DFIXED: safe
//! skip references: there are too many configurations
//! skip gcc: the schedule is not forced
/* Two threads add to each other's number, 5 times each. The greatest number that comes out is 144. */
#include <assert.h>
#include <pthread.h>
static int i = 1, j = 1;
static void *left(void *unused) { for (int k = 0; k < 5; k++) i += j; return 0; }
static void *right(void *unused) { for (int k = 0; k < 5; k++) j += i; return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
#ifdef FIXED
    assert(i <= 144 && j <= 144);
#else
    assert(i < 144 && j < 144);
#endif
    return 0;
}
