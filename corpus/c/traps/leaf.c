//! unsafe: take() · now() · take() · now() · ret 0 · ret 1 · ret 0 · fail
//! moves: 4
//! with --leaf now: safe
//! inputs: 0..0 functions 0 nesting 2
/* An import that never calls back. */
#include <assert.h>
extern int now(void);
static int tokens = 1, last;
int take(void)
{
    if (tokens == 0) return 0;
    last = now();
    tokens--;
    assert(tokens >= 0);
    return 1;
}
