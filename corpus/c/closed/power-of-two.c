//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..5 functions 0 nesting 1
/* A number is a power of two if it has one bit; 0 has none. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned char n = __VERIFIER_nondet_uchar();
    int is = 0;
    for (unsigned p = 1; p < 256; p *= 2)
        if (n == p) is = 1;
#ifdef FIXED
    assert(is == (n != 0 && (n & (n - 1)) == 0));
#else
    assert(is == ((n & (n - 1)) == 0));
#endif
    return 0;
}
