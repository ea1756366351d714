//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A string is copied to a buffer. The wrong version has no room for the end. */
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
    for (int i = 0; i < n; i++) from[i] = 'a';
    from[n] = 0;
#ifdef FIXED
    if (strlen(from) >= sizeof to) return 0;
#else
    if (strlen(from) > sizeof to) return 0;
#endif
    strcpy(to, from);
    assert(strcmp(to, from) == 0);
    return 0;
}
