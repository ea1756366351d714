//! unsafe: any
//! with -DFIXED: safe
//! inputs: 1..9 functions 0 nesting 1
/* Every number below 30 comes to 1; 27 takes more than 100 steps. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uchar(), steps = 0;
    __VERIFIER_assume(n >= 1 && n < 30);
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
#ifdef FIXED
    assert(steps <= 111);
#else
    assert(steps <= 18);
#endif
    return 0;
}
