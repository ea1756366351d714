//! unsafe: any
//! moves: 3
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A constant with external linkage shows private functions to the environment. */
#include <assert.h>
static int n;
static void f(void)
{
#ifdef FIXED
    if (n < 2) ++n;
#else
    ++n;
#endif
    assert(n < 3);
}
struct ops { void (*f)(void); };
const struct ops ops = { f };
