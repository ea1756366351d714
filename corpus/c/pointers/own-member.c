//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..2 functions 0 nesting 1
/* A structure points to a member of its own. A copy points to that of the first one. */
#include <assert.h>
struct cursor { int small[2]; int *at; };
static struct cursor one, two;
static void start(struct cursor *c) { c->small[0] = c->small[1] = 0; c->at = c->small; }
void run(int v)
{
    start(&one);
    two = one;
#ifdef FIXED
    two.at = two.small + (one.at - one.small);
#endif
    *two.at++ = v;
    assert(two.small[0] == v);
}
