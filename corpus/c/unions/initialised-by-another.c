//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* A union, and a structure with a member that is not set, are what others begin with. */
#include <assert.h>
union both { int a; char b; };
struct pair { int x, y; };
int main(void)
{
    union both u;
    u.b = 4;
    union both v = u;
    struct pair p;
    p.x = 1;
    struct pair q = p;
#ifdef FIXED
    assert(v.b == 4 && q.x == 1);
#else
    assert(v.b == 4 && q.y == 1);
#endif
    return 0;
}
