//! safe
//! inputs: -1..2 functions 0 nesting 1
/* A table of private functions is called with an index in bounds. */
#include <assert.h>
static int one(int x) { return x > 100 || x < -100 ? 0 : x + 1; }
static int two(int x) { return x > 100 || x < -100 ? 0 : x + 2; }
static int (*const table[])(int) = { one, two };
int run(unsigned i, int x)
{
    int r = table[i % 2](x);
    assert(r != x || r == 0);
    return r;
}
