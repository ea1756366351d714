//! unsafe: any
//! with -DFIXED: safe
//! inputs: 0..0 functions 0 nesting 6
/* How deep calls are nested is counted. */
#include <assert.h>
#define MOST 4
extern void body(int depth);
static int depth;
int enter(void)
{
#ifdef FIXED
    if (depth >= MOST) return -1;
#else
    if (depth > MOST) return -1;
#endif
    depth++;
    assert(depth <= MOST);
    body(depth);
    depth--;
    assert(depth >= 0);
    return 0;
}
