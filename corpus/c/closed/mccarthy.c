//! unsafe: any
//! with -DFIXED: safe
//! inputs: 99..102 functions 0 nesting 1
/* McCarthy's function gives 91 up to 101, and n - 10 above. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 95 && n <= 110);
    int r = f(n);
#ifdef FIXED
    assert(n > 101 ? r == n - 10 : r == 91);
#else
    assert(n > 102 ? r == n - 10 : r == 91);
#endif
    return 0;
}
