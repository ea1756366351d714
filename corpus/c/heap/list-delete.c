//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* The next element is read from the one that was freed. */
#include <stdlib.h>
struct node { unsigned char v; struct node *next; };
static struct node *head;
static unsigned char count;
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
void clear(void)
{
    while (head) {
        struct node *n = head;
#ifdef FIXED
        head = n->next;
        free(n);
#else
        free(n);
        head = n->next;
#endif
    }
    count = 0;
}
