//! unsafe: ask(1, 2) · fail
//! moves: 1
//! inputs: 0..2 functions 0 nesting 1
//! twin: modules/ackermann-wrong.ia
/* Ackermann's function is not symmetric. */
#include <assert.h>
static int a(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return a(m - 1, 1);
    return a(m - 1, a(m, n - 1));
}
void ask(unsigned char m, unsigned char n)
{
    if (m == 0 || m > 2 || n > 2) return;
    assert(a(m, n) == a(n, m));
}
