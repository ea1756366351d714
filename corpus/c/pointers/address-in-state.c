//! unsafe: f() · cb() · g() · ret · ret · fail
//! with -DFIXED: safe-up-to: 3 variables `x` of `f` at once
//! moves: 3
//! inputs: 0..0 functions 0 nesting 2
/* The address of a local is in the state of the module while the environment has control. */
#include <assert.h>
extern void cb(void);
static int *cur;
void f(void)
{
    int x = 0;
#ifdef FIXED
    if (cur)
        return;
    cb();
    cur = &x;
#else
    cur = &x;
    cb();
#endif
    assert(x == 0);
    cur = 0;
}
void g(void) { if (cur) *cur = 1; }
