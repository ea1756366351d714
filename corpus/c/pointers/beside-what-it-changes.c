//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A variable stands beside a call that changes it through its address. */
#include <assert.h>
static int bump(int *p) { return ++*p; }
void run(void)
{
    int x = 1;
#ifdef FIXED
    int y = bump(&x);
    y += x;
    assert(y == 4);
#else
    int y = x + bump(&x);
    assert(y == 3);
#endif
}
