//! unsafe: any
//! with -DFIXED: safe
//! inputs: 4294967294..4294967295 functions 0 nesting 1
/* Unsigned arithmetic wraps: n + 1 is greater than n but for one number. */
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
#ifdef FIXED
    assert(n + 1 > n || n == 4294967295u);
#else
    assert(n + 1 > n);
#endif
    return 0;
}
