//! unsafe: any
//! with -DFIXED: safe
//! inputs: 6..8 functions 0 nesting 1
/* An array that a loop fills holds its index everywhere; the loop must reach the last element. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int a[8];
int main(void)
{
    for (int i = 0; i < 8; i++) a[i] = i + 1;
#ifndef FIXED
    a[7] = 0;
#endif
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < 8);
    assert(a[n] == n + 1);
    return 0;
}
