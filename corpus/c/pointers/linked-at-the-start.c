//! safe
//! inputs: 0..0 functions 0 nesting 1
/* Objects that point to each other from the start. */
#include <assert.h>
static struct n { struct n *next; int v; } a = { 0, 1 }, b = { &a, 2 }, *list[2] = { &b, &a };
static int *tab[2] = { &b.v, &a.v };
void m(void)
{
    assert(list[0]->next->v == 1 && *tab[0] == 2 && tab[1] == &list[0]->next->v);
    struct n **pp = list;
    assert((*pp)->v == 2);
    pp++;
    assert((*pp)->v == 1 && pp == list + 1 && pp - list == 1);
    int **t = tab + 2;
    t--;
    assert(**t == 1 && t[-1] == tab[0]);
}
