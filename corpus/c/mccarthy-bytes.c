//! safe
//! inputs: 95..104 functions 0 nesting 1
//! twin: modules/mccarthy-bytes.ia
/* McCarthy's function is 91 up to 101, and n - 10 above. */
#include <assert.h>
static int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }
int ask(unsigned char n)
{
    int r = f(n);
    assert(n <= 101 ? r == 91 : r == n - 10);
    return r;
}
