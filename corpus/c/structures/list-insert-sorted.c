//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* Numbers are put into a sorted list. The wrong version never looks behind the first node. */
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
static void insert(int value)
{
    struct node *n = malloc(sizeof *n), **at = &head;
#ifdef FIXED
    while (*at && (*at)->value < value) at = &(*at)->next;
#else
    if (*at && (*at)->value < value) at = &(*at)->next;
#endif
    n->value = value;
    n->next = *at;
    *at = n;
}
int main(void)
{
    for (int i = 0; i < 3; i++) insert(any(1));
    while (head) {
        struct node *n = head;
        head = n->next;
        assert(!head || n->value <= head->value);
        free(n);
    }
    return 0;
}
