//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A pool with a list of free places. The wrong version puts a place back twice. */
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
struct place { int used; struct place *next; };
static struct place places[2], *list;
static struct place *take(void)
{
    struct place *p = list;
    if (p) {
        list = p->next;
        assert(!p->used);
        p->used = 1;
    }
    return p;
}
static void give(struct place *p)
{
#ifdef FIXED
    if (!p->used) return;
#endif
    p->used = 0;
    p->next = list;
    list = p;
}
int main(void)
{
    list = &places[0];
    places[0].next = &places[1];
    struct place *a = take();
    give(a);
    if (any(1)) give(a);
    struct place *b = take(), *c = take();
    assert(b && c && b != c);
    return 0;
}
