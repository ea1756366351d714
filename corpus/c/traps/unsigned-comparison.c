//! safe
//! inputs: -1..1 functions 0 nesting 2
/* A signed number is compared with an unsigned one as unsigned. */
#include <assert.h>
void m(int a, unsigned b)
{
    if (a == -1 && b == 1) assert(a > b);
    assert(-1 > 1u);
    assert(-1 < 1);
    assert((short)-1 < (unsigned short)1);
    assert(-1L < 1u);
}
