//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A sorted list. A new first element is not linked. */
#include <assert.h>
#include <stdlib.h>
struct node { unsigned char v; struct node *next; };
static struct node *head;
static unsigned char count;
void insert(unsigned char v)
{
    if (count == 2)
        return;
    count++;
    struct node *n = malloc(sizeof *n), **at = &head;
    n->v = v & 1;
#ifdef FIXED
    while (*at && (*at)->v < n->v)
        at = &(*at)->next;
    n->next = *at;
    *at = n;
#else
    while (*at && (*at)->v < n->v)
        at = &(*at)->next;
    n->next = *at ? (*at)->next : 0;
    *at = n;
#endif
    unsigned char found = 0;
    for (struct node *p = head; p; p = p->next)
        found++;
    assert(found == count);
}
