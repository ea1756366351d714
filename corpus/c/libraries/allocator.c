//! unsafe: any
//! with -DFIXED: safe
//! inputs: 4095..4096 functions 0 nesting 2
/* A bump allocator with a hook for when it runs out. */
#include <assert.h>
#define SIZE 4096u
extern void low(unsigned left);
static unsigned next, high;
int allocate(unsigned n)
{
    if (n == 0 || n > SIZE - next) return -1;
    unsigned at = next;
#ifdef FIXED
    next = at + n;
    if (SIZE - next < 64) low(SIZE - next);
#else
    if (SIZE - at - n < 64) low(SIZE - at - n);
    next = next + n;
#endif
    assert(next <= SIZE);
    if (next > high) high = next;
    return (int)at;
}
void reset(void) { next = 0; }
