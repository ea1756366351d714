//! safe
//! inequivalent: handles.c
//! skip references: they try too much
/* One object is handed out, then the other: an environment sees that the handles are not the same. */
#include <stdlib.h>
struct c { int v; };
static struct c *a, *b;
struct c *get(void)
{
    struct c *p;
    if (!a) { a = malloc(sizeof *a); b = malloc(sizeof *b); a->v = 1; b->v = 1; }
    p = a;
    a = b;
    b = p;
    return p;
}
int look(struct c *p) { return p ? 1 : 0; }
