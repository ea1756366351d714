//! safe
//! inputs: 0..1 functions 0 nesting 1
/* `exit` ends the program. */
#include <assert.h>
#include <stdlib.h>
static int n;
void m(int bad)
{
    if (bad) { n = 5; exit(3); }
    assert(n == 0);
}
