//! unsafe: m(1) · fail
//! moves: 1
//! with -DFIXED: safe
//! skip gcc: these declarations are errors with its warnings
//! inputs: 0..2 functions 0 nesting 1
/* Functions in the old style take what is promoted, and convert it. What is called before it is declared is found below. */
#include <assert.h>
int twice();
static int low(c, n) unsigned char c; { return c + n; }
void m(int n)
{
    assert(low(256 + 3, 4) == 7);
    assert(twice(n) == 2 * (n & 0x3fffffff) + later(n) * 0);
}
int twice(int n)
{
#ifdef FIXED
    n &= 0x3fffffff;
#else
    n &= 0x3ffffffe;
#endif
    return 2 * n;
}
int later(short s) { return s; }
