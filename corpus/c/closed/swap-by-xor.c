//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* Two numbers are exchanged by three operations on bits, unless they are one object. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static unsigned char a[2];
int main(void)
{
    unsigned char x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar(), i = __VERIFIER_nondet_uchar(), j = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(x < 4 && y < 4 && i < 2 && j < 2);
#ifdef FIXED
    __VERIFIER_assume(i != j);
#endif
    a[i] = x;
    a[j] = y;
    x = a[i];
    a[i] ^= a[j];
    a[j] ^= a[i];
    a[i] ^= a[j];
    assert(a[i] == y && a[j] == x);
    return 0;
}
