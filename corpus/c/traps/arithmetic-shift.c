//! safe
//! inputs: -1..1 functions 0 nesting 2
/* A negative number is shifted to the right with its sign. */
#include <assert.h>
void m(int n)
{
    assert(-8 >> 1 == -4);
    assert(-1 >> 31 == -1);
    assert((unsigned)-8 >> 1 == 2147483644u);
    if (n < 0) assert(n >> 1 < 0);
}
