//! unsafe: helper() · fail
//! moves: 1
//! with --entry m: safe
//! with --private helper: safe
//! inputs: -1..1 functions 0 nesting 2
/* Functions that the environment does not call. */
#include <assert.h>
static int ready;
void helper(void) { assert(ready); }
void m(void)
{
    ready = 1;
    helper();
    ready = 0;
}
