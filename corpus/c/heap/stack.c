//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The top of an empty stack is read. */
#include <stdlib.h>
struct node { unsigned char v; struct node *below; };
static struct node *top;
static unsigned char count;
void push(unsigned char v)
{
    if (count == 2)
        return;
    struct node *n = malloc(sizeof *n);
    n->v = v & 1;
    n->below = top;
    top = n;
    count++;
}
int pop(void)
{
#ifdef FIXED
    if (!top)
        return -1;
#endif
    struct node *n = top;
    unsigned char v = n->v;
    top = n->below;
    free(n);
    count--;
    return v;
}
