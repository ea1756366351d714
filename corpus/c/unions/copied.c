//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A copy of a union has the member that the original has. */
#include <assert.h>
union both { int a; char b; };
int main(void)
{
    union both u, v = { .b = 3 };
    u = v;
    assert(u.b == 3);
    u.a = 9;
    v = u;
#ifdef FIXED
    assert(v.a == 9);
#else
    assert(v.a == 3);
#endif
    return 0;
}
