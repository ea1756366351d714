//! unsafe: any
//! with -DFIXED: safe
//! inputs: 255..256 functions 0 nesting 1
/* A number that is stored in 8 bits and read again is the same only if it fits. */
#include <assert.h>
extern unsigned short __VERIFIER_nondet_ushort(void);
int main(void)
{
    unsigned short wide = __VERIFIER_nondet_ushort();
    unsigned char narrow = wide;
#ifdef FIXED
    assert(wide > 255 || narrow == wide);
#else
    assert(wide > 256 || narrow == wide);
#endif
    return 0;
}
