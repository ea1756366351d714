//! safe
//! with --fails abort: unsafe: m(1) · fail
//! skip gcc: an end by abort looks like a failure
//! inputs: 0..1 functions 0 nesting 1
/* `abort` ends the program and is no failure. What stands behind it is not reached. */
#include <assert.h>
#include <stdlib.h>
void m(int bad)
{
    if (bad) abort();
    assert(!bad);
}
