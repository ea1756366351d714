//! safe
//! inputs: 0..0 functions 0 nesting 1
/* The place of a struct is found once, before it is copied. */
#include <assert.h>
struct s { int k, v; };
static struct s a[2], b = { 1, 9 };
void m(void)
{
    a[0].k = 0;
    a[1].v = 8;
    a[a[0].k] = b;
    assert(a[0].k == 1 && a[0].v == 9 && a[1].v == 8);
    b = a[b.k - 1];
    assert(b.v == 9);
}
