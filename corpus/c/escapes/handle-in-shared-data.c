//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 1
/* The environment leaves a pointer alone that the module has left in shared data; after the free it is still there. */
#include <stdlib.h>
struct c { int v; };
struct c *slot;
static int used;
int mk(void)
{
    if (used) return 0;
    struct c *p = malloc(sizeof *p);
    p->v = 1;
    slot = p;
    used = 1;
    return 1;
}
void rm(void)
{
    if (!used || !slot) return;
    free(slot);
    used = 0;
#ifdef FIXED
    slot = 0;
#endif
}
int sum(void) { return slot ? slot->v : 0; }
