//! unsafe: m() · cb() · set() · ret · ret · fail
//! moves: 3
//! with --evaluation left: safe
//! inputs: -1..1 functions 0 nesting 2
/* Whether `x` is read before or after the call is the compiler's choice. */
#include <assert.h>
static int x;
extern void cb(void);
void set(void) { x = 1; }
void m(void)
{
    x = 0;
    x += (cb(), 0);
    assert(x == 0);
}
