//! safe
//! inputs: 0..3 functions 0 nesting 1
/* `exit` and `abort` end the program, and are no failures. */
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void check(int n) { if (n > 1) exit(1); if (n == 1) abort(); }
int main(void)
{
    int n = __VERIFIER_nondet_int();
    check(n);
    assert(n < 1);
    return 0;
}
