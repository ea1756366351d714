//! safe
//! inputs: 0..3 functions 0 nesting 1
//! twin: modules/ackermann.ia
/* Ackermann's function grows: A(2, n) is 2n + 3. */
#include <assert.h>
static int a(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return a(m - 1, 1);
    return a(m - 1, a(m, n - 1));
}
void ask(unsigned char n) { n %= 8; assert(a(2, n) == 2 * n + 3); }
