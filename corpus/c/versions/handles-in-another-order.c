//! safe
//! equivalent: handles.c
//! skip references: they try too much
/* The second of two objects is handed out. Nobody sees which number a handle has. */
#include <stdlib.h>
struct c { int v; };
static struct c *a, *b;
struct c *get(void) { if (!a) { b = malloc(sizeof *b); a = malloc(sizeof *a); a->v = 1; b->v = 2; } return a; }
int look(struct c *p) { return p ? p->v : 0; }
