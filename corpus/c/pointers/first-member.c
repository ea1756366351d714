//! safe
//! inputs: 0..2 functions 0 nesting 1
/* A structure begins with its first member: a pointer to one becomes a pointer to the other. */
#include <assert.h>
struct base { int kind; };
struct derived { struct base base; int n; };
static struct derived d[2] = { { { 1 }, 2 }, { { 1 }, 3 } };
static int get(struct base *b)
{
    struct derived *e = (struct derived *)b;
    return b->kind == 1 ? e->n : 0;
}
void m(void)
{
    assert(get(&d[1].base) == 3);
    assert(get((struct base *)d) == 2);
    void *p = &d[1], *q = &d[1].base.kind, *r = &d;
    assert(p == q && p != r && r == (void *)d);
    int *k = p;
    *k = 0;
    assert(get(&d[1].base) == 0 && (struct derived *)k == d + 1);
    d[1].base.kind = 1;
}
