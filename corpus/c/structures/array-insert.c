//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..5 functions 0 nesting 1
/* A number is put into a sorted array. The wrong version moves one element too many. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
int main(void)
{
    int a[4], n = any(3);
    for (int i = 0; i < n; i++) a[i] = 2 * i;
    int value = any(5), at = n;
#ifdef FIXED
    while (at > 0 && a[at - 1] > value) {
#else
    while (at >= 0 && a[at - 1] > value) {
#endif
        a[at] = a[at - 1];
        at--;
    }
    a[at] = value;
    for (int i = 0; i < n; i++) assert(a[i] <= a[i + 1]);
    return 0;
}
