//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* `strncpy` does not end a string that is too long. */
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
    char from[4], to[3];
    int n = any(3);
    for (int i = 0; i < n; i++) from[i] = 'x';
    from[n] = 0;
    strncpy(to, from, sizeof to);
#ifdef FIXED
    to[sizeof to - 1] = 0;
#endif
    assert(strlen(to) <= 2);
    return 0;
}
