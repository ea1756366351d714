//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
//! skip auto: ranges of 32 bits do not end with recursion
/* Ackermann's function: its value is greater than both arguments; for 2 and n it is 2n + 3. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int ack(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ack(m - 1, 1);
    return ack(m - 1, ack(m, n - 1));
}
int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    __VERIFIER_assume(m >= 0 && m <= 2 && n >= 0 && n <= 3);
    int r = ack(m, n);
#ifdef FIXED
    assert(r > m && r > n && (m != 2 || r == 2 * n + 3));
#else
    assert(r > m && r > n && (m != 2 || r == 2 * n + 2));
#endif
    return 0;
}
