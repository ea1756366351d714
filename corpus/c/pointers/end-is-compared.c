//! safe
//! inputs: 0..0 functions 0 nesting 1
/* The end of an array is compared and subtracted, and is not followed. */
#include <assert.h>
static int a[3];
void m(void)
{
    int *end = a + 3, n = 0;
    for (int *p = a; p != end; ++p)
        n++;
    assert(n == end - a && end > a && end[-1] == 0);
}
