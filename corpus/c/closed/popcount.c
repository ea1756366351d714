//! unsafe: any
//! with -DFIXED: safe
//! inputs: 30..31 functions 0 nesting 1
/* Bits are counted in two ways: one by one, and by clearing the last one. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned char bits = __VERIFIER_nondet_uchar();
    int slow = 0, fast = 0;
    for (int i = 0; i < 8; i++) slow += bits >> i & 1;
    for (unsigned char rest = bits; rest; rest &= rest - 1) fast++;
#ifdef FIXED
    assert(slow == fast);
#else
    assert(slow == fast && slow != 5);
#endif
    return 0;
}
