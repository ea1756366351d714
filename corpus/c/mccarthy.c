//! safe
//! inputs: 95..104 functions 0 nesting 1
//! skip explicit: the environment may give any number of 32 bits
//! skip interval: results depend on arguments
//! skip auto: results depend on arguments
//! twin: modules/mccarthy.ia
/* McCarthy's function is 91 up to 101, and n - 10 above. */
#include <assert.h>
static int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }
int ask(int n)
{
    int r = f(n);
    assert(n <= 101 ? r == 91 : r == n - 10);
    return r;
}
