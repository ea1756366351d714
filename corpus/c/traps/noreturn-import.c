//! safe
//! inputs: 0..1 functions 0 nesting 2
/* An import that is declared not to return may call back, but what stands behind it is not reached. */
#include <assert.h>
_Noreturn extern void die(int why);
void m(int bad)
{
    if (bad) die(1);
    assert(!bad);
}
