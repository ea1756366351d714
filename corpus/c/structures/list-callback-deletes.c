//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A list is visited, and the visitor deletes the node that it sees. */
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
struct node { int value; struct node *next; };
static struct node *head;
static int seen;
static void visit(struct node *n)
{
    seen++;
    if (any(1)) {
        struct node **at = &head;
        while (*at != n) at = &(*at)->next;
        *at = n->next;
        free(n);
    }
}
int main(void)
{
    for (int i = 0; i < 2; i++) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        n->next = head;
        head = n;
    }
#ifdef FIXED
    for (struct node *n = head, *next; n; n = next) {
        next = n->next;
        visit(n);
    }
#else
    for (struct node *n = head; n; n = n->next) visit(n);
#endif
    assert(seen == 2);
    return 0;
}
