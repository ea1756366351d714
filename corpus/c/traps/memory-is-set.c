//! safe
//! inputs: -1..1 functions 0 nesting 2
/* `memset` changes what it is given. */
#include <assert.h>
#include <string.h>
static int a[2];
void m(void)
{
    a[0] = 1;
    memset(a, 0, sizeof a);
    assert(!a[0]);
}
