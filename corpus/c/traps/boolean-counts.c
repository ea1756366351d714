//! safe
//! inputs: -3..3 functions 0 nesting 1
/* `_Bool` counts up to 1 and back and forth. */
#include <assert.h>
void m(int v)
{
    _Bool b = 256;
    assert(b == 1);
    b++;
    assert(b == 1);
    b--;
    assert(b == 0);
    b--;
    assert(b == 1);
    b = v & 2;
    assert(b == ((v & 2) >> 1));
    assert((_Bool)v + (_Bool)v == 2 * !!v);
}
