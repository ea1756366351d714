//! safe
//! inputs: -1..1 functions 0 nesting 2
/* The operand of `sizeof` is not evaluated. */
#include <assert.h>
static int n;
void m(void)
{
    int a[3];
    n = 0;
    assert(sizeof(n++) == 4 && n == 0);
    assert(sizeof a == 12 && sizeof a / sizeof *a == 3);
}
