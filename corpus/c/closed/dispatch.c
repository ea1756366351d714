//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* Functions are called through a table. */
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
static int acc;
static void add(int n) { acc += n; }
static void drop(int n) { acc -= n; }
static void (*const table[2])(int) = {add, drop};
int main(void)
{
    unsigned which = __VERIFIER_nondet_uint();
#ifdef FIXED
    __VERIFIER_assume(which < 2);
#else
    __VERIFIER_assume(which <= 2);
#endif
    table[which](3);
    assert(acc == 3 || acc == -3);
    return 0;
}
