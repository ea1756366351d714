//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The pointer back is not mended when the first element goes. */
#include <assert.h>
#include <stdlib.h>
struct node { struct node *next, *prev; };
static struct node *first;
static unsigned char count;
void push(void)
{
    if (count == 2)
        return;
    struct node *n = malloc(sizeof *n);
    n->prev = 0;
    n->next = first;
    if (first)
        first->prev = n;
    first = n;
    count++;
}
void pop(void)
{
    struct node *n = first;
    if (!n)
        return;
    first = n->next;
#ifdef FIXED
    if (first)
        first->prev = 0;
#endif
    free(n);
    count--;
}
void check(void)
{
    for (struct node *n = first; n; n = n->next)
        if (n->prev)
            assert(n->prev->next == n);
}
