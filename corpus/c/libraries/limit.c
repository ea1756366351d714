//! unsafe: any
//! with -DFIXED: safe
//! inputs: 1000000..1000000 functions 0 nesting 2
/* A counter never passes its limit, which nobody changes. */
#include <assert.h>
extern void reached(int n);
static int n, limit = 1000000;
int bump(int by)
{
    if (by < 0 || n > limit - by) return -1;
#ifdef FIXED
    n = n + by;
    reached(n);
#else
    reached(n + by);
    n = n + by;
#endif
    assert(n <= limit);
    return 0;
}
