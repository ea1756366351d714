//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A search from the left finds the first place of a number. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int a[4];
int main(void)
{
    for (int i = 0; i < 4; i++) {
        a[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(a[i] >= 0 && a[i] <= 2);
    }
    int wanted = __VERIFIER_nondet_int(), at = -1;
    __VERIFIER_assume(wanted >= 0 && wanted <= 2);
    for (int i = 0; i < 4; i++)
        if (a[i] == wanted) {
            at = i;
#ifdef FIXED
            break;
#endif
        }
    if (at >= 0) {
        assert(a[at] == wanted);
        for (int i = 0; i < at; i++) assert(a[i] != wanted);
    }
    return 0;
}
