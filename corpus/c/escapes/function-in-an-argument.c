//! unsafe: any
//! moves: 3
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* An import gets a structure by value, and in it the name of a private function. */
#include <assert.h>
static int n;
static void f(void)
{
#ifdef FIXED
    if (n < 1) ++n;
#else
    ++n;
#endif
    assert(n < 2);
}
struct ops { int k; void (*f)(void); };
void reg(struct ops o);
void start(void)
{
    struct ops o = { 1, f };
    reg(o);
}
