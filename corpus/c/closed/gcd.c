//! unsafe: any
//! with -DFIXED: safe
//! inputs: 11..12 functions 0 nesting 1
/* Euclid's algorithm: the result divides both numbers. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    __VERIFIER_assume(a >= 1 && a <= 12 && b >= 1 && b <= 12);
    int g = gcd(a, b);
#ifdef FIXED
    assert(a % g == 0 && b % g == 0);
#else
    assert(a % g == 0 && b % g == 0 && g < 12);
#endif
    return 0;
}
