//! safe
//! inputs: 0..0 functions 0 nesting 1
/* The value of an assignment of a struct is what was assigned, and its place is evaluated once. */
#include <assert.h>
struct s { int v; };
static struct s a[2], b;
static int n;
void m(void)
{
    struct s r = { 5 };
    n = 0;
    b = a[n++ & 1] = r;
    assert(n == 1 && b.v == 5 && a[0].v == 5);
}
