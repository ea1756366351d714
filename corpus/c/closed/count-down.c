//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A loop that counts down to 0 stays where it ends. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    while (n > 0) {
        n--;
#ifndef FIXED
        if (n == 0) n = -1;
#endif
    }
    assert(n == 0);
    return 0;
}
