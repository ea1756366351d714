//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The greatest element is at least as great as every element, and is one of them. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int a[4];
int main(void)
{
    for (int i = 0; i < 4; i++) {
        a[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(a[i] >= 0 && a[i] <= 3);
    }
#ifdef FIXED
    int max = a[0];
#else
    int max = 1;
#endif
    for (int i = 1; i < 4; i++)
        if (a[i] > max) max = a[i];
    int found = 0;
    for (int i = 0; i < 4; i++) {
        assert(a[i] <= max);
        if (a[i] == max) found = 1;
    }
    assert(found);
    return 0;
}
