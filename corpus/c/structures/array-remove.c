//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* An element is taken out of an array. The wrong version reads one behind the end. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
#define SIZE 3
int main(void)
{
    int a[SIZE] = { 0, 1, 2 }, at = any(SIZE - 1);
#ifdef FIXED
    for (int i = at; i + 1 < SIZE; i++) a[i] = a[i + 1];
#else
    for (int i = at; i < SIZE; i++) a[i] = a[i + 1];
#endif
    assert(a[0] == (at == 0 ? 1 : 0));
    return 0;
}
