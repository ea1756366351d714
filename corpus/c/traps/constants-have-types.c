//! safe
//! inputs: -1..1 functions 0 nesting 2
/* The type of a constant depends on its value, its base and its suffix. */
#include <assert.h>
void m(void)
{
    assert(sizeof 2147483647 == 4 && sizeof 2147483648 == 8);
    assert(sizeof 0x80000000 == 4 && -1 > 0x7fffffff == 0);
    assert(-1 < 2147483648);
    assert(-1 > 0x80000000);
    assert(-2147483648 < 0);
    assert(sizeof 'a' == 4);
    assert(010 == 8);
}
