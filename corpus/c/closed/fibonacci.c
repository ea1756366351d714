//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..6 functions 0 nesting 1
//! skip auto: ranges of 32 bits do not end with recursion
/* Fibonacci numbers are at least n - 1, and not all of them are less than 20. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 8);
    int r = fib(n);
#ifdef FIXED
    assert(r >= n - 1);
#else
    assert(r > n - 1);
#endif
    return 0;
}
