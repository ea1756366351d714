//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The search for the greatest element starts with the end. */
#include <assert.h>
static unsigned char a[3];
static unsigned char *max(unsigned char *p, unsigned char *end)
{
#ifdef FIXED
    unsigned char *best = p;
#else
    unsigned char *best = end;
#endif
    for (; p < end; p++)
        if (*p > *best)
            best = p;
    return best;
}
void run(unsigned char x, unsigned char y, unsigned char z)
{
    a[0] = x & 3, a[1] = y & 3, a[2] = z & 3;
    unsigned char *p = max(a, a + 3);
    assert(*p >= a[0] && *p >= a[1] && *p >= a[2]);
}
