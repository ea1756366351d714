//! unsafe: m() · fail
//! with -DFIXED: safe
//! skip gcc: the compiler removes what is written and never read
//! inputs: 0..1 functions 0 nesting 1
/* C11 7.22.3: what is allocated with size 0 has an address, and nothing may be written there. */
#include <stdlib.h>
void m(void)
{
    int *p = malloc(0);
#ifndef FIXED
    *p = 1;
#endif
    free(p);
}
