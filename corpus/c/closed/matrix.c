//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A matrix and its transpose have equal elements in mirrored places. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static int m[3][3], t[3][3];
int main(void)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) m[i][j] = 10 * i + j;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) t[j][i] = m[i][j];
    int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 3 && j >= 0 && j < 3);
#ifdef FIXED
    assert(t[i][j] == m[j][i]);
#else
    assert(t[i][j] == m[i][j]);
#endif
    return 0;
}
