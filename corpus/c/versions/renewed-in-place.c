//! safe
//! equivalent: renewed.c
//! skip references: they try too much
/* The object stays and is filled anew. Nobody compares a new handle with one whose object has died. */
#include <stdlib.h>
struct c { int v; };
static struct c *now;
struct c *renew(void) { if (!now) now = malloc(sizeof *now); now->v = 0; return now; }
int count(struct c *p) { if (!p) return -1; p->v = (p->v + 1) & 3; return p->v; }
