//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A copy of an array is equal to it at any index. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
static int a[4], b[4];
int main(void)
{
    for (int i = 0; i < 4; i++) a[i] = __VERIFIER_nondet_int();
#ifdef FIXED
    for (int i = 0; i < 4; i++) b[i] = a[i];
#else
    for (int i = 1; i < 4; i++) b[i] = a[i];
#endif
    for (int i = 0; i < 4; i++) assert(a[i] == b[i]);
    return 0;
}
