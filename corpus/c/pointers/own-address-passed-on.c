//! safe
//! inputs: 0..0 functions 0 nesting 1
/* A recursive function writes to the variable of the activation that called it, not to its own. */
#include <assert.h>
static int f(int n, int *p)
{
    int x = n;
    if (p)
        *p = 5;
    if (n)
        f(n - 1, &x);
    return x;
}
void m(void) { assert(f(1, 0) == 5); }
