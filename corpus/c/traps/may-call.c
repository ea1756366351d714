//! unsafe: m() · cb() · bad() · ret · ret · fail
//! moves: 3
//! with --may-call cb=good: safe
//! inputs: -1..1 functions 0 nesting 2
/* What an import may call. */
#include <assert.h>
extern void cb(void);
static int x;
void good(void) {}
void bad(void) { x = 1; }
void m(void)
{
    x = 0;
    cb();
    assert(x == 0);
}
