//! unsafe: any
//! with -DFIXED: safe
//! inputs: -2..2 functions 0 nesting 1
/* A character becomes a signed number when it is calculated with. */
#include <assert.h>
extern char __VERIFIER_nondet_char(void);
int main(void)
{
    char c = __VERIFIER_nondet_char();
    unsigned char u = c;
#ifdef FIXED
    assert(c == u || c + 256 == u);
#else
    assert(c == u);
#endif
    return 0;
}
