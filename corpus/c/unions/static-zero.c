//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* All members of a union with static storage are 0 at first, and a union that is filled with 0 is. */
#include <assert.h>
#include <string.h>
union both { int a; char b[4]; };
static union both u;
int main(void)
{
    assert(u.a == 0 && u.b[3] == 0);
    u.a = 5;
    assert(u.a == 5);
    memset(&u, 0, sizeof u);
#ifdef FIXED
    assert(u.b[1] == 0 && u.a == 0);
#else
    assert(u.b[1] == 0 && u.a == 5);
#endif
    return 0;
}
