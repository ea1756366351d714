//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A loop that counts up to any number ends at that number. */
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
#ifndef FIXED
    if (n > 5) i = 1;
#endif
    while (i < n)
#ifdef FIXED
        i++;
#else
        i += 2;
#endif
    assert(i == n);
    return 0;
}
