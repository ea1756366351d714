//! safe
//! inputs: 1..6 functions 0 nesting 1
//! twin: modules/gcd.ia
/* Euclid's algorithm, and that what it gives divides both. */
#include <assert.h>
static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
void ask(unsigned char a, unsigned char b)
{
    if (a == 0 || a > 6 || b == 0 || b > 6) return;
    int d = gcd(a, b);
    assert(a % d == 0 && b % d == 0);
}
