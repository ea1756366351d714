//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A bit that is set and cleared again leaves the others as they were. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    unsigned char bits = __VERIFIER_nondet_uchar(), at = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(at < 8);
    unsigned char set = bits | 1 << at;
    unsigned char cleared = set & ~(1 << at);
#ifdef FIXED
    assert(cleared == (bits & ~(1 << at)));
#else
    assert(cleared == bits);
#endif
    return 0;
}
