//! safe
//! inputs: -1..1 functions 0 nesting 2
/* `&&`, `||`, `?:` and the comma evaluate the left side first. */
#include <assert.h>
static int n;
static int next(void) { return ++n; }
void m(void)
{
    n = 0;
    int a = (next(), n);
    assert(a == 1);
    assert(next() && n == 2);
    assert(n == 3 || next());
    int b = next() ? n : -1;
    assert(b == 4);
}
