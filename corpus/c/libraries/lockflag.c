//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..1 functions 0 nesting 2
/* A flag keeps others out; the early return forgets it, and then there is no way in. */
#include <assert.h>
extern int allocate(int size);
static int busy, depth, size;
int grow(int by)
{
    if (busy) return -1;
    busy = 1;
    depth++;
    int got = allocate(by);
    depth--;
    if (got < by) {
#ifdef FIXED
        busy = 0;
#endif
        return -1;
    }
    size = got;
    busy = 0;
    return 0;
}
void idle(void) { assert(depth > 0 || !busy); }
