//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The body of `do` runs at least once. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void)
{
    int n = __VERIFIER_nondet_int(), rounds = 0;
    __VERIFIER_assume(n >= 0 && n <= 3);
    do
        rounds++;
    while (rounds < n);
#ifdef FIXED
    assert(rounds == (n > 0 ? n : 1));
#else
    assert(rounds == n);
#endif
    return 0;
}
