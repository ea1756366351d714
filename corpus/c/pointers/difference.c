//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The place of an element is found by a difference, in the wrong array. */
#include <assert.h>
static int a[3], b[3];
static int *pick(unsigned n) { return n == 2 ? &b[1] : &a[n % 3]; }
void run(unsigned n)
{
    int *p = pick(n);
#ifdef FIXED
    long at = n == 2 ? p - b : p - a;
#else
    long at = p - a;
#endif
    assert(at >= 0 && at < 3);
}
