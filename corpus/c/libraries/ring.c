//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2
/* A ring buffer: put wakes the reader before the count is raised. */
#include <assert.h>
#define N 8
extern void wake(unsigned used);
static int data[N];
static unsigned head, used;
int put(int x)
{
    if (used == N) return 0;
    data[(head + used) % N] = x;
#ifdef FIXED
    used++;
    wake(used);
#else
    wake(used + 1);
    used++;
#endif
    assert(used <= N);
    return 1;
}
int get(void)
{
    if (used == 0) return -1;
    int x = data[head];
    head = (head + 1) % N;
    used--;
    return x;
}
