//! refused: E0611
//! with --exposed volatile: safe
//! with -DWRONG --exposed volatile: unsafe: any
//! inputs: 0..1 functions 0 nesting 1
//! skip gcc: nobody can say when the object changes
//! skip references: there are more pointers than can be tried one by one
/* Nodes of the environment are walked over. What they hold may be anything, also a pointer to null. */
#include <assert.h>
#include "node.h"
static int seen;
void walk(struct node *first)
{
    seen = 0;
#ifdef WRONG
    for (struct node *n = first; n->next; n = n->next)
#else
    for (struct node *n = first; n; n = n->next)
#endif
        if (seen < 3)
            seen++;
    assert(seen <= 3);
}
