//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* Source and destination are the same object. */
#include <assert.h>
static void twice(int *to, const int *from)
{
#ifdef FIXED
    int v = *from;
    *to = v + v;
#else
    *to = 0;
    *to += *from;
    *to += *from;
#endif
}
void run(int v)
{
    if (v < 0 || v > 9)
        return;
    int x = v;
    twice(&x, &x);
    assert(x == 2 * v);
}
