//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 1
/* No member of the union was written. */
#include <assert.h>
union both { int a; char b; };
int main(void)
{
    union both u;
#ifdef FIXED
    u.b = 1;
    assert(u.b == 1);
#else
    assert(u.b == 1);
#endif
    return 0;
}
