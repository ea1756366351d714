//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A string is turned round. The wrong version moves the end to the front. */
#include <assert.h>
#include <string.h>
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
    char s[4];
    int n = any(3);
    for (int i = 0; i < n; i++) s[i] = (char)('a' + i);
    s[n] = 0;
#ifdef FIXED
    int i = 0, j = n - 1;
#else
    int i = 0, j = n;
#endif
    while (i < j) {
        char c = s[i];
        s[i++] = s[j];
        s[j--] = c;
    }
    assert((int)strlen(s) == n);
    assert(n == 0 || s[0] == 'a' + n - 1);
    return 0;
}
