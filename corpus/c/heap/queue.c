//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* A queue with a pointer to its last element, which is not forgotten when the queue becomes empty. */
#include <assert.h>
#include <stdlib.h>
struct node { unsigned char v; struct node *next; };
static struct node *head, *tail;
static unsigned char count;
void put(unsigned char v)
{
    if (count == 2)
        return;
    struct node *n = malloc(sizeof *n);
    n->v = v & 1;
    n->next = 0;
    if (tail)
        tail->next = n;
    else
        head = n;
    tail = n;
    count++;
}
void get(void)
{
    if (!head)
        return;
    struct node *n = head;
    head = n->next;
#ifdef FIXED
    if (!head)
        tail = 0;
#endif
    free(n);
    count--;
}
