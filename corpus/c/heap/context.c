//! unsafe: any
//! with -DFIXED: safe-up-to: 3 allocated objects of type `struct ctx` at once
//! inputs: -1..1 functions 0 nesting 2
/* A context is closed while it is written to; what comes back from outside is kept in memory that is freed. */
#include <assert.h>
#include <stdlib.h>
typedef struct ctx { int fd; int open; struct ctx *parent; } ctx;
extern int io(int fd, int op);
ctx *ctx_open(int fd)
{
    if (fd < 0 || fd > 2) return NULL;
    ctx *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->fd = fd; c->open = 1;
    return c;
}
int ctx_write(ctx *c, int op)
{
    if (!c || !c->open) return -1;
    int r = io(c->fd, op);
#ifdef FIXED
    return r;
#else
    if (r < 0) c->open = 0;
    return r;
#endif
}
void ctx_close(ctx *c) { if (c) { c->open = 0; free(c); } }
