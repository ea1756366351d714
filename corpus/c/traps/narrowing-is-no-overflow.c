//! safe
//! with --check overflow: safe
//! inputs: -1..1 functions 0 nesting 2
/* A conversion to a narrower type is no overflow. */
#include <assert.h>
void m(void)
{
    signed char c = 127;
    c++;
    assert(c == -128);
}
