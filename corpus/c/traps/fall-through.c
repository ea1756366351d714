//! safe
//! inputs: -1..4 functions 0 nesting 1
/* Without `break` the next case follows; `default` may stand anywhere. */
#include <assert.h>
void m(int c)
{
    int n = 0;
    switch (c) {
    default: n += 1;
    case 1: n += 10; break;
    case 2: n += 100;
    case 3: n += 1000;
    }
    assert(n == (c == 1 ? 10 : c == 2 ? 1100 : c == 3 ? 1000 : 11));
}
