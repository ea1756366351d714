//! safe
//! inputs: 0..0 functions 0 nesting 1
/* What is evaluated for nothing but its effects has them, in an index too. */
#include <assert.h>
static int a[2], n;
void m(void)
{
    n = 0;
    a[n++ & 1];
    assert(n == 1);
    (void)a[n++ & 1];
    assert(n == 2);
    int r = (a[n++ & 1], n);
    assert(r == 3);
}
