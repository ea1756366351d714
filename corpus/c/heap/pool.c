//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..3 functions 0 nesting 1
/* A pool keeps its free objects in a list. An object is given back twice. */
#include <assert.h>
struct slot { struct slot *next; unsigned char used; };
static struct slot slots[2], *idle = &slots[0], *kept;
static unsigned char started;
static struct slot *take(void)
{
    if (!started) {
        started = 1;
        slots[0].next = &slots[1];
    }
    struct slot *s = idle;
    if (s) {
        idle = s->next;
        assert(!s->used);
        s->used = 1;
    }
    return s;
}
void acquire(void) { kept = take(); }
void release(void)
{
    if (!kept)
        return;
    kept->used = 0;
    kept->next = idle;
    idle = kept;
#ifdef FIXED
    kept = 0;
#endif
}
