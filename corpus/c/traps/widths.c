//! safe
//! with --data-model ilp32: unsafe: m() · fail
//! inputs: -1..1 functions 0 nesting 2
/* `long` has 64 bits. */
#include <assert.h>
void m(void)
{
    long a = 2147483647;
    a++;
    assert(a > 0);
    assert(sizeof(long) == 8);
}
