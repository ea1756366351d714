//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A node is taken out of a doubly linked list. The wrong version leaves the link back. */
#include <assert.h>
#include <stdlib.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
static int any(int most)
{
    int n = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(n <= most);
    return n;
}
struct item { struct item *next, *prev; };
static struct item ring[4];
static void unlink_item(struct item *item)
{
    item->prev->next = item->next;
#ifdef FIXED
    item->next->prev = item->prev;
#endif
}
int main(void)
{
    for (int i = 0; i < 4; i++) {
        ring[i].next = &ring[(i + 1) % 4];
        ring[i].prev = &ring[(i + 3) % 4];
    }
    int n = any(2) + 1;
    unlink_item(&ring[n]);
    int count = 0;
    struct item *at = &ring[0];
    do {
        assert(at->next->prev == at);
        at = at->next;
        count++;
    } while (at != &ring[0]);
    assert(count == 3);
    return 0;
}
