//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* Memory is sequentially consistent here: one of two threads sees the other's store. */
#include <assert.h>
#include <pthread.h>
static int x, y, r1, r2;
static void *left(void *unused) { x = 1; r1 = y; return 0; }
static void *right(void *unused) { y = 1; r2 = x; return 0; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
#ifdef FIXED
    assert(r1 || r2);
#else
    assert(r1 && r2);
#endif
    return 0;
}
