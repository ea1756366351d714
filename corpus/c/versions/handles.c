//! safe
//! skip references: they try too much
/* The first of two objects is handed out. */
#include <stdlib.h>
struct c { int v; };
static struct c *a, *b;
struct c *get(void) { if (!a) { a = malloc(sizeof *a); b = malloc(sizeof *b); a->v = 1; b->v = 2; } return a; }
int look(struct c *p) { return p ? p->v : 0; }
