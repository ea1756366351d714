//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 2 activations 4
//! skip references: there are too many stores to be tried one by one
/* An object is used while a callback releases it. In the fix it is pinned meanwhile. */
#include <assert.h>
#include <stdlib.h>
extern void notify(int value);
static int refs, pins, value, alive;
static void reap(void) { if (refs == 0 && pins == 0) { alive = 0; value = 0; } }
void create(int v) { if (!alive) { alive = 1; refs = 1; value = v; } }
void retain(void) { if (alive && refs < 1000) refs++; }
void release(void)
{
    if (!alive || refs == 0) return;
    refs--;
    reap();
}
void poke(void)
{
    if (!alive || pins == 1000) return;
#ifdef FIXED
    pins++;
#endif
    notify(value);
    assert(alive);
    value++;
#ifdef FIXED
    pins--;
    reap();
#endif
}
