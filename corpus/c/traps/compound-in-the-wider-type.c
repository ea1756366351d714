//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Compound assignment computes in the common type and converts the result. */
#include <assert.h>
void m(void)
{
    unsigned char c = 200;
    c += 100;
    assert(c == 44);
    c = 7;
    c *= 40;
    assert(c == 24);
    signed char s = 100;
    s <<= 1;
    assert(s == -56);
    int i = -7;
    i /= 2u;
    assert(i == 2147483644);
}
