//! safe
//! skip references: they try too much
/* The object that is given back is freed, and a new one is handed out. */
#include <stdlib.h>
struct c { int v; };
static struct c *now;
struct c *renew(void) { free(now); now = malloc(sizeof *now); now->v = 0; return now; }
int count(struct c *p) { if (!p) return -1; p->v = (p->v + 1) & 3; return p->v; }
