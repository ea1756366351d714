//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..4 functions 0 nesting 1
/* The sum of the first numbers, by recursion. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int sum(int n) { return n == 0 ? 0 : n + sum(n - 1); }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 20);
#ifdef FIXED
    assert(2 * sum(n) == n * (n + 1));
#else
    assert(2 * sum(n) == n * (n + 1) && sum(n) != 3);
#endif
    return 0;
}
