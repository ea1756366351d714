//! safe
//! inputs: 0..2 functions 0 nesting 1
/* Pointers to rows, to structures in rows, and to members of those. */
#include <assert.h>
struct s { int x; int *p; };
static struct s g[2][3], (*r)[3] = &g[1], *e = &g[1][2];
static int *d = &g[1][1].x;
void m(unsigned char v)
{
    r[0][2].x = v;
    assert(e->x == v && g[1][2].x == v);
    *d = v;
    assert((*r)[1].x == v);
    e->p = d;
    assert(*g[1][2].p == v && e - g[1] == 2 && &r[-1][0] == g[0]);
    r[-1][1].x = 7;
    struct s *z = r[0];
    z++;
    assert(g[0][1].x == 7 && z->x == v && z + 1 == e);
}
