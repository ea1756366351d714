//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* Powers by squaring agree with powers by a loop. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static unsigned fast(unsigned base, unsigned n)
{
    if (n == 0) return 1;
    unsigned half = fast(base, n / 2);
#ifdef FIXED
    return n % 2 ? half * half * base : half * half;
#else
    return n % 2 ? half * half + base : half * half;
#endif
}
int main(void)
{
    unsigned base = __VERIFIER_nondet_uchar(), n = __VERIFIER_nondet_uchar(), slow = 1;
    __VERIFIER_assume(base <= 4 && n <= 6);
    for (unsigned i = 0; i < n; i++)
        slow *= base;
    assert(slow == fast(base, n));
    return 0;
}
