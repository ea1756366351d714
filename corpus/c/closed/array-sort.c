//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* Bubble sort of four numbers: the result is in order. */
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
    for (int round = 0; round < 3; round++)
#else
    for (int round = 0; round < 2; round++)
#endif
        for (int i = 0; i < 3; i++)
            if (a[i] > a[i + 1]) {
                int kept = a[i];
                a[i] = a[i + 1];
                a[i + 1] = kept;
            }
    for (int i = 0; i < 3; i++) assert(a[i] <= a[i + 1]);
    return 0;
}
