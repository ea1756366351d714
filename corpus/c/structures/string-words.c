//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Words are split at spaces. The wrong version begins a word at each space. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
static int words(const char *s)
{
    int n = 0, inside = 0;
    for (; *s; s++) {
        if (*s == ' ') {
#ifdef FIXED
            inside = 0;
#else
            inside = 0;
            n++;
#endif
        } else if (!inside) {
            inside = 1;
#ifdef FIXED
            n++;
#endif
        }
    }
    return n;
}
int main(void)
{
    char s[5];
    for (int i = 0; i < 4; i++) s[i] = any(1) ? 'a' : ' ';
    s[4] = 0;
    int n = words(s);
    assert(n <= 2);
    assert((n > 0) == (s[0] == 'a' || s[1] == 'a' || s[2] == 'a' || s[3] == 'a'));
    return 0;
}
