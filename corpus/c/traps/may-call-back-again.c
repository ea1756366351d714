//! unsafe: m() · cb() · bad() · ret · ret · fail
//! moves: 3
//! with --may-call cb=m: safe
//! with --may-call cb=m,bad: unsafe: any
//! inputs: -1..1 functions 0 nesting 2
/* What an import may call is asked at the innermost import. */
#include <assert.h>
extern void cb(void);
static int x;
void bad(void) { x = 1; }
void m(void)
{
    x = 0;
    cb();
    assert(x == 0);
}
