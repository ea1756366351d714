//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A function gives a structure, and in it the name of a private function. */
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
struct ops { int k; void (*f)(void); };
struct ops get(void)
{
    struct ops o = { 1, f };
    return o;
}
