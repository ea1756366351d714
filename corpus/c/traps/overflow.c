//! safe
//! with --check overflow: unsafe: any
//! inputs: 2147483647..2147483647 functions 0 nesting 1
/* Signed numbers wrap around, unless overflow is checked. */
#include <assert.h>
int m(int n)
{
    int more = n + 1;
    if (n == 2147483647) assert(more < n);
    return more;
}
