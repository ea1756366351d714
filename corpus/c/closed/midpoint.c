//! unsafe: any
//! with -DFIXED: safe
//! inputs: 127..129 functions 0 nesting 1
/* The middle of two numbers lies between them, unless their sum wraps. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    unsigned char low = __VERIFIER_nondet_uchar(), high = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(low <= high);
#ifdef FIXED
    unsigned char middle = low + (unsigned char)(high - low) / 2;
#else
    unsigned char sum = low + high, middle = sum / 2;
#endif
    assert(low <= middle && middle <= high);
    return 0;
}
