//! unsafe: m() · f() · ret 1 · fail
//! moves: 2
//! inputs: 0..1 functions 0 nesting 1
/* An import may be declared in a block, and without a prototype of its own name. */
#include <assert.h>
int m(void)
{
    extern int f(void);
    assert(f() != 1);
    return 0;
}
