//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* The callback may delete the element that is visited. */
#include <stdlib.h>
struct node { unsigned char v; struct node *next; };
extern void visit(unsigned char v);
static struct node *head;
static unsigned char count, busy;
void push(unsigned char v)
{
    if (count == 2)
        return;
    count++;
    struct node *n = malloc(sizeof *n);
    n->v = v & 1;
    n->next = head;
    head = n;
}
void pop(void)
{
#ifdef FIXED
    if (busy)
        return;
#endif
    if (head) {
        struct node *n = head;
        head = n->next;
        free(n);
        count--;
    }
}
void each(void)
{
    if (busy)
        return;
    busy = 1;
    for (struct node *n = head; n; n = n->next)
        visit(n->v);
    busy = 0;
}
