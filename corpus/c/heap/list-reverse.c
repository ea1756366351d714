//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A list is reversed. The first element is lost. */
#include <assert.h>
#include <stdlib.h>
struct node { struct node *next; };
static struct node *head;
static unsigned char count;
void push(void)
{
    if (count == 2)
        return;
    struct node *n = malloc(sizeof *n);
    n->next = head;
    head = n;
    count++;
}
void reverse(void)
{
    struct node *r = 0, *p = head;
    while (p) {
        struct node *next = p->next;
        p->next = r;
        r = p;
        p = next;
    }
#ifdef FIXED
    head = r;
#else
    head = r ? r->next : 0;
#endif
    unsigned char n = 0;
    for (p = head; p; p = p->next)
        n++;
    assert(n == count);
}
