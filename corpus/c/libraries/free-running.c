//! unsafe: any
//! with -DFIXED: safe
//! skip references: the numbers run through 64 bits
//! inputs: 0..1 functions 0 nesting 2
/* Places in a ring are counted by numbers that run freely and wrap. The source is asked between the look and the write. */
#include <assert.h>
#include <stddef.h>
#define N 2
static unsigned char buf[N];
static size_t rd, wr;
extern int source(void);
extern void sink(unsigned char c);
size_t used(void) { return wr - rd; }
int fill(void)
{
    if (wr - rd == N) return 0;
    int c = source();
    if (c < 0) return -1;
#ifdef FIXED
    if (wr - rd == N) return 0;
#endif
    buf[wr++ % N] = (unsigned char)c;
    assert(wr - rd <= N);
    return 1;
}
int drain(void)
{
    if (wr == rd) return 0;
    unsigned char c = buf[rd % N];
    rd++;
    sink(c);
    assert(wr - rd <= N);
    return 1;
}
