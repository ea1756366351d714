//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2 activations 18
//! skip references: there are too many stores to be tried one by one
/* A ring whose indices run on; only their last bits say where. */
#include <assert.h>
#define N 16u
extern int produce(unsigned at);
static int data[N];
static unsigned head, tail;
int fill(void)
{
    if (head - tail >= N) return -1;
#ifdef FIXED
    unsigned at = head++;
    data[at & (N - 1)] = produce(at);
#else
    data[head & (N - 1)] = produce(head);
    head++;
#endif
    assert(head - tail <= N);
    return 0;
}
int take(void)
{
    if (head == tail) return -1;
    return data[tail++ & (N - 1)];
}
