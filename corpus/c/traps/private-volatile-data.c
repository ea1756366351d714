//! safe
//! inputs: -1..1 functions 0 nesting 2
/* Volatile data that nobody else knows is ordinary. */
#include <assert.h>
static volatile int x;
void m(void)
{
    x = 1;
    assert(x == 1);
}
