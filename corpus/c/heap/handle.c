//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..4 functions 0 nesting 2
/* Handles are pointers to private structures. A callback closes the one that is in use. */
#include <assert.h>
struct conn { int live; int sent; };
extern void wrote(int n);
static struct conn pool[2];
struct conn *conn_open(void)
{
    for (int i = 0; i < 2; i++)
        if (!pool[i].live) {
            pool[i].live = 1;
            pool[i].sent = 0;
            return &pool[i];
        }
    return 0;
}
void conn_close(struct conn *c) { if (c) c->live = 0; }
int conn_write(struct conn *c, int n)
{
    if (!c || !c->live || n < 0 || n > 2)
        return -1;
    wrote(n);
#ifdef FIXED
    if (!c->live)
        return -1;
#endif
    assert(c->live);
    c->sent = n;
    return n;
}
