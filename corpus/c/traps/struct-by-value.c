//! safe
//! inputs: -1..1 functions 0 nesting 2
/* A struct is copied by assignment, as an argument and as a result. */
#include <assert.h>
struct p { int x; int v[2]; };
static struct p kept = { 1, { 2, 3 } };
static struct p moved(struct p p) { p.x++; p.v[1] = 9; return p; }
void m(void)
{
    struct p a = kept, b = moved(a);
    assert(a.x == 1 && a.v[1] == 3 && b.x == 2 && b.v[0] == 2 && b.v[1] == 9);
    b = a;
    b.v[0] = 7;
    assert(a.v[0] == 2 && kept.v[0] == 2);
}
