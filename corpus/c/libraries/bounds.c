//! unsafe: any
//! with -DFIXED: safe
//! inputs: -2..-1 functions 0 nesting 2
/* The least and the greatest sample; who looks sees them in order. */
#include <assert.h>
extern void changed(int from, int to);
static int low, high;
void sample(int x)
{
#ifdef FIXED
    int l = low, h = high;
    if (x < l) l = x;
    if (x > h) h = x;
    changed(l, h);
    low = l;
    high = h;
#else
    if (x < low) { changed(low, x); low = x; }
    if (x > high) { changed(high, x); high = x; }
#endif
}
void reset(int x) { low = x; high = x; }
void look(void) { assert(low <= high); }
