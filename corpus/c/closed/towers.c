//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* The towers of Hanoi: n discs take 2^n - 1 moves, counted in data of the file. */
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
static unsigned moves;
static void carry(unsigned discs, int from, int to, int over)
{
    if (discs == 0) return;
    carry(discs - 1, from, over, to);
    moves++;
    carry(discs - 1, over, to, from);
}
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n <= 6);
    carry(n, 0, 1, 2);
#ifdef FIXED
    assert(moves == (1u << n) - 1);
#else
    assert(moves == (1u << n));
#endif
    return 0;
}
