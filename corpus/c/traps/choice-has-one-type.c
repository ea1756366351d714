//! safe
//! inputs: -1..1 functions 0 nesting 2
/* The two sides of `?:` are converted to one type. */
#include <assert.h>
void m(int c)
{
    c = c != 0;
    assert((c ? -1 : 1u) > 0);
    assert((c ? -1L : 1u) != 0 && (c ? (short)-1 : (char)1) < 2);
}
