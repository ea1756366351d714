//! unsafe: any
//! moves: 1
//! with --evaluation left: safe
//! inputs: -1..1 functions 0 nesting 2
/* Whether the index is evaluated before the call is the compiler's choice. */
#include <assert.h>
static int a[2], i;
static int next(void) { i = 1; return 5; }
void m(void)
{
    i = 0;
    a[0] = a[1] = 0;
    a[i] = next();
    assert(a[0] == 5);
}
