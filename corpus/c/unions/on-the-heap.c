//! unknown
//! with -DFIXED: safe
//! skip gcc: it fails where the bytes are read
//! inputs: 0..0 functions 0 nesting 1
/* Nodes of two kinds in one list. The wrong version takes every node for a number. */
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
struct node { int leaf; union { int number; struct node *inner; } u; };
static int depth(const struct node *n)
{
    int d = 0;
#ifdef FIXED
    while (!n->leaf) {
#else
    while (n) {
#endif
        n = n->u.inner;
        d++;
    }
    return d;
}
int main(void)
{
    struct node *n = malloc(sizeof *n);
    n->leaf = 1;
    n->u.number = 5;
    struct node *m = malloc(sizeof *m);
    m->leaf = 0;
    m->u.inner = n;
    assert(depth(m) == 1);
    return 0;
}
