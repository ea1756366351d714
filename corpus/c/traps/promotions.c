//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Narrow types are promoted to `int` before arithmetic. */
#include <assert.h>
void m(unsigned char a, signed char b)
{
    a = 255;
    assert(a + 1 == 256);
    assert((unsigned char)(a + 1) == 0);
    assert(~a == -256);
    assert(a << 8 == 65280);
    b = -128;
    assert(-b == 128);
    b = -b;
    assert(b == -128);
}
