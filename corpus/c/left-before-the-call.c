//! unsafe: m() · cb() · set() · ret · ret 0 · fail
//! moves: 3
//! with --evaluation left: safe
//! inputs: 0..1 functions 0 nesting 2
//! twin: with --evaluation left modules/left-before-the-call.ia
/* Whether `x` is read before or after the call is the compiler's choice. The twin reads operands from the left. */
#include <assert.h>
extern int cb(void);
static int x;
void set(void) { x = 1; }
void m(void)
{
    x = 0;
    x = x + cb() * 0;
    assert(x == 0);
}
