//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* How often a character stands in a string. The wrong version counts the end as well. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
static int count(const char *s, char c)
{
    int n = 0;
#ifdef FIXED
    for (; *s; s++)
        if (*s == c) n++;
#else
    do
        if (*s == c) n++;
    while (*s++);
#endif
    return n;
}
int main(void)
{
    char s[4] = "aba";
    char c = (char)(any(1) ? 'a' : 0);
    assert(count(s, c) == (c ? 2 : 0));
    return 0;
}
