//! unsafe: ask(1) · fail
//! moves: 1
//! inputs: 0..6 functions 0 nesting 1
//! twin: modules/even-odd-wrong.ia
/* Two functions that call each other, and a wrong start. */
#include <assert.h>
static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 1 : even(n - 1); }
void ask(unsigned char n)
{
    if (n > 6) return;
    assert(even(n) == (n % 2 == 0));
}
