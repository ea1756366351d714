//! unsafe: any
//! moves: 1
//! with --evaluation left: safe
//! inputs: -1..1 functions 0 nesting 2
/* Which of two calls is first is the compiler's choice. */
#include <assert.h>
static int n;
static int twice(void) { n = n * 2; return 0; }
static int more(void) { n = n + 1; return 0; }
void m(void)
{
    n = 1;
    int r = twice() + more();
    assert(n == 3 + r);
}
