//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The second result is optional, and is written all the same. */
#include <assert.h>
static int divide(int a, int b, int *rest)
{
#ifdef FIXED
    if (rest)
#endif
        *rest = a % b;
    return a / b;
}
void run(int a)
{
    int r = 7;
    int q = divide(a, 2, &r);
    assert(q * 2 + r == a);
    assert(r != 7);
    divide(a, 3, 0);
}
