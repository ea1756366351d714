//! safe
//! inputs: 0..2 functions 0 nesting 1
/* A structure that begins with an array is no array. */
#include <assert.h>
struct s { int a[2]; int b; };
struct t { struct s s; int c; };
static struct s g = { { 1, 2 }, 3 }, *p = &g;
void m(int k)
{
    struct s x = *p;
    struct t y = { x, 4 }, z[2] = { [1] = y, [0] = { *p, 2 } };
    struct s *q = &z[1].s;
    q->b = k;
    p->a[1] = q->b;
    assert(z[1].s.b == k && g.a[1] == k && y.s.b == 3 && z[0].c == 2);
    p->a[1] = 2;
}
