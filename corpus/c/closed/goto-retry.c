//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A loop by `goto` that tries three times at most. */
#include <assert.h>
extern _Bool __VERIFIER_nondet_bool(void);
int main(void)
{
    int tries = 0;
again:
    tries++;
    if (!__VERIFIER_nondet_bool() && tries < 3) goto again;
#ifdef FIXED
    assert(tries <= 3);
#else
    assert(tries < 3);
#endif
    return 0;
}
