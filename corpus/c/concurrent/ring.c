//! unsafe: any
//! with -DFIXED: safe
//! skip gcc: the schedule is not forced
/* A ring buffer for one producer and one consumer. The wrong version says that a place is full before it fills it. */
#include <assert.h>
#include <pthread.h>
#define SIZE 2
#define ITEMS 3
static int items[SIZE];
static unsigned in, out;
static void *produce(void *unused)
{
    for (int n = 1; n <= ITEMS; n++) {
        while (in - out == SIZE)
            ;
#ifdef FIXED
        items[in % SIZE] = n;
        in++;
#else
        in++;
        items[(in - 1) % SIZE] = n;
#endif
    }
    return 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, produce, 0);
    for (int n = 1; n <= ITEMS; n++) {
        while (in == out)
            ;
        assert(items[out % SIZE] == n);
        out++;
    }
    pthread_join(t, 0);
    return 0;
}
