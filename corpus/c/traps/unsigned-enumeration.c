//! safe
//! inputs: -1..1 functions 0 nesting 2
/* An enumeration without negative members is unsigned. Its members are `int`. */
#include <assert.h>
enum e { A, B };
void m(enum e x)
{
    assert(x >= 0);
    assert((enum e)-1 > 0);
    assert(A - 1 < 0);
}
