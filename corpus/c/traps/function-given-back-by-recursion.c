//! unsafe: any
//! moves: 1
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A private function that calls itself gives a private function, which the environment does not know. */
#include <assert.h>
static int one(void) { return 1; }
static int two(void) { return 2; }
static int (*pick(int n))(void)
{
    if (n > 1) return pick(n - 2);
    return n ? one : two;
}
int run(void)
{
    int r = pick(3)() + pick(2)();
#ifdef FIXED
    assert(r == 3);
#else
    assert(r == 2);
#endif
    return r;
}
