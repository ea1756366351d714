//! unsafe: ask(102) · fail
//! moves: 1
//! inputs: 99..104 functions 0 nesting 1
//! twin: modules/mccarthy-wrong.ia
/* McCarthy's function is not 91 above 101. */
#include <assert.h>
static int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }
int ask(int n)
{
    int r = f(n);
    assert(r == 91);
    return r;
}
